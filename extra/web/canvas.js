// A canvas as wide as its place, sharp on every screen.

import { labelsOf } from './labels.js';

/** The width of names at the left of every panel, and of the rest at its right, in pixels. */
export let LEFT = 150;
export const RIGHT = 24;
/** A page of A4 without its margins, in pixels of CSS. */
const PAPER = 700;

let onPaper = false;

/**
 * Takes the widths of what is drawn next: names have less room on paper and on a phone.
 * @param {boolean} printed
 */
export function measure(printed) {
    onPaper = printed;
    LEFT = printed ? 110 : window.innerWidth < 700 ? 84 : 150;
}

/**
 * How wide a panel is that fills its place.
 * @param {Element | null} place
 */
export function wide(place) {
    return onPaper ? PAPER : Math.max(240, Math.floor(place?.clientWidth ?? 300));
}

/** A canvas that is drawn anew when its place changes. */
export class Surface {
    /**
     * @param {string} label what it shows, for those who do not see it
     * @param {number} height in pixels
     */
    constructor(label, height) {
        this.canvas = document.createElement('canvas');
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute('aria-label', label);
        this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
        this.width = 300;
        this.height = height;
        this.scale = 1;
    }

    /** Takes the size of its place, and wipes it. */
    begin() {
        const width = wide(this.canvas.parentElement);
        this.scale = onPaper ? 2 : window.devicePixelRatio || 1;
        this.width = width;
        const [w, h] = [Math.round(width * this.scale), Math.round(this.height * this.scale)];
        if (this.canvas.width !== w || this.canvas.height !== h) {
            this.canvas.width = w;
            this.canvas.height = h;
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${this.height}px`;
        }
        this.context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
        this.context.clearRect(0, 0, width, this.height);
        this.context.font = '12px system-ui, sans-serif';
        this.context.textBaseline = 'middle';
        this.context.textAlign = 'left';
        return this.context;
    }

    /** The pixels between the names and the right edge. */
    get plot() {
        return this.width - LEFT - RIGHT;
    }

    /**
     * Where a time is.
     * @param {import('./view.js').View} view
     * @param {number} at
     */
    x(view, at) {
        return LEFT + ((at - view.from) / (view.to - view.from)) * this.plot;
    }

    /**
     * Which time is there.
     * @param {import('./view.js').View} view
     * @param {number} x
     */
    time(view, x) {
        const at = view.from + ((x - LEFT) / this.plot) * (view.to - view.from);
        return Math.min(view.to, Math.max(view.from, at));
    }
}

/**
 * A text, cut off where it has no room; it is drawn as it is written, whatever its direction.
 * @param {CanvasRenderingContext2D} c
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {number} room
 */
export function fitted(c, text, x, y, room) {
    c.direction = 'ltr';
    c.fillText(room < 12 ? '' : fittedAll(c, [text], room)[0], x, y);
}

/**
 * Names that stand beside each other, cut to their room in the font that is set.
 * @param {CanvasRenderingContext2D} c
 * @param {string[]} names
 * @param {number} room
 */
export function fittedAll(c, names, room) {
    /** @type {Map<string, number>} */
    const widths = new Map();
    const letter = (/** @type {string} */ l) => {
        if (!widths.has(l)) widths.set(l, c.measureText(l).width);
        return widths.get(l) ?? 0;
    };
    // Letter by letter, because thousands of names are measured several times each.
    return labelsOf(names, (text) => [...text].reduce((sum, l) => sum + letter(l), 0), room);
}

/**
 * The line of the cursor.
 * @param {CanvasRenderingContext2D} c
 * @param {number} x
 * @param {number} height
 */
export function cursorLine(c, x, height) {
    c.beginPath();
    c.setLineDash([3, 3]);
    c.moveTo(Math.round(x) + 0.5, 0);
    c.lineTo(Math.round(x) + 0.5, height);
    c.stroke();
    c.setLineDash([]);
}
