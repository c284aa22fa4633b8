// Small charts of figures: lines with bands, points, spans. Drawn as SVG, with a title for each mark, so that a screen reader and a pointer get its numbers.

import { figure, grouped } from './clock.js';
import { labelsOf } from './labels.js';

const NS = 'http://www.w3.org/2000/svg';
const [WIDE, BEFORE, AFTER, TOP] = [900, 84, 20, 14];
/** About how wide a letter is. */
const LETTER = 7.5;

const INKS = ['up', 'said', 'ghost', 'replacement'];
const DASHES = ['', '7 4', '2 3', '9 3 2 3'];

/**
 * How lines are told apart: by colour and by dashes, sixteen of them.
 * @param {number} n
 */
export function lineStyle(n) {
    return { ink: INKS[n % 4], dash: DASHES[(n + (n >> 2)) % 4] };
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} content
 */
export function shape(tag, attributes, ...content) {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...content);
    return element;
}

/**
 * @param {string} label
 * @param {number} height
 */
function frame(label, height) {
    return shape('svg', { viewBox: `0 0 ${WIDE} ${height}`, role: 'img', 'aria-label': label, class: 'figure' });
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 * @param {string} [kind]
 */
function label(text, x, y, anchor, kind = '') {
    return shape('text', { x, y, 'text-anchor': anchor, class: kind }, text);
}

/**
 * Round numbers between two others.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function scale(low, high, most) {
    const span = Math.max(high - low, 1e-9);
    const power = 10 ** Math.floor(Math.log10(span / most));
    const step = [1, 2, 5, 10].map((n) => n * power).find((s) => span / s <= most) ?? 10 * power;
    const out = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1) out.push(n * step);
    return out;
}

/**
 * What round numbers of an axis are called: with as many decimals as it takes to say each of them.
 * @param {number[]} values
 */
export function tickNames(values) {
    const step = values.length > 1 ? values[1] - values[0] : 1;
    const exact = (/** @type {number} */ digits) => values.every((v) => Math.abs(Number(v.toFixed(digits)) - v) < step * 1e-6);
    let digits = 0;
    while (digits < 12 && !exact(digits)) digits += 1;
    return values.map((v) => {
        const [whole, rest] = Math.abs(v).toFixed(digits).split('.');
        const size = grouped(Number(whole)) + (rest ? `.${rest}` : '');
        return v < 0 && /[1-9]/.test(size) ? `-${size}` : size;
    });
}

/**
 * Lines over the rows of a table, with their bands.
 * @param {any} curve as `Board` has it
 */
export function lineChart(curve) {
    const count = curve.ticks.length;
    const places = curve.at ?? curve.ticks.map((/** @type {any} */ _, /** @type {number} */ i) => i);
    const names = labelsOf(curve.ticks, letters, 18);
    // Names that would lie over each other stand on a slant.
    const across = WIDE - BEFORE - AFTER - 40;
    const longest = Math.max(0, ...names.map((/** @type {string} */ n) => n.length)) * LETTER;
    const slant = !curve.at && count > 1 && longest + 8 > across / (count - 1);
    const below = slant ? 40 + Math.round(longest * 0.6) : 46;
    const height = 254 + below;
    const svg = frame(`${curve.title}: ${curve.lines.map((/** @type {any} */ l) => l.name).join(', ')} by ${curve.across}`, height);
    const all = curve.lines.flatMap((/** @type {any} */ l) => [...l.values, ...l.low, ...l.high]).filter((/** @type {any} */ v) => v !== null);
    const [least, most] = [Math.min(0, ...all), Math.max(1e-9, ...all) * 1.05];
    const bottom = height - below;
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const x = (/** @type {number} */ i) => BEFORE + 20 + ((places[i] - first) / Math.max(1e-9, last - first)) * across;
    const y = (/** @type {number} */ v) => bottom - ((v - least) / (most - least)) * (bottom - TOP);
    if (curve.flat) {
        const [a, b] = curve.flat;
        svg.append(shape('rect', { x: x(a) - 6, y: TOP, width: x(b) - x(a) + 12, height: bottom - TOP, class: 'flat' }, shape('title', {}, 'cannot be told apart from the best')));
    }
    svg.append(...upright(scale(least, most, 6), y));
    if (slant) {
        const every = Math.max(1, Math.ceil((count * 16) / across));
        for (let i = 0; i < count; i += every) {
            const text = label(names[i], x(i) + 4, bottom + 16, 'end');
            text.setAttribute('transform', `rotate(-35 ${x(i) + 4} ${bottom + 16})`);
            svg.append(text);
        }
    } else {
        let free = -Infinity;
        for (let i = 0; i < count; i += 1) {
            const half = (names[i].length * LETTER) / 2;
            if (x(i) - half < free) continue;
            svg.append(label(names[i], x(i), bottom + 18, 'middle'));
            free = x(i) + half + 8;
        }
    }
    svg.append(label(curve.across, (BEFORE + WIDE) / 2, height - 8, 'middle', 'faint'));
    for (const [n, line] of curve.lines.entries()) svg.append(...drawn(curve, line, n, x, y));
    for (const [row, text] of curve.marks) {
        const v = curve.lines[0].values[row];
        if (v === null) continue;
        svg.append(shape('circle', { cx: x(row), cy: y(v), r: 6, class: 'mark' }, shape('title', {}, text)), label(text, x(row), y(v) - 12, 'middle', 'strong'));
    }
    return svg;
}

/**
 * @param {any} curve
 * @param {any} line
 * @param {number} n
 * @param {(i: number) => number} x
 * @param {(v: number) => number} y
 */
function drawn(curve, line, n, x, y) {
    const out = [];
    const rows = line.values.map((/** @type {any} */ _, /** @type {number} */ i) => i).filter((/** @type {number} */ i) => line.values[i] !== null);
    const banded = rows.filter((/** @type {number} */ i) => typeof line.low[i] === 'number' && typeof line.high[i] === 'number');
    const { ink: name, dash } = lineStyle(n);
    if (banded.length > 1 && curve.lines.length <= 4) {
        const points = [...banded.map((/** @type {number} */ i) => `${x(i)},${y(line.low[i])}`), ...banded.reverse().map((/** @type {number} */ i) => `${x(i)},${y(line.high[i])}`)];
        out.push(shape('polygon', { points: points.join(' '), class: `band of-${name}` }));
    }
    out.push(shape('polyline', { points: rows.map((/** @type {number} */ i) => `${x(i)},${y(line.values[i])}`).join(' '), class: `line of-${name}`, 'stroke-dasharray': dash }));
    for (const i of rows) {
        const interval = typeof line.low[i] === 'number' ? ` (${figure(line.low[i])} to ${figure(line.high[i])})` : '';
        out.push(shape('circle', { cx: x(i), cy: y(line.values[i]), r: 3.5, class: `dot of-${name}` }, shape('title', {}, `${curve.ticks[i]}: ${line.name} ${figure(line.values[i])}${interval}`)));
    }
    return out;
}

/**
 * Points in a plane, and the line of those that no other one is better than; less is better in both.
 * @param {any} chart as `Board` has it
 */
export function pointChart(chart) {
    const height = 320;
    const svg = frame(`${chart.title}: ${chart.up} beside ${chart.across}`, height);
    const bottom = height - 46;
    const range = (/** @type {number[]} */ all) => {
        const [low, high] = [Math.min(...all), Math.max(...all)];
        const room = Math.max((high - low) * 0.08, high * 0.02, 1e-9);
        return [Math.max(0, low - room), high + room];
    };
    const [x0, x1] = range(chart.points.map((/** @type {any} */ p) => p[0]));
    const [y0, y1] = range(chart.points.map((/** @type {any} */ p) => p[1]));
    const x = (/** @type {number} */ v) => BEFORE + ((v - x0) / (x1 - x0)) * (WIDE - BEFORE - AFTER);
    const y = (/** @type {number} */ v) => bottom - ((v - y0) / (y1 - y0)) * (bottom - TOP);
    svg.append(...upright(scale(y0, y1, 6), y));
    const across = scale(x0, x1, 8);
    svg.append(...tickNames(across).map((name, i) => label(name, x(across[i]), bottom + 18, 'middle')));
    svg.append(label(chart.across, (BEFORE + WIDE) / 2, height - 8, 'middle', 'faint'));
    const sorted = [...chart.points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const front = sorted.filter((p, i) => sorted.slice(0, i).every((q) => q[1] > p[1]));
    svg.append(shape('polyline', { points: front.map((p) => `${x(p[0])},${y(p[1])}`).join(' '), class: 'line of-up' }));
    for (const p of sorted) {
        const on = front.includes(p);
        svg.append(shape('circle', { cx: x(p[0]), cy: y(p[1]), r: on ? 5 : 3.5, class: on ? 'dot of-up' : 'dot of-said' }, shape('title', {}, `${p[2]}: ${chart.across} ${figure(p[0])}, ${chart.up} ${figure(p[1])}`)));
    }
    const told = sorted.filter((p) => front.includes(p) || sorted.length <= 12);
    const short = labelsOf(told.map((p) => p[2]), letters, 24);
    svg.append(...names(told.map((p, i) => ({ x: x(p[0]), y: y(p[1]), text: short[i] }))));
    return svg;
}

/**
 * The names of points, from left to right; those that would lie over each other are one label.
 * @param {{x: number, y: number, text: string}[]} points
 */
function names(points) {
    /** @type {{x: number, y: number, texts: string[]}[]} */
    const labels = [];
    const wide = (/** @type {string[]} */ texts) => texts.join(', ').length * LETTER;
    for (const p of points) {
        const near = labels.find((l) => Math.abs(l.y - p.y) < 16 && p.x < l.x + wide(l.texts) + 12);
        if (near) near.texts.push(p.text);
        else labels.push({ x: p.x, y: p.y, texts: [p.text] });
    }
    return labels.map(({ x, y, texts }) => {
        const outside = x + 8 + wide(texts) > WIDE - 4;
        return label(texts.join(', '), outside ? WIDE - 4 : x + 8, y - 9, outside ? 'end' : 'start', 'small');
    });
}

/**
 * For each row a span with a mark in it.
 * @param {any} chart as `Board` has it
 */
export function barChart(chart) {
    const left = 300;
    const height = TOP + chart.rows.length * 24 + 46;
    const svg = frame(`${chart.title}, in ${chart.unit}`, height);
    const [least, most] = [0, Math.max(1e-9, ...chart.rows.map((/** @type {any} */ r) => r.high)) * 1.03];
    const x = (/** @type {number} */ v) => left + ((v - least) / (most - least)) * (WIDE - left - AFTER);
    const ticks = scale(least, most, 7);
    for (const [i, name] of tickNames(ticks).entries()) svg.append(shape('line', { x1: x(ticks[i]), x2: x(ticks[i]), y1: TOP, y2: height - 46, class: 'grid' }), label(name, x(ticks[i]), height - 28, 'middle'));
    const short = labelsOf(chart.rows.map((/** @type {any} */ r) => r.name), letters, 42);
    svg.append(label(chart.unit, (left + WIDE) / 2, height - 6, 'middle', 'faint'));
    for (const [i, row] of chart.rows.entries()) {
        const y = TOP + i * 24 + 4;
        const told = `${row.name}: ${figure(row.low)} to ${figure(row.high)}, ${chart.marks} ${figure(row.mark)}`;
        svg.append(label(short[i], left - 8, y + 12, 'end'), shape('rect', { x: x(row.low), y, width: Math.max(1.5, x(row.high) - x(row.low)), height: 16, class: 'span' }, shape('title', {}, told)),
            shape('rect', { x: x(row.mark) - 1.5, y: y - 2, width: 3, height: 20, class: 'at' }));
    }
    return svg;
}

/**
 * The lines and names of an upright axis.
 * @param {number[]} ticks
 * @param {(v: number) => number} y
 */
function upright(ticks, y) {
    return tickNames(ticks).flatMap((name, i) => [shape('line', { x1: BEFORE, x2: WIDE - AFTER, y1: y(ticks[i]), y2: y(ticks[i]), class: 'grid' }), label(name, BEFORE - 8, y(ticks[i]) + 4, 'end')]);
}

/** @param {string} text */
function letters(text) {
    return text.length;
}
