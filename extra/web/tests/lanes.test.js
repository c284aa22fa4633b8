// Lanes that are thinner than a mark: their marks are put together from pixels.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rhomb, risen } from '../lanes.js';

test('marks in pixels have the forms of the legend', () => {
    // From two pixels above the middle to two below it.
    const rows = (/** @type {(below: number, reach: number) => number} */ of) => [-2, -1, 0, 1, 2].map((below) => '#'.repeat(2 * of(below, 2) + 1));
    assert.deepEqual(rows(rhomb), ['#', '###', '#####', '###', '#']);
    assert.deepEqual(rows(risen), ['#', '#', '###', '###', '#####']);
});
