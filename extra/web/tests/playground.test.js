// The playground: the module gives what the program gives, and the page is used as a person uses it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { Door } from '../door.js';
import { browser, folder, program } from './page.js';
import { module, served, skip, written } from './playground.js';

const scenarios = fileURLToPath(new URL('../../../scenarios', import.meta.url));
const exports = fileURLToPath(new URL('../../../tests/exports', import.meta.url));
const run = promisify(execFile);

/** @type {import('playwright-core').Browser} */
let chromium;
/** @type {{address: string, close: () => void}} */
let server;
/** @type {WebAssembly.Module} */
let compiled;

before(async () => {
    if (skip) return;
    compiled = await WebAssembly.compile(readFileSync(module));
    server = await served(written());
    chromium = await browser();
});
after(async () => {
    server?.close();
    await chromium?.close();
});

async function door() {
    return new Door(await WebAssembly.instantiate(compiled));
}

/** Every scenario that ships, by its path below `scenarios/`. */
const all = ['', 'measured/', 'races/'].flatMap((below) => readdirSync(join(scenarios, below)).filter((f) => f.endsWith('.ron')).map((f) => below + f));

/**
 * What the program makes of a scenario: its records, and the columns of its page.
 * @param {string} file
 * @param {string[]} [args]
 */
async function native(file, args = []) {
    const out = join(folder, 'native', file.replace('/', '-'));
    await run(program, ['run', file, '--quiet', '--html', '--out', out, ...args], { cwd: scenarios, maxBuffer: 1 << 28 });
    const [name] = readdirSync(out).filter((entry) => !entry.startsWith('.'));
    const page = readFileSync(join(out, name, 'report.html'), 'utf8');
    const packed = /data-name="main">([^<]*)</.exec(page)?.[1] ?? '';
    return { events: readFileSync(join(out, name, 'events.jsonl')), columns: inflateRawSync(Buffer.from(packed, 'base64')) };
}

test('the module imports nothing', { skip }, () => {
    assert.deepEqual(WebAssembly.Module.imports(compiled), []);
});

test('the module gives the same bytes as the program, for every scenario that ships', { skip }, async () => {
    assert.ok(all.length > 50, `${all.length}`);
    const rest = [...all];
    const one = async () => {
        for (let file = rest.pop(); file; file = rest.pop()) {
            const { events, columns } = await native(file);
            const question = { name: file, text: readFileSync(join(scenarios, file), 'utf8') };
            const own = await door();
            assert.ok(Buffer.from(own.ask({ do: 'events', ...question }).bytes).equals(events), `events of ${file}`);
            assert.ok(Buffer.from(own.ask({ do: 'page', ...question }).bytes).equals(columns), `columns of ${file}`);
        }
    };
    await Promise.all([one(), one(), one()]);
});

test('seed and release change what they change in the program', { skip }, async () => {
    const text = readFileSync(join(scenarios, 'zone-partition.ron'), 'utf8');
    const question = { name: 'zone-partition.ron', text, seed: '18446744073709551615', kubernetes: '1.24' };
    const { events } = await native('zone-partition.ron', ['--seed', question.seed, '--kubernetes', question.kubernetes]);
    const own = await door();
    assert.ok(Buffer.from(own.ask({ do: 'events', ...question }).bytes).equals(events));
    const { answer } = own.ask({ do: 'events', ...question, seed: '-1' });
    assert.match(answer.mistakes?.[0].message ?? '', /the seed is "-1", not a whole number/);
});

test('bad questions and bad texts have answers', { skip }, async () => {
    const own = await door();
    const ask = (/** @type {string} */ text) => own.ask({ do: 'check', name: 'x.ron', text }).answer;
    assert.match(own.ask({ do: 'dance' }).answer.defect ?? '', /not understood/);
    assert.match(own.ask({ do: 'import', files: [{ name: 'x.json', bytes: 1e9 }] }, new TextEncoder().encode('{')).answer.mistakes?.[0].message ?? '', /x\.json/);
    // The place is counted as JavaScript counts: the first text has a letter of two units before it.
    const mistake = ask('// \u{1f600}\nScenario(version: 1, horizon: "5m", nodez: [])').mistakes?.[0];
    assert.match(mistake?.message ?? '', /nodez/);
    assert.equal('// \u{1f600}\nScenario(version: 1, horizon: "5m", nodez: [])'.slice(mistake?.from ?? 0, mistake?.to ?? 0), 'nodez');
    for (const text of ['', '(', '"', '\0', '\ufeff', '('.repeat(100_000), '['.repeat(1_000_000)]) assert.ok(ask(text).mistakes?.length, text.slice(0, 9));
    // After all of this it still runs.
    const { answer, bytes } = own.ask({ do: 'run', name: 'x.ron', text: readFileSync(join(scenarios, 'zone-partition.ron'), 'utf8') });
    assert.equal(answer.nodes, 22);
    assert.ok(bytes.length > 1000);
});

