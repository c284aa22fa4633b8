// Small charts of figures: lines with bands, points, spans. Drawn as SVG, with a title for each mark, so that a screen reader and a pointer get its numbers.

import { figure, grouped } from './clock.js';
import { labelsOf } from './labels.js';

const NS = 'http://www.w3.org/2000/svg';
const [BEFORE, AFTER, TOP] = [84, 20, 14];
/** The width of the charts: of the window where that is narrow, so that letters keep their size. */
let WIDE = 900;
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

/** Takes the width of the window for the charts that are made next. */
function takeWidth() {
    WIDE = Math.min(900, Math.max(320, document.documentElement.clientWidth - 24));
}

/**
 * @param {string} label
 * @param {number} height
 */
function frame(label, height) {
    const svg = shape('svg', { viewBox: `0 0 ${WIDE} ${height}`, role: 'img', 'aria-label': label, class: 'figure' });
    svg.style.maxWidth = `${Math.round(WIDE * 1.2)}px`;
    return svg;
}

/**
 * A text in lines of some width.
 * @param {string} text
 * @param {number} room
 */
function folded(text, room) {
    /** @type {string[]} */
    const lines = [];
    for (const word of text.split(' ')) {
        const last = lines.length - 1;
        if (last >= 0 && (lines[last].length + 1 + word.length) * LETTER <= room) lines[last] += ` ${word}`;
        else lines.push(word);
    }
    return lines;
}

/** The height of a line of text. */
const LINE = 16;

/**
 * What an axis is called, below it.
 * @param {string[]} lines
 * @param {number} from
 * @param {number} height of the chart, at whose foot they stand
 */
function axisName(lines, from, height) {
    return lines.map((line, i) => label(line, (from + WIDE) / 2, height - 8 - (lines.length - 1 - i) * LINE, 'middle', 'faint'));
}

/**
 * A text above a point, moved to where neither the chart's edge cuts it nor the scale stands.
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} kind
 */
function inside(text, x, y, kind) {
    const half = (text.length * LETTER) / 2;
    return label(text, Math.min(Math.max(x, BEFORE + half), WIDE - half), y, 'middle', kind);
}

/**
 * Round numbers of an axis; of what is counted in whole numbers only those.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @param {number[]} values
 */
