// The pages of what is not one run: each opens without a message or a request, and shows what it is about.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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
const SECONDS = 'workloads.web.template.tolerations[unreachable].tolerationSeconds';

test('a sweep has curves, a table, and a run of each value to move through', async () => {
    run('sweep', PARTITION, '--set', `${SECONDS}=60,300`, '--seeds', '2', '--quiet', '--html', '--out', 'out');
    const { page, wrong, close } = await open(chromium, join(folder, 'out', 'zone-partition-sweep', 'report.html'));
    assert.ok(await page.locator('svg.figure').count() > 0);
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

test('a survey has a heat map that leads to the run of a loss', async () => {
    run('survey', PARTITION, '--lose', 'zone', '--quiet', `--html=${join(folder, 'survey.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'survey.html'));
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
    await page.locator('figure').first().focus();
    await page.keyboard.press('+');
    const spans = () => page.locator('.readout').allTextContents();
    await page.waitForFunction(() => [...document.querySelectorAll('.readout')].every((r) => !r.textContent?.includes('0:00 to 20:00')));
    const [a, b] = await spans();
    assert.equal(a, b);
    assert.deepEqual(wrong, []);
    await close();
});

test('a search has the steps of each process, one by one', async () => {
    const race = scenario('races/foreign-taint-lost');
    run('explore', race, '--runs', '300', '--quiet', '--out', 'out', `--html=${join(folder, 'explore.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'explore.html'));
    assert.match(await page.locator('table').first().textContent() ?? '', /pod-stuck/);
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

test('tests have a page, too', async () => {
    run('test', PARTITION, '--quiet', `--html=${join(folder, 'test.html')}`);
    const { page, wrong, close } = await open(chromium, join(folder, 'test.html'));
    assert.match(await page.locator('.doc').textContent() ?? '', /1 scenario: 1 passed/);
    assert.deepEqual(wrong, []);
    await close();
});
