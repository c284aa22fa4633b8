// The editor of a scenario: CodeMirror with the language's words, and the mistakes of the text underlined.
//
// It lives in a shadow root, where its style sheets are taken without a `style` element, which the page's policy forbids.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippetCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { el } from './dom.js';

/** How a scenario is read for its colours: word by word. */
const ron = StreamLanguage.define({
    name: 'ron',
    startState: () => ({ depth: 0, text: false, raw: '' }),
    token(stream, state) {
        if (state.depth || stream.match('/*')) return comment(stream, state);
        if (state.text || stream.match('"')) return text(stream, state);
        if (state.raw) return raw(stream, state);
        if (stream.eatSpace()) return null;
        if (stream.match('//')) {
            stream.skipToEnd();
            return 'comment';
        }
        const opened = /** @type {RegExpMatchArray | null} */ (stream.match(/^r(#*)"/));
        if (opened) {
            state.raw = `"${opened[1]}`;
            return raw(stream, state);
        }
        if (stream.match(/^-?\d[\w.]*/)) return 'number';
        if (stream.match(/^[\w.-]+(?=\s*:)/)) return 'propertyName';
        if (stream.match(/^(true|false|Some|None)\b/)) return 'bool';
        if (stream.match(/^[A-Z][\w.]*/)) return 'typeName';
        if (stream.match(/^[\w.]+/)) return 'variableName';
        stream.next();
        return 'punctuation';
    },
    languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
});

/**
 * @param {import('@codemirror/language').StringStream} stream
 * @param {{depth: number}} state
 */
function comment(stream, state) {
    if (!state.depth) state.depth = 1;
    while (state.depth && !stream.eol()) {
        if (stream.match('*/')) state.depth -= 1;
        else if (stream.match('/*')) state.depth += 1;
        else stream.next();
    }
    return 'comment';
}

/**
 * @param {import('@codemirror/language').StringStream} stream
 * @param {{text: boolean}} state
 */
function text(stream, state) {
    state.text = true;
    while (state.text && !stream.eol()) {
        const c = stream.next();
        if (c === '\\') stream.next();
        else if (c === '"') state.text = false;
    }
    return 'string';
}

/**
 * @param {import('@codemirror/language').StringStream} stream
 * @param {{raw: string}} state
 */
function raw(stream, state) {
    while (!stream.eol()) {
        if (stream.match(state.raw)) {
            state.raw = '';
            break;
        }
        stream.next();
    }
    return 'string';
}

const colours = HighlightStyle.define([
    { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
    { tag: tags.string, color: 'var(--code-text)' },
    { tag: tags.number, color: 'var(--code-number)' },
    { tag: tags.bool, color: 'var(--code-number)' },
    { tag: tags.typeName, color: 'var(--code-name)', fontWeight: '600' },
    { tag: tags.propertyName, color: 'var(--code-field)' },
]);

const look = EditorView.theme({
    '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '13px' },
    '&.cm-focused': { outline: '2px solid var(--selected)', outlineOffset: '-2px' },
    '.cm-scroller': { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', lineHeight: '1.5' },
    '.cm-content': { caretColor: 'var(--ink)' },
    '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
    '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', borderRight: '1px solid var(--grid)' },
    '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--up-fill) 35%, transparent)' },
    '.cm-activeLineGutter': { backgroundColor: 'var(--grid)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--selected) 30%, transparent)' },
    '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--silent) 30%, transparent)' },
    '&.cm-focused .cm-matchingBracket': { backgroundColor: 'transparent', outline: '1px solid var(--rule)' },
    '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', outline: '1px solid var(--dead)' },
    '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--rule)', borderRadius: '4px' },
    '.cm-panels button': { backgroundImage: 'none', backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--rule)' },
    '.cm-textfield': { backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--rule)' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--paper)' },
    '.cm-tooltip.cm-completionInfo': { maxWidth: '360px', fontSize: '13px', whiteSpace: 'pre-line', fontFamily: 'system-ui, sans-serif' },
    '.cm-diagnostic': { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxWidth: '60ch', fontFamily: 'system-ui, sans-serif' },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--dead)' },
    '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--dead)', textUnderlineOffset: '3px' },
    '.cm-lintPoint-error::after': { borderBottomColor: 'var(--dead)' },
});

