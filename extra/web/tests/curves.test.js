// Lines of curves that have no colours of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleOf } from '../curves.js';

test('no two of many lines are drawn alike', () => {
    // A run with disks, a drain and the usual controllers has nine clients.
    const drawn = Array.from({ length: 24 }, (_, i) => JSON.stringify([styleOf(i).colour, styleOf(i).dash ?? []]));
    assert.equal(new Set(drawn).size, 24);
});
