// Why something happened, in the words of `explain`.

import { absolute, short } from './clock.js';
import { bdi, el } from './dom.js';

/** The panel that explains one object. */
export class Panel {
    /**
     * @param {import('./run.js').Run} run
     * @param {(thing: import('./run.js').Thing | null) => void} choose
     */
    constructor(run, choose) {
        this.run = run;
        this.choose = choose;
        this.element = el('aside', { class: 'why', 'aria-label': 'Why', 'aria-live': 'polite', tabindex: -1, hidden: true });
    }

    /** @param {import('./run.js').Thing | null} thing */
    show(thing) {
        this.element.hidden = thing === null;
        if (thing === null) return;
        const { run } = this;
        const why = run.why.get(thing);
        const close = el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => this.choose(null) }, '×');
        const heading = el('h3', {}, `${thing.kind === 'workload' || thing.kind === 'zone' ? '' : `${thing.kind} `}`, bdi(run.name(thing)));
        this.element.replaceChildren(close, heading, ...(why ? told(why) : this.untold(thing)));
    }

    /**
     * Several objects at one place.
     * @param {string} title
     * @param {import('./run.js').Thing[]} things
     */
    several(title, things) {
        this.element.hidden = false;
        const close = el('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => this.choose(null) }, '×');
        const one = (/** @type {import('./run.js').Thing} */ thing) =>
            el('li', {}, el('button', { type: 'button', class: 'link', onclick: () => this.choose(thing) }, bdi(this.run.name(thing))));
        const more = things.length > 200 ? el('p', {}, `and ${things.length - 200} more: see the table of evictions`) : null;
        this.element.replaceChildren(close, el('h3', {}, title), el('ul', {}, ...things.slice(0, 200).map(one)), ...(more ? [more] : []));
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
        return el('li', {}, el('time', {}, absolute(s.at)), ' ', el('span', { class: 'delay' }, delay), ' ', bdi(s.text),
            s.rule ? el('div', { class: 'rule' }, bdi(s.rule)) : null);
    };
    const remedy = (/** @type {{text: string, set: string | null}} */ r) => el('li', {}, bdi(r.text), r.set ? el('pre', {}, `--set ${r.set}`) : null);
    return [
        el('p', { class: 'verdict' }, bdi(why.verdict)),
        why.steps.length ? el('ol', {}, ...why.steps.map(step)) : el('span'),
        ...(why.remedies.length ? [el('h4', {}, 'What would have changed it'), el('ul', {}, ...why.remedies.map(remedy))] : []),
        ...why.notes.map((n) => el('p', {}, bdi(n))),
    ];
}
