// A scenario in a link: deflated, in the letters that an address may have.

/** The longest text that is taken out of a link: a link of strangers might unpack to anything. */
const MOST = 8 << 20;

/**
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function packed(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let letters = '';
    for (let i = 0; i < bytes.length; i += 1 << 15) letters += String.fromCharCode(...bytes.subarray(i, i + (1 << 15)));
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * The text of a link, or none where it holds none.
 * @param {string} letters
 * @returns {Promise<string | null>}
 */
export async function unpacked(letters) {
    try {
        const plain = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
        const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
        const decoder = new TextDecoder('utf-8', { fatal: true });
        let [text, size] = ['', 0];
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return text + decoder.decode();
            size += value.length;
            if (size > MOST) {
                await reader.cancel();
                return null;
            }
            text += decoder.decode(value, { stream: true });
        }
    } catch {
        return null;
    }
}

/**
 * What the part of an address after `#` says.
 * @param {string} hash
 */
export function readAddress(hash) {
    const all = new URLSearchParams(hash.slice(1));
    return { packed: all.get('s'), example: all.get('example'), name: all.get('name'), seed: all.get('seed') ?? '', kubernetes: all.get('kubernetes') ?? '' };
}

/**
 * The part of an address after `#` that says this.
 * @param {Record<string, string | null>} parts
 */
export function address(parts) {
    const said = Object.entries(parts).filter(([, value]) => value);
    return `#${said.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '').replaceAll('%2F', '/')}`).join('&')}`;
}
