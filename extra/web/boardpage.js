// The page of what is not one run: a sweep, a plan, a survey and so on.

import { begin, follow } from './begin.js';
import { Board } from './board.js';

begin({
    board(columns, page) {
        const board = new Board(columns.header.board);
        page.replaceChildren(board.element);
        follow(() => board.views);
    },
});
