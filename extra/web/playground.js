// The playground: a scenario at the left, what comes of it at the right, run anew on each change.

import { Asks, fetched } from './asks.js';
import { follow } from './begin.js';
import { Columns } from './columns.js';
import { Language } from './complete.js';
import { el, prose } from './dom.js';
import { Editor } from './editor.js';
import { readColours } from './palette.js';
import { Run } from './run.js';
import { RunView, heading } from './runview.js';
import { address, packed, readAddress, unpacked } from './share.js';

/** The module with the simulation. */
const MODULE = 'simulation.bin';

/** A longer part of an address is written by the button alone; some programs cut longer links. */
const ADDRESS = 8000;

/** So many mistakes are listed below the editor. */
const LISTED = 20;

/** So soon after the last key a run begins, in milliseconds. */
const PAUSE = 10;

/** @typedef {{name: string, file: string, doc: string}} Example */

class Playground {
    /**
     * @param {HTMLElement} page
     * @param {Example[]} examples
     */
    constructor(page, examples) {
        this.examples = examples;
        this.asks = new Asks(fetched(MODULE));
        this.name = 'scenario.ron';
        this.origin = '';
        /** @type {Example | null} */
        this.example = null;
        /** @type {RunView | null} */
        this.view = null;
        this.shown = 0;
        this.turn = 0;
        /** @type {Promise<void>} */
        this.learned = Promise.resolve();
        this.editor = new Editor(() => this.later());
        this.verdict = el('div', { class: 'verdict-of', role: 'status' });
        this.right = el('section', { class: 'right', 'aria-label': 'What comes of it', tabindex: 0 });
        page.classList.add('playground');
        page.replaceChildren(this.controls(), el('section', { class: 'left', 'aria-label': 'The scenario' }, this.editor.element, this.verdict), this.right);
        this.drops();
        follow(() => (this.view ? [this.view] : []));
        addEventListener('hashchange', () => this.open());
    }

    /** What stands above everything. */
    controls() {
        const groups = new Map([['', el('optgroup', { label: 'Scenarios' })]]);
        for (const [i, { name, doc }] of this.examples.entries()) {
            const [folder] = name.includes('/') ? name.split('/') : [''];
            if (!groups.has(folder)) groups.set(folder, el('optgroup', { label: folder }));
            groups.get(folder).append(el('option', { value: i, title: doc }, name));
        }
        this.pick = el('select', { class: 'example', onchange: () => this.choose(this.examples[Number(this.pick.value)]) }, el('option', { value: '' }, 'your own'), ...groups.values());
        this.seed = el('input', { class: 'seed', inputmode: 'numeric', placeholder: 'as written', autocomplete: 'off', oninput: () => this.later() });
        this.release = el('select', { onchange: () => this.later() }, el('option', { value: '' }, 'as written'));
        const file = el('input', { type: 'file', multiple: true, hidden: true, onchange: () => this.take([...file.files]).then(() => { file.value = ''; }) });
        this.told = el('span', { role: 'status' });
        return el('header', { class: 'controls' }, el('h1', {}, 'taintsim'), el('label', {}, 'Example', this.pick), el('label', {}, 'Kubernetes', this.release),
            el('label', {}, 'Seed', this.seed, el('button', { type: 'button', title: 'Another seed', onclick: () => this.another() }, 'next')),
            el('button', { type: 'button', title: 'What kubectl get … -A -o json or yaml printed, or a scenario; it can be dropped on the page, too', onclick: () => file.click() }, 'open a file'), file,
            el('button', { type: 'button', title: 'A link that holds the scenario', onclick: () => this.share() }, 'share'), this.told);
    }

    /** Files may be dropped everywhere. */
    drops() {
        const over = (/** @type {boolean} */ is) => document.body.classList.toggle('dropping', is);
        addEventListener('dragover', (e) => {
            if (!e.dataTransfer?.types.includes('Files')) return;
            e.preventDefault();
            over(true);
        }, true);
        addEventListener('dragleave', (e) => {
            if (!e.relatedTarget) over(false);
        });
        addEventListener('drop', (e) => {
            over(false);
            const files = [...e.dataTransfer?.files ?? []];
            if (!files.length) return;
            // The editor would insert it as text.
            e.preventDefault();
            e.stopPropagation();
            this.take(files);
        }, true);
    }

    /** What the module knows. */
    async learn() {
        const { answer } = await this.asks.ask({ do: 'about' });
        this.editor.language = new Language(answer.schema);
        for (const release of answer.releases.reverse()) this.release.append(el('option', { value: release }, release));
        this.about = answer;
        const asked = readAddress(location.hash).kubernetes;
        if (asked) this.say(asked);
    }

    /**
     * Takes a release that an address says; one that nobody knows is a mistake that is then shown.
     * @param {string} release
     */
    say(release) {
        const known = [...this.release.options].some((o) => o.value === release);
        if (!known && release) this.release.append(el('option', { value: release }, release));
        this.release.value = release;
    }

