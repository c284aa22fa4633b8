// The page of a run, as a person uses it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, open, pageOf } from './page.js';

/** @type {import('playwright-core').Browser} */
let chromium;
/** @type {string} */
let file;

before(async () => {
    chromium = await browser();
    file = pageOf('zone-partition');
});
after(() => chromium.close());

/**
 * Where the lanes are on the screen.
 * @param {import('playwright-core').Page} page
 */
async function lanes(page) {
    const canvas = page.locator('.lanes canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    assert.ok(box);
    return box;
}

/** @param {import('playwright-core').Page} page */
function readout(page) {
    return page.locator('.readout').textContent();
}

test('opens without a message, an error or a request, and says what happened', async () => {
    const { page, wrong, close } = await open(chromium, file);
    assert.equal(await page.locator('h1').textContent(), 'zone-partition');
    assert.match(await page.locator('dl.summary').textContent() ?? '', /25 pods, 18 needlessly/);
    assert.equal(await page.locator('section').nth(1).locator('h2').textContent(), 'Course');
    assert.deepEqual(wrong, []);
    await close();
});

test('the wheel zooms around the pointer, keys move and reset', async () => {
    const { page, wrong, close } = await open(chromium, file);
    const box = await lanes(page);
    assert.match(await readout(page) ?? '', /0:00 to 20:00 of 20:00/);
    // 150 pixels of names at the left, 24 at the right: the middle is 10 minutes, and stays there.
    await page.mouse.move(box.x + 150 + (box.width - 174) / 2, box.y + 40);
    for (let i = 0; i < 5; i += 1) await page.mouse.wheel(0, -120);
    await page.waitForFunction(() => !/ 0:00 to 20:00/.test(` ${document.querySelector('.readout')?.textContent}`));
    const [, from, to] = /(\d+:\d+) to (\d+:\d+) of/.exec(await readout(page) ?? '') ?? [];
    const seconds = (/** @type {string} */ t) => t.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    assert.ok(seconds(to) - seconds(from) < 600, `${from} to ${to}`);
    assert.ok(Math.abs((seconds(to) + seconds(from)) / 2 - 600) < 20, `${from} to ${to}`);
    await page.locator('figure').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((was) => !document.querySelector('.readout')?.textContent?.includes(was), `${from} to`);
    await page.keyboard.press('0');
    await page.waitForFunction(() => document.querySelector('.readout')?.textContent?.includes('0:00 to 20:00'));
    assert.deepEqual(wrong, []);
    await close();
});

test('hovering tells state and cause, a click the chain of causes in the words of explain', async () => {
    const { page, wrong, close } = await open(chromium, file);
    const box = await lanes(page);
    // Rows of 18 pixels: zone a, its ten nodes, zone b, b-00. At 14 of 20 minutes it is Unknown.
    const x = box.x + 150 + (box.width - 174) * 0.7;
    await page.mouse.move(x, box.y + 18 * 12 + 9);
    await page.locator('.tip').waitFor({ state: 'visible' });
    const tip = await page.locator('.tip').textContent() ?? '';
    assert.match(tip, /b-00 at (13:59|14:00)/);
    assert.match(tip, /Unknown; tainted NoSchedule and NoExecute/);
    assert.match(tip, /tainted unreachable:NoExecute/);
    await page.mouse.click(x, box.y + 18 * 12 + 9);
    const why = await page.locator('aside.why').textContent() ?? '';
    assert.match(why, /node b-00/);
    assert.match(why, /the last heartbeat of b-00 that arrives: its lease is renewed/);
    assert.deepEqual(wrong, []);
    await close();
});

test('search finds objects and rows, the table sorts and filters', async () => {
    const { page, wrong, close } = await open(chromium, file);
    await page.keyboard.press('/');
    await page.keyboard.type('db-2');
    await page.keyboard.press('Enter');
    assert.match(await page.locator('aside.why').textContent() ?? '', /pod default\/db-2.*evicted at .* from b-05/s);
    const table = page.locator('.table').first();
    assert.equal(await table.locator('tbody tr').count(), 25);
    await table.getByRole('searchbox').fill('b-05 db');
    assert.equal(await table.locator('tbody tr').count(), 1);
    await table.getByRole('searchbox').fill('');
    await table.getByRole('button', { name: 'evicted at' }).click();
    await table.getByRole('button', { name: 'evicted at' }).click();
    assert.equal(await table.locator('th').nth(1).getAttribute('aria-sort'), 'descending');
    const times = await table.locator('tbody tr td:nth-child(2)').allTextContents();
    assert.deepEqual(times, [...times].sort().reverse());
    await page.getByLabel('Show evictions of').selectOption({ label: 'StatefulSet default/db' });
    assert.equal(await table.locator('tbody tr').count(), 2);
    assert.deepEqual(wrong, []);
    await close();
});

test('a link leads to the same view, and the view writes its link', async () => {
    const { page, wrong, close } = await open(chromium, file, { hash: '#t=12:00-15:00&pod=default%2Fdb-2' });
    assert.match(await readout(page) ?? '', /12:00 to 15:00/);
    assert.match(await page.locator('aside.why h3').textContent() ?? '', /default\/db-2/);
    await page.locator('figure').focus();
    await page.keyboard.press('+');
    await page.waitForFunction(() => /t=\d+-\d+/.test(location.hash) && location.hash.includes('pod=default%2Fdb-2'));
    await close();
    const other = await open(chromium, file, { hash: '#pod=nobody' });
    assert.match(await other.page.locator('.missing').textContent() ?? '', /no pod nobody/);
    assert.deepEqual([...wrong, ...other.wrong], []);
    await other.close();
});

test('prints to two pages', async () => {
    const { page, wrong, close } = await open(chromium, file);
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    assert.equal((pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []).length, 2);
    assert.deepEqual(wrong, []);
    await close();
});

test('two fingers zoom', async () => {
    const { page, wrong, close } = await open(chromium, file, { touch: true });
    const box = await lanes(page);
    const session = await page.context().newCDPSession(page);
    const touch = (/** @type {'touchStart'|'touchMove'|'touchEnd'} */ type, /** @type {number} */ apart) => session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [-1, 1].map((side, id) => ({ id, x: box.x + box.width / 2 + side * apart, y: box.y + 100 })),
    });
    await touch('touchStart', 50);
    for (const apart of [70, 90, 120, 160, 200]) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    await page.waitForFunction(() => !document.querySelector('.readout')?.textContent?.includes('0:00 to 20:00'));
    assert.deepEqual(wrong, []);
    await close();
});

test('names of strangers are text', async () => {
    const name = 'x'.repeat(63);
    const text = `Scenario(version: 1, doc: "</script><script>alert(1)</script> \\u{202e}\\" <img src=x onerror=alert(2)>", horizon: "10m",
        nodes: [(names: "${[name, name, name, name.slice(6)].join('.')}", zone: "a"), (names: "n-{0..1}", zone: "b")],
        pods: [(name: "web", on: Each(All), tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 5)])],
        timeline: [(at: "1m", name: "<svg onload=alert(3)>\\u{2067}", do: Partition(nodes: All))])`;
    const { page, wrong, close } = await open(chromium, pageOf('hostile', text), { width: 500 });
    assert.match(await page.locator('.doc').textContent() ?? '', /<\/script><script>alert\(1\)<\/script> \\u\{202e\}" <img/);
    assert.equal(await page.locator('img, svg, main script').count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, 'nothing is wider than the screen');
    assert.deepEqual(wrong, []);
    await close();
});
