// The colours of the style sheet, by day, by night and on paper: states that may stand beside each other differ in lightness, and texts can be read.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const css = readFileSync(new URL('../style.css', import.meta.url), 'utf8');

/** The colours of each `:root`, with those of the first where one says nothing. */
const sheets = [...css.matchAll(/:root(?:\.on-paper)? \{([^}]*)\}/g)].map(([, body]) => Object.fromEntries([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value])));
const [day, night, paper] = sheets.map((sheet) => ({ ...sheets[0], ...sheet }));

/**
 * How far two colours are apart in lightness: the contrast of WCAG 2, from 1 to 21.
 * @param {string} a as `#rrggbb`
 * @param {string} b
 */
function contrast(a, b) {
    const luminance = (/** @type {string} */ hex) => {
        const [red, green, blue] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    };
    const [x, y] = [luminance(a), luminance(b)];
    return Math.max(x, y) / Math.min(x, y);
}

test('contrast is reckoned as it is defined', () => {
    // Black on white is 21; #777777 on white is known to be 4.48.
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('any two states differ in lightness by half again, so that they hold in grey', () => {
    const states = ['paper', 'ready', 'cordoned', 'silent', 'unknown', 'not-ready', 'no-execute'];
    for (const [name, sheet] of Object.entries({ day, night, paper })) {
        for (const [i, a] of states.entries()) {
            for (const b of states.slice(i + 1)) {
                const is = contrast(sheet[a], sheet[b]);
                assert.ok(is >= 1.5, `${name}: ${a} beside ${b}: ${is.toFixed(2)}`);
            }
        }
    }
});

test('the states of a zone differ from each other and from paper', () => {
    const states = ['paper', 'slow', 'stopped', 'full'];
    for (const [name, sheet] of Object.entries({ day, night, paper })) {
        for (const [i, a] of states.entries()) {
            for (const b of states.slice(i + 1)) assert.ok(contrast(sheet[a], sheet[b]) >= 1.5, `${name}: ${a} beside ${b}`);
        }
    }
});

test('texts can be read', () => {
    for (const [name, sheet] of Object.entries({ day, night, paper })) {
        for (const text of ['ink', 'faint', 'link']) {
            for (const ground of ['paper', 'panel']) assert.ok(contrast(sheet[text], sheet[ground]) >= 4.5, `${name}: ${text} on ${ground}`);
        }
    }
});

test('an eviction and its rim show on every state', () => {
    for (const [name, sheet] of Object.entries({ day, night, paper })) {
        assert.ok(contrast(sheet.eviction, sheet.paper) >= 3, name);
        for (const state of ['ready', 'cordoned', 'silent', 'unknown', 'not-ready', 'no-execute']) {
            const mark = Math.max(contrast(sheet.eviction, sheet[state]), contrast(sheet.paper, sheet[state]));
            assert.ok(mark >= 2, `${name}: ${state}`);
        }
    }
});
