// Begins: reads what the page holds, and shows it.

import { held } from './columns.js';
import { el } from './dom.js';
import { readColours } from './palette.js';

/**
 * @param {Record<string, (columns: import('./columns.js').Columns, page: HTMLElement) => void>} shows what shows each kind of page
 */
export async function begin(shows) {
    const page = /** @type {HTMLElement} */ (document.getElementById('page'));
    readColours();
    try {
        const columns = await held('main');
        if (!columns) throw new Error('the page holds no data');
        const show = shows[columns.header.kind];
        if (!show) throw new Error(`the page does not know how to show ${columns.header.kind}`);
        // In place of the text that is there for where no script runs.
        show(columns, page);
    } catch (error) {
        page.replaceChildren(el('p', { class: 'note' }, `This page cannot be shown: ${error instanceof Error ? error.message : error}. It needs a browser of 2023 or later.`));
        throw error;
    }
    requestAnimationFrame(() => requestAnimationFrame(() => {
        performance.mark('taintsim-shown');
        document.documentElement.dataset.shown = 'yes';
    }));
}

/**
 * Views follow the printer and the light of the system.
 * @param {() => {prepareToPrint: () => void, repaint: () => void}[]} views
 */
export function follow(views) {
    const { classList } = document.documentElement;
    const repaint = () => views().forEach((v) => v.repaint());
    addEventListener('beforeprint', () => {
        classList.add('on-paper');
        views().forEach((v) => v.prepareToPrint());
    });
    addEventListener('afterprint', () => {
        classList.remove('on-paper');
        repaint();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        // Paper is light, whatever the system makes of its screen meanwhile.
        if (!classList.contains('on-paper')) repaint();
    });
}