    /** Opens what the address says, or the first example. */
    async open() {
        if (location.hash === this.written) return;
        const asked = readAddress(location.hash);
        const example = this.examples.find((e) => e.name === asked.example);
        const text = asked.packed === null ? null : await unpacked(asked.packed);
        this.seed.value = asked.seed;
        if (this.about) this.say(asked.kubernetes);
        if (text !== null) return this.start(asked.name || 'scenario.ron', text);
        await this.choose(example ?? this.examples[0]);
        if (asked.packed !== null) this.tell('The link is damaged: it holds no scenario.');
        else if (asked.example && !example) this.tell(`There is no example ${asked.example}.`);
        return undefined;
    }

    /** @param {Example | undefined} example */
    async choose(example) {
        if (!example) return;
        const response = await fetch(example.file);
        if (!response.ok) {
            this.tell(`${example.file} cannot be read: ${response.status}`);
            return;
        }
        this.start(`${example.name.split('/').pop()}.ron`, await response.text(), example);
    }

    /**
     * Begins with a text.
     * @param {string} name
     * @param {string} text
     * @param {Example | null} [example]
     */
    start(name, text, example = null) {
        [this.name, this.origin, this.example] = [name, text, example];
        this.tell('');
        this.fresh = true;
        this.editor.replace(text);
        this.soon(0);
    }

    /** @param {string} words */
    tell(words) {
        this.told.textContent = words;
    }

    later() {
        this.soon(PAUSE);
    }

    /** @param {number} pause */
    soon(pause) {
        clearTimeout(this.timer);
        this.began = performance.now();
        this.timer = setTimeout(() => this.run(), pause);
    }

    /** Another seed than the one of the run that is shown. */
    another() {
        this.seed.value = String((BigInt(this.ran?.seed ?? 0) + 1n) % (1n << 64n));
        this.soon(0);
    }

    /** Checks what stands there, and runs it where nothing is wrong. */
    async run() {
        this.turn += 1;
        const turn = this.turn;
        const began = this.began ?? 0;
        // What the module knows is asked once, and must not be dropped.
        await this.learned;
        if (turn !== this.turn) return;
        this.asks.drop();
        const { text } = this.editor;
        const own = this.example && text === this.origin ? this.example : null;
        this.pick.value = own ? String(this.examples.indexOf(own)) : '';
        const question = { name: this.name, text, seed: this.seed.value.trim() || null, kubernetes: this.release.value || null };
        this.write(own, text);
        const checked = await this.asks.ask({ do: 'check', ...question });
        if (turn !== this.turn) return;
        if (this.wrong(checked.answer)) return;
        this.editor.underline([]);
        const slow = setTimeout(() => this.verdict.replaceChildren(el('p', {}, 'It runs…')), 400);
        const asked = performance.now();
        const { answer, bytes } = await this.asks.ask({ do: 'run', ...question });
        clearTimeout(slow);
        if (turn !== this.turn || this.wrong(answer)) return;
        this.ran = answer;
        const ran = performance.now() - asked;
        this.show(bytes);
        const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
        this.verdict.replaceChildren(el('p', {}, `No mistake. ${count(answer.nodes, 'node')}, ${count(answer.pods, 'pod')}, Kubernetes ${answer.release}, seed ${answer.seed}; run in ${Math.max(1, Math.round(ran))} ms.`));
        performance.measure('taintsim-answer', { start: began, end: performance.now() });
        const told = await this.asks.ask({ do: 'page', ...question });
        if (turn === this.turn && told.bytes.length) this.tellWhy(told.bytes);
    }

    /**
     * Why things happened comes after what happened, for it takes longer.
     * @param {Uint8Array<ArrayBuffer>} bytes
     */
    tellWhy(bytes) {
        const { view } = this;
        if (!view) return;
        view.run.why = new Run(new Columns(bytes)).why;
        if (view.chosen) view.panel.show(view.chosen);
        document.documentElement.dataset.told = String(this.shown);
    }

    /**
     * Shows what is wrong, if anything is.
     * @param {import('./door.js').Answer} answer
     */
    wrong(answer) {
        if (answer.defect) answer.mistakes = [{ message: `This is a defect of taintsim: ${answer.defect}`, help: 'please report it with the scenario' }];
        const { mistakes } = answer;
        if (!mistakes) return false;
        this.editor.underline(mistakes);
        this.right.classList.toggle('stale', this.view !== null);
        const more = mistakes.length - LISTED;
        this.verdict.replaceChildren(el('p', {}, mistakes.length === 1 ? 'A mistake:' : `${mistakes.length} mistakes:`),
            el('ul', {}, ...mistakes.slice(0, LISTED).map((m) => this.mistake(m))), more > 0 ? `and ${more} more` : '');
        document.documentElement.dataset.wrong = String(mistakes.length);
        return true;
    }