function rounds(low, high, most, values) {
    const all = scale(low, high, most);
    return values.every(Number.isInteger) && all.length > 1 && all[1] - all[0] < 1 ? scale(low, high, Math.max(1, high - low)) : all;
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
 * What stands below a line and at which of its places: round numbers where these are numbers, and else what each is called.
 * @param {any} curve as `Board` has it
 * @param {string[]} names
 * @param {number} most
 * @returns {[number, string][]}
 */
export function below(curve, names, most) {
    if (!curve.at || !curve.ticks.every((/** @type {string} */ tick) => tick !== '' && Number.isFinite(Number(tick)))) return names.map((name, i) => [curve.at?.[i] ?? i, name]);
    const round = scale(Math.min(...curve.at), Math.max(...curve.at), most);
    return tickNames(round).map((name, i) => [round[i], name]);
}

/**
 * Lines over the rows of a table, with their bands.
 * @param {any} curve as `Board` has it
 */
export function lineChart(curve) {
    takeWidth();
    const count = curve.ticks.length;
    const places = curve.at ?? curve.ticks.map((/** @type {any} */ _, /** @type {number} */ i) => i);
    const names = labelsOf(curve.ticks, letters, 18);
    // Names that would lie over each other stand on a slant.
    const across = WIDE - BEFORE - AFTER - 40;
    const longest = Math.max(0, ...names.map((/** @type {string} */ n) => n.length)) * LETTER;
    const slant = !curve.at && count > 1 && longest + 8 > across / (count - 1);
    const called = folded(curve.across, WIDE - BEFORE);
    const foot = (slant ? 40 + Math.round(longest * 0.6) : 46) + (called.length - 1) * LINE;
    const height = 254 + foot;
    const svg = frame(`${curve.title}: ${curve.lines.map((/** @type {any} */ l) => l.name).join(', ')} by ${curve.across}`, height);
    const isOn = (/** @type {number | null} */ v) => v !== null && v <= (curve.highest ?? Infinity);
    const all = curve.lines.flatMap((/** @type {any} */ l) => [...l.values, ...l.low, ...l.high]).filter(isOn);
    const [least, most] = [Math.min(0, ...all), Math.max(1e-9, ...all) * 1.05];
    const bottom = height - foot;
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const xOf = (/** @type {number} */ place) => BEFORE + 20 + ((place - first) / Math.max(1e-9, last - first)) * across;
    const x = (/** @type {number} */ i) => xOf(places[i]);
    const y = (/** @type {number} */ v) => bottom - ((v - least) / (most - least)) * (bottom - TOP);
    if (curve.flat) {
        const [a, b] = curve.flat;
        svg.append(shape('rect', { x: x(a) - 6, y: TOP, width: x(b) - x(a) + 12, height: bottom - TOP, class: 'flat' }, shape('title', {}, 'cannot be told apart from the best')));
    }
    svg.append(...upright(rounds(least, most, 6, all), y));
    if (slant) {
        const every = Math.max(1, Math.ceil((count * 16) / across));
        for (let i = 0; i < count; i += every) {
            const text = label(names[i], x(i) + 4, bottom + 16, 'end');
            text.setAttribute('transform', `rotate(-35 ${x(i) + 4} ${bottom + 16})`);
            svg.append(text);
        }
    } else {
        let free = -Infinity;
        for (const [place, name] of below(curve, names, Math.max(2, Math.floor(across / 85)))) {
            const half = (name.length * LETTER) / 2;
            if (xOf(place) - half < free) continue;
            svg.append(label(name, xOf(place), bottom + 18, 'middle'));
            free = xOf(place) + half + 8;
        }
    }
    svg.append(...axisName(called, BEFORE, height));
    for (const [n, line] of curve.lines.entries()) svg.append(...drawn(curve, line, n, x, y));
    const off = curve.lines[0].values.map((/** @type {any} */ v, /** @type {number} */ i) => ({ v, i })).filter((/** @type {any} */ o) => o.v !== null && !isOn(o.v));
    svg.append(...offScale(off.map((/** @type {any} */ o) => ({ x: x(o.i), text: `↑ ${figure(o.v)}`, told: `${curve.ticks[o.i]}: ${figure(o.v)}, off the scale` }))));
    for (const [row, text] of curve.marks) {
        const v = curve.lines[0].values[row];
        if (!isOn(v)) continue;
        const half = (text.length * LETTER) / 2;
        const middle = Math.min(Math.max(x(row), BEFORE + half), WIDE - half);
        const placed = (/** @type {any} */ line) => line.values.map((/** @type {number | null} */ w, /** @type {number} */ i) => (isOn(w) ? [x(i), y(w ?? 0)] : null));
        const isFree = (/** @type {number} */ at) => at < bottom - 4 && !curve.lines.some((/** @type {any} */ line) => crosses(placed(line), middle, at - 4, half));
        const at = [y(v) - 12, y(v) + 22, y(v) - 30].find(isFree) ?? y(v) - 12;
        svg.append(shape('circle', { cx: x(row), cy: y(v), r: 6, class: 'mark' }, shape('title', {}, text)), inside(text, x(row), at, 'strong'));
    }
    return svg;
}

/**
 * Whether a line goes through a text, of which the middle and half of the width are given.
 * @param {([number, number] | null)[]} points
 * @param {number} x
 * @param {number} y
 * @param {number} half
 */
function crosses(points, x, y, half) {
    return points.some((a, i) => {
        const b = points[i + 1] ?? a;
        if (!a || !b) return false;
        return Array.from({ length: 11 }, (_, n) => n / 10).some((t) => Math.abs(a[0] + (b[0] - a[0]) * t - x) < half && Math.abs(a[1] + (b[1] - a[1]) * t - y) < 11);
    });
}

/**
 * The numbers of what is above the scale, at its upper end, in as many rows as it takes.
 * @param {{x: number, text: string, told: string}[]} all
 */
function offScale(all) {
    /** @type {number[]} where each row is free from */
    const free = [];
    return all.map(({ x, text, told }) => {
        const half = (text.length * LETTER) / 2;
        const at = Math.max(half, Math.min(x, WIDE - half));
        const row = free.findIndex((from) => from <= at - half);
        const place = row < 0 ? free.length : row;
        free[place] = at + half + 6;
        const element = label(text, at, TOP + 4 + place * LINE, 'middle', 'small');
        element.append(shape('title', {}, told));
        return element;
    });
}

/**
 * @param {any} curve
 * @param {any} line
 * @param {number} n
 * @param {(i: number) => number} x
 * @param {(v: number) => number} y
 */
function drawn(curve, line, n, x, y) {
    const known = line.values.map((/** @type {any} */ _, /** @type {number} */ i) => i).filter((/** @type {number} */ i) => line.values[i] !== null);
    const highest = curve.highest ?? Infinity;
    // No line leads to what is off the scale.
    /** @type {number[][]} */
    const parts = [[]];
    for (const i of known) {
        if (line.values[i] > highest) parts.push([]);
        else parts[parts.length - 1].push(i);
    }
    return parts.flatMap((rows) => drawnPart(curve, line, n, x, y, rows));
}

/**
 * A line over rows that are all on the scale.
 * @param {any} curve
 * @param {any} line
 * @param {number} n
 * @param {(i: number) => number} x
 * @param {(v: number) => number} y
 * @param {number[]} rows
 */
function drawnPart(curve, line, n, x, y, rows) {
    const out = [];
    const high = (/** @type {number} */ i) => Math.min(line.high[i], curve.highest ?? Infinity);
    const banded = rows.filter((/** @type {number} */ i) => typeof line.low[i] === 'number' && typeof line.high[i] === 'number');
    const { ink: name, dash } = lineStyle(n);
    if (curve.lines.length > 4) {
        // Bands of many lines would hide each other.
        for (const i of banded) out.push(shape('line', { x1: x(i), x2: x(i), y1: y(line.low[i]), y2: y(high(i)), class: `line whisker of-${name}` }));
    } else if (banded.length > 1) {
        const points = [...banded.map((/** @type {number} */ i) => `${x(i)},${y(line.low[i])}`), ...banded.reverse().map((/** @type {number} */ i) => `${x(i)},${y(high(i))}`)];
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
    takeWidth();
    const called = folded(chart.across, WIDE - BEFORE);
    const foot = 46 + (called.length - 1) * LINE;
    const height = 274 + foot;
    const svg = frame(`${chart.title}: ${chart.up} beside ${chart.across}`, height);
    const bottom = height - foot;
    const [mostAcross, mostUp] = chart.highest.map((/** @type {number | null} */ h) => h ?? Infinity);
    const range = (/** @type {number[]} */ all) => {
        const [low, high] = [Math.min(...all), Math.max(...all)];
        const room = Math.max((high - low) * 0.08, high * 0.02, 1e-9);
        return [Math.max(0, low - room), high + room];
    };
    // What is off one of the scales has its place on the other one all the same.
    const on = chart.points.filter((/** @type {any} */ p) => p[0] <= mostAcross && p[1] <= mostUp);
    const all = (/** @type {number} */ side) => [...chart.points.map((/** @type {any} */ p) => p[side]), ...chart.spans.flatMap((/** @type {any} */ s) => s[side])];
    const [x0, x1] = range(all(0).filter((v) => v <= mostAcross));
    const [y0, y1] = range(all(1).filter((v) => v <= mostUp));
    const x = (/** @type {number} */ v) => BEFORE + ((Math.max(x0, Math.min(v, x1)) - x0) / (x1 - x0)) * (WIDE - BEFORE - AFTER);
    const y = (/** @type {number} */ v) => bottom - ((Math.max(y0, Math.min(v, y1)) - y0) / (y1 - y0)) * (bottom - TOP);
    svg.append(...upright(scale(y0, y1, 6), y));
    const across = scale(x0, x1, Math.max(2, Math.floor(WIDE / 110)));
    svg.append(...tickNames(across).map((name, i) => label(name, x(across[i]), bottom + 18, 'middle')));
    svg.append(...axisName(called, BEFORE, height));
    for (const [i, [side, rise]] of chart.spans.entries()) {
        const [left, top] = [x(chart.points[i][0]), y(chart.points[i][1])];
        svg.append(shape('line', { x1: x(side[0]), x2: x(side[1]), y1: top, y2: top, class: 'line whisker of-said' }), shape('line', { x1: left, x2: left, y1: y(rise[0]), y2: y(rise[1]), class: 'line whisker of-said' }));
    }
    const sorted = [...chart.points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const front = sorted.filter((p, i) => sorted.slice(0, i).every((q) => q[1] > p[1]));
    svg.append(shape('polyline', { points: front.filter((p) => on.includes(p)).map((p) => `${x(p[0])},${y(p[1])}`).join(' '), class: 'line of-up' }));
    for (const p of sorted) {
        const best = front.includes(p);
        svg.append(shape('circle', { cx: x(p[0]), cy: y(p[1]), r: best ? 5 : 3.5, class: best ? 'dot of-up' : 'dot of-said' }, shape('title', {}, `${p[2]}: ${chart.across} ${figure(p[0])}, ${chart.up} ${figure(p[1])}`)));
    }
    const told = sorted.filter((p) => front.includes(p) || sorted.length <= 12);
    const short = labelsOf(told.map((p) => p[2]), letters, 24);
    const off = (/** @type {any} */ p) => [p[0] > mostAcross ? ` → ${figure(p[0])}` : '', p[1] > mostUp ? ` ↑ ${figure(p[1])}` : ''].join('');
    svg.append(...names(told.map((p, i) => ({ x: x(p[0]), y: y(p[1]), text: short[i] + (on.includes(p) ? '' : off(p)) }))));
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
        return label(texts.join(', '), outside ? WIDE - 4 : x + 8, Math.max(y - 9, TOP), outside ? 'end' : 'start', 'small');
    });
}

/**
 * For each row a span with a mark in it.
 * @param {any} chart as `Board` has it
 */
export function barChart(chart) {
    takeWidth();
    const left = Math.min(300, WIDE * 0.42);
    const called = folded(chart.unit, WIDE - left);
    const foot = 46 + (called.length - 1) * LINE;
    const height = TOP + chart.rows.length * 24 + foot;
    const svg = frame(`${chart.title}, in ${chart.unit}`, height);
    const [least, most] = [0, Math.max(1e-9, ...chart.rows.map((/** @type {any} */ r) => r.high)) * 1.03];
    const x = (/** @type {number} */ v) => left + ((v - least) / (most - least)) * (WIDE - left - AFTER);
    const ticks = scale(least, most, Math.max(3, Math.floor((WIDE - left) / 85)));
    for (const [i, name] of tickNames(ticks).entries()) svg.append(shape('line', { x1: x(ticks[i]), x2: x(ticks[i]), y1: TOP, y2: height - foot, class: 'grid' }), label(name, x(ticks[i]), height - foot + 18, 'middle'));
    const short = labelsOf(chart.rows.map((/** @type {any} */ r) => r.name), pixels, left - 12);
    svg.append(...axisName(called, left, height));
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

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/** @param {string} text */
function pixels(text) {
    ruler ??= /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
    ruler.font = '13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
    return ruler.measureText(text).width;
}

/** @param {string} text */
function letters(text) {
    return text.length;
}
