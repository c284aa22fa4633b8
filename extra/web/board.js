// Pages that are not one run: their parts, one below the other.

import { figure } from './clock.js';
import { held } from './columns.js';
import { bdi, contents, el, prose, section } from './dom.js';
import { Run } from './run.js';
import { RunView, heading } from './runview.js';
import { barChart, lineChart, lineStyle, pointChart, shape } from './svg.js';
import { Table } from './table.js';
import { StepView } from './steps.js';
import { sideBySide } from './beside.js';

/** @type {Record<string, string>} how the words of a column of states look */
const TONES = { failed: 'bad', wrong: 'bad', 'no expectations': 'bad', 'not run': 'unknown', passed: 'good' };

/** A page made of parts. */
export class Board {
    /** @param {any} board as the program's `Board` has it */
    constructor(board) {
        this.board = board;
        /** @type {RunView[]} */
        this.views = [];
        this.place = el('div', { class: 'chosen' });
        const parts = board.parts.map((/** @type {any} */ part) => this.part(part));
        this.element = el('div', {}, heading(board), parts.length > 3 ? contents(parts) : null, ...parts);
    }

    /** @param {any} part */
    part(part) {
        const makes = /** @type {Record<string, () => HTMLElement>} */ ({
            text: () => section(part.title, el('pre', { class: 'printed', tabindex: 0 }, part.text)),
            list: () => section(part.title, el('ul', {}, ...part.items.map((/** @type {any} */ i) => el('li', {}, prose(i.text), i.command ? el('pre', {}, i.command) : null)))),
            table: () => section(part.title, this.table(part)),
            curve: () => section(part.title, legend(part.lines.map((/** @type {any} */ l) => l.name)), lineChart(part), part.flat ? el('p', { class: 'hint' }, 'Shaded: what cannot be told apart from the best.') : null),
            points: () => section(part.title, el('p', { class: 'hint' }, `${part.up}, beside ${part.across}; less is better in both, and the line joins what no other value is better than. Thin lines are 95 % intervals.`), pointChart(part)),
            bars: () => section(part.title, part.rows.length ? barChart(part) : el('p', {}, 'None.')),
            heat: () => section(part.title, this.heat(part)),
            runs: () => this.runs(part),
            steps: () => section(part.title, new StepView(part).element),
        });
        return makes[part.part]();
    }

    /** @param {any} part */
    table(part) {
        // What is known within an interval is a list of it and its ends.
        const value = (/** @type {any} */ cell) => (Array.isArray(cell) ? cell[0] : cell);
        const number = (/** @type {number} */ c) => part.rows.some((/** @type {any[]} */ r) => typeof value(r[c]) === 'number');
        const text = (/** @type {any} */ cell) => {
            if (Array.isArray(cell)) return `${figure(cell[0])} (${figure(cell[1])}–${figure(cell[2])})`;
            return cell === null ? '' : typeof cell === 'number' ? figure(cell) : String(cell);
        };
        const columns = part.columns.map((/** @type {string} */ title, /** @type {number} */ c) => ({
            title,
            number: number(c),
            text: (/** @type {number} */ row) => text(part.rows[row][c]),
            tone: title === 'status' ? (/** @type {number} */ row) => TONES[part.rows[row][c]] ?? '' : undefined,
            sort: (/** @type {number} */ row) => (number(c) ? value(part.rows[row][c]) ?? NaN : text(part.rows[row][c])),
        }));
        const chosen = part.runs.some((/** @type {any} */ r) => r) ? (/** @type {number} */ row) => this.show(part.runs[row], text(part.rows[row][0])) : undefined;
        const table = new Table(part.title, columns, part.rows.length, chosen ? { chosen, leads: (row) => Boolean(part.runs[row]) } : {});
        return el('div', {}, table.element, chosen ? this.once() : null);
    }

    /** The place where a chosen run is shown, once in a page. */
    once() {
        return this.place.parentElement ? null : this.place;
    }

