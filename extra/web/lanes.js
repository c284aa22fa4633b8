// The lanes of nodes: health, taints, timers, evictions and replacements over time.
//
// Where a lane is thinner than a few pixels, each pixel shows the worst state of all that falls into it, so that nothing short is lost.

import { grouped, ticks } from './clock.js';
import { LEFT, RIGHT, Surface, cursorLine, fitted, fittedAll } from './canvas.js';
import { badness, colour, rgba, stateColours } from './palette.js';
import { firstFrom, lastUpTo } from './run.js';
import { zoneNames } from './rows.js';

/** From this height on a lane is drawn by itself. */
const THIN = 4;
const AXIS = 22;

/** Lanes on a canvas. */
export class Lanes {
    /**
     * @param {import('./run.js').Run} run
     * @param {import('./view.js').View} view
     * @param {import('./rows.js').Rows} rows
     */
    constructor(run, view, rows) {
        this.run = run;
        this.view = view;
        this.rows = rows;
        this.surface = new Surface(`Lanes of ${run.nodes.length} nodes over time`, 200);
        /** @type {Uint8Array} how bad each pixel is */
        this.worst = new Uint8Array(0);
        /** The workload whose evictions and replacements are shown, or -1 for all. */
        this.workload = -1;
        /** @type {import('./run.js').Thing | null} */
        this.selected = null;
        /** @type {Uint8Array} how bad each step of a lane is */
        this.bad = Uint8Array.from(run.lanes.state, badness);
        this.most = 460;
        /** @type {((c: CanvasRenderingContext2D) => void) | null} what else is drawn over the lanes */
        this.over = null;
        /** @type {Map<string, string[]>} names that are cut to their room, by font and room */
        this.labels = new Map();
    }

    /**
     * Whether what happens to a pod is shown.
     * @param {number} pod
     */
    shows(pod) {
        return this.workload < 0 || this.run.workloadOf[pod] === this.workload;
    }

    /** How high the lanes want to be, as far as there is room. */
    fit() {
        const wanted = this.rows.all.length * 18;
        this.surface.height = Math.round(Math.max(60, Math.min(this.most, wanted))) + AXIS;
    }

    get body() {
        return this.surface.height - AXIS;
    }

    /** The height of one lane, in pixels. */
    get lane() {
        return this.body / (this.view.bottom - this.view.top);
    }

    /** @param {number} row */
    y(row) {
        return (row - this.view.top) * this.lane;
    }

    /**
     * The row at a height, or -1.
     * @param {number} y
     */
    rowAt(y) {
        const row = Math.floor(this.view.top + y / this.lane);
        return y >= 0 && y < this.body && row < this.rows.all.length ? row : -1;
    }

    draw() {
        const c = this.surface.begin();
        c.save();
        c.beginPath();
        c.rect(0, 0, this.surface.width, this.body);
        c.clip();
        this.faults(c);
        if (this.lane < THIN) this.thin(c);
        else this.thick(c);
        this.over?.(c);
        this.names(c);
        c.restore();
        this.edges(c);
        this.axis(c);
    }

    /** @param {CanvasRenderingContext2D} c */
    faults(c) {
        c.fillStyle = colour('fault');
        for (const entry of this.run.entries.filter((e) => e.fault && e.began)) {
            const [x0, x1] = [this.x(entry.from), this.x(entry.to ?? this.run.end)];
            if (x1 > LEFT && x0 < this.surface.width - RIGHT) c.fillRect(Math.max(LEFT, x0), 0, Math.min(x1, this.surface.width - RIGHT) - Math.max(LEFT, x0), this.body);
        }
    }

    /** @param {CanvasRenderingContext2D} c */
    edges(c) {
        const { entries } = this.run;
        if (entries.length <= 40) {
            c.strokeStyle = colour('fault-edge');
            c.lineWidth = 1;
            for (const at of entries.filter((e) => e.began).flatMap((e) => (e.to === null ? [e.from] : [e.from, e.to]))) {
                const x = Math.round(this.x(at)) + 0.5;
                if (x < LEFT || x > this.surface.width - RIGHT) continue;
                c.beginPath();
                c.moveTo(x, 0);
                c.lineTo(x, this.body);
                c.stroke();
            }
        }
        if (this.view.cursor !== null) {
            c.strokeStyle = colour('cursor');
            cursorLine(c, this.x(this.view.cursor), this.body);
        }
    }

