// Elements of the page. Whatever a cluster or a person named goes in as text, never as markup.

/**
 * An element with its attributes and content.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | ((event: any) => void)>} [attributes] those that begin with `on` are listeners
 * @param {...(Node | string | null | undefined)} content
 * @returns {any}
 */
export function el(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false) element.setAttribute(name, String(value));
    }
    for (const part of content) if (part !== null && part !== undefined) element.append(part);
    return element;
}

/**
 * A name that somebody else gave: the direction in which it is written stays its own.
 * @param {string} name
 */
export function bdi(name) {
    return el('bdi', {}, name);
}

/**
 * A sentence of the program: what stands between backticks in it is code.
 * @param {string} text
 * @param {(part: string) => (Node | string)[]} [written] how the rest is written
 */
export function prose(text, written = (part) => [part]) {
    const parts = text.split('`');
    // A backtick alone is one.
    if (parts.length % 2 === 0) return el('bdi', {}, ...written(text));
    return el('bdi', {}, ...parts.flatMap((part, i) => (i % 2 ? [el('code', {}, part)] : written(part))));
}

/**
 * What a long page has, to go there.
 * @param {HTMLElement[]} sections
 */
export function contents(sections) {
    const go = (/** @type {HTMLElement} */ to) => {
        to.scrollIntoView({ block: 'start' });
        to.focus({ preventScroll: true });
    };
    const button = (/** @type {HTMLElement} */ to) => {
        to.tabIndex = -1;
        return el('button', { type: 'button', class: 'link', onclick: () => go(to) }, to.querySelector('h2')?.textContent);
    };
    return el('nav', { class: 'contents', 'aria-label': 'Contents' }, ...sections.filter((s) => s.querySelector('h2')).map(button));
}

/**
 * A section with its heading.
 * @param {string} title
 * @param {...(Node | string | null)} content
 */
export function section(title, ...content) {
    return el('section', {}, el('h2', {}, title), ...content);
}