    /**
     * A figure for each pair of a row and a column, the greater the darker.
     * @param {any} part
     */
    heat(part) {
        const most = Math.max(1e-9, ...part.values.flat().filter((/** @type {any} */ v) => v !== null));
        const cell = (/** @type {number | null} */ v, /** @type {number} */ row, /** @type {number} */ column) => {
            const td = el('td', { class: 'heat', title: `${part.rows[row]}, ${part.columns[column]}: ${v === null ? 'not touched' : `${figure(v)} ${part.unit}`}` }, v === null ? '' : figure(v));
            const share = v === null ? 0 : Math.sqrt(v / most);
            td.style.setProperty('--share', `${Math.round(share * 100)}%`);
            if (share > 0.55) td.classList.add('much');
            return td;
        };
        const name = (/** @type {number} */ row) => (part.runs[row]
            ? el('button', { type: 'button', class: 'link', onclick: () => this.show(part.runs[row], part.rows[row]) }, bdi(part.rows[row])) : bdi(part.rows[row]));
        const rows = part.values.map((/** @type {(number | null)[]} */ values, /** @type {number} */ row) =>
            el('tr', {}, el('th', { scope: 'row' }, name(row)), ...values.map((v, column) => cell(v, row, column))));
        const head = el('tr', {}, el('td'), ...part.columns.map((/** @type {string} */ c) => el('th', { scope: 'col' }, bdi(c))));
        return el('div', {}, ...part.left_out.map((/** @type {string} */ text) => el('p', { class: 'hint' }, prose(text))), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': part.title }, el('table', { class: 'heats' }, el('caption', {}, `${part.title}, in ${part.unit}`), el('thead', {}, head), el('tbody', {}, ...rows))),
            this.once());
    }

    /** @param {any} part */
    runs(part) {
        const place = el('div', { class: 'chosen' });
        if (part.beside) {
            sideBySide(part, place, this.views);
            return section(part.title, place);
        }
        const name = el('output', {}, part.runs[0][0]);
        const slider = el('input', { type: 'range', min: 0, max: part.runs.length - 1, value: 0, 'aria-label': part.of, 'aria-valuetext': part.runs[0][0] });
        slider.addEventListener('input', () => {
            const [label, run] = part.runs[Number(slider.value)];
            name.textContent = label;
            slider.setAttribute('aria-valuetext', label);
            this.show(run, label, place, true);
        });
        this.show(part.runs[0][1], part.runs[0][0], place, true);
        const slide = part.runs.length > 1 ? el('p', { class: 'slide' }, `${part.of}: `, slider, ' ', name) : null;
        return section(part.title, slide, place);
    }

    /**
     * Shows a run of the page.
     * @param {string | null} run
     * @param {string} label
     * @param {HTMLElement} [place]
     * @param {boolean} [keep] whether the span of time stays
     */
    async show(run, label, place = this.place, keep = false) {
        if (!run) return;
        const asked = `${run} ${Math.random()}`;
        place.dataset.asked = asked;
        const columns = await held(run);
        if (!columns || place.dataset.asked !== asked) return;
        const before = this.views.find((v) => place.contains(v.element));
        const of = new Run(columns);
        const view = new RunView(of);
        this.views = [...this.views.filter((v) => v !== before), view];
        place.replaceChildren(el('h3', {}, bdi(label)), view.element);
        if (keep && before) view.view.span(before.view.from, before.view.to);
        view.resize();
        if (!keep) place.scrollIntoView({ block: 'start' });
    }
}

/** @param {string[]} names */
function legend(names) {
    const swatch = (/** @type {number} */ n) => {
        const { ink, dash } = lineStyle(n);
        return shape('svg', { viewBox: '0 0 30 10', width: 30, height: 10, 'aria-hidden': 'true', class: 'key' }, shape('line', { x1: 0, x2: 30, y1: 5, y2: 5, 'stroke-dasharray': dash, class: `line of-${ink}` }));
    };
    return el('div', { class: 'legend' }, ...names.map((name, i) => el('span', { class: 'swatch' }, swatch(i), bdi(name))));
}
