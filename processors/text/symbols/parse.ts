// Parses source code with tree-sitter grammars in WebAssembly. The runtime and each grammar load on first use.

import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Language, Parser, Tree } from 'web-tree-sitter';
import type { Bytes } from '../../../src/contract/index.ts';
import type { GrammarName } from './languages.ts';

/**
 * Maximum parser steps for a text, a hundred operations each: ordinary code takes at most one per hundred characters,
 * and ten thousand take half a second. Text that needs more is hopelessly ambiguous and has no tree. Unlike time, steps
 * are the same on every machine.
 */
const LEAST_STEPS = 1_000;
const STEPS_A_CHARACTER = 0.05;
const MOST_STEPS = 30_000;
/** A distant fallback for what the step limit does not stop. */
const MAX_PARSE_MS = 20_000;
/** Initial memory of the runtime, and how far a text may let it grow. */
const START_BYTES: Bytes = 32 * 1024 * 1024;
const MOST_BYTES: Bytes = START_BYTES + 128 * 1024 * 1024;
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
// Missing from the types of Node and of ES2023.
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

/** Calls `use` with the tree of `text`; undefined if it takes too many steps or too much memory. */
export async function withTree<T>(
  text: string,
  grammar: GrammarName,
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
    const most = Math.max(memory.buffer.byteLength, MOST_BYTES);
    let left = Math.min(MOST_STEPS, LEAST_STEPS + STEPS_A_CHARACTER * text.length);
    const tree = parser.parse(text, null, {
      progressCallback: () => {
        left -= 1;
        return left < 0 || memory.buffer.byteLength > most || performance.now() > end;
      },
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
