// What all panels of a run look at: a span of time, a span of lanes, and where the cursor is.

/** A shorter span, in milliseconds, has nothing more to show. */
const LEAST = 100;

/** A shared view; whoever draws listens to it. */
export class View {
    /**
     * @param {number} end the end of the run, in milliseconds
     * @param {[number, number]} shown what is shown at first
     */
    constructor(end, shown) {
        this.end = Math.max(1, end);
        /** @type {[number, number]} */
        this.first = [Math.min(this.end - 1, shown[0]), Math.min(this.end, Math.max(1, shown[1]))];
        this.from = this.first[0];
        this.to = this.first[1];
        this.rows = 1;
        this.top = 0;
        this.bottom = 1;
        /** @type {number | null} */
        this.cursor = null;
        /** @type {Set<() => void>} */
        this.listeners = new Set();
        this.asked = false;
    }

    /** @param {() => void} listener */
    onchange(listener) {
        this.listeners.add(listener);
    }

    /** Draws everything once, before the next frame. */
    changed() {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => this.draw());
    }

    /** Draws everything now. */
    draw() {
        this.asked = false;
        const began = performance.now();
        for (const listener of this.listeners) listener();
        performance.measure('taintsim-frame', { start: began, end: performance.now() });
    }

    /**
     * @param {number} from
     * @param {number} to
     */
    span(from, to) {
        const width = Math.min(this.end, Math.max(LEAST, to - from));
        this.from = Math.min(Math.max(0, from), this.end - width);
        this.to = this.from + width;
        this.changed();
    }

    /**
     * Makes the span shorter by a factor around a time that stays where it is.
     * @param {number} factor
     * @param {number} [around]
     */
    zoom(factor, around) {
        if (factor < 1 && this.to - this.from <= LEAST) return;
        const at = around ?? this.cursor ?? (this.from + this.to) / 2;
        this.span(at - (at - this.from) * factor, at + (this.to - at) * factor);
    }

    /** @param {number} share of the span, to the right */
    pan(share) {
        const by = (this.to - this.from) * share;
        this.span(this.from + by, this.to + by);
    }

    /**
     * @param {number} top
     * @param {number} bottom
     */
    lanes(top, bottom) {
        const height = Math.min(this.rows, Math.max(Math.min(this.rows, 4), bottom - top));
        this.top = Math.min(Math.max(0, top), this.rows - height);
        this.bottom = this.top + height;
        this.changed();
    }

    /**
     * @param {number} factor
     * @param {number} around
     */
    zoomLanes(factor, around) {
        this.lanes(around - (around - this.top) * factor, around + (this.bottom - around) * factor);
    }

    /** Whether the span is the one that is shown at first. */
    atFirst() {
        return this.from === this.first[0] && this.to === this.first[1];
    }

    /** Shows what is shown at first, and all where that is shown. */
    reset() {
        this.lanes(0, this.rows);
        if (this.atFirst()) this.span(0, this.end);
        else this.span(...this.first);
    }

    /** @param {number | null} at */
    point(at) {
        this.cursor = at;
        this.changed();
    }
}
