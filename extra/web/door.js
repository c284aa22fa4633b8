// The simulation as `extra/web/playground` builds it: what is asked of it, and what it answers.

/**
 * @typedef {{message: string, help: string | null, from?: number | null, to?: number | null}} Mistake
 * @typedef {Record<string, any> & {mistakes?: Mistake[], defect?: string}} Answer
 */

/** An instance of the module. */
export class Door {
    /** @param {WebAssembly.Instance} instance */
    constructor(instance) {
        this.of = /** @type {any} */ (instance.exports);
    }

    /**
     * Asks; what follows the question are bytes, a file say, and so is what follows the answer. After a defect the instance is of no more use.
     * @param {Record<string, any>} question
     * @param {Uint8Array} [file]
     * @returns {{answer: Answer, bytes: Uint8Array<ArrayBuffer>}}
     */
    ask(question, file = new Uint8Array(0)) {
        const text = new TextEncoder().encode(JSON.stringify(question));
        const length = 4 + text.length + file.length;
        try {
            const at = this.of.room(length) >>> 0;
            const packet = new Uint8Array(this.of.memory.buffer, at, length);
            new DataView(packet.buffer, at, 4).setUint32(0, text.length, true);
            packet.set(text, 4);
            packet.set(file, 4 + text.length);
            return this.read(this.of.ask() >>> 0);
        } catch (error) {
            return { answer: { ...this.left(), broken: true, trap: String(error) }, bytes: new Uint8Array(0) };
        }
    }

    /**
     * @param {number} at
     * @returns {{answer: Answer, bytes: Uint8Array<ArrayBuffer>}}
     */
    read(at) {
        const packet = new Uint8Array(this.of.memory.buffer, at, this.of.answered() >>> 0);
        const length = new DataView(packet.buffer, at, 4).getUint32(0, true);
        const answer = JSON.parse(new TextDecoder().decode(packet.subarray(4, 4 + length)));
        return { answer, bytes: packet.slice(4 + length) };
    }

    /**
     * What the module said before it broke; nothing where there was no room even for that.
     * @returns {Answer}
     */
    left() {
        try {
            const { answer } = this.read(this.of.answer() >>> 0);
            if (answer.defect || answer.mistakes) return answer;
        } catch {
            // Said below.
        }
        return { mistakes: [{ message: 'this is too large for the memory or the stack that a browser gives', help: 'run it with the program: taintsim run FILE' }] };
    }
}
