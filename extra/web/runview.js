// A run as a person looks at it: all panels, and what connects them.

import { absolute, grouped, whole } from './clock.js';
import { LEFT, measure } from './canvas.js';
import { Course } from './course.js';
import { Curves, queueLines, workloadLines } from './curves.js';
import { bdi, contents, el, prose, section } from './dom.js';
import { Lanes, nearby } from './lanes.js';
import { readLink, writeLink } from './link.js';
import { STATES, readColours, stateColours, words } from './palette.js';
import { key, reach } from './reach.js';
import { Rows, zoneName } from './rows.js';
import { firstFrom } from './run.js';
import { evictionTable, findingTable } from './tables.js';
import { View } from './view.js';
import { Panel } from './why.js';

/** More workloads have their curves only when they are asked for. */
const CHARTS = 12;
/** Of more objects that a name may mean only the first are listed. */
const MEANT = 6;

/** Everything about one run. */
export class RunView {
    /**
     * @param {import('./run.js').Run} run
     * @param {{linked?: boolean, view?: View, brief?: boolean}} [how] whether the address follows the view; a view shared with another run; lanes alone
     */
    constructor(run, how = {}) {
        this.run = run;
        this.how = how;
        this.view = how.view ?? new View(run.end, [run.begins, run.shown]);
        this.rows = new Rows(run);
        this.course = new Course(run, this.view);
        this.lanes = new Lanes(run, this.view, this.rows);
        this.panel = new Panel(run, (thing) => this.choose(thing));
        this.tip = el('div', { class: 'tip', role: 'status', hidden: true });
        this.readout = el('p', { class: 'readout', role: 'status' });
        /** @type {Curves[]} */
        this.curves = [];
        /** @type {import('./run.js').Thing | null} */
        this.chosen = null;
        this.workload = -1;
        this.printed = false;
        this.words = '';
        this.view.onchange(() => this.draw());
        this.element = el('div', { class: 'run' }, ...(how.brief ? [this.figure(), this.panel.element] : this.parts()));
        this.element.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
            if (e.key !== 'Escape' || this.panel.element.hidden || e.target instanceof HTMLInputElement) return;
            e.preventDefault();
            this.choose(null);
        });
        // What is told of a place is gone with the pointer, however it left.
        addEventListener('scroll', () => { this.tip.hidden = true; }, { passive: true });
        addEventListener('blur', () => { this.tip.hidden = true; });
        this.resize();
        new ResizeObserver(() => this.resize()).observe(this.element);
    }

    parts() {
        const { run } = this;
        this.evictions = evictionTable(run, (thing) => this.choose(thing));
        this.findings = findingTable(run, (at) => this.goTo(at));
        const summary = el('dl', { class: 'summary' }, ...run.header.summary.flatMap((/** @type {[string, string]} */ [name, said]) => [el('dt', {}, name), el('dd', {}, said)]));
        const outcomes = el('ul', {}, ...run.header.outcomes.map((/** @type {string} */ line) => el('li', {}, prose(line))));
        const sections = [
            section('Summary', el('div', { class: 'overview' }, summary, run.header.outcomes.length ? outcomes : null)),
            section('Course', this.tools(), this.figure(), this.panel.element),
            section('Evictions', this.evictions.element),
            this.workloadSection(),
            this.queueSection(),
            section('Findings', this.findings.element),
        ];
        return this.how.linked ? [contents(sections), ...sections] : sections;
    }

    /** Search, filter, and what resets the view. */
    tools() {
        const { run } = this;
        const names = el('datalist', { id: 'names' });
        this.search = el('input', { type: 'search', class: 'find', list: 'names', placeholder: 'pod, node, workload or zone', 'aria-label': 'Find a pod, node, workload or zone' });
        this.search.addEventListener('input', () => names.replaceChildren(...this.candidates(this.search.value).map((c) => el('option', { value: c }))));
        const form = el('form', { class: 'tools', role: 'search', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); this.findNamed(this.search.value); } },
            this.search, names, el('button', { type: 'submit' }, 'explain'));
        const filter = el('select', { 'aria-label': 'Show evictions of', onchange: () => this.filter(Number(filter.value)) },
            el('option', { value: -1 }, 'all workloads'), ...run.workloads.map((w, i) => el('option', { value: i }, w.name)));
        this.select = filter;
        const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ does) => el('button', { type: 'button', title, onclick: does }, text);
        form.append(filter, button('−', 'Longer span (-)', () => this.view.zoom(1 / 0.6)), button('+', 'Shorter span (+)', () => this.view.zoom(0.6)),
            button('all', 'The whole run (0)', () => this.view.reset()));
        if (this.rows.zones.length > 1) form.append(el('span', { class: 'zones' }, ...this.rows.zones.map((z) => this.foldButton(z))));
        this.named = el('p', { class: 'missing', role: 'status' });
        return el('div', {}, form, this.named);
    }

    /** @param {number} zone */
    foldButton(zone) {
        const [first, end] = this.rows.nodesOf(zone);
        const button = el('button', { type: 'button', 'aria-expanded': 'true', onclick: () => this.fold(zone) },
            `▾ ${zoneName(this.run.zones[zone])} (${grouped(end - first)})`);
        button.dataset.zone = String(zone);
        return button;
    }

    /** The lanes with what stands above them. */
    figure() {
        const { run } = this;
        this.rows.place();
        this.view.rows = Math.max(this.view.rows, this.rows.all.length);
        this.view.bottom = this.view.rows;
        const states = stateColours();
        const used = new Set(this.lanes.bad);
        const legend = STATES.map((name, i) => ({ name, i })).filter(({ i }) => i > 0 && used.has(i)).map(({ name, i }) => this.swatch(name, states[i] ? ['ready', 'cordoned', 'silent', 'unknown', 'not-ready', 'no-execute'][i - 1] : 'ready'));
        if (run.evicted.at.length) legend.push(this.swatch('evicted', 'eviction', '◆'));
        for (const [how, [said, sign]] of [['preempted', '◇'], ['shut down with the node', '□'], ['turned away', '⧖']].entries()) if (run.left.how.includes(how)) legend.push(this.swatch(said, 'eviction', sign));
        if (run.drained.length) legend.push(this.swatch('drain', 'drain', '▔'));
        if (run.lanes.state.some((code) => code & 64)) legend.push(this.swatch('volumes held', 'held', '▔'));
        if (run.lanes.state.some((code) => code & 128)) legend.push(this.swatch('volume awaited', 'awaited', '▔'));
        if (run.replaced.at.length) legend.push(this.swatch('replacement ready', 'replacement', '▲'));
        if (run.timers.pod.length || run.evicted.set.some((t) => t > 0)) legend.push(this.swatch('eviction timer runs', 'timer', '―'));
        const hint = 'Wheel: zoom in time; with Ctrl also lanes; with Shift move lanes. Drag to move, double-click for all. Keys: arrows, + and -, * and _, Page Up and Down, 0, Enter to explain, [ and ] for what happens next.';
        const late = run.begins > 0 ? ` Nothing happens before ${whole(run.begins)}: 0 shows it.` : '';
        const cut = run.shown < run.end ? ` Nothing happens after ${whole(run.shown)}; the run ends at ${whole(run.end)}.` : '';
        const figure = el('figure', { tabindex: 0, 'aria-label': 'Lanes of nodes; arrows move the cursor, Enter explains', onkeydown: (/** @type {KeyboardEvent} */ e) => this.keyed(e) },
            el('div', { class: 'legend' }, ...legend), el('div', { class: 'place' }, this.course.surface.canvas), el('div', { class: 'place lanes' }, this.lanes.surface.canvas),
            el('figcaption', {}, this.readout, el('span', { class: 'hint' }, hint), late, cut), this.tip);
        const none = { height: () => 0 };
        reach(this.course.surface, this.view, { ...none, hover: (p) => this.hoverCourse(p), click: () => undefined });
        reach(this.lanes.surface, this.view, { height: () => this.lanes.body, hover: (p) => this.hover(p), click: (p) => this.click(p) });
        return figure;
    }

    /**
     * @param {string} name
     * @param {string} of a colour
     * @param {string} [sign]
     */
    swatch(name, of, sign) {
        return el('span', { class: `swatch of-${of}` }, el('i', { 'aria-hidden': 'true' }, sign ?? ''), name);
    }

    workloadSection() {
        const { run } = this;
        const order = run.workloads.map((_, i) => i).filter((i) => run.counts.first[i + 1] > run.counts.first[i] && run.figures.desired[run.counts.first[i + 1] - 1] + run.figures.up[run.counts.first[i]] > 0);
        order.sort((a, b) => run.workloads[b].missing_minutes - run.workloads[a].missing_minutes);
        if (!order.length) return section('Workloads', el('p', {}, 'There are none.'));
        const places = el('div');
        const add = (/** @type {number} */ i) => places.append(this.chart(run.workloads[i].name, `${run.workloads[i].name} over time`, workloadLines(run, i), { kind: 'workload', place: i }));
        order.slice(0, CHARTS).forEach(add);
        const more = order.length > CHARTS ? el('button', { type: 'button', onclick: () => { order.slice(CHARTS).forEach(add); more?.remove(); } }, `show ${order.length - CHARTS} more`) : null;
        return section('Workloads', places, more);
    }

    queueSection() {
        const { run } = this;
        const of = run.queues.of;
        if (!of.length) return section('Queues and clients', el('p', {}, 'Nobody waited.'));
        const all = [...of.keys()];
        const waits = all.filter((i) => of[i].unit !== 'per second');
        const sends = all.filter((i) => of[i].unit === 'per second');
        const limits = sends.filter((i) => of[i].limit).map((i) => `${of[i].limit.qps} per second and ${of[i].limit.burst} at once for ${of[i].name}`);
        const chart = (/** @type {string} */ name, /** @type {number[]} */ list) => (list.length ? this.chart(name, `${name} over time`, queueLines(run, list), null) : null);
        return section('Queues and clients', chart('Who waits', waits), chart('Requests in each second', sends),
            limits.length ? el('p', { class: 'hint' }, `Limits: ${limits.join('; ')}.`) : null);
    }

    /**
     * A chart that is drawn once it comes into sight.
     * @param {string} name
     * @param {string} label
     * @param {import('./curves.js').Line[]} lines
     * @param {import('./run.js').Thing | null} thing
     */
    chart(name, label, lines, thing) {
        const place = el('div', { class: 'curve' });
        const curves = new Curves(this.view, place, lines, label);
        this.curves.push(curves);
        const seen = new IntersectionObserver((all) => {
            if (!all.some((e) => e.isIntersecting)) return;
            seen.disconnect();
            curves.show();
        }, { rootMargin: '300px' });
        seen.observe(place);
        const title = thing ? el('button', { type: 'button', class: 'link', onclick: () => this.choose(thing) }, bdi(name)) : bdi(name);
        return el('div', { class: 'chart' }, el('h3', {}, title), place);
    }

    /** Takes the widths anew, and the colours. */
    resize() {
        const width = this.element.clientWidth;
        if (width === 0 || (width === this.width && !this.recolour)) return;
        this.width = width;
        this.recolour = false;
        readColours();
        measure(this.printed);
        this.lanes.fit();
        this.course.place();
        for (const c of this.curves) if (c.plot) c.show();
        this.view.draw();
    }

    draw() {
        this.course.draw();
        this.lanes.draw();
        const { view } = this;
        const at = view.cursor === null ? '' : `at ${absolute(view.cursor)}; `;
        this.readout.textContent = `${at}${whole(view.from)} to ${whole(view.to)} of ${whole(view.end)}`;
        if (this.how.linked) this.link();
    }

    link() {
        const { view } = this;
        const whole = view.atFirst();
        const all = view.top === 0 && view.bottom === view.rows;
        const thing = this.chosen;
        writeLink({
            t: whole ? null : `${Math.round(view.from)}-${Math.round(view.to)}`,
            rows: all ? null : `${view.top.toFixed(1)}-${view.bottom.toFixed(1)}`,
            of: this.workload < 0 ? null : this.run.workloads[this.workload].name,
            q: this.words,
            ...(thing ? { [thing.kind]: this.run.name(thing) } : {}),
        });
    }

    /** Looks at what the address says. */
    followLink() {
        const link = readLink();
        if (link.span) this.view.span(link.span[0], link.span[1]);
        if (link.rows) this.view.lanes(link.rows[0], link.rows[1]);
        const of = this.run.workloads.findIndex((w) => w.name === link.workload);
        if (of >= 0) {
            this.select.value = String(of);
            this.filter(of);
        }
        for (const [kind, name] of link.things) {
            const thing = this.run.find(kind, name);
            if (thing) this.choose(thing, !link.span);
            else if (this.named) this.named.textContent = `There is no ${kind} ${name} in this run.`;
        }
    }

    /** @param {number} zone */
    fold(zone) {
        const before = this.rows.all.length;
        this.rows.toggle(zone);
        const all = this.view.top === 0 && this.view.bottom === before;
        this.view.rows = this.rows.all.length;
        this.lanes.fit();
        if (all || this.view.bottom > this.view.rows) this.view.lanes(0, this.view.rows);
        for (const button of this.element.querySelectorAll('.zones button')) {
            const folded = this.rows.folded.has(Number(button.dataset.zone));
            button.setAttribute('aria-expanded', String(!folded));
            button.textContent = `${folded ? '▸' : '▾'}${(button.textContent ?? '').slice(1)}`;
        }
        this.view.changed();
    }

    /** @param {number} workload */
    filter(workload) {
        this.workload = workload;
        this.lanes.workload = workload;
        this.evictions?.filter(workload < 0 ? null : (/** @type {number} */ i) => this.lanes.shows(this.run.evicted.pod[i]));
        this.view.changed();
    }

    /**
     * Names that begin like this, or have it in them.
     * @param {string} text
     */
    candidates(text) {
        const { run } = this;
        if (text.length < 1) return [];
        const found = [];
        for (const list of [run.zones.filter((z) => z), run.workloads.map((w) => w.name), run.nodes, run.pods]) {
            for (const name of list) {
                if (found.length >= 30) return found;
                if (name.includes(text)) found.push(name);
            }
        }
        return found;
    }

    /** @param {string} text */
    findNamed(text) {
        const name = text.trim();
        const found = this.run.named(name);
        const go = (/** @type {import('./run.js').Thing} */ thing) => {
            this.named.replaceChildren();
            this.choose(thing);
        };
        if (found.length === 1) {
            go(found[0]);
            return;
        }
        // What was explained before is not what was asked for.
        this.choose(null);
        const one = (/** @type {import('./run.js').Thing} */ thing) => el('button', { type: 'button', class: 'link', onclick: () => go(thing) }, bdi(this.run.title(thing)));
        const several = [`${name} may be `, ...found.slice(0, MEANT).flatMap((thing, i) => [i ? ', ' : '', one(thing)]), found.length > MEANT ? ` and ${found.length - MEANT} more.` : '.'];
        this.named.replaceChildren(...(found.length ? several : [`There is nothing called ${name} in this run.`]));
    }

    /**
     * Explains an object, and brings it into sight.
     * @param {import('./run.js').Thing | null} thing
     * @param {boolean} [move]
     */
    choose(thing, move = true) {
        this.chosen = thing;
        this.panel.show(thing);
        this.lanes.selected = thing;
        if (thing?.kind === 'pod') this.choosePod(thing.place, move);
        if (thing?.kind === 'node') this.bringRow(thing.place);
        this.tip.hidden = true;
        this.view.changed();
    }

    /**
     * @param {number} pod
     * @param {boolean} move
     */
    choosePod(pod, move) {
        const { evicted } = this.run;
        const i = evicted.pod.indexOf(pod);
        if (i < 0 || evicted.node[i] === 0) return;
        const node = evicted.node[i] - 1;
        this.lanes.selected = { kind: 'node', place: node };
        this.bringRow(node);
        if (move) this.goTo(evicted.at[i]);
    }

    /** @param {number} node */
    bringRow(node) {
        if (this.rows.ofNode[node] < 0) this.fold(this.run.zoneOf[node]);
        const row = this.rows.ofNode[node];
        const { view } = this;
        if (row >= view.top && row + 1 <= view.bottom && this.lanes.lane >= 6) return;
        const height = Math.min(view.bottom - view.top, Math.max(4, this.lanes.body / 16));
        view.lanes(row + 0.5 - height / 2, row + 0.5 + height / 2);
    }

    /** @param {number} at */
    goTo(at) {
        const { view } = this;
        view.cursor = at;
        if (at < view.from || at > view.to) {
            const width = view.to - view.from;
            view.span(at - width / 2, at + width / 2);
        }
        view.changed();
    }

    /** @param {import('./reach.js').Place | null} place */
    hoverCourse(place) {
        const told = place && this.course.at(place.x, place.y);
        this.showTip(place, told ? [told] : [], this.course.surface);
        this.view.point(place ? this.course.surface.time(this.view, place.x) : null);
    }

    /** @param {import('./reach.js').Place | null} place */
    hover(place) {
        const { lanes, view } = this;
        view.point(place ? lanes.surface.time(view, place.x) : null);
        const row = place ? lanes.rowAt(place.y) : -1;
        this.showTip(place, place && row >= 0 ? this.tell(row, view.cursor ?? 0) : [], lanes.surface);
    }

    /**
     * @param {import('./reach.js').Place | null} place
     * @param {string[]} lines
     * @param {import('./canvas.js').Surface} surface
     */
    showTip(place, lines, surface) {
        this.tip.hidden = !place || lines.length === 0;
        if (!place || !lines.length) return;
        this.tip.replaceChildren(...lines.map((line, i) => el(i === 0 ? 'strong' : 'div', {}, bdi(line))));
        const box = surface.canvas.getBoundingClientRect();
        const outer = this.tip.parentElement.getBoundingClientRect();
        const left = box.left - outer.left + place.x + 14;
        this.tip.style.left = `${Math.max(0, Math.min(left, outer.width - this.tip.offsetWidth - 4))}px`;
        this.tip.style.top = `${box.top - outer.top + place.y + 16}px`;
    }

    /**
     * What is told of a lane at a time.
     * @param {number} row
     * @param {number} at
     * @returns {string[]}
     */
    tell(row, at) {
        const { run } = this;
        const { node, zone } = this.rows.all[row];
        if (node < 0) return this.tellZone(zone, at);
        const within = ((this.view.to - this.view.from) / this.lanes.surface.plot) * 5;
        const { near, left, replaced, timers, drains, step } = nearby(run, node, at, within);
        const lines = [`${run.nodes[node]} at ${absolute(at)}`, `${words(run.lanes.state[step])}, since ${absolute(run.lanes.at[step])}`];
        const cause = this.cause(node, run.lanes.at[step]);
        if (cause) lines.push(cause);
        for (const i of drains) lines.push(`${run.drained[i]}, from ${absolute(run.drains.from[i])}`);
        if (timers) lines.push(`${timers} eviction ${timers === 1 ? 'timer runs' : 'timers run'}`);
        const named = near.slice(0, 3).map((i) => run.pods[run.evicted.pod[i]]).join(', ');
        if (near.length) lines.push(`${near.length} evicted near here: ${named}${near.length > 3 ? ` and ${near.length - 3} more` : ''}`);
        for (const [how, said] of ['preempted by the scheduler', 'shut down with the node', 'turned away by the kubelet'].entries()) {
            const those = left.filter((i) => run.left.how[i] === how);
            if (those.length) lines.push(`${said} near here: ${those.slice(0, 3).map((i) => run.pods[run.left.pod[i]]).join(', ')}${those.length > 3 ? ` and ${those.length - 3} more` : ''}`);
        }
        if (replaced.length) lines.push(`${replaced.length} replacement${replaced.length === 1 ? '' : 's'} ready near here`);
        return lines;
    }

    /**
     * @param {number} zone
     * @param {number} at
     */
    tellZone(zone, at) {
        const { run, lanes } = this;
        const [first, end] = this.rows.nodesOf(zone);
        const counts = new Array(7).fill(0);
        for (let node = first; node < end; node += 1) counts[lanes.bad[run.stepAt(node, at)]] += 1;
        const said = STATES.map((name, i) => ({ name, n: counts[i] })).filter(({ n }) => n).map(({ name, n }) => `${n} ${name}`);
        const states = run.disruptions.filter((d) => d.zone === run.zones[zone] && d.from <= at && d.to > at).map((d) => `${d.state}: ${d.words}`);
        return [`${zoneName(run.zones[zone])} at ${absolute(at)}`, said.join(', '), ...states];
    }

    /**
     * Why a node is in its state: the step of its story with which the state began.
     * @param {number} node
     * @param {number} since
     */
    cause(node, since) {
        const why = since > 0 ? this.run.why.get({ kind: 'node', place: node }) : null;
        const step = why?.steps.filter((s) => s.at <= since).pop();
        return step ? `${absolute(step.at)} ${step.text}${step.rule ? ` (${step.rule})` : ''}` : null;
    }

    /** @param {import('./reach.js').Place} place */
    click(place) {
        const { lanes, run, view } = this;
        const row = lanes.rowAt(place.y);
        if (row < 0) return;
        const { node, zone } = this.rows.all[row];
        if (node < 0) {
            if (place.x < LEFT) this.fold(zone);
            else this.choose({ kind: 'zone', place: zone });
            return;
        }
        const within = ((view.to - view.from) / lanes.surface.plot) * 5;
        const { near, left } = nearby(run, node, lanes.surface.time(view, place.x), within);
        const pods = [...new Set([...near.map((i) => run.evicted.pod[i]).filter((pod) => lanes.shows(pod)), ...left.map((i) => run.left.pod[i])])];
        if (place.x < LEFT || pods.length === 0) this.choose({ kind: 'node', place: node });
        else if (pods.length === 1) this.choose({ kind: 'pod', place: pods[0] });
        else {
            this.choose({ kind: 'node', place: node });
            this.panel.several(`${pods.length} pods deleted on ${run.nodes[node]} near ${absolute(lanes.surface.time(view, place.x))}`, pods.map((p) => ({ kind: 'pod', place: p })));
        }
    }

    /** @param {KeyboardEvent} e */
    keyed(e) {
        if (e.target !== e.currentTarget) return;
        const { view } = this;
        const node = this.lanes.selected?.kind === 'node' ? this.lanes.selected.place : -1;
        if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
            const next = Math.min(this.run.nodes.length - 1, Math.max(0, node + (e.key === 'ArrowDown' ? 1 : -1)));
            this.lanes.selected = { kind: 'node', place: next };
            this.bringRow(next);
            this.tellSelected(next);
        } else if (e.key === 'Enter' && node >= 0) this.choose({ kind: 'node', place: node });
        else if (e.key === 'Escape') this.lanes.selected = null;
        else if (e.key === '[' || e.key === ']') this.goToNext(node, e.key === ']');
        else {
            key(e, view);
            return;
        }
        e.preventDefault();
        view.changed();
    }

    /** @param {number} node */
    tellSelected(node) {
        const at = this.view.cursor ?? this.view.from;
        this.readout.textContent = this.tell(this.rows.ofNode[node], at).join('; ');
    }

    /**
     * Moves the cursor to what happens next on a lane, or to the next eviction where none is selected.
     * @param {number} node
     * @param {boolean} forward
     */
    goToNext(node, forward) {
        const { run, view } = this;
        const times = node < 0 ? run.evicted.at : run.lanes.at.subarray(run.lanes.first[node], run.lanes.first[node + 1]);
        const now = view.cursor ?? view.from;
        const i = forward ? firstFrom(times, now + 1) : firstFrom(times, now) - 1;
        if (i < 0 || i >= times.length) return;
        this.goTo(times[i]);
        if (node >= 0) this.tellSelected(node);
    }

    /** What it takes to be printed: light, and no wider than a page. */
    prepareToPrint() {
        this.lanes.most = 330;
        this.recolour = true;
        this.printed = true;
        measure(true);
        readColours();
        for (const c of this.curves) c.show();
        this.resize();
    }

    /** The colours have changed. */
    repaint() {
        this.lanes.most = 460;
        this.recolour = true;
        this.printed = false;
        this.resize();
    }
}

/**
 * What stands above everything.
 * @param {any} header
 */
export function heading(header) {
    return el('header', {}, el('h1', {}, bdi(header.title)), header.doc ? el('p', { class: 'doc' }, prose(header.doc)) : null, el('p', { class: 'subtitle' }, bdi(header.subtitle)),
        ...(header.notes ?? []).map((/** @type {string} */ n) => el('p', { class: 'note' }, prose(n))));
}

