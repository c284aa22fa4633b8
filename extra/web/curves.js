// Curves over time, by uPlot: what each workload needs and has, and who waits for whom.

import { LEFT, RIGHT, wide } from './canvas.js';
import { figure, ticks } from './clock.js';
import { el } from './dom.js';
import { colour } from './palette.js';
import { lastUpTo } from './run.js';

/**
 * @typedef {{label: string, colour: string, dash?: number[], fill?: string, width?: number, at: ArrayLike<number>, values: ArrayLike<number>}} Line
 */

/** A chart of steps that follows the view. */
export class Curves {
    /**
     * @param {import('./view.js').View} view
     * @param {HTMLElement} place
     * @param {Line[]} lines all of them over the same times
     * @param {string} label
     */
    constructor(view, place, lines, label) {
        this.view = view;
        this.place = place;
        this.lines = lines;
        this.height = 150;
        this.label = label;
        /** @type {any} */
        this.plot = null;
        /** @type {HTMLElement[]} what each line is at the cursor */
        this.told = lines.map(() => el('span', { class: 'value' }));
        const key = (/** @type {Line} */ line, /** @type {number} */ i) => el('span', { class: 'swatch' }, swatchOf(line), line.label, this.told[i]);
        this.legend = el('div', { class: 'legend' }, ...lines.map(key));
        if (this.missing) this.legend.append(el('span', { class: 'swatch of-missing' }, el('i', { 'aria-hidden': 'true' }), 'missing'));
        place.append(this.legend);
        view.onchange(() => this.follow());
    }

    /** The places of what is desired and of what is up, between which pods are missing, where any is. */
    get missing() {
        const [desired, up] = ['desired', 'up'].map((name) => this.lines.findIndex((l) => l.label === name));
        if (desired < 0 || up < 0) return null;
        const has = this.lines[up].values;
        return Array.from(this.lines[desired].values).some((n, i) => n > has[i]) ? [desired + 1, up + 1] : null;
    }

    /** Draws it for the first time, or anew where its place or the colours have changed. */
    show() {
        this.plot?.destroy();
        const { view, lines } = this;
        const at = Array.from(lines[0].at);
        const data = lines.map((l) => Array.from(l.values));
        at.push(view.end);
        for (const values of data) values.push(values[values.length - 1]);
        const options = {
            width: wide(this.place),
            height: this.height,
            padding: [8, RIGHT, 0, 0],
            scales: { x: { time: false, min: view.from, max: view.to }, y: { range: (/** @type {any} */ _, /** @type {number} */ _least, /** @type {number} */ most) => [0, Math.max(1, most * 1.08)] } },
            legend: { show: false },
            bands: this.missing ? [{ series: this.missing, fill: () => colour('missing') }] : [],
            cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
            axes: [
                {
                    size: 26,
                    stroke: () => colour('faint'),
                    grid: { stroke: () => colour('grid'), width: 1 },
                    ticks: { stroke: () => colour('rule'), width: 1, size: 4 },
                    splits: (/** @type {any} */ u) => ticks(view.from, view.to, Math.max(2, u.width / 90)).times,
                    values: (/** @type {any} */ u, /** @type {number[]} */ at) => at.map(ticks(view.from, view.to, Math.max(2, u.width / 90)).text),
                },
                {
                    size: LEFT,
                    stroke: () => colour('faint'),
                    grid: { stroke: () => colour('grid'), width: 1 },
                    ticks: { stroke: () => colour('rule'), width: 1, size: 4 },
                    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000],
                    values: (/** @type {any} */ _, /** @type {number[]} */ of) => of.map(figure),
                },
            ],
            series: [{ label: 'time' }, ...lines.map((l) => ({
                label: l.label,
                stroke: () => colour(l.colour),
                fill: l.fill ? () => colour(/** @type {string} */ (l.fill)) : undefined,
                width: l.width ?? 1.5,
                dash: l.dash,
                paths: uPlot.paths.stepped({ align: 1 }),
                points: { show: false },
            }))],
            hooks: {
                setCursor: [(/** @type {any} */ u) => this.pointed(u)],
                setSelect: [(/** @type {any} */ u) => this.picked(u)],
            },
        };
        this.plot = new uPlot(options, [at, ...data], this.place);
        this.place.append(this.legend);
        const canvas = this.plot.root.querySelector('canvas');
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', this.label);
        this.follow();
    }

    follow() {
        if (!this.plot) return;
        const { view, plot } = this;
        if (plot.scales.x.min !== view.from || plot.scales.x.max !== view.to) plot.setScale('x', { min: view.from, max: view.to });
        const at = view.cursor;
        this.following = true;
        if (at === null || at < view.from || at > view.to) plot.setCursor({ left: -10, top: -10 });
        else plot.setCursor({ left: plot.valToPos(at, 'x'), top: plot.cursor.top >= 0 ? plot.cursor.top : 4 });
        this.following = false;
        // A step holds until the next one: what is told is what holds at the cursor, not what is nearest.
        const here = at === null ? -1 : lastUpTo(plot.data[0], at);
        for (const [i, told] of this.told.entries()) told.textContent = here < 0 ? '' : figure(plot.data[i + 1][here]);
    }

    /** @param {any} u */
    pointed(u) {
        if (this.following || !(u.cursor.left >= 0)) return;
        const at = u.posToVal(u.cursor.left, 'x');
        if (Number.isFinite(at) && at !== this.view.cursor) this.view.point(at);
    }

    /** @param {any} u */
    picked(u) {
        if (u.select.width < 4) return;
        const [from, to] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.view.span(from, to);
    }
}

