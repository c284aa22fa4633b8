// What the tests of the playground share: its module, its folder, and a server for it.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder, taintsim } from './page.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = ['release', 'dist'].map((profile) => join(root, 'extra/web/playground/target/wasm32-unknown-unknown', profile, 'taintsim_playground.wasm'));

/** The module, as `.ci/run` or a person has built it. */
export const module = process.env.TAINTSIM_MODULE ?? built.find((file) => existsSync(file)) ?? built[0];

/** Why the tests are skipped, if they are. */
export const skip = existsSync(module) ? false : 'the module is not built: cargo build --release --manifest-path extra/web/playground/Cargo.toml --target wasm32-unknown-unknown';

/** Writes the playground, and gives its folder. */
export function written() {
    const site = join(folder, 'playground');
    taintsim('playground', '--out', site, '--module', module);
    return site;
}

const TYPES = /** @type {Record<string, string>} */ ({
    '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml',
});

/**
 * Serves a folder as the plainest servers do.
 * @param {string} site
 * @returns {Promise<{address: string, close: () => void}>}
 */
export function served(site) {
    const server = createServer((request, response) => {
        const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
        const file = join(site, path === '/' ? 'index.html' : path);
        if (!file.startsWith(site) || !existsSync(file) || !statSync(file).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
    });
    return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => {
            const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
            resolve({ address: `http://127.0.0.1:${port}/`, close: () => server.close() });
        });
    });
}
