// What the playground's editor offers, how a link holds a text, and that what others wrote is what they ship; none of it needs a browser.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { Language } from '../complete.js';
import { address, packed, readAddress, unpacked } from '../share.js';
import { taintsim } from './page.js';

const web = fileURLToPath(new URL('..', import.meta.url));
const language = new Language(JSON.parse(taintsim('schema')));

/**
 * What is offered at the end of a text.
 * @param {string} before
 */
function offered(before) {
    return language.at(before)?.options.map((o) => o.label) ?? null;
}

/**
 * @param {string} before
 * @param {string[]} some
 * @param {string[]} [none]
 */
function offers(before, some, none = []) {
    const all = offered(before) ?? [];
    for (const label of some) assert.ok(all.includes(label), `${label} after ${before}: ${all}`);
    for (const label of none) assert.ok(!all.includes(label), `no ${label} after ${before}: ${all}`);
}

test('fields are offered where they belong, without those that are there', () => {
    offers('', ['Scenario']);
    offers('Scenario(', ['version', 'nodes', 'timeline'], ['tolerations']);
    offers('Scenario(version: 1, ', ['nodes'], ['version']);
    offers('Scenario(version: 1, nod', ['nodes']);
    offers('Scenario(nodes: [(', ['name', 'zone', 'capacity'], ['nodes']);
    offers('Scenario(nodes: [(name: "a")], ', ['workloads'], ['nodes', 'zone']);
    offers('Scenario(workloads: [Deployment(', ['name', 'replicas', 'template'], ['Deployment']);
    offers('Scenario(workloads: [Deployment(template: (tolerations: [(', ['key', 'tolerationSeconds']);
    offers('Scenario(timeline: [(at: "1m", do: Partition(', ['nodes', 'duration'], ['at']);
    offers('Scenario(timing: Custom(', ['request', 'kubelet']);
});

test('values are offered by their type', () => {
    offers('Scenario(timing: ', ['Ideal', 'Typical', 'Custom']);
    offers('Scenario(timing: Ty', ['Typical']);
    offers('Scenario(workloads: [', ['Deployment', 'DaemonSet']);
    offers('Scenario(workloads: [Deployment(name: "a", placement: ', ['Spread', 'Unbound']);
    offers('Scenario(workloads: [Deployment(placement: Spread(', ['All', 'Zone', 'Label'], ['Spread']);
    offers('Scenario(timeline: [(do: ', ['Partition', 'Drain', 'Taint']);
    offers('Scenario(nodes: [(unschedulable: ', ['true', 'false']);
    offers('Scenario(workloads: [Deployment(template: (tolerations: [(effect: ', ['NoExecute', 'NoSchedule']);
});

test('nothing is offered within texts and comments, and brackets in them do not count', () => {
    for (const before of ['Scenario(doc: "', 'Scenario( // ver', 'Scenario(/* ver', 'Scenario(doc: r#"a" b', 'Scenario(/* /* */ ver']) assert.equal(offered(before), null, before);
    offers('Scenario(doc: "((( \\" [", ', ['nodes']);
    offers('Scenario(doc: r##"(("#"##, ', ['nodes']);
    offers('Scenario(// ((\n /* ( */ ', ['nodes']);
    offers(')))', []);
});

test('what is offered is written so that it can be filled in', () => {
    const insert = (/** @type {string} */ before, /** @type {string} */ label) => language.at(before)?.options.find((o) => o.label === label)?.insert;
    assert.equal(insert('Scenario(', 'nodes'), 'nodes: []');
    assert.equal(insert('Scenario(', 'doc'), 'doc: ""');
    assert.equal(insert('Scenario(', 'timing'), 'timing: ');
    assert.equal(insert('Scenario(nodes: [(', 'capacity'), 'capacity: {}');
    assert.equal(insert('Scenario(workloads: [', 'Deployment'), 'Deployment()');
    assert.equal(insert('Scenario(workloads: [Deployment(placement: Spread(', 'Zone'), 'Zone("")');
});

test('what is offered is right: the language takes it', () => {
    // Every field of every type, found by walking the schema, is one that the scenarios which ship may use: each of theirs is offered.
    const folder = join(web, '..', '..', 'scenarios');
    for (const file of readdirSync(folder).filter((f) => f.endsWith('.ron'))) {
        const text = readFileSync(join(folder, file), 'utf8');
        for (const found of text.matchAll(/([a-zA-Z_]+): /g)) {
            const before = text.slice(0, found.index);
            const at = language.at(before);
            if (at === null || !/[(,]\s*$/.test(before)) continue;
            assert.ok(at.options.some((o) => o.label === found[1]), `${file}: ${found[1]} after ${before.slice(-60)}: ${at.options.map((o) => o.label)}`);
        }
    }
});

test('a text becomes letters of an address, and is the same again', async () => {
    for (const text of ['', 'Scenario()', 'ä\u{1f600}\u202e"</script>', 'x'.repeat(100_000)]) {
        const letters = await packed(text);
        assert.match(letters, /^[\w-]*$/);
        assert.equal(await unpacked(letters), text);
    }
    assert.deepEqual(readAddress(address({ example: 'races/x', name: null, seed: '', kubernetes: '1.20', s: 'a&b=c' })),
        { packed: 'a&b=c', example: 'races/x', name: null, seed: '', kubernetes: '1.20' });
});

test('what is no packed text is refused, and so is one that is too large', async () => {
    for (const letters of ['%', 'AAAA', 'äöü', (await packed('Scenario(version: 1)')).slice(0, 9)]) assert.equal(await unpacked(letters), null, letters);
    const bomb = deflateRawSync(Buffer.alloc(100 << 20)).toString('base64url');
    assert.equal(await unpacked(bomb), null);
    assert.equal(await unpacked(deflateRawSync(Buffer.from([0xff, 0xfe])).toString('base64url')), null);
});

test('what others wrote is what their packages have', () => {
    const vendored = join(web, 'vendor', 'codemirror');
    const names = readdirSync(vendored);
    assert.ok(names.length > 10);
    for (const name of names) {
        const of = [name, name.replace(/^(codemirror|lezer)-/, '@$1/'), `@marijn/${name}`].map((n) => join(web, 'node_modules', n)).find((p) => existsSync(p));
        assert.ok(of, name);
        const { exports } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8'));
        const entry = exports.import ?? exports['.'].import;
        for (const [own, theirs] of [['index.js', entry], ['LICENSE', 'LICENSE']]) {
            assert.equal(readFileSync(join(vendored, name, own), 'utf8'), readFileSync(join(of, theirs), 'utf8'), `${name}/${own}`);
        }
    }
});
