// Lines of curves that have no colours of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleOf } from '../curves.js';
import { below } from '../svg.js';

test('no two of many lines are drawn alike', () => {
    // A run with disks, a drain and the usual controllers has nine clients.
    const drawn = Array.from({ length: 24 }, (_, i) => JSON.stringify([styleOf(i).colour, styleOf(i).dash ?? []]));
    assert.equal(new Set(drawn).size, 24);
});

test('below numbers stand round ones, and below all else what it is called', () => {
    // Sixty parts of 12.7 years, say, of which every fourth has a name with room: 0.1 0.8 1.7 and so on.
    const at = [0.1, 0.85, 1.69, 2.54, 12.7];
    const years = { at, ticks: at.map((v) => v.toFixed(1)) };
    assert.deepEqual(below(years, years.ticks, 8), [[2, '2'], [4, '4'], [6, '6'], [8, '8'], [10, '10'], [12, '12']]);
    assert.deepEqual(below({ at: [0, 0.5], ticks: ['12:00:00', '12:00:30'] }, ['12:00', '12:00:30'], 8), [[0, '12:00'], [0.5, '12:00:30']]);
    assert.deepEqual(below({ ticks: ['30', '60'] }, ['30', '60'], 8), [[0, '30'], [1, '60']]);
});
