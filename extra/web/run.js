// A run, as its columns tell it.

import { offsets } from './columns.js';

/**
 * @typedef {{at: number, text: string, rule: string | null}} Step
 * @typedef {{verdict: string, steps: Step[], remedies: {text: string, set: string | null}[], notes: string[]}} Why
 * @typedef {{name: string, from: number, to: number | null, lasts: boolean, fault: boolean, began: boolean}} Entry
 * @typedef {{zone: string, from: number, to: number, state: string, stopped: boolean, words: string}} Disruption
 * @typedef {{kind: 'pod'|'node'|'workload'|'zone', place: number}} Thing
 */

const KINDS = /** @type {const} */ (['pod', 'node', 'workload', 'zone']);

/** A run. */
export class Run {
    /** @param {import('./columns.js').Columns} columns */
    constructor(columns) {
        const header = columns.header;
        this.header = header;
        const times = (/** @type {string} */ name) => columns.times(name);
        // Times are in milliseconds.
        this.end = header.horizon;
        // Before and after nothing happens.
        this.begins = header.begins;
        this.shown = header.shown;
        /** @type {Entry[]} */
        this.entries = header.entries;
        /** @type {[number, number][]} */
        this.master = header.master;
        /** @type {{from: number, to: number, name: string | null}[]} */
        this.troubled = header.control_plane;
        /** @type {Disruption[]} */
        this.disruptions = header.disruptions;
        /** @type {string[]} */
        this.zones = header.zones;
        this.nodes = columns.texts('node.name');
        this.zoneOf = columns.numbers('node.zone');
        this.lanes = { first: offsets(columns.numbers('lane.count')), at: times('lane.at'), state: columns.numbers('lane.state') };
        this.pods = columns.texts('pod.name');
        this.workloadOf = columns.numbers('pod.workload');
        /** @type {{name: string, missing_minutes: number, evicted: number, needless: number}[]} */
        this.workloads = header.workloads;
        this.counts = { first: offsets(columns.numbers('workload.count')), at: times('workload.at') };
        /** @type {Record<string, Uint32Array>} */
        this.figures = {};
        for (const name of ['needed', 'desired', 'up', 'ready', 'ghosts', 'dead', 'pending']) this.figures[name] = columns.numbers(`workload.${name}`);
        this.queues = { of: header.queues, first: offsets(columns.numbers('queue.count')), at: times('queue.at'), length: columns.numbers('queue.length') };
        this.evicted = this.readEvictions(columns, times);
        this.left = { at: times('left.at'), pod: columns.numbers('left.pod'), node: columns.numbers('left.node'), how: columns.numbers('left.how') };
        this.leftOn = byPlace(this.left.node, this.nodes.length);
        // Pods that became ready in the place of lost ones, whatever these were lost by.
        this.replaced = { at: times('replaced.at'), pod: columns.numbers('replaced.pod'), node: columns.numbers('replaced.node') };
        /** @type {string[]} how each drain ended */
        this.drained = header.drains;
        this.drains = { from: times('drain.from'), to: times('drain.to'), node: columns.numbers('drain.node') };
        this.drainsOf = byPlace(this.drains.node, this.nodes.length);
        this.timers = {
            pod: columns.numbers('timer.pod'),
            node: columns.numbers('timer.node'),
            set: times('timer.set'),
            end: times('timer.end'),
            seconds: columns.numbers('timer.seconds'),
            how: columns.numbers('timer.how'),
        };
        this.why = new Explanations(columns, times);
        this.evictedOn = byPlace(this.evicted.node, this.nodes.length);
        this.timersOn = byPlace(this.timers.node, this.nodes.length);
        this.replacedOn = byPlace(this.replaced.node, this.nodes.length);
    }

    /**
     * @param {import('./columns.js').Columns} columns
     * @param {(name: string) => Float64Array} times
     */
    readEvictions(columns, times) {
        const at = times('evicted.at');
        const numbers = (/** @type {string} */ name) => columns.numbers(`evicted.${name}`);
        // One more than a span, or 0 for never.
        const span = (/** @type {string} */ name, /** @type {number} */ sign) => times(`evicted.${name}`).map((n, i) => (n === 0 ? NaN : at[i] + sign * (n - 1)));
        const moment = (/** @type {string} */ name) => times(`evicted.${name}`).map((n) => (n === 0 ? NaN : n - 1));
        return {
            at,
            pod: numbers('pod'),
            node: numbers('node'),
            cause: numbers('cause'),
            taint: numbers('taint'),
            seconds: numbers('seconds'),
            set: span('set', -1),
            back: moment('back'),
            since: moment('since'),
            replacement: numbers('replacement'),
            ready: span('ready', 1),
        };
    }

    /**
     * The step of a lane that holds at a time.
     * @param {number} node
     * @param {number} at
     */
    stepAt(node, at) {
        return lastUpTo(this.lanes.at, at, this.lanes.first[node], this.lanes.first[node + 1]);
    }

    /**
     * What an object is called among those of its kind.
     * @param {Thing} thing
     */
    name(thing) {
        if (thing.kind === 'pod') return this.pods[thing.place];
        if (thing.kind === 'node') return this.nodes[thing.place];
        if (thing.kind === 'zone') return this.zones[thing.place] || 'no zone';
        return this.workloads[thing.place].name;
    }

