// Names that are shortened to their room, so that different names keep different labels.

/**
 * A text with an ellipsis after a share of what is kept of it.
 * @param {string} text
 * @param {(text: string) => number} width
 * @param {number} room
 * @param {number} head
 */
function cutTo(text, width, room, head) {
    if (width(text) <= room) return text;
    const letters = [...text];
    const kept = (/** @type {number} */ n) => {
        const first = Math.round(n * head);
        return [...letters.slice(0, first), '…', ...letters.slice(letters.length - (n - first))].join('');
    };
    let [fits, long] = [0, letters.length];
    while (long - fits > 1) {
        const middle = (fits + long) >> 1;
        if (width(kept(middle)) <= room) fits = middle;
        else long = middle;
    }
    return kept(fits);
}

/**
 * Names that stand beside each other, all cut at the same place, whichever tells them apart: the middle, the end, the beginning.
 * Where none does, those that would be the same get a number.
 * @param {string[]} names
 * @param {(text: string) => number} width
 * @param {number} room
 * @returns {string[]}
 */
export function labelsOf(names, width, room) {
    const different = new Set(names).size;
    /** @type {string[]} */
    let best = [];
    for (const head of [0.5, 1, 0, 0.25, 0.75]) {
        const labels = names.map((name) => cutTo(name, width, room, head));
        if (new Set(labels).size > new Set(best).size) best = labels;
        if (new Set(best).size === different) return best;
    }
    /** @type {Map<string, string>} */
    const taken = new Map();
    return best.map((short, i) => {
        let label = short;
        for (let n = 2; (taken.get(label) ?? names[i]) !== names[i]; n += 1) label = `${cutTo(short, width, room - width(` ${n}`), 1)} ${n}`;
        taken.set(label, names[i]);
        return label;
    });
}
