// The page of a run, as a person uses it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, hover, open, pageOf } from './page.js';

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
    // Nothing happens before the cut at ten minutes: the span begins a minute before it.
    assert.match(await readout(page) ?? '', /9:00 to 20:00 of 20:00/);
    assert.match(await page.locator('figcaption').textContent() ?? '', /Nothing happens before 9:00/);
    // 150 pixels of names at the left, 24 at the right: the middle is 14:30, and stays there.
    await page.mouse.move(box.x + 150 + (box.width - 174) / 2, box.y + 40);
    for (let i = 0; i < 5; i += 1) await page.mouse.wheel(0, -120);
    await page.waitForFunction(() => !/ 9:00 to 20:00/.test(` ${document.querySelector('.readout')?.textContent}`));
    const [, from, to] = /(\d+:\d+) to (\d+:\d+) of/.exec(await readout(page) ?? '') ?? [];
    const seconds = (/** @type {string} */ t) => t.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    assert.ok(seconds(to) - seconds(from) < 330, `${from} to ${to}`);
    assert.ok(Math.abs((seconds(to) + seconds(from)) / 2 - 870) < 20, `${from} to ${to}`);
    await page.locator('figure').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((was) => !document.querySelector('.readout')?.textContent?.includes(was), `${from} to`);
    await page.keyboard.press('0');
    await page.waitForFunction(() => document.querySelector('.readout')?.textContent?.includes(' 9:00 to 20:00') || document.querySelector('.readout')?.textContent?.startsWith('9:00 to 20:00'));
    await page.keyboard.press('0');
    await page.waitForFunction(() => document.querySelector('.readout')?.textContent?.includes('0:00 to 20:00'));
    assert.deepEqual(wrong, []);
    await close();
});