    /**
     * What an object is called, with its kind.
     * @param {Thing} thing
     */
    title(thing) {
        const name = this.name(thing);
        const isSaid = thing.kind === 'workload' || (thing.kind === 'zone' && !this.zones[thing.place]);
        return isSaid ? name : `${thing.kind} ${name}`;
    }

    /**
     * What the objects of a kind are called, in their order.
     * @param {Thing['kind']} kind
     */
    names(kind) {
        return { pod: this.pods, node: this.nodes, zone: this.zones, workload: this.workloads.map((w) => w.name) }[kind];
    }

    /**
     * The object of a name.
     * @param {string} kind
     * @param {string} name
     * @returns {Thing | null}
     */
    find(kind, name) {
        const of = KINDS.find((k) => k === kind);
        if (!of) return null;
        const place = this.names(of).indexOf(name);
        return place < 0 ? this.named(`${kind}/${name}`)[0] ?? null : { kind: of, place };
    }

    /**
     * The objects that a person may mean, by the names that `explain` takes: `default/db-2`, `db-2`, `pod/db-2`, `deployment/web`, `web`, `zone/b`, `b`.
     * A kind may stand before a space, too, as this page writes it.
     * @param {string} text
     * @returns {Thing[]}
     */
    named(text) {
        // Only the name of a workload has its kind in it.
        const parts = (/** @type {Thing['kind']} */ kind, /** @type {string} */ name) => {
            const space = kind === 'workload' ? name.indexOf(' ') : -1;
            return { own: space < 0 ? kind : name.slice(0, space).toLowerCase(), full: name.slice(space + 1) };
        };
        const [, before, after] = /^(\w+)[/ ](.+)$/.exec(text) ?? [];
        const begins = before?.toLowerCase();
        const isKind = KINDS.some((k) => k === begins) || this.workloads.some((w) => parts('workload', w.name).own === begins);
        const wanted = isKind ? after : text;
        /** @type {Thing[]} */
        const found = [];
        for (const kind of KINDS) {
            for (const [place, name] of this.names(kind).entries()) {
                if (!name.endsWith(wanted)) continue;
                const { own, full } = parts(kind, name);
                if (isKind && begins !== kind && begins !== own) continue;
                if (full === wanted || full.endsWith(`/${wanted}`)) found.push({ kind, place });
            }
        }
        return found;
    }
}

/** Why things happened, in the words of `explain`. */
class Explanations {
    /**
     * @param {import('./columns.js').Columns} columns
     * @param {(name: string) => Float64Array} times
     */
    constructor(columns, times) {
        const numbers = (/** @type {string} */ name) => columns.numbers(`why.${name}`);
        this.texts = columns.texts('why.text');
        this.step = { at: times('why.step.at'), text: numbers('step.text'), rule: numbers('step.rule') };
        this.verdict = numbers('verdict');
        this.steps = { first: offsets(numbers('steps')), step: numbers('step') };
        this.remedies = { first: offsets(numbers('remedies')), text: numbers('remedy'), set: numbers('set') };
        this.notes = { first: offsets(numbers('notes')), text: numbers('note') };
        const [kind, place] = [numbers('kind'), numbers('place')];
        /** @type {Map<string, number>} */
        this.of = new Map();
        for (let i = 0; i < kind.length; i += 1) this.of.set(`${KINDS[kind[i]]} ${place[i]}`, i);
    }

    /**
     * @param {Thing} thing
     * @returns {Why | null}
     */
    get(thing) {
        const i = this.of.get(`${thing.kind} ${thing.place}`);
        if (i === undefined) return null;
        const range = (/** @type {Uint32Array} */ first) => Array.from({ length: first[i + 1] - first[i] }, (_, n) => first[i] + n);
        const text = (/** @type {number} */ n) => this.texts[n];
        const orNone = (/** @type {number} */ n) => (n === 0 ? null : this.texts[n - 1]);
        return {
            verdict: text(this.verdict[i]),
            steps: range(this.steps.first).map((n) => this.steps.step[n]).map((s) => ({
                at: this.step.at[s], text: text(this.step.text[s]), rule: orNone(this.step.rule[s]),
            })),
            remedies: range(this.remedies.first).map((n) => ({ text: text(this.remedies.text[n]), set: orNone(this.remedies.set[n]) })),
            notes: range(this.notes.first).map((n) => text(this.notes.text[n])),
        };
    }
}

/**
 * The last place of a rising list whose value is not above another, or the first one.
 * @param {ArrayLike<number>} list
 * @param {number} value
 * @param {number} [from]
 * @param {number} [to]
 */
export function lastUpTo(list, value, from = 0, to = list.length) {
    let [low, high] = [from, to];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return Math.max(from, low - 1);
}

/**
 * The first place of a rising list whose value is not below another.
 * @param {ArrayLike<number>} list
 * @param {number} value
 */
export function firstFrom(list, value) {
    let [low, high] = [0, list.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}

/**
 * Which entries of a list are of which place; places are one higher than they are, and 0 is none.
 * @param {Uint32Array} places
 * @param {number} count
 */
function byPlace(places, count) {
    const first = new Uint32Array(count + 1);
    for (const place of places) if (place > 0) first[place] += 1;
    for (let i = 0; i < count; i += 1) first[i + 1] += first[i];
    const next = first.slice();
    const of = new Uint32Array(first[count]);
    for (let i = 0; i < places.length; i += 1) {
        if (places[i] > 0) {
            of[next[places[i] - 1]] = i;
            next[places[i] - 1] += 1;
        }
    }
    return { first, of };
}
