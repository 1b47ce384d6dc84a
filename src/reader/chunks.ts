// A file in pieces for a search index: its text as `stream` reads it, cut by the document room.

import { printAddress } from '../address/index.ts';
import {
  type Extent,
  MAX_LEVEL,
  quoted,
  ReaderError,
  type Tokens,
  throwIfAborted,
  type Warning,
} from '../contract/index.ts';
import {
  blocksOf,
  type ChunkedText,
  chunksOf,
  type Chunk as Piece,
  type Section,
} from '../document/index.ts';
import { fileWarnings } from './assemble.ts';
import { createBudget } from './budget.ts';
import { wholeOf } from './converter.ts';
import type { Engine } from './engine.ts';
import type { ReadRequest } from './request.ts';
import type { Session } from './session.ts';
import type { Input } from './source/input.ts';
import { open } from './source/open.ts';
import { withWhole } from './start.ts';

/** How to cut a file into chunks. All fields are optional. */
export interface ChunkRequest extends Pick<ReadRequest, 'encoding' | 'password' | 'signal' | 'onProgress'> {
  /** Of each chunk, 16 or more. Default 512. */
  readonly maxTokens?: Tokens;
  /** Tokens of whole sentences that a chunk repeats from the one before, at most half of `maxTokens`. Default 0. */
  readonly overlap?: Tokens;
}

/** A piece of a file for a search index. */
export interface Chunk extends Piece {
  /** The path or name of the file with the place in it, as in `report.pdf#page=12`. */
  readonly address: string;
}

const DEFAULT_TOKENS: Tokens = 512;
/** The longest character takes 4. */
const LEAST_TOKENS: Tokens = 16;
/** Larger texts are not searched for their headings and definitions, which is done before they are cut. */
const MAX_OUTLINED = 16 * 1024 * 1024;

/** The chunks of one file. @throws {ReaderError} */
export async function* chunksIn(
  engine: Engine,
  input: Input,
  request: ChunkRequest,
): AsyncGenerator<Chunk, readonly Warning[]> {
  const { maxTokens = DEFAULT_TOKENS, overlap = 0, ...rest } = request;
  checkTokens('maxTokens', maxTokens, LEAST_TOKENS, Number.MAX_SAFE_INTEGER);
  checkTokens('overlap', overlap, 0, maxTokens / 2);
  const opening = (signal: AbortSignal) => open(input, engine.limits, signal, engine.files);
  return yield* withWhole(engine, opening, rest, async function* (session) {
    const { converter, entered, signal } = session;
    // As the caller wrote it, so that the address leads back to it.
    const file = typeof input === 'string' ? input : entered.source.name;
    const blocks = blocksOf(wholeOf(engine, converter), await sectionsOf(engine, session));
    for await (const piece of chunksOf(blocks, { maxTokens, overlap, tokenizer: engine.counter })) {
      throwIfAborted(signal);
      yield { ...piece, address: chunkAddress(file, piece.place) };
    }
    return fileWarnings(session, converter.converted(), false);
  });
}

function checkTokens(field: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return;
  const expected =
    most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${Math.floor(most)}`;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${field}\` is ${quoted(String(value))}; expected an integer ${expected}.`,
    `Set \`${field}\` to such an integer, or omit it.`,
  );
}

/** The sections of a text that is read as it is, from its outline; documents bring their own. */
export async function sectionsOf(engine: Engine, { converter, entered }: Session): Promise<ChunkedText> {
  const { processor } = converter.converted();
  const { textual, converts, keeps, selects, fileType } = processor;
  const kind = fileType === 'text' || fileType === 'markdown' || !textual ? 'text' : 'code';
  const sections: Section[] = [];
  // What a pointer leads to has no name.
  const isUnnamed = !textual || converts || keeps || selects.includes('pointer');
  if (isUnnamed || entered.source.size > MAX_OUTLINED) return { sections, kind };
  try {
    const budget = createBudget(engine, Number.POSITIVE_INFINITY);
    for await (const { level = MAX_LEVEL, names } of converter.lines(budget))
      if (names) sections.push({ level, ...names });
  } catch {
    return { sections: [], kind }; // reading the text fails as well, or falls back to plain text
  }
  return { sections: sections.sort((a, b) => a.from - b.from), kind };
}

/** The address of a place in a file. */
function chunkAddress(file: string, { unit, from, to, name }: Extent): string {
  const range = from === to ? `${from}` : `${from}-${to}`;
  if (unit === 'page' || unit === 'slide') return printAddress(file, { pages: range }, unit);
  if (unit === 'line') return printAddress(file, { lines: range });
  if (unit !== 'row') return file;
  return printAddress(file, name === undefined ? { rows: range } : { sheet: name, cells: `${from}:${to}` });
}