/**
 * The lines of a workload.
 * @param {import('./run.js').Run} run
 * @param {number} workload
 * @returns {Line[]}
 */
export function workloadLines(run, workload) {
    const [first, end] = [run.counts.first[workload], run.counts.first[workload + 1]];
    const at = run.counts.at.subarray(first, end);
    const of = (/** @type {string} */ name) => run.figures[name].subarray(first, end);
    const some = (/** @type {string} */ name) => of(name).some((n) => n > 0);
    /** @type {Line[]} */
    const lines = [
        { label: 'up', colour: 'up', fill: 'up-fill', width: 2, at, values: of('up') },
        { label: 'ready, says the API', colour: 'said', dash: [6, 3], at, values: of('ready') },
        { label: 'needed', colour: 'needed', dash: [2, 3], at, values: of('needed') },
        { label: 'desired', colour: 'desired', at, values: of('desired') },
    ];
    if (some('dead')) lines.push({ label: 'dead endpoints', colour: 'dead', dash: [8, 2, 2, 2], at, values: of('dead') });
    if (some('ghosts')) lines.push({ label: 'ghosts', colour: 'ghost', at, values: of('ghosts') });
    if (some('pending')) lines.push({ label: 'pending', colour: 'pending', width: 2.5, at, values: of('pending') });
    return lines;
}

/**
 * The lines of several queues or clients, over the times of all of them.
 * @param {import('./run.js').Run} run
 * @param {number[]} queues
 * @returns {Line[]}
 */
export function queueLines(run, queues) {
    const { first, at, length, of } = run.queues;
    const own = queues.map((q) => ({ at: at.subarray(first[q], first[q + 1]), length: length.subarray(first[q], first[q + 1]) }));
    const all = Float64Array.from(new Set(own.flatMap((o) => [...o.at]))).sort();
    return own.map((o, i) => ({
        label: of[queues[i]].name,
        ...styleOf(i),
        at: all,
        values: Array.from(all, (t) => o.length[lastUpTo(o.at, t)]),
    }));
}

/**
 * A line as it is drawn, beside its name.
 * @param {Line} line
 */
function swatchOf(line) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [name, value] of Object.entries({ width: '30', height: '10', viewBox: '0 0 30 10', class: 'key', 'aria-hidden': 'true' })) svg.setAttribute(name, value);
    const stroke = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    stroke.setAttribute('d', 'M0 5H30');
    stroke.setAttribute('stroke', `var(--${line.colour})`);
    stroke.setAttribute('stroke-width', String(line.width ?? 1.5));
    if (line.dash) stroke.setAttribute('stroke-dasharray', line.dash.join(' '));
    svg.append(stroke);
    return svg;
}

/** How lines are told apart that have no colours of their own: by lightness, hue and dashes. */
const STYLES = [
    { colour: 'said', width: 2 }, { colour: 'up', dash: [6, 3], width: 2 }, { colour: 'ghost' }, { colour: 'replacement', dash: [8, 2, 2, 2] },
    { colour: 'needed', dash: [2, 3] }, { colour: 'pending', width: 2.5 }, { colour: 'dead', dash: [10, 4] }, { colour: 'faint' },
];

/**
 * How the line with that number is drawn: of more lines than there are styles the others have these again, with gaps of their own.
 * @param {number} i
 * @returns {{colour: string, width?: number, dash?: number[]}}
 */
export function styleOf(i) {
    const [style, round] = [STYLES[i % STYLES.length], Math.floor(i / STYLES.length)];
    return round ? { ...style, dash: [4, 8 * round] } : style;
}