    /** @param {import('./door.js').Mistake} mistake */
    mistake({ message, help, from }) {
        const place = typeof from === 'number' ? el('button', { type: 'button', class: 'link', onclick: () => this.editor.goTo(from) }, `line ${this.editor.line(from)}`) : null;
        return el('li', {}, place, place ? ': ' : null, prose(message), help ? el('div', { class: 'help' }, prose(help)) : null);
    }

    /**
     * Shows a run where the last one stood, over the same span of time.
     * @param {Uint8Array<ArrayBuffer>} bytes
     */
    show(bytes) {
        const run = new Run(new Columns(bytes));
        const before = this.fresh ? null : this.view;
        const top = this.fresh ? 0 : this.right.scrollTop;
        const writes = this.editor.view.hasFocus;
        this.fresh = false;
        readColours();
        const view = new RunView(run);
        this.right.classList.remove('stale');
        this.right.replaceChildren(heading(run.header), view.element);
        view.resize();
        if (before && before.run.end === run.end) {
            keep(before, view);
            if (writes) this.editor.view.focus();
        }
        this.view = view;
        this.right.scrollTop = top;
        delete document.documentElement.dataset.wrong;
        this.shown += 1;
        document.documentElement.dataset.shown = String(this.shown);
        if (this.shown === 1) performance.mark('taintsim-shown');
    }

    /**
     * The address follows what is written, as far as it is short, so that nothing is lost when the page is loaded again.
     * @param {Example | null} own
     * @param {string} text
     */
    async write(own, text) {
        const hash = await this.hash(own, text);
        if (text !== this.editor.text || hash.length > ADDRESS) return;
        this.written = hash;
        if (hash !== location.hash) history.replaceState(null, '', hash);
        this.written = location.hash;
    }

    /**
     * @param {Example | null} own
     * @param {string} text
     */
    async hash(own, text) {
        const settings = { seed: this.seed.value.trim(), kubernetes: this.release.value };
        return address(own ? { example: own.name, ...settings } : { name: this.name === 'scenario.ron' ? null : this.name, ...settings, s: await packed(text) });
    }

    /** Copies a link with what is written. */
    async share() {
        const { text } = this.editor;
        const hash = await this.hash(this.example && text === this.origin ? this.example : null, text);
        history.replaceState(null, '', hash);
        this.written = location.hash;
        const long = hash.length > ADDRESS ? `; it has ${location.href.length.toLocaleString('en')} characters, which some programs cut` : '';
        try {
            await navigator.clipboard.writeText(location.href);
            this.tell(`The link is copied${long}.`);
        } catch {
            this.tell(`The link stands in the address bar${long}.`);
        }
    }

    /**
     * Takes files: a scenario as it is, whatever else as kubectl's exports of one cluster.
     * @param {File[]} files
     */
    async take(files) {
        const [first] = files;
        if (files.length === 1 && first.name.endsWith('.ron')) {
            this.start(first.name, await first.text());
            return;
        }
        this.tell(`Reading ${first.name}…`);
        const contents = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
        const all = new Uint8Array(contents.reduce((sum, c) => sum + c.length, 0));
        let at = 0;
        for (const content of contents) {
            all.set(content, at);
            at += content.length;
        }
        this.turn += 1;
        clearTimeout(this.timer);
        await this.learned;
        this.asks.drop();
        const { answer } = await this.asks.ask({ do: 'import', files: files.map((file, i) => ({ name: file.name, bytes: contents[i].length })) }, all);
        if (answer.text === undefined) {
            this.tell('');
            this.wrong(answer);
            return;
        }
        this.start(`${first.name.replace(/\.(json|ya?ml)(\.gz)?$/, '')}.ron`, answer.text);
        this.tell(answer.said.join(' '));
    }
}

/**
 * What was looked at stays in sight.
 * @param {RunView} before
 * @param {RunView} now
 */
function keep(before, now) {
    const { from, to, top, bottom, rows } = before.view;
    if (!before.view.atFirst()) now.view.span(from, to);
    if (rows === now.view.rows) now.view.lanes(top, bottom);
    const name = before.chosen && before.run.name(before.chosen);
    const thing = name ? now.run.find(before.chosen?.kind ?? '', name) : null;
    if (!thing) return;
    const focused = document.activeElement;
    now.choose(thing, false);
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}

const page = /** @type {HTMLElement} */ (document.getElementById('page'));
try {
    const examples = await fetch('examples.json');
    const playground = new Playground(page, await examples.json());
    playground.learned = playground.learn();
    await Promise.all([playground.open(), playground.learned]);
} catch (error) {
    page.replaceChildren(el('p', { class: 'note' }, `The playground cannot be shown: ${error instanceof Error ? error.message : error}. It needs a browser of 2023 or later, and a web server: python3 -m http.server will do.`));
    throw error;
}