    /** @param {number} at */
    x(at) {
        return this.surface.x(this.view, at);
    }

    /** The rows that are in sight. */
    inSight() {
        const { top, bottom } = this.view;
        return [Math.max(0, Math.floor(top)), Math.min(this.rows.all.length, Math.ceil(bottom))];
    }

    /**
     * Every pixel by the worst of what falls into it.
     * @param {CanvasRenderingContext2D} c
     */
    thin(c) {
        const { scale, plot } = this.surface;
        const [w, h] = [Math.max(1, Math.round(plot * scale)), Math.round(this.body * scale)];
        if (this.worst.length !== w * h) this.worst = new Uint8Array(w * h);
        else this.worst.fill(0);
        const [first, end] = this.inSight();
        for (let i = first; i < end; i += 1) {
            const { node } = this.rows.all[i];
            if (node < 0) continue;
            const y0 = Math.max(0, Math.floor(this.y(i) * scale));
            const y1 = Math.min(h, Math.max(y0 + 1, Math.floor(this.y(i + 1) * scale)));
            this.shade(node, w, y0, y1);
        }
        const image = c.createImageData(w, h);
        const pixels = new Uint32Array(image.data.buffer);
        const colours = Uint32Array.from(stateColours(), rgba);
        for (let i = 0; i < pixels.length; i += 1) if (this.worst[i] > 0) pixels[i] = colours[this.worst[i]];
        this.dots(pixels, w, h);
        // Over the shades of faults, so that what is absent lets them through.
        const held = document.createElement('canvas');
        held.width = w;
        held.height = h;
        /** @type {CanvasRenderingContext2D} */ (held.getContext('2d')).putImageData(image, 0, 0);
        c.imageSmoothingEnabled = false;
        c.drawImage(held, LEFT, 0, plot, this.body);
        this.foldedZones(c);
    }

    /**
     * Takes a lane into the pixels.
     * @param {number} node
     * @param {number} w
     * @param {number} y0
     * @param {number} y1
     */
    shade(node, w, y0, y1) {
        const { view, run, worst } = this;
        const per = w / (view.to - view.from);
        const end = run.lanes.first[node + 1];
        for (let step = run.stepAt(node, view.from); step < end; step += 1) {
            const began = run.lanes.at[step];
            if (began > view.to) break;
            const bad = this.bad[step];
            const until = step + 1 < end ? run.lanes.at[step + 1] : run.end;
            const x0 = Math.max(0, Math.floor((began - view.from) * per));
            const x1 = Math.min(w, Math.max(x0 + 1, Math.ceil((until - view.from) * per)));
            if (until < view.from) continue;
            for (let y = y0; y < y1; y += 1) {
                for (let i = y * w + x0; i < y * w + x1; i += 1) if (worst[i] < bad) worst[i] = bad;
            }
        }
    }

    /**
     * Evictions and replacements as pixels.
     * @param {Uint32Array} pixels
     * @param {number} w
     * @param {number} h
     */
    dots(pixels, w, h) {
        const { evicted } = this.run;
        const { view, rows } = this;
        const { scale } = this.surface;
        const per = w / (view.to - view.from);
        const size = Math.max(2, Math.round(2.4 * scale));
        const put = (/** @type {number} */ at, /** @type {number} */ place, /** @type {number} */ pixel, /** @type {number} */ reach, shape = rhomb) => {
            const row = place > 0 ? rows.ofNode[place - 1] : -1;
            const x = Math.floor((at - view.from) * per);
            const y = Math.floor(this.y(row + 0.5) * scale);
            if (row < 0 || x < 0 || x >= w || y < 0) return;
            for (let j = Math.max(0, y - reach); j <= Math.min(h - 1, y + reach); j += 1) {
                const half = shape(j - y, reach);
                pixels.fill(pixel, j * w + Math.max(0, x - half), j * w + Math.min(w, x + half + 1));
            }
        };
        const [rim, eviction, replacement] = ['paper', 'eviction', 'replacement'].map((name) => rgba(colour(name)));
        const end = firstFrom(evicted.at, view.to);
        const { left, replaced } = this.run;
        for (let i = firstFrom(replaced.at, view.from); i < replaced.at.length; i += 1) if (this.shows(replaced.pod[i])) put(replaced.at[i], replaced.node[i], replacement, size, risen);
        for (const [pixel, reach] of [[eviction, size + Math.round(scale)], [rim, size]]) {
            for (let i = 0; i < left.at.length; i += 1) put(left.at[i], left.node[i], pixel, reach, [rhomb, block, glass][left.how[i]]);
        }
        // All rims before all marks, so that many of them are one shape in the colour of the legend.
        for (const [pixel, reach] of [[rim, size + Math.round(scale)], [eviction, size]]) {
            for (let i = firstFrom(evicted.at, view.from); i < end; i += 1) if (this.shows(evicted.pod[i])) put(evicted.at[i], evicted.node[i], pixel, reach);
        }
    }

