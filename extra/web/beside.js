// Two runs one above the other, over one span of time: on which lanes they differ is marked, and when.

import { LEFT, RIGHT } from './canvas.js';
import { absolute } from './clock.js';
import { held } from './columns.js';
import { bdi, el } from './dom.js';
import { colour } from './palette.js';
import { Run } from './run.js';
import { RunView } from './runview.js';
import { View } from './view.js';

/**
 * Shows the two runs of a part.
 * @param {any} part
 * @param {HTMLElement} place
 * @param {RunView[]} views
 */
export async function sideBySide(part, place, views) {
    const columns = await Promise.all(part.runs.map((/** @type {[string, string]} */ [, run]) => held(run)));
    const runs = columns.map((c) => new Run(/** @type {any} */ (c)));
    const view = new View(Math.max(...runs.map((r) => r.end)), [Math.min(...runs.map((r) => r.begins)), Math.max(...runs.map((r) => r.shown))]);
    const differ = [spans(runs[0], runs[1]), spans(runs[1], runs[0])];
    const count = [...differ[0].values()].filter((s) => s.length > 0).length;
    place.append(el('p', {}, count ? `${count} of the nodes of both runs differ in state at some time: a bar at the foot of their lanes marks when.` : 'The nodes of both runs are in the same states at all times.'));
    for (const [i, run] of runs.entries()) {
        const of = new RunView(run, { view, brief: true });
        mark(of, differ[i]);
        views.push(of);
        place.append(el('h3', {}, bdi(part.runs[i][0])), of.element);
        of.resize();
    }
}

/**
 * When a node of a run is in another state than that of the same name in the other.
 * @param {Run} run
 * @param {Run} other
 * @returns {Map<number, [number, number][]>}
 */
function spans(run, other) {
    const places = new Map(other.nodes.map((name, i) => [name, i]));
    const out = new Map();
    for (const [node, name] of run.nodes.entries()) {
        const there = places.get(name);
        if (there === undefined) continue;
        const times = [...new Set([...steps(run, node), ...steps(other, there)])].sort((a, b) => a - b);
        /** @type {[number, number][]} */
        const found = [];
        for (const [i, at] of times.entries()) {
            if (run.lanes.state[run.stepAt(node, at)] === other.lanes.state[other.stepAt(there, at)]) continue;
            const end = times[i + 1] ?? Math.max(run.end, other.end);
            const last = found[found.length - 1];
            if (last && last[1] === at) last[1] = end;
            else found.push([at, end]);
        }
        out.set(node, found);
    }
    return out;
}

/**
 * @param {Run} run
 * @param {number} node
 */
function steps(run, node) {
    return run.lanes.at.subarray(run.lanes.first[node], run.lanes.first[node + 1]);
}

/**
 * Marks what differs on the lanes of a run, and tells of it.
 * @param {RunView} view
 * @param {Map<number, [number, number][]>} differ
 */
function mark(view, differ) {
    const { lanes } = view;
    const tell = view.tell.bind(view);
    view.tell = (row, at) => {
        const said = tell(row, at);
        const here = differ.get(lanes.rows.all[row].node)?.find(([from, to]) => from <= at && at < to);
        return here ? [...said, `differs from the other run from ${absolute(here[0])} to ${absolute(here[1])}`] : said;
    };
    lanes.over = (c) => {
        c.fillStyle = colour('differs');
        const right = lanes.surface.width - RIGHT;
        for (const [node, all] of differ) {
            const row = lanes.rows.ofNode[node];
            if (row < 0) continue;
            const y = lanes.y(row + 1) - Math.max(1, lanes.lane * 0.14);
            if (y < 0 || y > lanes.body) continue;
            for (const [from, to] of all) {
                const [x0, x1] = [Math.max(LEFT, lanes.x(from)), Math.min(right, lanes.x(to))];
                if (x1 > x0) c.fillRect(x0, y, Math.max(1, x1 - x0), Math.max(1, lanes.lane * 0.14));
            }
        }
    };
}
