// Labels: whatever the names are, two different ones never get the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelsOf } from '../labels.js';
import { numbered } from '../lanes.js';

const wide = (/** @type {string} */ text) => text.length;

test('names of clouds are cut where they differ', () => {
    // Zones differ in their last letter, nodes of AWS before a long common end.
    assert.deepEqual(labelsOf(['eu-central-1a', 'eu-central-1b', 'b'], wide, 9), ['eu-c…l-1a', 'eu-c…l-1b', 'b']);
    const nodes = labelsOf(['ip-10-0-1-23.eu-central-1.compute.internal', 'ip-10-0-7-23.eu-central-1.compute.internal'], wide, 16);
    assert.deepEqual(nodes, ['ip-10-0-1-23.eu…', 'ip-10-0-7-23.eu…']);
    // Where that leaves no room for what tells them apart, what they have in common is left out: the end, and then the beginning.
    const many = ['1-10', '1-11', '2-10'].map((n) => `ip-10-0-${n}.eu-central-1.compute.internal`);
    assert.deepEqual(labelsOf(many, wide, 13), ['ip-10-0-1-10…', 'ip-10-0-1-11…', 'ip-10-0-2-10…']);
    assert.deepEqual(labelsOf(many, wide, 6), ['…1-10…', '…1-11…', '…2-10…']);
    // An ordinal is no part of a name.
    assert.deepEqual(labelsOf(['a-1-b', 'a-2-b'], wide, 1), ['…', '… #2']);
});

test('two names have one label only where they are one name', () => {
    let seed = 7;
    const chance = (/** @type {number} */ below) => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return Math.floor((seed / 2147483648) * below);
    };
    const part = () => 'abc'[chance(3)].repeat(chance(30));
    for (let i = 0; i < 3000; i += 1) {
        const names = Array.from({ length: 1 + chance(12) }, () => `eu-${part()}${chance(4)}${part()}${chance(5) ? '' : ' 2'}`);
        const room = 4 + chance(24);
        const labels = labelsOf(names, wide, room);
        for (const [a, name] of names.entries()) {
            for (const [b, other] of names.entries()) assert.equal(labels[a] === labels[b], name === other, `${name} and ${other} in ${room}: ${labels[a]} and ${labels[b]}`);
        }
        for (const label of labels) assert.ok(label.length <= room, label);
    }
});

test('two numbers of marks are not read as one', () => {
    // A letter is one wide, a mark reaches two to each side: 7 wants what the mark at 10 takes, and goes to the left of its own.
    const of = (/** @type {number[]} */ ...at) => numbered(at.map((x) => ({ x, count: 3 })), 2, wide).map(({ from }) => from);
    assert.deepEqual(of(10), [12]);
    assert.deepEqual(of(10, 14), [7, 16]);
    assert.deepEqual(of(10, 14, 18), [7, 20]);
});
