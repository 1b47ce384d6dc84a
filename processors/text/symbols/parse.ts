// Trees of source code, by tree-sitter grammars in WebAssembly. The machine and a grammar load when a file needs them.

import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Language, Parser, Tree } from 'web-tree-sitter';
import type { GrammarName } from './languages.ts';

/** A file that takes longer has no tree; ordinary code takes a tenth of a second a megabyte. */
const MAX_PARSE_MS = 2_000;

const unpack = async (packed: string): Promise<Uint8Array> =>
  promisify(brotliDecompress)(Buffer.from(packed, 'base64'));

const GRAMMARS: Readonly<Record<GrammarName, () => Promise<{ readonly PACKED: string }>>> = {
  bash: () => import('./grammars/bash.generated.ts'),
  'c-sharp': () => import('./grammars/c-sharp.generated.ts'),
  cpp: () => import('./grammars/cpp.generated.ts'),
  go: () => import('./grammars/go.generated.ts'),
  java: () => import('./grammars/java.generated.ts'),
  javascript: () => import('./grammars/javascript.generated.ts'),
  php: () => import('./grammars/php.generated.ts'),
  python: () => import('./grammars/python.generated.ts'),
  ruby: () => import('./grammars/ruby.generated.ts'),
  rust: () => import('./grammars/rust.generated.ts'),
  tsx: () => import('./grammars/tsx.generated.ts'),
  typescript: () => import('./grammars/typescript.generated.ts'),
};

type Machine = typeof import('web-tree-sitter');

let machine: Promise<Machine> | undefined;
const loaded = new Map<GrammarName, Promise<Language>>();

async function start(): Promise<Machine> {
  const [treeSitter, { PACKED }] = await Promise.all([
    import('web-tree-sitter'),
    import('./grammars/machine.generated.ts'),
  ]);
  await treeSitter.Parser.init({ wasmBinary: await unpack(PACKED) });
  return treeSitter;
}

async function load(grammar: GrammarName): Promise<Language> {
  const [{ Language }, { PACKED }] = await Promise.all([machine ?? start(), GRAMMARS[grammar]()]);
  return Language.load(await unpack(PACKED));
}

/** Gives `use` the tree of `text`; undefined where it cannot be parsed in time. */
export async function withTree<T>(
  text: string,
  grammar: GrammarName,
  signal: AbortSignal,
  use: (tree: Tree) => T,
): Promise<T | undefined> {
  machine ??= start();
  const { Parser } = await machine;
  const language = loaded.get(grammar) ?? load(grammar);
  loaded.set(grammar, language);
  const parser: Parser = new Parser();
  try {
    parser.setLanguage(await language);
    const end = performance.now() + MAX_PARSE_MS;
    const tree = parser.parse(text, null, {
      progressCallback: () => signal.aborted || performance.now() > end,
    });
    if (!tree) return undefined;
    try {
      return use(tree);
    } finally {
      tree.delete();
    }
  } finally {
    parser.delete();
  }
}
