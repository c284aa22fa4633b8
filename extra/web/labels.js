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
 * How many letters all names begin with in common, or end with.
 * @param {string[][]} names
 * @param {boolean} atEnd
 */
function inCommon(names, atEnd) {
    const letter = (/** @type {string[]} */ name, /** @type {number} */ i) => name[atEnd ? name.length - 1 - i : i];
    let count = 0;
    while (names.every((name) => count < name.length && letter(name, count) === letter(names[0], count))) count += 1;
    return count;
}

/**
 * Names without the end that they have in common, and without the beginning, too.
 * @param {string[]} names
 */
function withoutCommon(names) {
    const letters = names.map((name) => [...name]);
    const end = inCommon(letters, true);
    const rests = letters.map((name) => name.slice(0, name.length - end));
    const begin = inCommon(rests, false);
    const shown = (/** @type {string[]} */ rest, /** @type {number} */ from) => `${from ? '…' : ''}${rest.slice(from).join('')}${end ? '…' : ''}`;
    return [rests.map((rest) => shown(rest, 0)), rests.map((rest) => shown(rest, begin))];
}

/**
 * Names that stand beside each other, all cut at the same place, whichever tells them apart: the middle, the end, the beginning; where none does,
 * what they have in common is left out first. Where that does not, either, those that would be the same get an ordinal.
 * @param {string[]} names
 * @param {(text: string) => number} width
 * @param {number} room
 * @returns {string[]}
 */
export function labelsOf(names, width, room) {
    const different = new Set(names).size;
    /** @type {string[]} */
    let best = [];
    for (const shown of [() => names, () => withoutCommon(names)[0], () => withoutCommon(names)[1]]) {
        const texts = shown();
        for (const head of [0.5, 1, 0, 0.25, 0.75]) {
            const labels = texts.map((name) => cutTo(name, width, room, head));
            if (new Set(labels).size > new Set(best).size) best = labels;
            if (new Set(best).size === different) return best;
        }
    }
    /** @type {Map<string, string>} */
    const taken = new Map();
    return best.map((short, i) => {
        let label = short;
        for (let n = 2; (taken.get(label) ?? names[i]) !== names[i]; n += 1) label = `${cutTo(short, width, room - width(` #${n}`), 1)} #${n}`;
        taken.set(label, names[i]);
        return label;
    });
}
