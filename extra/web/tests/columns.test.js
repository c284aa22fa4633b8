// Columns: numbers as `src/report/html/columns.rs` writes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Columns } from '../columns.js';

test('times of a run of seven weeks and more keep their milliseconds', () => {
    const text = new TextEncoder().encode(JSON.stringify({ columns: [{ name: 'at', form: 'near', count: 2, planes: 5 }, { name: 'pod', form: 'codes', count: 2, planes: 1 }] }));
    // As the test in Rust has it: 5,184,000,000 is written as twice as much, 0x2_69FB_2000, plane by plane, and a millisecond less as 1.
    const bytes = Uint8Array.from([text.length, 0, 0, 0, ...text, 0x00, 1, 0x20, 0, 0xfb, 0, 0x69, 0, 0x02, 0, 7, 8]);
    const columns = new Columns(bytes);
    assert.deepEqual([...columns.times('at')], [5184000000, 5183999999]);
    assert.deepEqual([...columns.numbers('pod')], [7, 8]);
    assert.deepEqual([...columns.numbers('none')], []);
});