    /** @param {CanvasRenderingContext2D} c */
    foldedZones(c) {
        const [first, end] = this.inSight();
        for (let i = first; i < end; i += 1) {
            const { zone, node } = this.rows.all[i];
            if (node < 0 && this.rows.folded.has(zone)) this.summed(c, zone, this.y(i), Math.max(3, this.lane));
        }
    }

    /** @param {CanvasRenderingContext2D} c */
    thick(c) {
        const [first, end] = this.inSight();
        for (let i = first; i < end; i += 1) {
            const { node, zone } = this.rows.all[i];
            const y = this.y(i);
            if (node >= 0) this.one(c, node, y, this.lane);
            else this.summed(c, zone, y + this.lane * 0.2, this.lane * 0.6);
        }
    }

    /**
     * The nodes of a zone by the shares of their states.
     * @param {CanvasRenderingContext2D} c
     * @param {number} zone
     * @param {number} y
     * @param {number} height
     */
    summed(c, zone, y, height) {
        const { run, view } = this;
        const [first, end] = this.rows.nodesOf(zone);
        const columns = Math.max(1, Math.floor(this.surface.plot / 2));
        const counts = new Uint16Array(columns * 7);
        const per = columns / (view.to - view.from);
        for (let node = first; node < end; node += 1) {
            const last = run.lanes.first[node + 1];
            let done = 0;
            for (let step = run.stepAt(node, view.from); step < last && done < columns; step += 1) {
                const until = step + 1 < last ? run.lanes.at[step + 1] : Infinity;
                const x1 = Math.min(columns, Math.round((until - view.from) * per));
                for (; done < x1; done += 1) counts[done * 7 + this.bad[step]] += 1;
            }
        }
        const colours = stateColours();
        const width = this.surface.plot / columns;
        for (let x = 0; x < columns; x += 1) {
            let base = y + height;
            for (let bad = 6; bad > 0; bad -= 1) {
                const part = (counts[x * 7 + bad] / (end - first)) * height;
                if (part === 0) continue;
                c.fillStyle = colours[bad];
                c.fillRect(LEFT + x * width, base - part, width + 0.3, part);
                base -= part;
            }
        }
    }

    /**
     * One lane.
     * @param {CanvasRenderingContext2D} c
     * @param {number} node
     * @param {number} y
     * @param {number} height
     */
    one(c, node, y, height) {
        const { run, view } = this;
        const strip = height >= 9 ? Math.max(1.5, Math.floor(height / 7)) : 0;
        const bar = Math.max(1, height - 2 * strip - (height >= 9 ? 2 : height >= 6 ? 1 : 0));
        const colours = stateColours();
        const right = this.surface.width - RIGHT;
        const end = run.lanes.first[node + 1];
        let bad = 0;
        let pixel = -1;
        for (let step = run.stepAt(node, view.from); step < end; step += 1) {
            const began = run.lanes.at[step];
            if (began > view.to) break;
            const code = run.lanes.state[step];
            const until = step + 1 < end ? run.lanes.at[step + 1] : run.end;
            const x0 = Math.max(LEFT, this.x(began));
            const x1 = Math.min(right, Math.max(x0 + 1, this.x(until)));
            // Within a pixel the worst state stays.
            const here = this.bad[step];
            const same = Math.floor(x0) === pixel && x1 - x0 <= 1 && here < bad;
            pixel = Math.floor(x0);
            if (!same) {
                bad = here;
                c.fillStyle = strip > 0 ? colours[barState(code)] : colours[bad];
                if (bad > 0) c.fillRect(x0, y, x1 - x0, bar);
            }
            if (strip > 0 && code & 192) {
                c.fillStyle = colour(code & 64 ? 'held' : 'awaited');
                c.fillRect(x0, y, x1 - x0, strip);
            }
            if (strip > 0 && code & 8) {
                c.fillStyle = colour('cordoned');
                c.fillRect(x0, y + bar + 0.5, x1 - x0, strip);
            }
            if (strip > 0 && code & 16) {
                c.fillStyle = colour('no-execute');
                c.fillRect(x0, y + bar + 0.5 + strip, x1 - x0, strip);
            }
        }
        if (this.selected?.kind === 'node' && this.selected.place === node) {
            c.strokeStyle = colour('selected');
            c.lineWidth = 1.5;
            c.strokeRect(LEFT, y, right - LEFT, height - 1);
        }
        if (height >= 13) this.timersOf(c, node, y + bar / 2);
        this.marks(c, node, y, bar, height);
    }

