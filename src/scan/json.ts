// Skips JSON containers at scan speed, counting their items exactly. Validates nothing: any closing bracket closes any
// opening one, and items are separated by commas.

import type { Bytes, Source } from '../contract/index.ts';
import { keep } from './kept.ts';
import { skip } from './skip.ts';
import { type SparseIndex, seekUnit, sweep } from './sparse-index.ts';
import { JSON_STATE, nestedStart } from './state.ts';

const isSpace = (byte: number | undefined): boolean =>
  byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Skips one container after another, each pushed in chunks of any size. Its state is a dozen numbers. */
export class JsonSkipper {
  #state: Float64Array = nestedStart();

  /** Call just after a `[` or `{`. */
  begin(): void {
    this.#state = nestedStart();
  }

  /** @returns the index just past the matching close, or -1 if `bytes` does not contain it */
  push(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#state[JSON_STATE.started] === 0) {
      while (at < bytes.length && isSpace(bytes[at])) at++;
      if (at === bytes.length) return -1;
      const byte = bytes[at] ?? 0;
      if (byte !== 0x5d && byte !== 0x7d) this.#state[JSON_STATE.started] = 1;
    }
    return skip({ pass: 'json', state: this.#state, bytes, from: at });
  }

  /**
   * Continues over `source` from `at`, where the last push ended, with read-ahead: for containers of megabytes.
   * @returns just past the matching close, or -1 if there is none
   */
  async finish(source: Source, at: Bytes, signal: AbortSignal): Promise<Bytes> {
    const found = await sweep(source, 'json', at, this.#state, signal);
    this.#state = found.state;
    return found.closed ? found.end : -1;
  }

  /** Elements or members so far; exact at the end, 0 for an empty container. */
  get items(): number {
    return this.#state[JSON_STATE.started] === 0 ? 0 : (this.#state[JSON_STATE.commas] ?? 0) + 1;
  }

  /** The deepest level seen: 1 for a flat container. */
  get maxDepth(): number {
    return this.#state[JSON_STATE.maxDepth] ?? 1;
  }
}

export interface JsonItemIndex extends SparseIndex {
  /** Position of the opening bracket. */
  readonly start: Bytes;
  /** Just past the closing bracket; the end of the source if it never closes. */
  readonly end: Bytes;
  readonly closed: boolean;
  /** The deepest level: 1 for a flat container. */
  readonly maxDepth: number;
}

/**
 * Counts the items of the container whose `[` or `{` is at `start`, with a checkpoint per chunk. Counts what is there
 * of an unclosed one.
 */
export function indexJsonItems(source: Source, start: Bytes, signal: AbortSignal): Promise<JsonItemIndex> {
  return keep(source, `json ${start}`, signal, async () => {
    const found = await sweep(source, 'json', start + 1, nestedStart(), signal);
    const commas = found.state[JSON_STATE.commas] ?? 0;
    const empty = commas === 0 && (await isEmpty(source, start + 1, found.end, found.closed));
    return {
      count: empty ? 0 : commas + 1,
      size: found.end,
      chunkBytes: found.chunkBytes,
      changed: found.changed,
      checkpoints: found.checkpoints,
      start,
      end: found.end,
      closed: found.closed,
      maxDepth: found.state[JSON_STATE.maxDepth] ?? 1,
    };
  });
}

async function isEmpty(source: Source, from: Bytes, end: Bytes, closed: boolean): Promise<boolean> {
  const first = await afterSpace(source, from, end);
  return first >= (closed ? end - 1 : end);
}

/**
 * Start of element or member `n` (1-based), after white space; past the last, the closing bracket (or `index.end` of an
 * unclosed container).
 */
export async function locateJsonItem(
  source: Source,
  index: JsonItemIndex,
  n: number,
  signal: AbortSignal,
): Promise<Bytes> {
  const close = index.closed ? index.end - 1 : index.end;
  const item = Math.floor(n);
  if (item > index.count) return close;
  if (!(item > 1)) return afterSpace(source, index.start + 1, index.end);
  const comma = await seekUnit(source, index, index.end, item - 1, signal);
  return comma === undefined ? close : afterSpace(source, comma, index.end);
}

async function afterSpace(source: Source, from: Bytes, end: Bytes): Promise<Bytes> {
  let position = from;
  let wanted = 64;
  while (position < end) {
    const bytes = await source.read(position, Math.min(wanted, end - position));
    if (bytes.length === 0) break;
    for (let i = 0; i < bytes.length; i++) if (!isSpace(bytes[i])) return position + i;
    position += bytes.length;
    wanted = 64 * 1024;
  }
  return position;
}
