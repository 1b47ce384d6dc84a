// Reads a stretch of a text file as if it were the file: the requested `bytes`, or the start of a large file in object
// storage, which would take minutes to read to its end. Every answer says which bytes it is about, and how to go on.

import {
  type Bytes,
  type Limits,
  type Part,
  type Position,
  type Processor,
  quoted,
  ReaderError,
  type RequestFields,
  resolveRange,
  type Selection,
  type Source,
  staleCursor,
} from '../contract/index.ts';
import { WindowSource } from './source/window.ts';

/** A stretch of a file: bytes `from` (counted from 0) to `to`, the latter exclusive. Begins and ends at line ends. */
export interface Window {
  readonly source: Source;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly of: Bytes;
  /** Asked for, not chosen here. */
  readonly isAsked: boolean;
  /** The position inside it; empty at its start. */
  readonly resume: Position;
}

/** First entry of a position inside a window; the bounds follow. */
const MARK = 'w';
const LINE_FEED = 10;
/** A longer line is cut where the window ends. */
const MOST_LINE_BYTES: Bytes = 1024 * 1024;
const PIECE_BYTES: Bytes = 64 * 1024;

/**
 * The stretch that is read instead of `source`; undefined for all of it.
 * @throws {ReaderError} BAD_INPUT, STALE_CURSOR
 */
export async function windowOf(
  source: Source,
  processor: Processor,
  { all, bytes }: Pick<Selection, 'all' | 'bytes'>,
  position: Position | undefined,
  limits: Limits,
): Promise<Window | undefined> {
  const { size } = source;
  const isResumed = position?.[0] === MARK;
  const isLarge = source.remote === true && size > limits.remoteWindowBytes && !all;
  const isChosen = isLarge && (position === undefined || position.length === 0);
  if (processor.splits === undefined || !(isResumed || bytes || isChosen)) return undefined;
  if (await hasWideCharacters(source)) {
    if (isChosen && !bytes) return undefined;
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(source.name)} is UTF-16 or UTF-32, which cannot be read by \`bytes\`.`,
      'Read it by `lines` or `rows`, or convert it to UTF-8.',
    );
  }
  const wanted = isResumed
    ? resumed(position, size)
    : bytes
      ? resolveRange('bytes', bytes, size)
      : { from: 1, to: limits.remoteWindowBytes };
  const from = await lineStart(source, wanted.from - 1);
  const to = Math.max(from, await lineStart(source, wanted.to));
  const head = processor.splits === 'records' && from > 0 ? await lineStart(source, 1) : 0;
  return {
    source: new WindowSource(source, { head, from, to }, limits.maxBytesInMemory),
    from,
    to,
    of: size,
    isAsked: bytes !== undefined,
    resume: isResumed ? position.slice(3) : (position ?? []),
  };
}

/** The parts of a window, the last one with the way to the next; errors say what was read. */
export async function* windowParts(
  parts: AsyncIterable<Part>,
  window: Window,
  limits: Limits,
): AsyncGenerator<Part> {
  let held: Part | undefined;
  let isFirst = true;
  try {
    for await (const part of parts) {
      if (held) {
        yield inWindow(held, window, { isFirst, isLast: false }, limits);
        isFirst = false;
      }
      held = part;
    }
  } catch (error) {
    throw withWindow(error, window);
  }
  if (held) yield inWindow(held, window, { isFirst, isLast: true }, limits);
}

/** `part` with positions and requests that lead back into the window; the last one leads to the bytes after it. */
function inWindow(
  part: Part,
  window: Window,
  place: { readonly isFirst: boolean; readonly isLast: boolean },
  limits: Limits,
): Part {
  const { from, to, of, isAsked } = window;
  // Without `bytes`, a request is about the start of the file.
  const bytes = isAsked || from > 0 ? bytesOf(from, to) : {};
  const next =
    part.next === undefined && place.isLast && to < of
      ? nextWindow(window, limits)
      : part.next && {
          ...part.next,
          position: [MARK, from + 1, to, ...part.next.position],
          ...(part.next.request && { request: { ...part.next.request, ...bytes } }),
          ...(part.next.skip && { skip: { ...part.next.skip, ...bytes } }),
        };
  const shown =
    place.isFirst && to > from
      ? [...part.shown, { unit: 'byte', from: from + 1, to, of } as const]
      : part.shown;
  return { ...part, shown, ...(next && { next }) };
}

function nextWindow({ from, to, of }: Window, limits: Limits): NonNullable<Part['next']> {
  const end = Math.min(of, to + Math.max(to - from, limits.remoteWindowBytes));
  return { position: [MARK, to + 1, end], request: bytesOf(to, end) };
}

const bytesOf = (from: Bytes, to: Bytes): RequestFields => ({ bytes: `${from + 1}-${to}` });

/** An error about a row or a line that is outside the window, which the caller may not know of. */
function withWindow(error: unknown, { from, to, of, isAsked }: Window): unknown {
  if (isAsked || !(error instanceof ReaderError) || error.code !== 'BAD_INPUT') return error;
  return new ReaderError(
    error.code,
    `${error.message} Only bytes ${from + 1}-${to} of ${of} were read.`,
    'Select another part with `bytes`, such as `"-1000000"` for the end of the file.',
    error,
  );
}

function resumed(position: Position, size: Bytes): { readonly from: number; readonly to: number } {
  const [, from, to] = position;
  const holds =
    typeof from === 'number' &&
    typeof to === 'number' &&
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    from >= 1 &&
    from <= to &&
    to <= size;
  if (!holds) throw staleCursor('The cursor points past the end of the file.');
  return { from, to };
}

/** The start of the first line that begins at `at` or later; `at` itself in a line that is too long. */
async function lineStart(source: Source, at: Bytes): Promise<Bytes> {
  if (at <= 0) return 0;
  if (at >= source.size) return source.size;
  for (let position = at - 1; position < at + MOST_LINE_BYTES; position += PIECE_BYTES) {
    const piece = await source.read(position, PIECE_BYTES);
    const end = piece.indexOf(LINE_FEED);
    if (end >= 0) return position + end + 1;
    if (position + piece.length >= source.size) return source.size;
  }
  return characterStart(source, at);
}

/** Does not part a character of UTF-8. */
async function characterStart(source: Source, at: Bytes): Promise<Bytes> {
  const piece = await source.read(at, 4);
  const start = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return at + Math.max(0, start);
}

async function hasWideCharacters(source: Source): Promise<boolean> {
  const head = await source.read(0, 64);
  const [first = 0, second = 0] = head;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || head.includes(0);
}