    /**
     * The eviction timers of a node's pods, as a line while any runs.
     * @param {CanvasRenderingContext2D} c
     * @param {number} node
     * @param {number} y
     */
    timersOf(c, node, y) {
        const { run, view } = this;
        c.strokeStyle = colour('timer');
        c.lineWidth = 1;
        c.beginPath();
        let drawn = -1;
        const line = (/** @type {number} */ set, /** @type {number} */ end) => {
            if (!(set <= view.to && end >= view.from)) return;
            const [x0, x1] = [Math.max(LEFT, this.x(set)), Math.min(this.surface.width - RIGHT, this.x(end))];
            if (x1 <= drawn) return;
            drawn = x1;
            c.moveTo(x0, y + 0.5);
            c.lineTo(x1, y + 0.5);
        };
        for (const i of listed(run.evictedOn, node)) if (run.evicted.set[i] < run.evicted.at[i] && this.shows(run.evicted.pod[i])) line(run.evicted.set[i], run.evicted.at[i]);
        drawn = -1;
        for (const i of listed(run.timersOn, node)) line(run.timers.set[i], run.timers.end[i]);
        c.stroke();
    }

    /**
     * Drains of a node, evictions and replacements.
     * @param {CanvasRenderingContext2D} c
     * @param {number} node
     * @param {number} y
     * @param {number} bar
     * @param {number} height
     */
    marks(c, node, y, bar, height) {
        const { run, view } = this;
        c.fillStyle = colour('drain');
        for (const i of listed(run.drainsOf, node)) {
            const [x0, x1] = [Math.max(LEFT, this.x(run.drains.from[i])), Math.min(this.surface.width - RIGHT, this.x(run.drains.to[i]))];
            if (x1 >= x0) c.fillRect(x0, y, Math.max(2, x1 - x0), Math.max(2, Math.min(4, bar / 4)));
        }
        const middle = y + bar / 2;
        const size = Math.min(4, bar / 2);
        c.fillStyle = colour('replacement');
        for (const i of listed(run.replacedOn, node)) {
            const at = run.replaced.at[i];
            if (at < view.from || at > view.to || !this.shows(run.replaced.pod[i])) continue;
            const x = this.x(at);
            c.beginPath();
            c.moveTo(x, middle - size);
            c.lineTo(x + size, middle + size);
            c.lineTo(x - size, middle + size);
            c.fill();
        }
        for (const i of listed(run.leftOn, node)) {
            const at = run.left.at[i];
            if (at < view.from || at > view.to) continue;
            [diamond, square, hourglass][run.left.how[i]](c, this.x(at), middle, size);
            c.fillStyle = colour('paper');
            c.strokeStyle = colour('eviction');
            c.lineWidth = 1.6;
            c.fill();
            c.stroke();
        }
        const own = listed(run.evictedOn, node).filter((i) => run.evicted.at[i] >= view.from && run.evicted.at[i] <= view.to && this.shows(run.evicted.pod[i]));
        /** @type {{x: number, count: number}[]} */
        const signs = [];
        for (const i of own) {
            const x = this.x(run.evicted.at[i]);
            const last = signs[signs.length - 1];
            if (last && x - last.x < 7) last.count += 1;
            else signs.push({ x, count: 1 });
        }
        c.fillStyle = colour('eviction');
        c.strokeStyle = colour('paper');
        c.lineWidth = 1;
        for (const { x } of signs) {
            diamond(c, x, middle, size);
            c.stroke();
            c.fill();
        }
        // As high as the names of nodes have to be; the ink of a text, which is lighter by night than a mark.
        if (height < 9) return;
        c.font = `bold ${Math.min(10, Math.floor(height))}px system-ui, sans-serif`;
        c.fillStyle = colour('ink');
        c.lineWidth = 3;
        for (const { from, text } of numbered(signs, size + 2, (text) => c.measureText(text).width)) {
            c.strokeText(text, from, middle);
            c.fillText(text, from, middle);
        }
    }

