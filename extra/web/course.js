// What was done to the cluster, and why evictions paused: faults and actions as bands with their names, master disruption, and zones that were disrupted.

import { LEFT, RIGHT, Surface, cursorLine, fitted, fittedAll } from './canvas.js';
import { absolute, grouped, short } from './clock.js';
import { colour } from './palette.js';
import { zoneName, zoneNames } from './rows.js';

/**
 * @typedef {{from: number, to: number, fill: string, name: string, told: string, dark: boolean}} Band
 */

/** More rows of entries are not drawn. */
const MOST = 14;

/** Bands above the lanes. */
export class Course {
    /**
     * @param {import('./run.js').Run} run
     * @param {import('./view.js').View} view
     */
    constructor(run, view) {
        this.run = run;
        this.view = view;
        /** @type {{name: string, zone?: string, note?: string, bands: Band[]}[]} */
        this.rows = [];
        this.surface = new Surface('Faults, actions, and zones that were disrupted, over time', 0);
    }

    /** Lays the bands out; colours are those of now. */
    place() {
        const began = this.run.entries.filter((e) => e.began);
        const rows = packed(began.map((e) => this.ofEntry(e)), this.run.end / 8);
        this.rows = rows.slice(0, MOST).map((bands, i) => ({ name: i === 0 ? 'timeline' : '', bands }));
        const left = rows.slice(MOST).flat().length;
        if (left > 0) this.rows.push({ name: '', note: left === 1 ? 'and 1 more entry, not drawn' : `and ${grouped(left)} more entries, not drawn`, bands: [] });
        const troubled = this.run.troubled.map((t) => this.band(t.from, t.to, t.name === null ? 'master' : 'troubled', true, t.name ?? 'controllers down',
            t.name === null ? 'no controller runs: nobody taints, evicts or replaces' : 'requests, watches or API servers are in trouble'));
        for (const [i, bands] of packed(troubled, 0).entries()) this.rows.push({ name: i === 0 ? 'control plane' : '', bands });
        if (this.run.master.length) {
            const of = (/** @type {[number, number]} */ m) => this.band(m[0], m[1], 'master', true, 'master disruption', 'no node of any zone is Ready: taints come off and evictions stop');
            this.rows.push({ name: 'all zones', bands: this.run.master.map(of) });
        }
        for (const zone of new Set(this.run.disruptions.map((d) => d.zone))) {
            const of = this.run.disruptions.filter((d) => d.zone === zone);
            this.rows.push({ name: zoneName(zone), zone, bands: of.map((d) => this.ofZone(d)) });
        }
        this.surface.height = this.rows.length * this.height + 4;
    }

    get height() {
        return this.rows.length > 8 ? 13 : 19;
    }

    /**
     * @param {number} from
     * @param {number} to
     * @param {string} name
     * @param {boolean} dark
     * @param {string} text
     * @param {string} told
     * @returns {Band}
     */
    band(from, to, name, dark, text, told) {
        return { from, to, fill: colour(name), dark, name: text, told: `${text}: ${absolute(from)} to ${absolute(to)} (${short(to - from)}); ${told}` };
    }

    /** @param {import('./run.js').Entry} entry */
    ofEntry(entry) {
        const kind = entry.fault ? 'fault-edge' : 'action';
        if (!entry.lasts) return { ...this.band(entry.from, entry.from, kind, false, entry.name, ''), told: `${entry.name}, at ${absolute(entry.from)}` };
        const ends = entry.to === null ? 'does not end in this run' : 'a fault or an action of the timeline';
        return this.band(entry.from, entry.to ?? this.run.end, kind, false, entry.name, ends);
    }

    /** @param {import('./run.js').Disruption} d */
    ofZone(d) {
        const name = d.state === 'FullDisruption' ? 'full' : d.stopped ? 'stopped' : 'slow';
        return this.band(d.from, d.to, name, name !== 'slow', d.state, d.words);
    }

    draw() {
        const c = this.surface.begin();
        const right = this.surface.width - RIGHT;
        const zones = this.rows.flatMap((row) => (row.zone === undefined ? [] : [row.zone]));
        const names = fittedAll(c, zoneNames(zones, (name) => c.measureText(name).width <= LEFT - 14), LEFT - 14);
        for (const [i, row] of this.rows.entries()) {
            const y = i * this.height;
            c.fillStyle = colour('ink');
            c.textAlign = 'right';
            fitted(c, row.zone === undefined ? row.name : names[zones.indexOf(row.zone)], LEFT - 8, y + this.height / 2, LEFT - 14);
            c.textAlign = 'left';
            for (const [n, band] of row.bands.entries()) this.one(c, band, row.bands[n + 1], y, right);
            if (row.note === undefined) continue;
            c.fillStyle = colour('faint');
            fitted(c, row.note, LEFT, y + this.height / 2, this.surface.plot);
        }
        if (this.view.cursor !== null) {
            c.strokeStyle = colour('cursor');
            cursorLine(c, this.surface.x(this.view, this.view.cursor), this.surface.height);
        }
    }

    /**
     * @param {CanvasRenderingContext2D} c
     * @param {Band} band
     * @param {Band | undefined} next
     * @param {number} y
     * @param {number} right
     */
    one(c, band, next, y, right) {
        const [x0, x1] = [this.surface.x(this.view, band.from), this.surface.x(this.view, band.to)];
        if (x1 < LEFT || x0 > right) return;
        const [l, r] = [Math.max(LEFT, x0), Math.min(right, Math.max(x0 + 2, x1))];
        const height = this.height - 4;
        c.fillStyle = band.fill;
        c.fillRect(l, y + 1, r - l, height);
        c.font = `${Math.min(12, height)}px system-ui, sans-serif`;
        const [within, behind] = [r - l - 8, (next ? this.surface.x(this.view, next.from) : right) - r - 8];
        // Where a band has more room than there is behind it, its name is cut to it.
        const inside = c.measureText(band.name).width + 2 <= within || within > behind;
        c.fillStyle = inside && band.dark ? colour('paper') : inside ? colour('on-band') : colour('ink');
        const room = inside ? within : behind;
        if (room > 24) fitted(c, band.name, inside ? l + 5 : r + 4, y + 1 + height / 2, room);
        c.font = '12px system-ui, sans-serif';
    }

    /**
     * What is there.
     * @param {number} x
     * @param {number} y
     */
    at(x, y) {
        const row = this.rows[Math.floor(y / this.height)];
        const band = row?.bands.find((b) => {
            const [x0, x1] = [this.surface.x(this.view, b.from), this.surface.x(this.view, b.to)];
            return x >= x0 - 4 && x <= Math.max(x1, x0 + 2) + 4;
        });
        return band ? band.told : null;
    }
}

/**
 * Bands in as few rows as they need beside each other, each with some room for its name.
 * @param {Band[]} bands
 * @param {number} room
 * @returns {Band[][]}
 */
function packed(bands, room) {
    /** @type {Band[][]} */
    const rows = [];
    for (const band of [...bands].sort((a, b) => a.from - b.from)) {
        const free = rows.find((row) => Math.max(row[row.length - 1].to, row[row.length - 1].from + room) < band.from);
        if (free) free.push(band);
        else rows.push([band]);
    }
    return rows;
}
