// Numbers: written as the program writes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figure, ticks } from '../clock.js';

test('exact halves go to the even digit, as in the program', () => {
    // 25.25, 25.75, 0.125, 0.375, 100.5 and 101.5 are exact; 12.35 is a little less than that, and 2.675 is, too.
    const all = { 25.25: '25.2', 25.75: '25.8', 0.125: '0.12', 0.375: '0.38', 100.5: '100', 101.5: '102', 12.35: '12.3', 2.675: '2.67', 1234.5: '1,234' };
    for (const [number, text] of Object.entries(all)) assert.equal(figure(Number(number)), text, number);
    assert.deepEqual([figure(-25.25), figure(0), figure(0.0001)], ['-25.2', '0', '0.0001']);
});

test('times that are days apart are days', () => {
    // 16 weeks in at most 8: every second week. A day in 12: every two hours.
    const { times, text } = ticks(0, 112 * 86400000, 8);
    assert.deepEqual(times.map(text).slice(0, 3), ['0d', '14d', '28d']);
    const day = ticks(0, 86400000, 12);
    assert.equal(day.text(day.times[1]), '2:00:00');
});
