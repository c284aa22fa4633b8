// Runs the simulation beside the page: the first message is the module, each further one a question.

import { Door } from './door.js';

/** @type {Promise<WebAssembly.Module> | null} */
let module = null;
/** @type {Door | null} */
let door = null;

addEventListener('message', async ({ data }) => {
    if (!module) {
        module = Promise.resolve(data);
        return;
    }
    door ??= new Door(await WebAssembly.instantiate(await module));
    const { answer, bytes } = door.ask(data.question, data.file);
    if (answer.broken) door = null;
    /** @type {any} */ (self).postMessage({ id: data.id, answer, bytes }, [bytes.buffer]);
});
