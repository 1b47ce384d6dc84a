// Turns the content passed by a caller into chunks of bytes. A source that fails, or that stalls after cancellation,
// ends in a descriptive error.

import { isInsidePair, piecesWithin, ReaderError } from '../../contract/index.ts';
import { encodable, type Remarks } from '../results/encodable.ts';
import type { FileContent } from '../workspace.ts';
import { throwIfCancelled } from './writing.ts';

const TEXT_PIECE = 64 * 1024;
const BYTES_PIECE = 1024 * 1024;

/**
 * Yields the bytes of `content` in order, and notes text that UTF-8 cannot encode.
 * @throws {ReaderError} BAD_INPUT for unsupported content or a failing source, ABORTED
 */
export async function* piecesOf(
  content: FileContent,
  remarks: Remarks,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield* textPieces(content, remarks);
  else if (content instanceof Uint8Array) yield* bytePieces(content);
  else if (content instanceof Blob) yield* streamed(content.stream(), remarks, signal);
  else if (isStream(content)) yield* streamed(content, remarks, signal);
  else throw notContent(content);
}

type Stream = AsyncIterable<unknown>;

function isStream(content: unknown): content is Stream {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

function notContent(found: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `The content is a value of type \`${found === null ? 'null' : typeof found}\`; expected text, bytes, a Blob or a stream of bytes.`,
    'Pass a string, bytes, a Blob or a stream of bytes.',
  );
}

function* textPieces(given: string, remarks: Remarks): Generator<Uint8Array> {
  const text = encodable(given, remarks);
  for (let from = 0; from < text.length; ) {
    const cut = Math.min(text.length, from + TEXT_PIECE);
    const to = isInsidePair(text, cut) ? cut - 1 : cut;
    yield Buffer.from(text.slice(from, to));
    from = to;
  }
}

function* bytePieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += BYTES_PIECE) yield bytes.subarray(from, from + BYTES_PIECE);
}

async function* streamed(
  stream: Stream,
  remarks: Remarks,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  // A surrogate pair may be split across two chunks.
  let half = '';
  try {
    for await (const value of piecesWithin(stream, signal)) {
      if (typeof value === 'string') {
        const text = half + value;
        half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
        yield* textPieces(half === '' ? text : text.slice(0, -1), remarks);
      } else if (value instanceof Uint8Array) {
        yield* textPieces(half, remarks);
        half = '';
        yield* bytePieces(value);
      } else throw notContent(value);
    }
    yield* textPieces(half, remarks);
  } catch (error) {
    throwIfCancelled(signal);
    if (error instanceof ReaderError) throw error;
    throw new ReaderError(
      'BAD_INPUT',
      'The source of the content failed before its end.',
      'Retry with a source that can be read to its end.',
      error,
    );
  }
}
