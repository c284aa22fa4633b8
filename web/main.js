// Begins: reads what the page holds, and shows it.

import { held } from './columns.js';
import { el } from './dom.js';
import { readColours } from './palette.js';
import { Run } from './run.js';
import { RunView, heading } from './runview.js';

/** @type {Record<string, (columns: import('./columns.js').Columns, page: HTMLElement) => void | Promise<void>>} */
const SHOWS = {
    run(columns, page) {
        const run = new Run(columns);
        const view = new RunView(run, { linked: true });
        page.replaceChildren(heading(run.header), view.element);
        view.resize();
        view.followLink();
        addEventListener('hashchange', () => view.followLink());
        addEventListener('beforeprint', () => view.prepareToPrint());
        addEventListener('afterprint', () => view.repaint());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view.repaint());
        addEventListener('keydown', (e) => {
            if (e.key !== '/' || e.target instanceof HTMLInputElement) return;
            e.preventDefault();
            view.search.focus();
        });
    },
};

async function begin() {
    const page = /** @type {HTMLElement} */ (document.getElementById('page'));
    readColours();
    try {
        const columns = await held('main');
        if (!columns) throw new Error('the page holds no data');
        const show = SHOWS[columns.header.kind];
        if (!show) throw new Error(`the page does not know how to show ${columns.header.kind}`);
        await show(columns, page);
    } catch (error) {
        page.replaceChildren(el('p', { class: 'note' }, `This page cannot be shown: ${error instanceof Error ? error.message : error}. It needs a browser of 2023 or later.`));
        throw error;
    }
    requestAnimationFrame(() => requestAnimationFrame(() => {
        performance.mark('taintsim-shown');
        document.documentElement.dataset.shown = 'yes';
    }));
}

begin();
