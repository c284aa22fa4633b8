// Reads columns of numbers and texts, as `src/report/html/columns.rs` writes them.

/**
 * @typedef {{name: string, form: 'near'|'codes'|'texts', count: number, planes?: number, bytes?: number}} Listed
 */

/** Columns with the header that lists them. */
export class Columns {
    /** @param {Uint8Array} bytes all of it, unpacked */
    constructor(bytes) {
        const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
        const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
        /** @type {any} what is no column */
        this.header = JSON.parse(text);
        this.bytes = bytes;
        /** @type {Map<string, {of: Listed, at: number}>} */
        this.places = new Map();
        let at = 4 + length;
        for (const of of /** @type {Listed[]} */ (this.header.columns)) {
            this.places.set(of.name, { of, at });
            at += of.form === 'texts' ? of.bytes ?? 0 : of.count * (of.planes ?? 0);
        }
    }

    /**
     * Numbers of at most 32 bits.
     * @param {string} name
     */
    numbers(name) {
        return new Uint32Array(this.times(name));
    }

    /**
     * Numbers of at most 53 bits, as times in milliseconds are.
     * @param {string} name
     * @returns {Float64Array}
     */
    times(name) {
        const place = this.places.get(name);
        if (!place) return new Float64Array(0);
        const { count, planes, form } = place.of;
        const out = new Float64Array(count);
        for (let plane = 0; plane < (planes ?? 0); plane += 1) {
            const from = place.at + plane * count;
            const weight = 256 ** plane;
            for (let i = 0; i < count; i += 1) out[i] += this.bytes[from + i] * weight;
        }
        if (form === 'near') {
            let before = 0;
            for (let i = 0; i < count; i += 1) {
                const half = Math.floor(out[i] / 2);
                before += out[i] === 2 * half ? half : -half - 1;
                out[i] = before;
            }
        }
        return out;
    }

    /**
     * @param {string} name
     * @returns {string[]}
     */
    texts(name) {
        const place = this.places.get(name);
        if (!place) return [];
        const same = this.numbers(`${name}.same`);
        const fresh = this.numbers(`${name}.new`);
        const all = this.bytes.subarray(place.at, place.at + (place.of.bytes ?? 0));
        const decoder = new TextDecoder();
        // Nearly all names have letters of one byte: cut from one text they take a tenth of the time.
        if (all.every((byte) => byte < 128)) return cutOut(decoder.decode(all), same, fresh);
        let before = new Uint8Array(0);
        let at = place.at;
        /** @type {string[]} */
        const out = [];
        for (let i = 0; i < same.length; i += 1) {
            const now = new Uint8Array(same[i] + fresh[i]);
            now.set(before.subarray(0, same[i]));
            now.set(this.bytes.subarray(at, at + fresh[i]), same[i]);
            at += fresh[i];
            out.push(decoder.decode(now));
            before = now;
        }
        return out;
    }
}

/**
 * Texts of letters of one byte, of which each has so many in common with the one before it.
 * @param {string} all
 * @param {Uint32Array} same
 * @param {Uint32Array} fresh
 */
function cutOut(all, same, fresh) {
    /** @type {string[]} */
    const out = [];
    let before = '';
    let at = 0;
    for (let i = 0; i < same.length; i += 1) {
        before = before.slice(0, same[i]) + all.slice(at, at + fresh[i]);
        at += fresh[i];
        out.push(before);
    }
    return out;
}

/**
 * Where each of several lists begins that stand one after the other, and where the last one ends.
 * @param {Uint32Array} counts
 */
export function offsets(counts) {
    const out = new Uint32Array(counts.length + 1);
    for (let i = 0; i < counts.length; i += 1) out[i + 1] = out[i] + counts[i];
    return out;
}

/**
 * The columns that the page holds under a name.
 * @param {string} name
 * @returns {Promise<Columns | null>}
 */
export async function held(name) {
    const all = document.querySelectorAll('script[data-name]');
    const element = [...all].find((e) => e.getAttribute('data-name') === name);
    if (!element) return null;
    const packed = atob(element.textContent ?? '');
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Columns(new Uint8Array(await new Response(stream).arrayBuffer()));
}
