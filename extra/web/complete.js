// What may be written at a place of a scenario, by the JSON Schema of the language.
//
// The text before the place is read as far as brackets, names and colons go; whatever else it holds need not be right. A variant with
// fields, `Deployment(name: …)`, is an object with one entry in the schema, a variant without is a constant text.

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {{open: string, schemas: Schema[], key: string | null, keys: Set<string>, before: string}} Frame
 * @typedef {{label: string, insert: string, back: number, kind: 'field' | 'variant' | 'value', doc: string}} Option
 */

const WORD = /[\w.-]/;

/**
 * The tokens of a text: brackets, colons, commas, names, and texts in quotes; comments are left out. The last one may be cut off.
 * @param {string} text
 */
export function* tokens(text) {
    const skip = (/** @type {number} */ at, /** @type {string} */ end) => {
        const found = text.indexOf(end, at);
        return found < 0 ? text.length + 1 : found + end.length;
    };
    for (let i = 0; i < text.length;) {
        const from = i;
        const raw = text[i] === 'r' ? /^r(#*)"/.exec(text.slice(i, i + 12)) : null;
        let kind = text[i];
        if (text.startsWith('//', i)) [kind, i] = ['comment', skip(i, '\n')];
        else if (text.startsWith('/*', i)) [kind, i] = ['comment', endOfComment(text, i)];
        else if (text[i] === '"') [kind, i] = ['text', endOfText(text, i)];
        else if (raw) [kind, i] = ['text', skip(i + raw[0].length, `"${raw[1]}`)];
        else if (WORD.test(text[i])) {
            kind = 'name';
            while (i < text.length && WORD.test(text[i])) i += 1;
        } else i += 1;
        // What has no end yet ends behind the text.
        yield { kind, text: text.slice(from, i), open: i > text.length };
    }
}

/**
 * @param {string} text
 * @param {number} at
 */
function endOfComment(text, at) {
    let depth = 0;
    for (let i = at; i < text.length; i += 1) {
        if (text.startsWith('/*', i)) [depth, i] = [depth + 1, i + 1];
        else if (text.startsWith('*/', i)) [depth, i] = [depth - 1, i + 1];
        if (depth === 0) return i + 1;
    }
    return text.length + 1;
}

/**
 * @param {string} text
 * @param {number} at
 */
function endOfText(text, at) {
    for (let i = at + 1; i < text.length; i += 1) {
        if (text[i] === '\\') i += 1;
        else if (text[i] === '"') return i + 1;
    }
    return text.length + 1;
}

/** What may be written where. */
export class Language {
    /** @param {Schema} schema */
    constructor(schema) {
        this.schema = schema;
    }

    /**
     * What a schema may be, one after the other: references followed, alternatives apart, nothing left out but `null`.
     * @param {Schema | undefined} schema
     * @returns {Schema[]}
     */
    alternatives(schema) {
        if (!schema) return [];
        if (schema.$ref) {
            const meant = this.schema.$defs[schema.$ref.split('/').pop() ?? ''];
            return this.alternatives(meant).map((s) => (s.description ? s : { ...s, description: schema.description ?? meant.description }));
        }
        const several = schema.anyOf ?? schema.oneOf;
        if (several) return several.flatMap((/** @type {Schema} */ s) => this.alternatives(s));
        return schema.type === 'null' ? [] : [schema];
    }

    /**
     * The frames that are open at the end of a text, the innermost one last; none within a comment or a text.
     * @param {string} before
     * @returns {{frames: Frame[], within: 'text' | 'comment' | null}}
     */
    frames(before) {
        /** @type {Frame[]} */
        const frames = [{ open: '', schemas: [this.schema], key: null, keys: new Set(), before: '' }];
        let name = '';
        for (const token of tokens(before)) {
            const top = frames[frames.length - 1];
            if (token.open && (token.kind === 'text' || token.kind === 'comment')) return { frames, within: token.kind };
            if (token.kind === 'comment') continue;
            if (token.kind === 'name' || token.kind === 'text') name = token.text;
            else if (token.kind === ':') {
                top.key = name.replaceAll('"', '');
                top.keys.add(top.key);
                name = '';
            } else if (token.kind === ',') [top.key, name] = [null, ''];
            else if ('([{'.includes(token.kind)) {
                frames.push({ open: token.kind, schemas: this.inside(this.values(top), token.kind, name), key: null, keys: new Set(), before: name });
                name = '';
            } else if (')]}'.includes(token.kind)) {
                if (frames.length > 1) frames.pop();
                name = '';
            }
        }
        return { frames, within: null };
    }

    /**
     * What the value may be that stands next in a frame.
     * @param {Frame} frame
     * @returns {Schema[]}
     */
    values(frame) {
        const { open, schemas, key } = frame;
        if (open === '') return schemas;
        if (open === '[') return schemas.flatMap((s) => this.alternatives(s.items));
        if (key === null) return open === '(' ? schemas.filter((s) => !s.properties || variant(s) !== null) : [];
        return schemas.flatMap((s) => this.alternatives(property(s, key) ?? (typeof s.additionalProperties === 'object' ? s.additionalProperties : undefined)));
    }

    /**
     * What stands in brackets of a kind that a value begins with.
     * @param {Schema[]} values
     * @param {string} open
     * @param {string} name what stands before them
     * @returns {Schema[]}
     */
    inside(values, open, name) {
        if (open === '[') return values.filter((s) => s.items);
        if (open === '{') return values.filter((s) => s.additionalProperties || s.properties);
        if (name === 'Some') return values;
        const named = values.filter((s) => variant(s) === name).flatMap((s) => this.alternatives(s.properties[name]));
        if (named.length) return named;
        return values.filter((s) => s.properties && (variant(s) === null || name === ''));
    }

    /**
     * What may be written at the end of a text, a word of which may be there.
     * @param {string} before
     * @returns {{from: number, options: Option[]} | null}
     */
    at(before) {
        let from = before.length;
        while (from > 0 && WORD.test(before[from - 1])) from -= 1;
        const { frames, within } = this.frames(before.slice(0, from));
        if (within) return null;
        const frame = frames[frames.length - 1];
        const fields = (frame.open === '(' || frame.open === '{') && frame.key === null ? this.fields(frame) : [];
        const values = this.values(frame).flatMap((s) => valueOptions(s, frame.open === ''));
        const seen = new Set();
        const options = [...fields, ...values].filter((o) => !seen.has(o.label) && seen.add(o.label));
        return { from, options };
    }

    /**
     * The fields that a frame has not yet.
     * @param {Frame} frame
     * @returns {Option[]}
     */
    fields(frame) {
        return frame.schemas.filter((s) => s.properties && variant(s) === null).flatMap((s) => Object.entries(s.properties)
            .filter(([name]) => !frame.keys.has(name))
            .map(([name, of]) => field(name, frame.open, this.alternatives(of), of.description)));
    }
}

/**
 * The schema of a field; names of components are written with hyphens, too.
 * @param {Schema} schema
 * @param {string} key
 * @returns {Schema | undefined}
 */
function property(schema, key) {
    return schema.properties?.[key] ?? schema.properties?.[key.replaceAll('-', '_')];
}

/**
 * The name of the variant that a schema is, if it is one with content.
 * @param {Schema} schema
 * @returns {string | null}
 */
function variant(schema) {
    const names = Object.keys(schema.properties ?? {});
    return names.length === 1 && schema.required?.[0] === names[0] && schema.type === 'object' && /^[A-Z]/.test(names[0]) ? names[0] : null;
}

/**
 * @param {string} name
 * @param {string} open
 * @param {Schema[]} values
 * @param {string} [doc]
 * @returns {Option}
 */
function field(name, open, values, doc) {
    const only = values.length === 1 ? values[0] : null;
    const empty = only && variant(only) === null ? { string: only.const || only.enum ? '' : '""', array: '[]', object: only.properties ? '()' : '{}' }[typeOf(only)] ?? '' : '';
    const insert = `${open === '{' ? `"${name}"` : name}: ${empty}`;
    return { label: name, insert, back: empty ? 1 : 0, kind: 'field', doc: doc ?? values[0]?.description ?? '' };
}

/**
 * The type of a value that is there.
 * @param {Schema} schema
 */
function typeOf(schema) {
    return String([schema.type].flat().find((type) => type !== 'null'));
}

/**
 * @param {Schema} schema
 * @param {boolean} whole whether it is the whole scenario
 * @returns {Option[]}
 */
function valueOptions(schema, whole) {
    const doc = schema.description ?? '';
    if (whole) return [{ label: 'Scenario', insert: 'Scenario(\n    version: 1,\n    \n)', back: 2, kind: 'variant', doc }];
    const constants = schema.const !== undefined ? [schema.const] : schema.enum ?? [];
    const plain = constants.filter((/** @type {any} */ c) => c !== null).map((/** @type {any} */ c) => ({ label: String(c), insert: String(c), back: 0, kind: 'value', doc }));
    if (plain.length) return plain;
    const name = variant(schema);
    if (name) {
        const content = schema.properties[name];
        const quoted = content.type === 'string' && !content.enum ? '""' : '';
        return [{ label: name, insert: `${name}(${quoted})`, back: quoted ? 2 : 1, kind: 'variant', doc }];
    }
    const type = typeOf(schema);
    if (type === 'boolean') return ['true', 'false'].map((label) => ({ label, insert: label, back: 0, kind: 'value', doc }));
    if (type === 'array') return [{ label: '[…]', insert: '[]', back: 1, kind: 'value', doc }];
    if (type === 'object') return [schema.properties ? { label: '(…)', insert: '()', back: 1, kind: 'value', doc } : { label: '{…}', insert: '{}', back: 1, kind: 'value', doc }];
    if (type === 'string') return [{ label: '"…"', insert: '""', back: 1, kind: 'value', doc }];
    return [];
}
