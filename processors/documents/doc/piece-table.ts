// The text of a Word file ([MS-DOC] 2.4.1): pieces of the stream, in one byte or two per character, in reading order.
// A piece may change the formatting of its text, as fast saves do.

import { countBefore } from '../../../src/contract/index.ts';
import { decodeStandard } from '../../../src/encoding/index.ts';
import { u16, u32 } from '../office97/bytes.ts';
import { Plex } from './plex.ts';
import { shortSprm } from './sprm.ts';

/** A stretch of text. `from` and `to` are character positions, `at` is its place in the stream. */
export interface TextPiece {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** Bytes per character. */
  readonly width: 1 | 2;
  /** Property modifiers for all of its text. */
  readonly changes: Buffer;
}

/** All text of the file; a character's position is its index. */
export class PieceTable {
  readonly text: string;
  /** True if text is missing from the file. */
  readonly broken: boolean;
  readonly #pieces: readonly TextPiece[];

  constructor(pieces: readonly TextPiece[], word: Buffer) {
    const texts: string[] = [];
    const kept: TextPiece[] = [];
    let broken = pieces.length === 0;
    // Pieces do not overlap, so that there are no more characters than bytes.
    let room = word.length;
    for (const piece of pieces) {
      const stated = piece.to - piece.from;
      const length = Math.min(stated, room, Math.max(0, Math.floor((word.length - piece.at) / piece.width)));
      if (length < stated) broken = true;
      room -= length;
      texts.push(decoded(word.subarray(piece.at, piece.at + length * piece.width), piece.width));
      kept.push({ ...piece, to: piece.from + length });
      // The positions of everything after missing text are unknown.
      if (length < stated) break;
    }
    this.text = texts.join('');
    this.broken = broken;
    this.#pieces = kept;
  }

  /** The piece with the character at that position. */
  at(position: number): TextPiece | undefined {
    const before = countBefore(this.#pieces.length, (at) => (this.#pieces[at]?.to ?? 0) <= position);
    const piece = this.#pieces[before];
    return piece && piece.from <= position ? piece : undefined;
  }
}

/** Text in two bytes per character, or in one ([MS-DOC] 2.9.73, and code page 1252 for those it leaves out). */
const decoded = (bytes: Buffer, width: 1 | 2): string =>
  width === 2 ? bytes.toString('utf16le') : (decodeStandard(bytes, 'windows-1252') ?? '');

const NO_CHANGES = Buffer.alloc(0);

/**
 * The pieces listed in the `Clx` structure ([MS-DOC] 2.9.38); empty if it is damaged. Positions start at 0 and rise
 * without gaps.
 */
export function readPieces(clx: Buffer): TextPiece[] {
  const modifiers: Buffer[] = [];
  let at = 0;
  while (clx[at] === 1) {
    const length = u16(clx, at + 1);
    modifiers.push(clx.subarray(at + 3, at + 3 + length));
    at += 3 + length;
  }
  if (clx[at] !== 2) return [];
  const plex = new Plex(clx.subarray(at + 5, at + 5 + u32(clx, at + 1)), 8);
  const pieces: TextPiece[] = [];
  let from = 0;
  for (let index = 0; index < plex.count; index += 1) {
    const to = plex.position(index + 1);
    if (plex.position(index) !== from || to < from) break;
    const data = plex.data(index);
    const place = u32(data, 2);
    const narrow = (place & 0x40000000) !== 0;
    const offset = place & 0x3fffffff;
    if (to > from)
      pieces.push({
        from,
        to,
        at: narrow ? offset >> 1 : offset,
        width: narrow ? 1 : 2,
        changes: changesOf(u16(data, 6), modifiers),
      });
    from = to;
  }
  return pieces;
}

/** The modifiers a piece refers to ([MS-DOC] 2.9.213, Prm): one in short form, or a list by number. */
function changesOf(reference: number, modifiers: readonly Buffer[]): Buffer {
  if (reference === 0) return NO_CHANGES;
  return (reference & 1) === 1
    ? (modifiers[reference >> 1] ?? NO_CHANGES)
    : shortSprm((reference >> 1) & 0x7f, reference >> 8);
}
