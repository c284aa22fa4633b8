// Times and numbers, written as the program writes them.

/**
 * `10:50.500`, or `1:10:50.500` from an hour on.
 * @param {number} ms
 */
export function absolute(ms) {
    return `${whole(ms)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}`;
}

/**
 * `10:50`, or `1:10:50` from an hour on; the fraction is cut off.
 * @param {number} ms
 */
export function whole(ms) {
    const s = Math.floor(ms / 1000);
    const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
    if (s < 3600) return `${Math.floor(s / 60)}:${two(s % 60)}`;
    return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/**
 * `50.5s`, `2m20s`, `1h5m`: a span to the millisecond.
 * @param {number} ms
 */
export function short(ms) {
    const all = Math.max(0, Math.round(ms));
    const [h, m, rest] = [Math.floor(all / 3600000), Math.floor(all / 60000) % 60, all % 60000];
    const s = rest > 0 || all < 60000 ? `${Number((rest / 1000).toFixed(3))}s` : '';
    return `${h ? `${h}h` : ''}${m ? `${m}m` : ''}${s}`;
}

/**
 * A number with commas between groups of three digits.
 * @param {number} n
 */
export function grouped(n) {
    return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * A figure as the program writes it: with three digits that mean something, without needless zeros, and with commas.
 * @param {number} n
 */
export function figure(n) {
    const size = Math.abs(n);
    const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.01 ? 2 : 4;
    const [whole, rest] = rounded(size, digits).split('.');
    const decimals = (rest ?? '').replace(/0+$/, '');
    const text = decimals ? `${grouped(Number(whole))}.${decimals}` : grouped(Number(whole));
    return n < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

/**
 * A number with so many digits behind the point. What is exactly half of the last one goes to the even one, as the program has it; `toFixed` would
 * take the larger one.
 * @param {number} size
 * @param {number} digits
 */
function rounded(size, digits) {
    // Such halves are odd multiples of 1/2, 1/4, 1/8 and so on.
    if ((size * 2 ** (digits + 1)) % 2 !== 1) return size.toFixed(digits);
    const below = Math.floor(size * 10 ** digits);
    return ((below + (below % 2)) / 10 ** digits).toFixed(digits);
}

const DAY = 86400000;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000,
    7200000, 14400000, 43200000, DAY, 2 * DAY, 7 * DAY];

/**
 * Times for the ticks of an axis, on whole numbers of something.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 * @returns {{times: number[], text: (ms: number) => string}}
 */
export function ticks(from, to, most) {
    const step = STEPS.find((s) => (to - from) / s <= most) ?? 7 * DAY * Math.ceil((to - from) / most / (7 * DAY));
    const times = [];
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) times.push(t);
    if (step >= DAY) return { times, text: (ms) => `${ms / DAY}d` };
    return { times, text: step < 1000 ? absolute : whole };
}

/**
 * A time as a person writes it in a link: milliseconds, or `12:30.5`, or `1:02:03`.
 * @param {string} text
 * @returns {number | null}
 */
export function parsed(text) {
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
    if (!/^(\d+:)?\d+:\d+(\.\d+)?$/.test(text)) return null;
    return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
}