test('hovering tells state and cause, a click the chain of causes in the words of explain', async () => {
    const { page, wrong, close } = await open(chromium, file);
    const box = await lanes(page);
    // Rows of 18 pixels: zone a, its ten nodes, zone b, b-00. At 14 minutes, of 9 to 20, it is Unknown.
    const x = box.x + 150 + (box.width - 174) * 5 / 11;
    await hover(page, x, box.y + 18 * 12 + 9);
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

test('a run without an eviction says so, and has no table of none', async () => {
    const { page, wrong, close } = await open(chromium, pageOf('idle', 'Scenario(version: 1, horizon: "2m", nodes: [(name: "a")])'));
    const section = page.locator('section', { has: page.locator('h2', { hasText: /^Evictions$/ }) });
    assert.equal(await section.locator('.table').textContent(), 'None.');
    assert.equal(await section.locator('th').count(), 0);
    assert.deepEqual(wrong, []);
    await close();
});

test('search takes every name that explain takes, and says which where there are several', async () => {
    const { page, wrong, close } = await open(chromium, file);
    const search = page.locator('.find');
    const [title, said] = [page.locator('aside.why h3').first(), page.locator('.missing')];
    const names = {
        'db-2': 'pod default/db-2', 'pod/db-2': 'pod default/db-2', 'b-03': 'node b-03', 'node/b-03': 'node b-03', b: 'zone b', 'zone/b': 'zone b', 'zone b': 'zone b',
        web: 'Deployment default/web', 'default/web': 'Deployment default/web', 'deployment/web': 'Deployment default/web', 'workload/web': 'Deployment default/web',
        'Deployment default/web': 'Deployment default/web', agent: 'DaemonSet kube-system/agent', 'daemonset/kube-system/agent': 'DaemonSet kube-system/agent',
    };
    for (const [name, expected] of Object.entries(names)) {
        await search.fill(name);
        await search.press('Enter');
        assert.equal(await title.textContent(), expected, name);
        assert.equal(await said.textContent(), '', name);
    }
    // What was explained before does not stand beside the answer.
    for (const name of ['nobody', 'statefulset/web', 'eb']) {
        await search.fill(name);
        await search.press('Enter');
        assert.equal(await said.textContent(), `There is nothing called ${name} in this run.`);
        assert.equal(await page.locator('aside.why').isVisible(), false);
    }
    assert.deepEqual(wrong, []);
    await close();
    const twice = `Scenario(version: 1, horizon: "1m", nodes: [(names: "web", zone: "web"), (names: "n", zone: "web")],
        workloads: [Deployment(name: "web", replicas: 1), Deployment(name: "web", namespace: "lab", replicas: 1)])`;
    const other = await open(chromium, pageOf('twice', twice));
    await other.page.locator('.find').fill('web');
    await other.page.locator('.find').press('Enter');
    assert.equal(await other.page.locator('.missing').textContent(), 'web may be node web, Deployment default/web, Deployment lab/web, zone web.');
    await other.page.locator('.missing').getByRole('button', { name: 'lab/web' }).click();
    assert.equal(await other.page.locator('aside.why h3').first().textContent(), 'Deployment lab/web');
    assert.equal(await other.page.locator('.missing').textContent(), '');
    assert.deepEqual(other.wrong, []);
    await other.close();
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

/**
 * The part of an element that is in the window, and on top of whatever else is there.
 * @param {import('playwright-core').Locator} of
 */
function seen(of) {
    return of.evaluate((element) => {
        const box = element.getBoundingClientRect();
        const inside = box.top >= 0 && box.left >= 0 && box.right <= window.innerWidth + 1 && box.bottom <= window.innerHeight + 1;
        return inside && element.contains(document.elementFromPoint(box.left + box.width / 2, box.top + 40));
    });
}

test('the panel of causes opens in sight with the focus in it, and Escape gives the focus back', async () => {
    for (const size of [{ width: 1440, height: 900 }, { width: 800, height: 700 }, { width: 390, height: 800 }]) {
        const { page, wrong, close } = await open(chromium, file, size);
        const pod = page.locator('.table').first().locator('tbody button').first();
        for (const opens of [
            async () => { await pod.scrollIntoViewIfNeeded(); await pod.focus(); await page.keyboard.press('Enter'); },
            async () => { await page.locator('.chart h3 button').first().click(); },
            async () => { await page.locator('figure').focus(); await page.keyboard.press('ArrowDown'); await page.keyboard.press('Enter'); },
        ]) {
            await opens();
            const panel = page.locator('aside.why');
            assert.equal(await seen(panel), true, `in sight at ${size.width}`);
            assert.equal(await panel.evaluate((e) => e === document.activeElement), true);
            const before = await page.evaluate(() => document.querySelector('aside.why h3')?.textContent);
            assert.ok(before);
            await page.keyboard.press('Escape');
            assert.equal(await panel.isVisible(), false);
            const back = await page.evaluate(() => {
                const box = document.activeElement?.getBoundingClientRect();
                return Boolean(box && document.activeElement !== document.body && box.bottom > 0 && box.top < window.innerHeight);
            });
            assert.equal(back, true, `focus is given back at ${size.width}`);
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
        assert.deepEqual(wrong, []);
        await close();
    }
});

test('on paper curves and lanes are whole', async () => {
    const { page, wrong, close } = await open(chromium, file, { width: 1440 });
    await page.locator('.curve').first().scrollIntoViewIfNeeded();
    await page.locator('.u-wrap').first().waitFor();
    await page.evaluate(() => window.dispatchEvent(new window.Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    // A4 without margins of 12 mm is 186 mm, which are 703 pixels of CSS.
    const widths = await page.evaluate(() => [...document.querySelectorAll('.u-wrap, .place canvas')].map((e) => e.getBoundingClientRect().width));
    // What is left out on paper has no width.
    assert.ok(widths.filter((w) => w > 600).length >= 3 && widths.every((w) => w <= 703), String(widths));
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => window.dispatchEvent(new window.Event('afterprint')));
    assert.ok((await page.locator('.u-wrap').first().boundingBox())?.width ?? 0 > 1000);
    assert.deepEqual(wrong, []);
    await close();
});

test('what is printed is light where the screen is dark', async () => {
    const { page, wrong, close } = await open(chromium, file, { dark: true });
    await page.evaluate(() => window.dispatchEvent(new window.Event('beforeprint')));
    // How many of the lanes' pixels have the colours that Ready has on paper, `#b7d5e9`, and on a dark screen, `#1d3b4e`.
    const counted = await page.locator('.lanes canvas').evaluate((/** @type {HTMLCanvasElement} */ canvas) => {
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        const counts = { light: 0, dark: 0 };
        for (let i = 0; i < pixels.length; i += 4) {
            if (pixels[i] === 0xb7 && pixels[i + 1] === 0xd5 && pixels[i + 2] === 0xe9) counts.light += 1;
            if (pixels[i] === 0x1d && pixels[i + 1] === 0x3b && pixels[i + 2] === 0x4e) counts.dark += 1;
        }
        return counts;
    });
    assert.ok(counted.light > 1000 && counted.dark === 0, JSON.stringify(counted));
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.evaluate(() => window.dispatchEvent(new window.Event('afterprint')));
    assert.equal(await ground(), 'rgb(18, 22, 29)');
    assert.deepEqual(wrong, []);
    await close();
});

test('a legend has dashes, values only under the cursor, and what is told of a place goes with the pointer', async () => {
    const { page, wrong, close } = await open(chromium, file);
    await page.locator('.curve .legend').first().scrollIntoViewIfNeeded();
    const legend = page.locator('.curve .legend').first();
    assert.equal((await legend.textContent())?.includes(':'), false);
    const dashes = await legend.locator('path').evaluateAll((all) => all.map((p) => `${p.getAttribute('stroke')} ${p.getAttribute('stroke-dasharray')}`));
    assert.equal(new Set(dashes).size, dashes.length, String(dashes));
    const box = await lanes(page);
    await hover(page, box.x + 500, box.y + 60);
    assert.match(await legend.textContent() ?? '', /up\d/);
    await page.evaluate(() => window.scrollBy(0, 30));
    await page.locator('.tip').waitFor({ state: 'hidden' });
    await page.locator('figure').focus();
    for (let i = 0; i < 60; i += 1) await page.keyboard.press('+');
    await page.waitForFunction(() => location.hash.includes('t='));
    const [from, to] = (/t=(\d+)-(\d+)/.exec(await page.evaluate(() => location.hash)) ?? []).slice(1).map(Number);
    assert.ok(to - from >= 99 && to - from < 1000, `${from} to ${to}`);
    assert.deepEqual(wrong, []);
    await close();
});

test('a preempted pod has its mark and its word', async () => {
    const { page, wrong, close } = await open(chromium, pageOf('preemption-after-loss'));
    assert.match(await page.locator('figure .legend').textContent() ?? '', /preempted/);
    assert.match(await page.locator('.table').nth(1).textContent() ?? '', /low-1 of node-0 preempted by the scheduler/);
    assert.deepEqual(wrong, []);
    await close();
});

test('pods that end with their node have a mark, and what is one row is called so', async () => {
    const { page, wrong, close } = await open(chromium, pageOf('graceful-shutdown'));
    const legend = await page.locator('figure .legend').textContent() ?? '';
    assert.match(legend, /shut down with the node/);
    assert.doesNotMatch(legend, /preempted/);
    // Their replacements are there, though nobody was evicted.
    assert.match(legend, /replacement ready/);
    assert.doesNotMatch(legend, /evicted/);
    const table = page.locator('section', { has: page.locator('h2', { hasText: 'Findings' }) });
    await table.getByRole('searchbox').fill('power cut begins');
    assert.match(await table.locator('.count').textContent() ?? '', /^1 of \d+ rows$/);
    // 50.718 s after the one minute at which both entries begin.
    await table.getByRole('searchbox').fill('b-0 Unknown');
    assert.match(await table.locator('tbody').textContent() ?? '', /\+50\.718s after power cut/);
    assert.deepEqual(wrong, []);
    await close();
});

test('prints every curve and every row', async () => {
    // 40 pods on each of the two nodes of zone b, which is cut off: 80 evictions, where the screen turns pages of 50. A workload for each of five curves.
    const workloads = [...'abcde'].map((name) => `Deployment(name: "${name}", replicas: 2)`).join(', ');
    const many = pageOf('printed', `Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        pods: [(names: "one-{0..39}", on: Node("b-0")), (names: "two-{0..39}", on: Node("b-1"))], workloads: [${workloads}],
        timeline: [(at: "1m", do: Partition(nodes: Zone("b")))])`);
    const { page, wrong, close } = await open(chromium, many);
    const rows = page.locator('section', { has: page.locator('h2', { hasText: 'Evictions' }) }).locator('tbody tr');
    assert.equal(await rows.count(), 50);
    await page.evaluate(() => window.dispatchEvent(new window.Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    const shown = await rows.evaluateAll((all) => all.filter((r) => r.getBoundingClientRect().height > 0).length);
    assert.ok(shown >= 80, String(shown));
    const curves = await page.locator('.curve').evaluateAll((all) => all.map((c) => c.querySelector('canvas')?.getBoundingClientRect().height ?? 0));
    assert.ok(curves.length >= 5 && curves.every((height) => height > 0), String(curves));
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => window.dispatchEvent(new window.Event('afterprint')));
    assert.equal(await rows.count(), 50);
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
    await page.waitForFunction(() => !document.querySelector('.readout')?.textContent?.includes('9:00 to 20:00'));
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
    assert.equal(await page.locator('img, svg:not(.key), main script').count(), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, 'nothing is wider than the screen');
    assert.deepEqual(wrong, []);
    await close();
});
