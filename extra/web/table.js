// Tables with search, order and pages.

import { bdi, el, prose } from './dom.js';
import { grouped } from './clock.js';

/**
 * @typedef {{title: string, text: (row: number) => string, sort?: (row: number) => number | string, number?: boolean, tone?: (row: number) => string}} Column
 */

const PAGE = 50;
/** So many rows are printed: some thirty sheets. Of more, the paper says that they are not there. */
const PRINTED = 2000;
/** A text of so many letters stays in one line. */
const SHORT = 16;

/**
 * A text that breaks behind its signs rather than inside of its words: `unreachable:NoExecute`.
 * @param {string} text
 */
function breakable(text) {
    return text.split(/(?<=[:/=])(?=\w)/).flatMap((part, i) => (i === 0 ? [part] : [el('wbr'), part]));
}

/** A table over the rows of a list. */
export class Table {
    /**
     * @param {string} caption
     * @param {Column[]} columns
     * @param {number} count how many rows there are
     * @param {{chosen?: (row: number) => void, leads?: (row: number) => boolean, search?: (row: number) => string}} [more] `leads` says of which rows there is more to show, where not of all
     */
    constructor(caption, columns, count, more = {}) {
        this.columns = columns;
        this.count = count;
        this.more = more;
        this.words = '';
        /** @type {((row: number) => boolean) | null} */
        this.shows = null;
        this.by = -1;
        this.down = false;
        this.page = 0;
        this.printed = false;
        /** @type {number[]} */
        this.rows = [];
        this.said = el('span', { role: 'status', class: 'count' });
        this.input = el('input', { type: 'search', 'aria-label': `Search ${caption}`, placeholder: 'search', oninput: () => this.search(this.input.value) });
        this.head = el('tr');
        this.body = el('tbody');
        this.pager = el('span', { class: 'pager' });
        this.element = count === 0 ? el('p', { class: 'table' }, 'None.') : el('div', { class: 'table' },
            el('div', { class: 'bar' }, this.input, this.said, this.pager),
            el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
                el('table', {}, el('caption', {}, caption), el('thead', {}, this.head), this.body)));
        this.find();
        addEventListener('beforeprint', () => this.print(true));
        addEventListener('afterprint', () => this.print(false));
    }

    /**
     * On paper nobody turns the pages of a table.
     * @param {boolean} printed
     */
    print(printed) {
        this.printed = printed;
        this.draw();
    }

    /** @param {string} words */
    search(words) {
        this.words = words.toLowerCase();
        this.find();
    }

    /** @param {((row: number) => boolean) | null} shows */
    filter(shows) {
        this.shows = shows;
        this.find();
    }

    /** @param {number} column */
    order(column) {
        this.down = this.by === column && !this.down;
        this.by = column;
        this.find();
    }

    /** Finds the rows that are shown, in their order. */
    find() {
        const text = this.more.search ?? ((/** @type {number} */ row) => this.columns.map((c) => c.text(row)).join(' '));
        const words = this.words.split(/\s+/).filter((w) => w);
        const is = (/** @type {number} */ row) => {
            if (this.shows && !this.shows(row)) return false;
            if (words.length === 0) return true;
            const of = text(row).toLowerCase();
            return words.every((w) => of.includes(w));
        };
        this.rows = [];
        for (let row = 0; row < this.count; row += 1) if (is(row)) this.rows.push(row);
        if (this.by >= 0) this.sort(this.columns[this.by]);
        this.page = 0;
        this.draw();
    }

    /** @param {Column} column */
    sort(column) {
        const key = column.sort ?? column.text;
        const keys = new Map(this.rows.map((row) => [row, key(row)]));
        const sign = this.down ? -1 : 1;
        this.rows.sort((a, b) => {
            const [x, y] = [keys.get(a), keys.get(b)];
            // What is not there comes last, whichever way round.
            if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
            if (typeof x === 'string' && typeof y === 'string') return sign * x.localeCompare(y, 'en', { numeric: true });
            return sign * (Number(x) - Number(y)) || a - b;
        });
    }

    draw() {
        const cut = this.printed && this.rows.length > PRINTED ? `, the first ${grouped(PRINTED)} of them printed` : '';
        const some = this.rows.length === this.count ? '' : `${grouped(this.rows.length)} of `;
        this.said.textContent = `${some}${grouped(this.count)} ${this.count === 1 ? 'row' : 'rows'}${cut}`;
        const shown = this.printed ? this.rows.slice(0, PRINTED) : this.rows.slice(this.page * PAGE, (this.page + 1) * PAGE);
        // Paper has no room for columns that are empty.
        const told = this.columns.map((_, i) => i).filter((i) => !this.printed || !shown.length || shown.some((row) => this.columns[i].text(row)));
        this.head.replaceChildren(...told.map((i) => this.heading(this.columns[i], i)));
        this.body.replaceChildren(...shown.map((row) => this.row(row, told)));
        const pages = Math.max(1, Math.ceil(this.rows.length / PAGE));
        const turn = (/** @type {number} */ to, /** @type {string} */ text) =>
            el('button', { type: 'button', disabled: to < 0 || to >= pages, onclick: () => { this.page = to; this.draw(); } }, text);
        this.pager.replaceChildren(...(pages > 1 ? [turn(this.page - 1, 'earlier'), ` page ${this.page + 1} of ${grouped(pages)} `, turn(this.page + 1, 'later')] : []));
    }

    /**
     * @param {Column} column
     * @param {number} i
     */
    heading(column, i) {
        const order = this.by !== i ? 'none' : this.down ? 'descending' : 'ascending';
        const arrow = this.by !== i ? '' : this.down ? ' ▾' : ' ▴';
        return el('th', { scope: 'col', 'aria-sort': order, class: column.number ? 'number' : '' },
            el('button', { type: 'button', onclick: () => this.order(i) }, column.title + arrow));
    }

    /**
     * @param {number} row
     * @param {number[]} told the columns that are shown
     */
    row(row, told) {
        const cell = (/** @type {number} */ i) => {
            const c = this.columns[i];
            const text = c.number ? bdi(c.text(row)) : prose(c.text(row), breakable);
            const content = i === 0 && this.more.chosen && (this.more.leads?.(row) ?? true) ? el('button', { type: 'button', class: 'link', onclick: () => this.more.chosen?.(row) }, text) : text;
            const kind = c.number ? 'number' : (text.textContent ?? '').length <= SHORT ? 'short' : 'long';
            return el('td', { class: c.tone ? `${kind} tone ${c.tone(row)}` : kind }, content);
        };
        return el('tr', {}, ...told.map(cell));
    }
}
