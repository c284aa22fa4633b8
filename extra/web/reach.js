// Wheel, pointer, touch and keys on a canvas of a run.

/**
 * @typedef {{x: number, y: number}} Place
 */

/**
 * Makes a canvas move the view.
 * @param {import('./canvas.js').Surface} surface
 * @param {import('./view.js').View} view
 * @param {{height: () => number, hover: (place: Place | null) => void, click: (place: Place) => void}} on `height` is that of the lanes, 0 where there are none
 */
export function reach(surface, view, on) {
    const { canvas } = surface;
    const place = (/** @type {MouseEvent} */ e) => {
        const box = canvas.getBoundingClientRect();
        return { x: e.clientX - box.left, y: e.clientY - box.top };
    };
    const row = (/** @type {number} */ y) => view.top + (y / Math.max(1, on.height())) * (view.bottom - view.top);
    canvas.addEventListener('wheel', (e) => {
        e.preventDefault();
        const { x, y } = place(e);
        const by = e.deltaMode === 1 ? 16 : 1;
        if (e.shiftKey && on.height()) view.lanes(view.top + ((e.deltaY || e.deltaX) * by * (view.bottom - view.top)) / 900, view.bottom + ((e.deltaY || e.deltaX) * by * (view.bottom - view.top)) / 900);
        else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) view.pan((e.deltaX * by) / surface.plot);
        else {
            const factor = Math.exp(Math.max(-200, Math.min(200, e.deltaY * by)) * 0.003);
            view.zoom(factor, surface.time(view, x));
            if ((e.ctrlKey || e.altKey) && on.height()) view.zoomLanes(factor, row(y));
        }
        // What was told is of the view before.
        on.hover(place(e));
    }, { passive: false });
    /** @type {Map<number, Place>} */
    const down = new Map();
    let moved = 0;
    canvas.addEventListener('pointerdown', (e) => {
        canvas.setPointerCapture(e.pointerId);
        down.set(e.pointerId, place(e));
        moved = 0;
        on.hover(null);
    });
    canvas.addEventListener('pointermove', (e) => {
        const now = place(e);
        const was = down.get(e.pointerId);
        if (!was) {
            on.hover(now);
            return;
        }
        moved += Math.abs(now.x - was.x) + Math.abs(now.y - was.y);
        if (down.size === 1) drag(surface, view, on.height(), was, now);
        else pinch(surface, view, on.height(), [...down.entries()].find(([id]) => id !== e.pointerId)?.[1] ?? was, was, now);
        down.set(e.pointerId, now);
    });
    const up = (/** @type {PointerEvent} */ e) => {
        const was = down.get(e.pointerId);
        down.delete(e.pointerId);
        if (was && moved < 5 && e.type === 'pointerup') on.click(place(e));
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => on.hover(null));
    canvas.addEventListener('dblclick', () => view.reset());
}

/**
 * @param {import('./canvas.js').Surface} surface
 * @param {import('./view.js').View} view
 * @param {number} height
 * @param {Place} was
 * @param {Place} now
 */
function drag(surface, view, height, was, now) {
    view.pan((was.x - now.x) / surface.plot);
    if (!height) return;
    const by = ((was.y - now.y) / height) * (view.bottom - view.top);
    view.lanes(view.top + by, view.bottom + by);
}

/**
 * Two fingers: what is below each stays there.
 * @param {import('./canvas.js').Surface} surface
 * @param {import('./view.js').View} view
 * @param {number} height
 * @param {Place} other
 * @param {Place} was
 * @param {Place} now
 */
function pinch(surface, view, height, other, was, now) {
    const factor = (/** @type {number} */ a, /** @type {number} */ b) => (Math.abs(b) < 8 ? 1 : Math.min(4, Math.max(0.25, Math.abs(a) / Math.abs(b))));
    const [across, along] = [factor(was.x - other.x, now.x - other.x), factor(was.y - other.y, now.y - other.y)];
    view.zoom(across, surface.time(view, other.x));
    if (height) view.zoomLanes(along, view.top + (other.y / height) * (view.bottom - view.top));
}

/**
 * The keys of the lanes. Returns whether the key means something.
 * @param {KeyboardEvent} e
 * @param {import('./view.js').View} view
 */
export function key(e, view) {
    const height = view.bottom - view.top;
    const moves = /** @type {Record<string, () => void>} */ ({
        ArrowLeft: () => view.pan(e.shiftKey ? -0.5 : -0.1),
        ArrowRight: () => view.pan(e.shiftKey ? 0.5 : 0.1),
        '+': () => view.zoom(0.7),
        '=': () => view.zoom(0.7),
        '-': () => view.zoom(1 / 0.7),
        '*': () => view.zoomLanes(0.7, (view.top + view.bottom) / 2),
        _: () => view.zoomLanes(1 / 0.7, (view.top + view.bottom) / 2),
        PageUp: () => view.lanes(view.top - height * 0.8, view.bottom - height * 0.8),
        PageDown: () => view.lanes(view.top + height * 0.8, view.bottom + height * 0.8),
        Home: () => view.span(0, view.to - view.from),
        End: () => view.span(view.end, view.end + view.to - view.from),
        0: () => view.reset(),
    });
    const move = moves[e.key];
    if (!move || e.ctrlKey || e.metaKey || e.altKey) return false;
    move();
    e.preventDefault();
    return true;
}
