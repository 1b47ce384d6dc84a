// Skips XML elements at scan speed, counting their children exactly. Validates nothing: any end tag ends any element,
// and no names are read.

import type { Bytes, Source } from '../contract/index.ts';
import { keep } from './kept.ts';
import { skip } from './skip.ts';
import { type SparseIndex, seekUnit, sweep } from './sparse-index.ts';
import { nestedStart, XML_STATE } from './state.ts';

/**
 * Skips one element after another, each pushed in chunks of any size. Respects comments, CDATA sections, processing
 * instructions and quoted attributes.
 */
export class XmlSkipper {
  #state: Float64Array = nestedStart();

  /** Call just after the `>` of a start tag that is not self-closing. */
  begin(): void {
    this.#state = nestedStart();
  }

  /** @returns the index just past the matching end tag, or -1 if `bytes` does not contain it */
  push(bytes: Uint8Array, from: number): number {
    return skip({ pass: 'xml', state: this.#state, bytes, from });
  }

  /** Direct child elements so far. */
  get children(): number {
    return this.#state[XML_STATE.children] ?? 0;
  }

  /** Elements at every depth so far. */
  get elements(): number {
    return this.#state[XML_STATE.elements] ?? 0;
  }

  /** The deepest level seen: 1 for an element without children. */
  get maxDepth(): number {
    return this.#state[XML_STATE.maxDepth] ?? 1;
  }
}

export interface XmlChildIndex extends SparseIndex {
  /** Just past the start tag. */
  readonly start: Bytes;
  /** Just past the end tag; the end of the source if there is none. */
  readonly end: Bytes;
  readonly closed: boolean;
  /** Elements at every depth. */
  readonly elements: number;
  /** The deepest level: 1 for an element without children. */
  readonly maxDepth: number;
}

/** Counts the children of the element whose start tag ends just before `start`, with a checkpoint per chunk. */
export function indexXmlChildren(source: Source, start: Bytes, signal: AbortSignal): Promise<XmlChildIndex> {
  return keep(source, `xml ${start}`, signal, async () => {
    const found = await sweep(source, 'xml', start, nestedStart(), signal);
    return {
      count: found.state[XML_STATE.children] ?? 0,
      size: found.end,
      chunkBytes: found.chunkBytes,
      changed: found.changed,
      checkpoints: found.checkpoints,
      start,
      end: found.end,
      closed: found.closed,
      elements: found.state[XML_STATE.elements] ?? 0,
      maxDepth: found.state[XML_STATE.maxDepth] ?? 1,
    };
  });
}

/** Position of the `<` of child `n` (1-based); past the last, `index.end`. */
export async function locateXmlChild(
  source: Source,
  index: XmlChildIndex,
  n: number,
  signal: AbortSignal,
): Promise<Bytes> {
  const child = Math.max(1, Math.floor(n) || 1);
  if (child > index.count) return index.end;
  const past = await seekUnit(source, index, index.end, child, signal);
  return past === undefined ? index.end : past - 2;
}
