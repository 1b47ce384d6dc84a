// Trees of source code, by tree-sitter grammars in WebAssembly. The machine and a grammar load when a file needs them.

import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Language, Parser, Tree } from 'web-tree-sitter';
import type { Bytes } from '../../../src/contract/index.ts';
import type { GrammarName } from './languages.ts';

/** A file that takes longer has no tree; ordinary code takes a fifth of a second a megabyte. */
const MAX_PARSE_MS = 1_000;
/** Memory of the machine as it starts, and what each text may add to it. */
const START_BYTES: Bytes = 32 * 1024 * 1024;
const LEAST_BYTES: Bytes = 32 * 1024 * 1024;
/** A file that takes more is ambiguous or nested beyond all use; ordinary code takes half as much for each character. */
const BYTES_A_CHARACTER = 100;
const MOST_BYTES: Bytes = 128 * 1024 * 1024;
const PAGE_BYTES: Bytes = 65_536;
const MAX_PAGES = 32_768;

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

interface Memory {
  readonly buffer: ArrayBuffer;
}
type NewMemory = new (pages: { initial: number; maximum: number }) => Memory;
// The types of Node and of ES2023 do not declare it.
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: { readonly Memory: NewMemory };
};

interface Machine {
  readonly treeSitter: typeof import('web-tree-sitter');
  readonly memory: Memory;
}

let machine: Promise<Machine> | undefined;
const loaded = new Map<GrammarName, Promise<Language>>();

async function start(): Promise<Machine> {
  const [treeSitter, { PACKED }] = await Promise.all([
    import('web-tree-sitter'),
    import('./grammars/machine.generated.ts'),
  ]);
  const memory = new wasm.Memory({ initial: START_BYTES / PAGE_BYTES, maximum: MAX_PAGES });
  await treeSitter.Parser.init({ wasmBinary: await unpack(PACKED), wasmMemory: memory });
  return { treeSitter, memory };
}

async function load(grammar: GrammarName): Promise<Language> {
  const [{ treeSitter }, { PACKED }] = await Promise.all([machine ?? start(), GRAMMARS[grammar]()]);
  return treeSitter.Language.load(await unpack(PACKED));
}

/** Gives `use` the tree of `text`; undefined where it cannot be parsed in time, or in the memory there is for it. */
export async function withTree<T>(
  text: string,
  grammar: GrammarName,
  signal: AbortSignal,
  use: (tree: Tree) => T,
): Promise<T | undefined> {
  machine ??= start();
  const { treeSitter, memory } = await machine;
  const language = loaded.get(grammar) ?? load(grammar);
  loaded.set(grammar, language);
  const parser: Parser = new treeSitter.Parser();
  try {
    parser.setLanguage(await language);
    const end = performance.now() + MAX_PARSE_MS;
    const before = memory.buffer.byteLength;
    const most = START_BYTES + Math.min(MOST_BYTES, LEAST_BYTES + BYTES_A_CHARACTER * text.length);
    const tooLarge = (): boolean => memory.buffer.byteLength > Math.max(before, most);
    const tree = parser.parse(text, null, {
      progressCallback: () => signal.aborted || performance.now() > end || tooLarge(),
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
