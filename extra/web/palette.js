// Colours, as the style sheet has them for light and for dark.

/** The states of a lane, from the least bad to the worst, with what they are called. */
export const STATES = [
    'absent', 'Ready', 'Ready, NoSchedule taint', 'silent, not noticed yet', 'Unknown', 'NotReady', 'NoExecute taint',
];

const NAMES = ['paper', 'ink', 'faint', 'grid', 'rule', 'fault', 'fault-edge', 'action', 'held', 'awaited', 'ready', 'cordoned', 'silent', 'unknown', 'not-ready', 'no-execute',
    'troubled', 'eviction', 'replacement', 'drain', 'timer', 'master', 'full', 'slow', 'stopped', 'up', 'up-fill', 'said', 'ghost', 'dead', 'pending', 'needed', 'desired', 'missing', 'cursor', 'selected', 'on-band', 'differs'];

/** @type {Record<string, string>} */
let colours = {};

/** Reads the colours again, after light became dark or the other way round. */
export function readColours() {
    const style = getComputedStyle(document.documentElement);
    colours = {};
    for (const name of NAMES) colours[name] = style.getPropertyValue(`--${name}`).trim();
}

/**
 * @param {string} name
 * @returns {string}
 */
export function colour(name) {
    return colours[name] ?? '#000';
}

/** The colours of the states of a lane, in their order. */
export function stateColours() {
    return ['paper', 'ready', 'cordoned', 'silent', 'unknown', 'not-ready', 'no-execute'].map(colour);
}

/**
 * How bad a state is, an index into `STATES`.
 * @param {number} code as the columns have it
 */
export function badness(code) {
    const health = code & 7;
    if (health === 4) return 0;
    if (code & 16) return 6;
    if (health === 0) return code & 8 ? 2 : 1;
    return health + 2;
}

/**
 * What a state is called, in words.
 * @param {number} code as the columns have it
 */
export function words(code) {
    const health = ['Ready', 'silent: its kubelet does not reach the API server, which nobody has noticed yet', 'Unknown', 'NotReady', 'absent'][code & 7];
    const taints = [code & 8 ? 'NoSchedule' : '', code & 16 ? 'NoExecute' : ''].filter((t) => t);
    const volumes = [code & 64 ? 'it holds volumes' : '', code & 128 ? 'pods wait for volumes' : ''];
    return [health, taints.length ? `tainted ${taints.join(' and ')}` : '', code & 32 ? 'its machine is off' : '', ...volumes].filter((t) => t).join('; ');
}

/**
 * Red, green, blue of `#rrggbb` as one number of a canvas.
 * @param {string} hex
 */
export function rgba(hex) {
    const n = parseInt(hex.slice(1), 16);
    return (255 << 24 | (n & 255) << 16 | (n >> 8 & 255) << 8 | n >> 16 & 255) >>> 0;
}
