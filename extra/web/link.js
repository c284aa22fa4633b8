// The part of the address after `#`: what is looked at, so that a link leads to the same view.

import { parsed } from './clock.js';

/**
 * What a link says: `#t=FROM-TO&pod=NAME`.
 * @returns {{span: [number, number] | null, things: [string, string][], words: string, rows: [number, number] | null, workload: string | null}}
 */
export function readLink() {
    const all = new URLSearchParams(location.hash.slice(1));
    const times = (all.get('t') ?? '').split('-').map(parsed);
    const [from, to] = [times[0] ?? null, times[1] ?? null];
    const around = from === null ? null : /** @type {[number, number]} */ (to === null || to <= from ? [from - 60000, from + 60000] : [from, to]);
    const rows = (all.get('rows') ?? '').split('-').map(Number);
    const things = /** @type {[string, string][]} */ ([...all].filter(([name]) => ['pod', 'node', 'workload', 'zone'].includes(name)));
    return { span: around, things, words: all.get('q') ?? '', rows: rows.length === 2 && rows[1] > rows[0] ? [rows[0], rows[1]] : null, workload: all.get('of') };
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/**
 * Writes what is looked at into the address, some time after it stopped changing. A page in a notebook's frame has none of its own.
 * @param {Record<string, string | null>} what
 */
export function writeLink(what) {
    if (location.protocol === 'about:') return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
        const parts = Object.entries(what).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
        const hash = parts.length ? `#${parts.join('&')}` : '#';
        if (hash !== location.hash) history.replaceState(null, '', hash);
    }, 200);
}
