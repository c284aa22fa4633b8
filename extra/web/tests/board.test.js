// The pages of what is not one run: each opens without a message or a request, and shows what it is about.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browser, folder, open, program, scenario } from './page.js';

/** @type {import('playwright-core').Browser} */
let chromium;

before(async () => {
    chromium = await browser();
});
after(() => chromium.close());

/**
 * Runs a command that may end with 1, as one does that finds something.
 * @param {...string} args
 */
function run(...args) {
    const ran = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    assert.ok(ran.status === 0 || ran.status === 1, ran.stderr);
    return ran.stdout;
}

const PARTITION = scenario('zone-partition');
const EXPORT = fileURLToPath(new URL('../../../tests/exports/healthy-all.json.gz', import.meta.url));
const SECONDS = 'workloads.web.template.tolerations[unreachable].tolerationSeconds';

test('a sweep has curves, a table, and a run of each value to move through', async () => {
    run('sweep', PARTITION, '--set', `${SECONDS}=60,300`, '--seeds', '2', '--quiet', '--html', '--out', 'out');
    const { page, wrong, close } = await open(chromium, join(folder, 'out', 'zone-partition-sweep', 'report.html'));
    assert.ok(await page.locator('svg.figure').count() > 0);
    for (const names of await ticks(page)) assert.equal(new Set(names).size, names.length, String(names));
    await page.locator('.run').waitFor();
    assert.match(await page.locator('.chosen > h3').textContent() ?? '', /^60$/);
    const evicted = (/** @type {string} */ text) => Number(/evicted(\d+) pods/.exec(text)?.[1]);
    const first = evicted(await page.locator('.chosen dl.summary').textContent() ?? '');
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.chosen > h3', { hasText: '300' }).waitFor();
    // Pods that tolerate five minutes are not evicted by a cut of seven, of which nearly one goes by until the taint comes, but for the last ones.
    assert.ok(evicted(await page.locator('.chosen dl.summary').textContent() ?? '') < first);
    assert.deepEqual(wrong, []);
    await close();
});

/**
 * The names of the ticks at the left of each chart of a page.
 * @param {import('playwright-core').Page} page
 */
function ticks(page) {
    return page.evaluate(() => [...document.querySelectorAll('svg.figure')].map((svg) => [...svg.querySelectorAll('text[text-anchor="end"]:not([transform])')].map((t) => t.textContent)));
}

/**
 * Texts of the charts of a page that lie over each other; those on a slant may.
 * @param {import('playwright-core').Page} page
 */
function overlaps(page) {
    return page.evaluate(() => [...document.querySelectorAll('svg.figure')].flatMap((svg) => {
        const boxes = [...svg.querySelectorAll('text:not([transform])')].map((t) => ({ text: t.textContent ?? '', box: t.getBoundingClientRect() }));
        return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
            a.box.left < b.box.right && b.box.left < a.box.right && a.box.top + 3 < b.box.bottom && b.box.top + 3 < a.box.bottom).map((b) => `${a.text} | ${b.text}`));
    }));
}

test('a sweep of two settings has a line for each value of the second', async () => {
    run('sweep', scenario('planning'), '--set', 'workloads.*.template.tolerations[unreachable].tolerationSeconds=0,60,120,300,none', '--set', 'timeline.cut.duration=2m,6m,10m',
        '--seeds', '2', '--quiet', '--html', '--out', 'out');
    const { page, wrong, close } = await open(chromium, join(folder, 'out', 'planning-sweep', 'report.html'));
    // Three durations have places on a scale, which "none" has not: a line for each of the five tolerations, each with three intervals.
    assert.equal(await page.locator('svg.figure').first().locator('polyline').count(), 5);
    assert.equal(await page.locator('svg.figure').first().locator('.whisker').count(), 15);
    assert.match(await page.locator('h2').first().textContent() ?? '', /, with its 95 % interval$/);
    assert.deepEqual(await page.locator('section').first().locator('.legend > span').allTextContents(), ['0', '60', '120', '300', 'none'].map((s) => `tolerationSeconds ${s}`));
    assert.deepEqual(await overlaps(page), []);
    for (const names of await ticks(page)) assert.equal(new Set(names).size, names.length, String(names));
    assert.deepEqual(wrong, []);
    await close();
});

