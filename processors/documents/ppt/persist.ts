// Where the objects of a presentation are ([MS-PPT] 2.3): each save appends what changed and a directory of objects, so
// that the newest place of each object counts.

import { u32 } from '../office97/bytes.ts';
import { type ArtRecord, recordsIn } from '../office97/records.ts';
import { RECORD } from './record-types.ts';

const MAX_EDITS = 10_000;
const MAX_OBJECTS = 1_000_000;

/** The objects of the stream by id. */
export class PersistDirectory {
  /** Id of the document's own record. */
  readonly document: number;
  /** True if the presentation is encrypted: the last edit refers to a key ([MS-PPT] 2.3.3). */
  readonly isEncrypted: boolean;
  readonly #bytes: Buffer;
  readonly #places = new Map<number, number>();

  /** `newest`: place of the last edit. */
  constructor(bytes: Buffer, newest: number) {
    this.#bytes = bytes;
    let document = 0;
    let isEncrypted = false;
    const seen = new Set<number>();
    for (let at = newest; !seen.has(at) && seen.size < MAX_EDITS; ) {
      seen.add(at);
      const edit = recordAt(bytes, at);
      if (edit?.type !== RECORD.userEdit) break;
      if (seen.size === 1) {
        document = u32(bytes, edit.from + 16);
        isEncrypted = edit.to - edit.from >= 32 && u32(bytes, edit.from + 28) !== 0;
      }
      this.#readDirectory(u32(bytes, edit.from + 12));
      at = u32(bytes, edit.from + 8);
      // An offset of 0 ends the chain.
      if (at === 0) break;
    }
    this.document = document;
    this.isEncrypted = isEncrypted;
  }

  /** The record of an object. */
  get(id: number): ArtRecord | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : recordAt(this.#bytes, place);
  }

  /** Runs of ids, each with the places of its objects ([MS-PPT] 2.3.4). */
  #readDirectory(place: number): void {
    const directory = recordAt(this.#bytes, place);
    if (directory?.type !== RECORD.persistDirectory) return;
    for (let at = directory.from; at + 4 <= directory.to; ) {
      const head = u32(this.#bytes, at);
      const first = head & 0xfffff;
      const count = Math.min(head >>> 20, Math.floor((directory.to - at - 4) / 4));
      for (let index = 0; index < count && this.#places.size < MAX_OBJECTS; index += 1)
        // Edits are read from the newest on.
        if (!this.#places.has(first + index))
          this.#places.set(first + index, u32(this.#bytes, at + 4 + index * 4));
      at += 4 + (head >>> 20) * 4;
    }
  }
}

function recordAt(bytes: Buffer, at: number): ArtRecord | undefined {
  for (const record of recordsIn(bytes, at)) return record;
  return undefined;
}
