// Packs the tree-sitter grammars that outlines of code are made by, and the machine that runs them, as modules: text that
// every bundler takes along, a tenth of their size. Sources: @vscode/tree-sitter-wasm and web-tree-sitter, both MIT.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants } from 'node:zlib';

const require = createRequire(import.meta.url);
const into = new URL('../processors/text/symbols/grammars/', import.meta.url);
const LANGUAGES = [
  'bash',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'javascript',
  'php',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
];
const sources = new Map([
  ...LANGUAGES.map((name) => [
    name,
    require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`),
  ]),
  ['machine', require.resolve('web-tree-sitter/web-tree-sitter.wasm')],
]);

/** The terms under which the packed files are passed on, which must go with them. */
const terms = ['@vscode/tree-sitter-wasm', 'web-tree-sitter']
  .map((name) => {
    const licence = readFileSync(new URL(`../node_modules/${name}/LICENSE`, import.meta.url), 'utf8');
    return `${name}\n\n${licence.trim().replaceAll('*/', '')}`;
  })
  .join('\n\n');

mkdirSync(into, { recursive: true });
for (const [name, path] of sources) {
  const packed = brotliCompressSync(readFileSync(path), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(
    new URL(`${name}.generated.ts`, into),
    `/*!\nMade by .config/build-grammars.mjs of files under these terms:\n\n${terms}\n*/\nexport const PACKED: string =\n  '${packed.toString('base64')}';\n`,
  );
}
