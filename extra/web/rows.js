// The rows of lanes: each zone has a heading, and its nodes below it unless it is folded.

/**
 * @typedef {{zone: number, node: number}} Row `node` is -1 for the heading of a zone
 */

/** The rows that are there, from the top. */
export class Rows {
    /** @param {import('./run.js').Run} run */
    constructor(run) {
        this.run = run;
        /** @type {Set<number>} */
        this.folded = new Set();
        /** @type {number[]} the zones that have nodes, in order */
        this.zones = [...new Set(run.zoneOf)].sort((a, b) => a - b);
        /** @type {Row[]} */
        this.all = [];
        /** @type {Int32Array} */
        this.ofNode = new Int32Array(run.nodes.length);
        this.place();
    }

    /** Lays all rows out anew. */
    place() {
        this.all = [];
        this.ofNode.fill(-1);
        let node = 0;
        for (const zone of this.zones) {
            this.all.push({ zone, node: -1 });
            for (; node < this.run.nodes.length && this.run.zoneOf[node] === zone; node += 1) {
                if (this.folded.has(zone)) continue;
                this.ofNode[node] = this.all.length;
                this.all.push({ zone, node });
            }
        }
    }

    /** @param {number} zone */
    toggle(zone) {
        if (!this.folded.delete(zone)) this.folded.add(zone);
        this.place();
    }

    /**
     * The nodes of a zone: the first, and the one after the last.
     * @param {number} zone
     * @returns {[number, number]}
     */
    nodesOf(zone) {
        const first = this.run.zoneOf.indexOf(zone);
        let end = first;
        while (end < this.run.nodes.length && this.run.zoneOf[end] === zone) end += 1;
        return [first, end];
    }
}

/**
 * What zones are called.
 * @param {string} zone
 */
export function zoneName(zone) {
    return zone ? `zone ${zone}` : 'no zone';
}

/**
 * What zones are called beside their lanes: without the word where their names are too long for it.
 * @param {string[]} zones
 * @param {(name: string) => boolean} fits
 */
export function zoneNames(zones, fits) {
    return zones.every((zone) => fits(zoneName(zone))) ? zones.map(zoneName) : zones.map((zone) => zone || 'no zone');
}
