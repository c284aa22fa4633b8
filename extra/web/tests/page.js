// What the tests share: runs of the program, and a browser that notes whatever goes wrong.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The program, as `.ci/run` or a person has built it. */
export const program = process.env.TAINTSIM ?? join(root, process.env.CARGO_TARGET_DIR ?? 'target', 'debug', 'taintsim');

/** Where a browser may be. */
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((place) => place && existsSync(place));

export const folder = mkdtempSync(join(tmpdir(), 'taintsim-web-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/**
 * A scenario that ships, or one with this text.
 * @param {string} name
 * @param {string} [text]
 */
export function scenario(name, text) {
    if (text === undefined) return join(root, 'scenarios', `${name}.ron`);
    const place = join(folder, `${name}.ron`);
    writeFileSync(place, text);
    return place;
}

/**
 * Runs the program.
 * @param {...string} args
 */
export function taintsim(...args) {
    return execFileSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/**
 * The page of a run.
 * @param {string} name
 * @param {string} [text]
 */
export function pageOf(name, text) {
    taintsim('run', scenario(name, text), '--html', '--quiet', '--out', 'out');
    return join(folder, 'out', name, 'report.html');
}

/** A browser, without anything that asks for something by itself. */
export function browser() {
    return chromium.launch({
        executablePath,
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
            '--disable-sync'],
    });
}

/**
 * Opens a page and waits until it is shown. Whatever it logs, throws or asks for is in `wrong`.
 * @param {import('playwright-core').Browser} from
 * @param {string} file
 * @param {{hash?: string, dark?: boolean, width?: number, height?: number, touch?: boolean}} [how]
 */
export async function open(from, file, how = {}) {
    const context = await from.newContext({
        viewport: { width: how.width ?? 1200, height: how.height ?? 900 }, colorScheme: how.dark ? 'dark' : 'light', hasTouch: how.touch ?? false,
    });
    const page = await context.newPage();
    /** @type {string[]} */
    const wrong = [];
    page.on('console', (message) => wrong.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => {
        if (!request.url().startsWith(`file://${file}`)) wrong.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${file}${how.hash ?? ''}`);
    await page.waitForFunction(() => document.documentElement.dataset.shown === 'yes');
    return { page, wrong, close: () => context.close() };
}

/**
 * Moves the mouse to a place until something is told of it. The scroll that brought it into view may come after the first move, and what is told
 * goes with a scroll.
 * @param {import('playwright-core').Page} page
 * @param {number} x
 * @param {number} y
 */
export async function hover(page, x, y) {
    const tip = page.locator('.tip');
    for (let tries = 0; tries < 100 && !(await tip.isVisible()); tries += 1) {
        await page.mouse.move(x - 1, y);
        await page.mouse.move(x, y);
        await page.evaluate(() => new Promise((next) => { requestAnimationFrame(next); }));
    }
    await tip.waitFor({ state: 'visible' });
}