    /**
     * The names at the left: of nodes where there is room, and of zones.
     * @param {CanvasRenderingContext2D} c
     */
    names(c) {
        const [first, end] = this.inSight();
        c.fillStyle = colour('ink');
        c.textAlign = 'right';
        const size = Math.min(12, Math.floor(this.lane));
        for (let i = first; i < end && this.lane >= 9; i += 1) {
            const { node, zone } = this.rows.all[i];
            const y = this.y(i) + this.lane / 2;
            if (node < 0) this.zoneLabel(c, zone, size, y);
            else {
                c.font = `${size}px system-ui, sans-serif`;
                c.fillText(this.labelled(c, 'nodes', this.run.nodes, LEFT - 14)[node], LEFT - 8, y);
            }
        }
        if (this.lane < 9) this.zoneNames(c);
        c.textAlign = 'left';
        c.font = '12px system-ui, sans-serif';
    }

    /**
     * Names cut to their room, the same wherever the lanes are moved to.
     * @param {CanvasRenderingContext2D} c
     * @param {string} of
     * @param {string[]} names
     * @param {number} room
     */
    labelled(c, of, names, room) {
        const key = `${of} ${c.font} ${Math.floor(room)}`;
        const labels = this.labels.get(key) ?? fittedAll(c, names, room);
        this.labels.set(key, labels);
        c.direction = 'ltr';
        return labels;
    }

    /**
     * The name of a zone, with whether its nodes are folded.
     * @param {CanvasRenderingContext2D} c
     * @param {number} zone
     * @param {number} size
     * @param {number} y
     */
    zoneLabel(c, zone, size, y) {
        c.font = `bold ${size}px system-ui, sans-serif`;
        const fold = this.rows.folded.has(zone) ? '▸ ' : '▾ ';
        const room = LEFT - 14 - c.measureText(fold).width;
        const names = zoneNames(this.run.zones, (name) => c.measureText(name).width <= room);
        c.fillText(fold + this.labelled(c, 'zones', names, room)[zone], LEFT - 8, y);
    }

    /** @param {CanvasRenderingContext2D} c */
    zoneNames(c) {
        const { all } = this.rows;
        // Between the rules of a zone that is lower than its name these would go through the name.
        const least = 18;
        let [last, before] = [-20, least];
        for (const [i, row] of all.entries()) {
            if (row.node >= 0) continue;
            let end = i + 1;
            while (end < all.length && all[end].node >= 0) end += 1;
            const [y0, y1] = [Math.max(0, this.y(i)), Math.min(this.body, this.y(end))];
            if (y1 <= 0 || y0 >= this.body) continue;
            c.strokeStyle = colour('rule');
            c.lineWidth = 1;
            c.beginPath();
            const height = (end - i) * this.lane;
            c.moveTo(Math.min(height, before) < least ? LEFT : 8, Math.round(y0) + 0.5);
            before = height;
            c.lineTo(this.surface.width - RIGHT, Math.round(y0) + 0.5);
            c.stroke();
            const y = Math.max(last + 16, (y0 + y1) / 2);
            if (y > y1 + 8 || y > this.body) continue;
            last = y;
            const [from, to] = this.rows.nodesOf(row.zone);
            this.zoneLabel(c, row.zone, 12, y - (y1 - y0 > 34 ? 8 : 0));
            if (y1 - y0 <= 34) continue;
            c.font = '11px system-ui, sans-serif';
            fitted(c, `${grouped(to - from)} nodes`, LEFT - 8, y + 8, LEFT - 14);
        }
    }