/**
 * Opens the page. Whatever it logs, throws, or asks of others is in `wrong`.
 * @param {string} [hash]
 * @param {{dark?: boolean, results?: number}} [how]
 */
async function open(hash = '', how = {}) {
    const context = await chromium.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: how.dark ? 'dark' : 'light', permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    /** @type {string[]} */
    const wrong = [];
    page.on('console', (message) => wrong.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    page.on('response', (response) => {
        if (!response.url().startsWith(server.address) || response.status() !== 200) wrong.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(server.address + hash);
    await shown(page, how.results ?? 1);
    return { page, wrong, close: () => context.close() };
}

/**
 * Waits for so many results.
 * @param {import('playwright-core').Page} page
 * @param {number} count
 */
async function shown(page, count) {
    await page.waitForFunction((n) => Number(document.documentElement.dataset.shown ?? 0) >= n, count);
}

/**
 * Replaces what is written.
 * @param {import('playwright-core').Page} page
 * @param {string} text
 */
async function write(page, text) {
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
}

/** @param {import('playwright-core').Page} page */
const said = (page) => page.locator('.verdict-of').textContent();

test('opens without a message and asks nobody else, and shows what comes of the first example', { skip }, async () => {
    for (const dark of [false, true]) {
        const { page, wrong, close } = await open('', { dark });
        assert.equal(await page.locator('.right h1').textContent(), 'starter');
        assert.match(await said(page) ?? '', /^No mistake\. 10 nodes, 30 pods, Kubernetes 1\.34/);
        assert.ok(await page.locator('.right canvas').count() > 1);
        assert.deepEqual(wrong, []);
        await close();
    }
});

test('an example is picked, and runs', { skip }, async () => {
    const { page, wrong, close } = await open();
    await page.getByLabel('Example').selectOption({ label: 'races/foreign-taint-lost' });
    await page.locator('.right h1', { hasText: 'foreign-taint-lost' }).waitFor();
    await page.getByLabel('Example').selectOption({ label: 'zone-partition' });
    await page.locator('.right h1', { hasText: 'zone-partition' }).waitFor();
    assert.match(await page.locator('dl.summary').textContent() ?? '', /25 pods, 18 needlessly/);
    assert.match(page.url(), /#example=zone-partition$/);
    assert.deepEqual(wrong, []);
    await close();
});

test('a mistake is underlined as it is typed, told below, and gone when it is undone', { skip }, async () => {
    const { page, wrong, close } = await open('#example=zone-partition');
    const text = readFileSync(join(scenarios, 'zone-partition.ron'), 'utf8');
    await write(page, text.replace('horizon: "20m"', 'horizn: "20m"'));
    await page.locator('.cm-lintRange-error', { hasText: 'horizn' }).waitFor();
    const line = text.slice(0, text.indexOf('horizon:')).split('\n').length;
    assert.match(await said(page) ?? '', new RegExp(`line ${line}: .*horizn.*did you mean`, 's'));
    assert.equal(await page.locator('.right').evaluate((e) => e.classList.contains('stale')), true);
    await page.getByRole('button', { name: `line ${line}` }).click();
    assert.equal(await page.locator('.cm-activeLine').textContent(), '    horizn: "20m",');
    await page.keyboard.press('ControlOrMeta+z');
    await page.waitForFunction(() => !document.documentElement.dataset.wrong);
    assert.equal(await page.locator('.editor .cm-lintRange-error').count(), 0);
    assert.equal(await page.locator('.right').evaluate((e) => e.classList.contains('stale')), false);
    assert.deepEqual(wrong, []);
    await close();
});

test('what is typed is run: seconds, seed, release', { skip }, async () => {
    const { page, wrong, close } = await open('#example=zone-partition');
    const text = readFileSync(join(scenarios, 'zone-partition.ron'), 'utf8');
    const evicted = async () => Number(/evicted(\d+) pods/.exec(await page.locator('dl.summary').textContent() ?? '')?.[1]);
    const before = await evicted();
    // Whoever tolerates an hour outlives a cut of seven minutes.
    await write(page, text.replace('tolerationSeconds: 60', 'tolerationSeconds: 3600'));
    await shown(page, 2);
    assert.ok(await evicted() < before);
    await page.getByLabel('Seed').fill('7');
    await shown(page, 3);
    assert.match(await said(page) ?? '', /seed 7;/);
    await page.getByRole('button', { name: 'next' }).click();
    await shown(page, 4);
    assert.match(await said(page) ?? '', /seed 8;/);
    await page.getByLabel('Kubernetes').selectOption('1.20.15');
    await page.locator('.subtitle', { hasText: 'Kubernetes 1.20.15' }).waitFor();
    await page.getByLabel('Seed').fill('seven');
    await page.locator('.verdict-of', { hasText: 'the seed is "seven", not a whole number' }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
});

test('the view stays while something else changes', { skip }, async () => {
    const { page, wrong, close } = await open('#example=zone-partition');
    await page.locator('figure').focus();
    const whole = await page.locator('.readout').textContent();
    await page.keyboard.press('+');
    await page.waitForFunction((was) => document.querySelector('.readout')?.textContent !== was, whole);
    const span = await page.locator('.readout').textContent();
    await page.getByRole('button', { name: 'next' }).click();
    await shown(page, 2);
    assert.equal(await page.locator('.readout').textContent(), span);
    // Why something happened is told after what happened, and stays, too.
    await page.getByLabel('Find a pod').fill('b-00');
    await page.getByRole('button', { name: 'explain' }).click();
    const why = page.locator('aside.why', { hasText: 'the last heartbeat of b-00 that arrives' });
    await why.waitFor();
    await page.getByRole('button', { name: 'next' }).click();
    await shown(page, 3);
    await why.waitFor();
    assert.deepEqual(wrong, []);
    await close();
});

test('words of the language are offered where they belong', { skip }, async () => {
    const { page, wrong, close } = await open();
    await write(page, 'Scenario(version: 1, hor');
    const offered = page.locator('.cm-tooltip-autocomplete');
    // Text that is put in at once is not typed: the list is asked for.
    await page.keyboard.press('Control+Space');
    await offered.getByText('horizon', { exact: true }).waitFor();
    // A key that comes with the list is not meant for it: the editor lets 75 ms go by.
    await page.waitForTimeout(250);
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.cm-content').textContent() ?? '', /horizon: ""/);
    await page.keyboard.type('5m');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type(', timing: T');
    await offered.getByText('Typical', { exact: true }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
});

test('a link holds what is written, and leads back to it', { skip }, async () => {
    const text = readFileSync(join(scenarios, 'zone-partition.ron'), 'utf8').replace('replicas: 40', 'replicas: 38 /* für später */');
    const { page, wrong, close } = await open('#example=zone-partition');
    await write(page, text);
    await shown(page, 2);
    await page.getByLabel('Seed').fill('5');
    await shown(page, 3);
    await page.getByRole('button', { name: 'share' }).click();
    await page.getByText('The link is copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /seed=5&s=[\w-]+$/);
    await close();
    const other = await open(link.slice(server.address.length));
    assert.equal(await other.page.locator('.right h1').textContent(), 'zone-partition');
    assert.match(await said(other.page) ?? '', /22 nodes, 63 pods.*seed 5;/);
    assert.equal(await other.page.getByLabel('Example').inputValue(), '');
    // A link within the page, as one pastes it into the address bar.
    await other.page.evaluate(() => { location.hash = '#example=one-node-lost'; });
    await other.page.locator('.right h1', { hasText: 'one-node-lost' }).waitFor();
    await other.page.evaluate(() => { location.hash = '#s=AAAA'; });
    await other.page.getByText('The link is damaged').waitFor();
    assert.deepEqual([...wrong, ...other.wrong], []);
    await other.close();
});

/**
 * Drops files on the page.
 * @param {import('playwright-core').Page} page
 * @param {[string, Buffer][]} files
 */
async function drop(page, files) {
    const data = files.map(([name, bytes]) => ({ name, bytes: bytes.toString('base64') }));
    const transfer = await page.evaluateHandle((all) => {
        const held = new DataTransfer();
        for (const { name, bytes } of all) held.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
        return held;
    }, data);
    await page.dispatchEvent('.cm-content', 'drop', { dataTransfer: transfer });
}

test('a dropped export becomes a scenario, the same one that import writes', { skip }, async () => {
    const { page, wrong, close } = await open();
    await drop(page, [['healthy-all.json.gz', readFileSync(join(exports, 'healthy-all.json.gz'))]]);
    await page.locator('.right h1', { hasText: 'healthy-all' }).waitFor();
    assert.match(await said(page) ?? '', /12 nodes, 35 pods/);
    assert.match(await page.locator('.controls [role="status"]').textContent() ?? '', /12 nodes/);
    await drop(page, [['nodes.yaml.gz', readFileSync(join(exports, 'healthy-nodes.yaml.gz'))], ['pods.yaml.gz', readFileSync(join(exports, 'healthy-pods.yaml.gz'))]]);
    await page.locator('.right h1', { hasText: 'nodes' }).waitFor();
    assert.match(await said(page) ?? '', /12 nodes, 35 pods/);
    await drop(page, [['notes.txt', Buffer.from('milk, bread')]]);
    await page.locator('.verdict-of li', { hasText: 'notes.txt' }).waitFor();
    await drop(page, [['own.ron', readFileSync(join(scenarios, 'one-node-lost.ron'))]]);
    await page.locator('.right h1', { hasText: 'own' }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
    const own = await door();
    const bytes = readFileSync(join(exports, 'healthy-all.json.gz'));
    const { answer } = own.ask({ do: 'import', files: [{ name: 'healthy-all.json.gz', bytes: bytes.length }] }, bytes);
    const { stdout } = await run(program, ['import', 'healthy-all.json.gz', '--quiet'], { cwd: exports });
    assert.equal(answer.text, stdout);
});

test('hostile names do nothing', { skip }, async () => {
    const { page, wrong, close } = await open();
    const name = '</script><img src=x onerror=alert(1)>\u202e\'"';
    const mistake = `Scenario(version: 1, horizon: "5m", "${name.replaceAll('"', '\\"')}": 1)`;
    await write(page, mistake);
    await page.waitForFunction(() => document.documentElement.dataset.wrong);
    const text = `Scenario(version: 1, doc: r#"${name}"#, horizon: "5m", nodes: [(name: "n", labels: { "a": "b" })], timeline: [(at: "1m", name: r#"${name}"#, do: Partition(node: "n"))])`;
    await write(page, text);
    await page.waitForFunction(() => !document.documentElement.dataset.wrong);
    assert.match(await page.locator('.doc').textContent() ?? '', /<img src=x/);
    await drop(page, [[`${name}.json`, Buffer.from('{"kind": 7}')]]);
    await page.waitForFunction(() => document.documentElement.dataset.wrong);
    await drop(page, [[`${name}.ron`, Buffer.from(text)]]);
    await shown(page, 3);
    await close();
    const all = ['name', 'kubernetes', 'seed', 'example'].map((key) => `${key}=${encodeURIComponent(name)}`).join('&');
    const other = await open(`#${all}`, { results: 0 });
    await other.page.locator('.verdict-of li', { hasText: '<img src=x' }).waitFor();
    await other.page.getByText('There is no example').waitFor();
    assert.deepEqual([...wrong, ...other.wrong], []);
    await other.close();
});

test('a run that takes long is let go when something else is written', { skip }, async () => {
    const { page, wrong, close } = await open();
    const many = 'Scenario(version: 1, horizon: "4h", nodes: [(names: "n-{0000..1999}", zone: "a", capacity: { "cpu": "8", "pods": "110" })], workloads: [Deployment(name: "web", replicas: 20000, placement: Spread(All))], timeline: [(at: "5m", do: Partition(nodes: Share(of: Zone("a"), percent: 50)))])';
    await write(page, many);
    await page.waitForTimeout(300);
    await write(page, readFileSync(join(scenarios, 'one-node-lost.ron'), 'utf8'));
    await page.waitForFunction(() => document.querySelector('.verdict-of')?.textContent?.startsWith('No mistake'));
    assert.deepEqual(wrong, []);
    await close();
});

