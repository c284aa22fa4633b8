// The tables of a run: evictions, and what happened.

import { absolute, short } from './clock.js';
import { Table } from './table.js';

/** @param {number} at */
function time(at) {
    return Number.isNaN(at) ? '' : absolute(at);
}

/**
 * @param {import('./run.js').Run} run
 * @param {(thing: import('./run.js').Thing) => void} choose
 */
export function evictionTable(run, choose) {
    const e = run.evicted;
    const node = (/** @type {number} */ place) => (place === 0 ? '' : run.nodes[place - 1]);
    const zone = (/** @type {number} */ place) => (place === 0 ? '' : run.zones[run.zoneOf[place - 1]]);
    const after = (/** @type {number} */ i) => e.at[i] - e.since[i];
    const span = (/** @type {number} */ ms) => (Number.isNaN(ms) ? '' : short(ms));
    const columns = [
        { title: 'pod', text: (/** @type {number} */ i) => run.pods[e.pod[i]] },
        { title: 'evicted at', number: true, text: (/** @type {number} */ i) => time(e.at[i]), sort: (/** @type {number} */ i) => e.at[i] },
        { title: 'after the fault', number: true, text: (/** @type {number} */ i) => span(after(i)), sort: after },
        { title: 'node', text: (/** @type {number} */ i) => node(e.node[i]) },
        { title: 'zone', text: (/** @type {number} */ i) => zone(e.node[i]) },
        { title: 'workload', text: (/** @type {number} */ i) => run.workloads[run.workloadOf[e.pod[i]]]?.name ?? '' },
        { title: 'by', text: (/** @type {number} */ i) => (e.taint[i] ? run.header.taints[e.taint[i] - 1] : run.header.causes[e.cause[i]]) },
        { title: 'timer', number: true, text: (/** @type {number} */ i) => (e.seconds[i] ? `${e.seconds[i] - 1}s` : ''), sort: (/** @type {number} */ i) => (e.seconds[i] ? e.seconds[i] - 1 : NaN) },
        { title: 'node back', number: true, text: (/** @type {number} */ i) => (e.back[i] === e.at[i] ? 'before it' : time(e.back[i])), sort: (/** @type {number} */ i) => e.back[i] },
        { title: 'replacement', text: (/** @type {number} */ i) => (e.replacement[i] ? run.pods[e.replacement[i] - 1] : '') },
        { title: 'ready after', number: true, text: (/** @type {number} */ i) => span(e.ready[i] - e.at[i]), sort: (/** @type {number} */ i) => e.ready[i] - e.at[i] },
    ];
    const search = (/** @type {number} */ i) => `${run.pods[e.pod[i]]} ${node(e.node[i])} ${run.workloads[run.workloadOf[e.pod[i]]]?.name ?? ''}`;
    return new Table('Evictions of this run', columns, e.at.length, { chosen: (i) => choose({ kind: 'pod', place: e.pod[i] }), search });
}

/**
 * @param {import('./run.js').Run} run
 * @param {(at: number) => void} goTo
 */
export function findingTable(run, goTo) {
    const rows = run.header.findings;
    const until = (/** @type {number} */ i) => (rows[i].last > rows[i].first ? absolute(rows[i].last) : '');
    const columns = [
        { title: 'from', number: true, text: (/** @type {number} */ i) => absolute(rows[i].first), sort: (/** @type {number} */ i) => rows[i].first },
        { title: 'to', number: true, text: until, sort: (/** @type {number} */ i) => rows[i].last },
        { title: 'after', number: true, text: (/** @type {number} */ i) => rows[i].after, sort: (/** @type {number} */ i) => rows[i].first },
        { title: 'what happened', text: (/** @type {number} */ i) => rows[i].text },
    ];
    return new Table('Findings', columns, rows.length, { chosen: (i) => goTo(rows[i].first) });
}
