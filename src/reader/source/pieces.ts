// A Source whose bytes are converted from another's, piece by piece.

import { type Bytes, largestFitting } from '../../contract/index.ts';
import { type Label, RandomAccess } from './random-access.ts';

/** UTF-8 converted from a file in another encoding, piece by piece; `pieces` maps ranges of one to the other. */
export class PieceSource extends RandomAccess {
  readonly size: Bytes;
  readonly #pieces: readonly Piece[];
  readonly #load: (piece: Piece) => Promise<Uint8Array>;
  readonly #key: () => Promise<string>;
  #held: { readonly piece: Piece; readonly bytes: Uint8Array } | undefined;

  constructor(
    label: Label,
    pieces: readonly Piece[],
    load: (piece: Piece) => Promise<Uint8Array>,
    key: () => Promise<string>,
  ) {
    super(label);
    const last = pieces.at(-1);
    this.size = last ? last.target + last.targetLength : 0;
    this.#pieces = pieces;
    this.#load = load;
    this.#key = key;
  }

  protected override fingerprint(): Promise<string> {
    return this.#key();
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    let filled = 0;
    while (filled < target.length && position + filled < this.size) {
      const piece = this.#at(position + filled);
      if (!piece) break;
      if (this.#held?.piece !== piece) this.#held = { piece, bytes: await this.#load(piece) };
      const from = position + filled - piece.target;
      const slice = this.#held.bytes.subarray(from, from + target.length - filled);
      if (slice.length === 0) break;
      target.set(slice, filled);
      filled += slice.length;
    }
    return filled;
  }

  #at(position: Bytes): Piece | undefined {
    const pieces = this.#pieces;
    return pieces[largestFitting(pieces.length - 1, (at) => (pieces[at]?.target ?? 0) <= position)];
  }
}

/** A range of a file that can be decoded independently: its position in the file, and that of its UTF-8. */
export interface Piece {
  readonly source: Bytes;
  readonly sourceLength: Bytes;
  readonly target: Bytes;
  readonly targetLength: Bytes;
}
