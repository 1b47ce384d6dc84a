// A processor's surroundings for tests of one processor: a real Source, the real text decoding and the real token
// counter, and a record of what the processor reports.

import { createMemoryCache } from '../../src/cache/index.ts';
import type {
  Budget,
  FormatFacts,
  Limits,
  Part,
  ProcessContext,
  Processor,
  Selection,
  Source,
  Warning,
  Whole,
} from '../../src/contract/index.ts';
import { viewOf } from '../../src/contract/index.ts';
import { resolveLimits } from '../../src/limits/index.ts';
import { conversionOf } from '../../src/reader/conversion.ts';
import { decode } from '../../src/reader/decoding/decode.ts';
import { extensionOf } from '../../src/reader/source/input.ts';
import { MemorySource } from '../../src/reader/source/memory.ts';
import { createTokenCounter } from '../../src/tokens/index.ts';

/** A Source over `bytes` (or UTF-8 text). */
export function memorySource(content: Uint8Array | string, name = 'file'): Source {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return new MemorySource(
    { name, extension: extensionOf(name), mimeType: undefined, maxBytesInMemory: 2 ** 28 },
    bytes,
  );
}

export interface TestOptions {
  readonly selection?: Partial<Selection>;
  readonly limits?: Partial<Limits>;
  /** Tokens with nothing left out; `tokensBesideNotes` is 60 less, at least half. */
  readonly tokens?: number;
  readonly signal?: AbortSignal;
  readonly password?: string;
  /** Keeps conversions between runs. Default false. */
  readonly cached?: boolean;
}

const CACHE = createMemoryCache();

export interface TestContext extends ProcessContext {
  readonly warnings: Warning[];
  readonly wholes: Whole[];
  readonly facts: Record<string, unknown>;
}

export function testContext(options: TestOptions = {}): TestContext {
  const limits = resolveLimits(options.limits);
  const all = options.selection?.all === true;
  const tokens = all ? Number.POSITIVE_INFINITY : (options.tokens ?? limits.maxTokensPerFile);
  const tokensBesideNotes = all ? tokens : Math.max(Math.ceil(tokens / 2), tokens - 60);
  const characters = all ? Number.POSITIVE_INFINITY : limits.maxTotalOutput;
  const counter = createTokenCounter();
  const budget: Budget = {
    tokens,
    tokensBesideNotes,
    characters,
    charactersBesideNotes:
      characters === Number.POSITIVE_INFINITY ? characters : Math.max(0, characters - 600),
    count: (text) => counter.count(text),
    fits: (text, most, units) => text.length <= units && counter.fits(text, most),
    prefix: (text, most) => counter.prefix(text, most),
  };
  const warnings: Warning[] = [];
  const wholes: Whole[] = [];
  const facts: Record<string, unknown> = {};
  const signal = options.signal ?? new AbortController().signal;
  const decoded = new Map<Source, ReturnType<typeof decode>>();
  return {
    selection: { boxes: false, numbered: false, all, outline: false, brief: false, ...options.selection },
    limits,
    budget,
    signal,
    warnings,
    wholes,
    facts,
    text: async (source) => {
      const known = decoded.get(source) ?? decode(source, undefined, limits, signal);
      decoded.set(source, known);
      const { source: text, warnings: found } = await known;
      warnings.push(...found);
      return text;
    },
    conversion: (source, version) =>
      conversionOf(
        { cache: options.cached === true ? CACHE : undefined, user: '' },
        source,
        'test',
        version,
        signal,
      ),
    password: () => options.password,
    warn: (warning) => {
      warnings.push(warning);
    },
    describe: (more: FormatFacts) => {
      Object.assign(facts, more);
    },
    whole: (whole) => {
      wholes.push(whole);
    },
  };
}

export interface Outcome {
  readonly parts: readonly Part[];
  /** The content of all text parts. */
  readonly text: string;
  /** What a model would see, without the engine's notes. */
  readonly view: string;
  readonly next: Part['next'];
  readonly context: TestContext;
}

/** Runs `processor` over `source` as the engine would, without cap and notes. */
export async function run(processor: Processor, source: Source, options: TestOptions = {}): Promise<Outcome> {
  const context = testContext(options);
  const parts: Part[] = [];
  for await (const part of processor.process(source, context)) parts.push(part);
  const texts = parts.filter((part) => part.kind === 'text');
  return {
    parts,
    text: texts.map((part) => part.text).join(''),
    view: texts.map(viewOf).join(''),
    next: parts.at(-1)?.next,
    context,
  };
}
