// Asks the worker, and lets go of what nobody waits for any more.

/** A worker, started anew when it is busy with what is obsolete. */
export class Asks {
    /** @param {Promise<WebAssembly.Module>} module */
    constructor(module) {
        this.module = module;
        this.last = 0;
        /** @type {Worker | null} */
        this.worker = null;
        /** @type {Map<number, (said: {answer: import('./door.js').Answer, bytes: Uint8Array<ArrayBuffer>}) => void>} */
        this.waiting = new Map();
    }

    /** Drops what is under way; its questions are never answered. */
    drop() {
        if (!this.waiting.size) return;
        this.waiting.clear();
        this.worker?.terminate();
        this.worker = null;
    }

    /**
     * @param {Record<string, any>} question
     * @param {Uint8Array} [file]
     * @returns {Promise<{answer: import('./door.js').Answer, bytes: Uint8Array<ArrayBuffer>}>}
     */
    async ask(question, file) {
        this.last += 1;
        const id = this.last;
        const answered = new Promise((resolve) => this.waiting.set(id, resolve));
        const module = await this.module;
        // Dropped meanwhile.
        if (this.waiting.has(id)) (this.worker ?? this.start(module)).postMessage({ id, question, file });
        return /** @type {any} */ (answered);
    }

    /** @param {WebAssembly.Module} module */
    start(module) {
        const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
        worker.addEventListener('message', ({ data }) => {
            const answer = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            answer?.(data);
        });
        worker.postMessage(module);
        this.worker = worker;
        return worker;
    }
}

/**
 * The module, which is deflated so that it is small from every server.
 * @param {string} address
 */
export async function fetched(address) {
    const response = await fetch(address);
    if (!response.ok || !response.body) throw new Error(`${address} cannot be read: ${response.status}`);
    const plain = response.body.pipeThrough(new DecompressionStream('deflate-raw'));
    return WebAssembly.compileStreaming(new Response(plain, { headers: { 'content-type': 'application/wasm' } }));
}
