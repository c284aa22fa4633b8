// A canvas as wide as its place, sharp on every screen.

/** The width of names at the left of every panel, and of the rest at its right, in pixels. */
export const LEFT = 150;
export const RIGHT = 24;

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
        const width = Math.max(240, Math.floor(this.canvas.parentElement?.clientWidth ?? 300));
        this.scale = window.devicePixelRatio || 1;
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
    if (c.measureText(text).width <= room) {
        c.fillText(text, x, y);
        return;
    }
    let [low, high] = [0, Math.min(text.length, 200)];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (c.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
        else high = middle - 1;
    }
    if (low > 0) c.fillText(`${text.slice(0, low)}…`, x, y);
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