/** A scenario that is edited. */
export class Editor {
    /**
     * @param {(text: string) => void} changed
     */
    constructor(changed) {
        /** @type {import('./complete.js').Language | null} */
        this.language = null;
        this.element = el('div', { class: 'editor' });
        const root = this.element.attachShadow({ mode: 'open' });
        const dark = matchMedia('(prefers-color-scheme: dark)');
        this.light = new Compartment();
        this.extensions = [
            lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
            autocompletion({ override: [(context) => this.complete(context)] }), highlightActiveLine(), highlightSelectionMatches(), lintGutter(), indentUnit.of('    '),
            keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
            ron, syntaxHighlighting(colours), look, this.light.of(EditorView.darkTheme.of(dark.matches)), EditorView.lineWrapping,
            EditorView.contentAttributes.of({ 'aria-label': 'The scenario. Escape, then Tab leaves the editor.' }),
            EditorView.updateListener.of((update) => {
                if (update.docChanged) changed(update.state.doc.toString());
            }),
        ];
        this.view = new EditorView({ parent: root, root, state: EditorState.create({ extensions: this.extensions }) });
        dark.addEventListener('change', () => this.view.dispatch({ effects: this.light.reconfigure(EditorView.darkTheme.of(dark.matches)) }));
    }

    get text() {
        return this.view.state.doc.toString();
    }

    /**
     * Another text, which can be undone.
     * @param {string} text
     */
    replace(text) {
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
    }

    /**
     * Underlines mistakes.
     * @param {import('./door.js').Mistake[]} mistakes
     */
    underline(mistakes) {
        const { length } = this.view.state.doc;
        const placed = mistakes.filter((m) => typeof m.from === 'number').map((m) => {
            const from = Math.min(m.from ?? 0, length);
            return { from, to: Math.max(from, Math.min(m.to ?? from, length)), severity: /** @type {const} */ ('error'), message: m.help ? `${m.message}\n${m.help}` : m.message };
        });
        this.view.dispatch(setDiagnostics(this.view.state, placed.sort((a, b) => a.from - b.from)));
    }

    /**
     * The line of a place, from 1.
     * @param {number} at
     */
    line(at) {
        const { doc } = this.view.state;
        return doc.lineAt(Math.min(at, doc.length)).number;
    }

    /**
     * Goes to a place.
     * @param {number} at
     */
    goTo(at) {
        const anchor = Math.min(at, this.view.state.doc.length);
        this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
        this.view.focus();
    }

    /**
     * @param {import('@codemirror/autocomplete').CompletionContext} context
     * @returns {import('@codemirror/autocomplete').CompletionResult | null}
     */
    complete(context) {
        const found = this.language?.at(context.state.sliceDoc(0, context.pos));
        if (!found || !found.options.length || (!context.explicit && found.from === context.pos)) return null;
        const options = found.options.map((o) => {
            const split = o.insert.length - o.back;
            // A field stands at the end of a snippet, so that Tab leaves it.
            const template = `${escaped(o.insert.slice(0, split))}\${}${escaped(o.insert.slice(split))}`;
            return snippetCompletion(template, { label: o.label, info: o.doc || undefined, type: { field: 'property', variant: 'class', value: 'constant' }[o.kind] });
        });
        return { from: found.from, options, validFor: /^[\w.-]*$/ };
    }
}

/**
 * A text as a snippet has it.
 * @param {string} text
 */
function escaped(text) {
    return text.replaceAll('{', '\\{').replaceAll('}', '\\}');
}
