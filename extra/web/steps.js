// An interleaving: a lane for each process, one step after the other. What departs from the usual order is marked, and what a violation is about.

import { bdi, el } from './dom.js';

/** Steps of processes, with one that is looked at. */
export class StepView {
    /** @param {any} part as the program's `Steps` has it */
    constructor(part) {
        this.part = part;
        this.now = Math.max(0, part.steps.findIndex((/** @type {any} */ s) => s.mark === 'fault'));
        this.told = el('div', { class: 'why', role: 'status' });
        const head = el('tr', {}, el('th', { scope: 'col', class: 'number' }, 'time'), ...part.processes.map((/** @type {string} */ p) => el('th', { scope: 'col' }, bdi(p))));
        /** @type {HTMLElement[]} */
        this.rows = part.steps.map((/** @type {any} */ s, /** @type {number} */ i) => this.row(s, i));
        this.body = el('tbody', {}, ...this.rows);
        const key = el('div', { class: 'legend' }, ...[['fault', 'what it is about'], ['involved', 'what led to it'], ['deviation', 'not the usual order']].map(([mark, text]) =>
            el('span', { class: `swatch mark-${mark}` }, el('i', { 'aria-hidden': 'true' }, sign(mark)), text)));
        this.element = el('div', { class: 'steps' }, key, this.told,
            el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${part.title}; arrows up and down go from step to step`, onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e) },
                el('table', {}, el('caption', {}, part.title), el('thead', {}, head), this.body)));
        this.show(this.now, false);
    }

    /**
     * @param {any} step
     * @param {number} i
     */
    row(step, i) {
        const cells = this.part.processes.map((/** @type {string} */ _, /** @type {number} */ p) => (p === step.process
            ? el('td', { class: `step${step.mark ? ` mark-${step.mark}` : ''}` }, el('button', { type: 'button', class: 'link', tabindex: -1, onclick: () => this.show(i, false) }, `${sign(step.mark)} ${first(step)}`))
            : el('td', { class: 'idle', 'aria-hidden': 'true' })));
        return el('tr', {}, el('td', { class: 'number' }, step.at.toFixed(3)), ...cells);
    }

    /**
     * @param {number} to
     * @param {boolean} scroll
     */
    show(to, scroll) {
        const { steps, processes } = this.part;
        if (!steps.length) return;
        this.rows[this.now].removeAttribute('aria-current');
        this.now = Math.min(steps.length - 1, Math.max(0, to));
        const row = this.rows[this.now];
        row.setAttribute('aria-current', 'step');
        if (scroll) row.scrollIntoView({ block: 'nearest' });
        const step = steps[this.now];
        const lines = (/** @type {string} */ title, /** @type {string[]} */ all) => (all.length ? [el('h3', {}, title), el('ul', {}, ...all.map((t) => el('li', {}, bdi(t))))] : []);
        this.told.replaceChildren(el('p', { class: 'verdict' }, `Step ${this.now + 1} of ${steps.length}, at ${step.at.toFixed(6)} s: `, bdi(processes[step.process])),
            ...lines('What it wrote', step.wrote), ...lines('What it had seen', step.saw.filter((/** @type {string} */ line) => line !== '')));
    }

    /** @param {KeyboardEvent} e */
    key(e) {
        const marked = (/** @type {number} */ by) => {
            let i = this.now + by;
            while (i > 0 && i < this.rows.length - 1 && !this.part.steps[i].mark) i += by;
            return i;
        };
        const to = /** @type {Record<string, () => number>} */ ({
            ArrowDown: () => this.now + 1,
            ArrowRight: () => this.now + 1,
            ArrowUp: () => this.now - 1,
            ArrowLeft: () => this.now - 1,
            PageDown: () => marked(1),
            PageUp: () => marked(-1),
            Home: () => 0,
            End: () => this.rows.length - 1,
        })[e.key];
        if (!to) return;
        e.preventDefault();
        this.show(to(), true);
    }
}

/** @param {string | null} mark */
function sign(mark) {
    return mark === 'fault' ? '►' : mark === 'involved' ? '·' : mark === 'deviation' ? '↕' : '';
}

/** @param {any} step */
function first(step) {
    const text = step.wrote[0] ?? '';
    return step.wrote.length > 1 ? `${text} (and ${step.wrote.length - 1} more)` : text;
}