    /** @param {CanvasRenderingContext2D} c */
    axis(c) {
        const { times, text } = ticks(this.view.from, this.view.to, Math.max(2, this.surface.plot / 90));
        c.strokeStyle = colour('rule');
        c.lineWidth = 1;
        c.beginPath();
        c.moveTo(LEFT, this.body + 0.5);
        c.lineTo(this.surface.width - RIGHT, this.body + 0.5);
        c.fillStyle = colour('faint');
        c.textAlign = 'center';
        for (const at of times) {
            const x = Math.round(this.x(at)) + 0.5;
            c.moveTo(x, this.body);
            c.lineTo(x, this.body + 4);
            c.fillText(text(at), Math.min(x, this.surface.width - 24), this.body + 13);
        }
        c.stroke();
        c.textAlign = 'left';
    }
}

/**
 * The numbers of marks, each beside its own and clear of the others, so that two are not read as one; those without room are left out.
 * @param {{x: number, count: number}[]} signs
 * @param {number} half how far a mark reaches
 * @param {(text: string) => number} width
 */
export function numbered(signs, half, width) {
    const taken = signs.map(({ x }) => [x - half, x + half]);
    const said = [];
    for (const { x, count } of signs) {
        const text = String(count);
        const wide = width(text);
        const from = count < 2 ? undefined : [x + half, x - half - wide].find((at) => taken.every(([a, b]) => b <= at || a >= at + wide));
        if (from === undefined) continue;
        taken.push([from, from + wide]);
        said.push({ from, text });
    }
    return said;
}

// The marks of the legend in pixels: how far each reaches to either side so many pixels below its middle.
export const rhomb = (/** @type {number} */ below, /** @type {number} */ reach) => reach - Math.abs(below);
export const risen = (/** @type {number} */ below, /** @type {number} */ reach) => (below + reach) >> 1;
const block = (/** @type {number} */ _, /** @type {number} */ reach) => reach;
const glass = (/** @type {number} */ below) => Math.abs(below);

/**
 * @param {CanvasRenderingContext2D} c
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function diamond(c, x, y, size) {
    c.beginPath();
    c.moveTo(x, y - size - 1);
    c.lineTo(x + size, y);
    c.lineTo(x, y + size + 1);
    c.lineTo(x - size, y);
    c.closePath();
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function square(c, x, y, size) {
    c.beginPath();
    c.rect(x - size, y - size, 2 * size, 2 * size);
}

/**
 * @param {CanvasRenderingContext2D} c
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function hourglass(c, x, y, size) {
    c.beginPath();
    c.moveTo(x - size, y - size);
    c.lineTo(x + size, y - size);
    c.lineTo(x - size, y + size);
    c.lineTo(x + size, y + size);
    c.closePath();
}

/**
 * The state of a lane whose taints are drawn below it.
 * @param {number} code
 */
function barState(code) {
    return badness(code & 7);
}

/**
 * @param {{first: Uint32Array, of: Uint32Array}} by
 * @param {number} place
 */
function listed(by, place) {
    return [...by.of.subarray(by.first[place], by.first[place + 1])];
}

/**
 * What happened on a lane near a place: evictions, the latest state.
 * @param {import('./run.js').Run} run
 * @param {number} node
 * @param {number} at
 * @param {number} within
 */
export function nearby(run, node, at, within) {
    const near = listed(run.evictedOn, node).filter((i) => Math.abs(run.evicted.at[i] - at) <= within);
    const left = listed(run.leftOn, node).filter((i) => Math.abs(run.left.at[i] - at) <= within);
    const replaced = listed(run.replacedOn, node).filter((i) => Math.abs(run.replaced.at[i] - at) <= within);
    const timers = listed(run.timersOn, node).filter((i) => run.timers.set[i] <= at && run.timers.end[i] >= at).length
        + listed(run.evictedOn, node).filter((i) => run.evicted.set[i] <= at && run.evicted.at[i] > at).length;
    const drains = listed(run.drainsOf, node).filter((i) => run.drains.from[i] <= at + within && run.drains.to[i] >= at - within);
    return { near, left, replaced, timers, drains, step: lastUpTo(run.lanes.at, at, run.lanes.first[node], run.lanes.first[node + 1]) };
}
