// The page of one run.

import { begin, follow } from './begin.js';
import { Run } from './run.js';
import { RunView, heading } from './runview.js';

begin({
    run(columns, page) {
        const run = new Run(columns);
        const view = new RunView(run, { linked: true });
        page.replaceChildren(heading(run.header), view.element);
        view.resize();
        view.followLink();
        addEventListener('hashchange', () => view.followLink());
        follow(() => [view]);
        addEventListener('keydown', (e) => {
            if (e.key !== '/' || e.target instanceof HTMLInputElement) return;
            e.preventDefault();
            view.search.focus();
        });
    },
});
