// Why something happened, in the words of `explain`.

import { absolute, short } from './clock.js';
import { bdi, el, prose } from './dom.js';

/** @type {Panel | null} the panel that is open: a page has one at a time */
let docked = null;

/** The panel that explains one object, docked to the side of the window or to its foot. */
export class Panel {
    /**
     * @param {import('./run.js').Run} run
     * @param {(thing: import('./run.js').Thing | null) => void} choose
     */
    constructor(run, choose) {
        this.run = run;
        this.choose = choose;
        /** @type {Element | null} what had the focus before */
        this.before = null;
        this.element = el('aside', { class: 'why', 'aria-label': 'Why', tabindex: -1, hidden: true });
    }

    /** Opens it, with the focus in it. */
    open() {
        if (this.element.hidden) this.before = document.activeElement;
        if (docked && docked !== this) docked.choose(null);
        docked = this;
        this.element.hidden = false;
        this.element.scrollTop = 0;
        this.element.focus({ preventScroll: true });
    }

    /** Closes it, and gives the focus back. */
    close() {
        if (this.element.hidden) return;
        const inside = this.element.contains(document.activeElement);
        this.element.hidden = true;
        if (docked === this) docked = null;
        if (inside && this.before instanceof HTMLElement && this.before.isConnected) this.before.focus();
    }

    /** @param {import('./run.js').Thing | null} thing */
    show(thing) {
        if (thing === null) {
            this.close();
            return;
        }
        const { run } = this;
        const why = run.why.get(thing);
        const close = el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => this.choose(null) }, '×');
        const heading = el('h3', {}, bdi(run.title(thing)));
        this.element.replaceChildren(close, heading, ...(why ? told(why) : this.untold(thing)));
        this.open();
    }

    /**
     * Several objects at one place.
     * @param {string} title
     * @param {import('./run.js').Thing[]} things
     */
    several(title, things) {
        const close = el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => this.choose(null) }, '×');
        const one = (/** @type {import('./run.js').Thing} */ thing) =>
            el('li', {}, el('button', { type: 'button', class: 'link', onclick: () => this.choose(thing) }, bdi(this.run.name(thing))));
        const more = things.length > 200 ? el('p', {}, `and ${things.length - 200} more: see the table of evictions`) : null;
        this.element.replaceChildren(close, el('h3', {}, title), el('ul', {}, ...things.slice(0, 200).map(one)), ...(more ? [more] : []));
        this.open();
    }

    /** @param {import('./run.js').Thing} thing */
    untold(thing) {
        const name = this.run.name(thing);
        const said = [el('p', {}, 'This page holds no words for it: of a run of this size only a part is explained here. The program tells it:')];
        said.push(el('pre', {}, `taintsim explain output/${this.run.header.title} ${thing.kind}/${name}`));
        const { evicted } = this.run;
        if (thing.kind !== 'pod') return said;
        const own = evicted.pod.indexOf(thing.place);
        if (own < 0 || evicted.node[own] === 0) return said;
        const node = /** @type {import('./run.js').Thing} */ ({ kind: 'node', place: evicted.node[own] - 1 });
        const timer = evicted.set[own] >= 0 ? `its timer of ${evicted.seconds[own] - 1} s was set at ${absolute(evicted.set[own])}; ` : '';
        said.unshift(el('p', {}, `${timer}evicted at ${absolute(evicted.at[own])} from `,
            el('button', { type: 'button', class: 'link', onclick: () => this.choose(node) }, bdi(this.run.name(node)))));
        return said;
    }
}

/** @param {import('./run.js').Why} why */
function told(why) {
    const step = (/** @type {import('./run.js').Step} */ s, /** @type {number} */ i) => {
        const delay = i > 0 ? `+${short(s.at - why.steps[i - 1].at)}` : '';
        return el('li', {}, el('time', {}, absolute(s.at)), ' ', el('span', { class: 'delay' }, delay), ' ', prose(s.text),
            s.rule ? el('div', { class: 'rule' }, prose(s.rule)) : null);
    };
    const remedy = (/** @type {{text: string, set: string | null}} */ r) => el('li', {}, prose(r.text), r.set ? el('pre', {}, `--set ${r.set}`) : null);
    return [
        el('p', { class: 'verdict' }, prose(why.verdict)),
        why.steps.length ? el('ol', {}, ...why.steps.map(step)) : el('span'),
        ...(why.remedies.length ? [el('h4', {}, 'What would have changed it'), el('ul', {}, ...why.remedies.map(remedy))] : []),
        ...why.notes.map((n) => el('p', {}, prose(n))),
    ];
}
