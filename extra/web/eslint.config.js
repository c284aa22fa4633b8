// The rules of the linter: what is a mistake, and what would let a name become markup.
import js from '@eslint/js';

const browser = ['document', 'window', 'location', 'history', 'performance', 'navigator', 'console', 'requestAnimationFrame', 'getComputedStyle', 'matchMedia',
    'addEventListener', 'setTimeout', 'clearTimeout', 'atob', 'Blob', 'Response', 'DecompressionStream', 'TextDecoder', 'URLSearchParams', 'ResizeObserver',
    'IntersectionObserver', 'HTMLInputElement', 'HTMLElement', 'Worker', 'URL', 'uPlot', 'process', 'Buffer', 'fetch', 'WebAssembly',
    'TextEncoder', 'CompressionStream', 'btoa', 'self', 'DataTransfer', 'File'];

export default [
    { ignores: ['vendor/', 'node_modules/', 'playground/target/'] },
    js.configs.recommended,
    {
        languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, 'readonly'])) },
        rules: {
            eqeqeq: 'error',
            'no-eval': 'error',
            'no-implied-eval': 'error',
            'no-shadow-restricted-names': 'error',
            'prefer-const': 'error',
            'no-restricted-properties': ['error', { property: 'innerHTML' }, { property: 'outerHTML' }, { property: 'insertAdjacentHTML' }],
            'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
        },
    },
];