test('a plan has its charts, and an outage under each value to move through', async () => {
    const values = '0,30,60,120,300,600,none';
    run('plan', EXPORT, '--preset', 'on-prem', '--price', 'evicted=5m', '--choose', `${SECONDS}=${values}`,
        '--budget', '5s', '--quiet', '--html', '--out', 'out');
    const { page, wrong, close } = await open(chromium, join(folder, 'out', 'healthy-all-plan', 'report.html'));
    assert.deepEqual(await overlaps(page), []);
    assert.ok(await page.locator('svg.figure').count() >= 3);
    // Who tolerates for ever is missing until the node is back: some thousand minutes where the others are some ten apart. Its number stands at the edge of both charts.
    for (const chart of [0, 1]) assert.ok((await page.locator('svg.figure').nth(chart).locator('text').allTextContents()).some((t) => /↑ \d,\d{3}|↑ \d{2},\d{3}/.test(t)));
    // A cost of some ten thousand minutes is written with a comma, in the table as in the text, and so are the ends of its interval.
    assert.match(await page.locator('section', { hasText: 'All values' }).locator('tbody td').nth(1).textContent() ?? '', /^\d{1,3},\d{3} \([\d,.]+–[\d,.]+\)$/);
    const slider = page.getByRole('slider');
    await page.locator('.run').waitFor();
    assert.equal(await slider.getAttribute('max'), String(values.split(',').length - 1));
    assert.equal(await page.locator('.chosen > h3').textContent(), '0');
    await slider.focus();
    await page.keyboard.press('End');
    await page.locator('.chosen > h3', { hasText: 'none' }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
});

for (const width of [1200, 390]) {
    test(`no letter of a chart is cut or too small at ${width} pixels`, async () => {
        run('forecast', EXPORT, '--dies', 'zone/eu-west-1a', '--dies', 'worker-b1@5m', '--dies', 'worker-c2@12m', '--seeds', '3', '--quiet', `--html=${join(folder, 'forecast.html')}`);
        const { page, wrong, close } = await open(chromium, join(folder, 'forecast.html'), { width });
        const texts = await page.evaluate(() => [...document.querySelectorAll('svg.figure')].flatMap((svg) => {
            const of = svg.getBoundingClientRect();
            const scale = of.width / Number(svg.getAttribute('viewBox')?.split(' ')[2]);
            return [...svg.querySelectorAll('text')].map((t) => {
                const box = t.getBoundingClientRect();
                return { text: t.textContent, cut: box.left < of.left - 1 || box.right > of.right + 1 || box.top < of.top - 1 || box.bottom > of.bottom + 1, size: parseFloat(getComputedStyle(t).fontSize) * scale };
            });
        }));
        assert.ok(texts.length > 20);
        assert.deepEqual(texts.filter(({ cut, size }) => cut || size < 9), []);
        assert.deepEqual(wrong, []);
        await close();
    });
}

test('a survey has a heat map that leads to the run of a loss', async () => {
    run('survey', PARTITION, '--lose', 'zone', '--quiet', `--html=${join(folder, 'survey.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'survey.html'));
    // It says what the terminal says: of how many losses, and that the scenario's own timeline is not in them.
    const notes = await page.locator('.note').allTextContents();
    assert.ok(notes.some((note) => /^2 losses for \S+ each\.$/.test(note)), String(notes));
    assert.ok(notes.some((note) => /^The scenario's own timeline \(\d+ entries\) is left out\.$/.test(note)), String(notes));
    // What the terminal has between backticks is code here.
    assert.ok((await page.locator('.note, section li, td').allTextContents()).every((text) => !text.includes('`')));
    assert.ok(await page.locator('td.heat').count() >= 2);
    await page.locator('table.heats').getByRole('button', { name: 'zone/b' }).click();
    await page.locator('.run canvas').first().waitFor();
    assert.match(await page.locator('.chosen').first().textContent() ?? '', /zone\/b/);
    assert.deepEqual(wrong, []);
    await close();
});

test('a diff has both runs over one span of time, and marks what differs', async () => {
    run('diff', PARTITION, '--against-set', `${SECONDS}=300`, '--quiet', `--html=${join(folder, 'diff.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'diff.html'));
    await page.locator('.run').nth(1).waitFor();
    // Both sides, then the answer, then the picture: who tolerates longer is missing longer, and is evicted less.
    assert.match(await page.locator('.note').allTextContents().then((all) => all.join('|')), /A: .*zone-partition.ron.*\|B: .*tolerationSeconds=300/);
    const answer = await page.locator('section').first().locator('li').allTextContents();
    assert.ok(answer.some((t) => /^Worse in B: .*replica-minutes missing \+/.test(t)) && answer.some((t) => /^Better in B: .*evicted -/.test(t)), String(answer));
    assert.equal(await page.locator('section').nth(1).locator('h2').textContent(), 'Both runs');
    await page.locator('figure').first().focus();
    await page.keyboard.press('+');
    const spans = () => page.locator('.readout').allTextContents();
    await page.waitForFunction(() => [...document.querySelectorAll('.readout')].every((r) => !r.textContent?.includes('9:00 to 20:00')));
    const [a, b] = await spans();
    assert.equal(a, b);
    assert.deepEqual(wrong, []);
    await close();
});

test('two sides over many seeds have the first of them to look at', async () => {
    run('diff', PARTITION, '--against-set', `${SECONDS}=300`, '--seeds', '3', '--quiet', `--html=${join(folder, 'seeds.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'seeds.html'));
    await page.locator('.run').nth(1).waitFor();
    assert.match(await page.locator('h2').allTextContents().then((all) => all.join()), /Both runs with seed 1/);
    assert.match(await page.locator('.chosen').first().textContent() ?? '', /nodes of both runs differ/);
    assert.deepEqual(wrong, []);
    await close();
});

test('a search has the steps of each process, one by one', async () => {
    const race = scenario('races/foreign-taint-lost');
    run('explore', race, '--runs', '300', '--quiet', '--out', 'out', `--html=${join(folder, 'explore.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'explore.html'));
    assert.match(await page.locator('table').first().textContent() ?? '', /pod-stuck/);
    // The answer comes before the table: of each property whether it holds.
    assert.match(await page.locator('section').first().locator('li').allTextContents().then((all) => all.join()), /Kubernetes .*(is violated|no violation in).*pod-stuck/s);
    const lanes = page.locator('.steps .scroll').first();
    if (await lanes.count()) {
        await lanes.focus();
        await page.keyboard.press('Home');
        assert.match(await page.locator('.steps .verdict').first().textContent() ?? '', /^Step 1 of/);
        await page.keyboard.press('ArrowDown');
        assert.match(await page.locator('.steps .verdict').first().textContent() ?? '', /^Step 2 of/);
    }
    assert.deepEqual(wrong, []);
    await close();
});

test('drawn faults and histories of outages have pages, too', async () => {
    const drawn = join(folder, 'drawn.csv');
    writeFileSync(drawn, run('faults', scenario('planning'), '--preset', 'on-prem', '--quiet', '-o', 'csv', `--html=${join(folder, 'faults.html')}`));
    run('outages', drawn, '--fit', `--html=${join(folder, 'outages.html')}`);
    for (const [name, answer] of [['faults', /machine, of 12 nodes: outages expected \d+, drawn \d+/], ['outages', /best by measured: tolerationSeconds \d+/]]) {
        const { page, wrong, close } = await open(chromium, join(folder, `${name}.html`));
        assert.match(await page.locator('section').first().textContent() ?? '', /** @type {RegExp} */ (answer));
        assert.equal(await page.locator('section').nth(1).locator('svg.figure').count(), 1);
        assert.deepEqual(await overlaps(page), []);
        assert.deepEqual(wrong, []);
        await close();
    }
});

test('tests have a page, too', async () => {
    run('test', PARTITION, '--quiet', `--html=${join(folder, 'test.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'test.html'));
    assert.match(await page.locator('.doc').textContent() ?? '', /1 scenario: 1 passed/);
    assert.equal(await page.locator('td button').count(), 0);
    assert.deepEqual(wrong, []);
    await close();
});

test('a scenario that failed has its run in the page of tests', async () => {
    const text = readFileSync(PARTITION, 'utf8').replace(/ {4}golden:.*\n/, '').replace('Tainted(zone: "a", taint: "unreachable:NoExecute", count: 0)', 'Tainted(zone: "a", taint: "unreachable:NoExecute", count: 1)');
    run('test', PARTITION, scenario('failing', text), '--quiet', `--html=${join(folder, 'failing.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'failing.html'));
    assert.match(await page.locator('.doc').textContent() ?? '', /1 failed/);
    // What failed stands first in both tables, and that the file can be read is no result of the scenario.
    for (const table of [page.locator('.table').first(), page.locator('.table').nth(1)]) {
        assert.equal(await table.locator('tbody tr').first().locator('td.tone.bad').textContent(), 'failed');
    }
    assert.equal(await page.getByText('scenario', { exact: true }).locator('xpath=ancestor::tbody').count(), 0);
    // The place of what is wrong begins with the file's name, which stands there once.
    const said = await page.locator('section', { hasText: 'What is wrong' }).locator('li > bdi').first().textContent() ?? '';
    assert.equal(said.split('failing.ron').length, 2, said);
    const rows = page.locator('section', { hasText: 'a run of each that failed' }).getByRole('button', { name: /failing/ });
    await rows.click();
    await page.locator('.run canvas').first().waitFor();
    assert.match(await page.locator('.chosen').first().textContent() ?? '', /cut b/);
    assert.deepEqual(wrong, []);
    await close();
});
