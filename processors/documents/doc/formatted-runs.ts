// Which formatting belongs to which bytes of the text: pages of 512 bytes that list runs and their property modifiers
// ([MS-DOC] 2.9.33 ChpxFkp, 2.9.175 PapxFkp), found by an index of pages ([MS-DOC] 2.8.5, 2.8.6).

import { countBefore } from '../../../src/contract/index.ts';
import { u8, u16, u32 } from '../office97/bytes.ts';
import { Plex } from './plex.ts';

/** The formatting at a place in the stream. */
export interface FormattedRun {
  /** Where the run ends in the stream; always after the place asked for. */
  readonly end: number;
  /** Place of the modifiers in the stream, which identifies them; -1 if there are none. */
  readonly id: number;
  readonly modifiers: Buffer;
}

const PAGE = 512;
const NONE = Buffer.alloc(0);
/** Data of a paragraph's entry in a page: an offset, and what Word keeps there for layout. */
const PARAGRAPH_ENTRY = 13;

/** The runs of one kind. */
export class FormattedRuns {
  readonly #word: Buffer;
  readonly #pages: Plex;
  readonly #isParagraph: boolean;
  /** Places asked for one after the other are often in one run. */
  #last: { readonly place: number; readonly run: FormattedRun } | undefined;

  constructor(word: Buffer, index: Buffer, kind: 'characters' | 'paragraphs') {
    this.#word = word;
    this.#pages = new Plex(index, 4);
    this.#isParagraph = kind === 'paragraphs';
  }

  /** The run that contains the byte at `place`. For paragraphs the modifiers follow two bytes with the style. */
  at(place: number): FormattedRun {
    const last = this.#last;
    if (last && place >= last.place && place < last.run.end) return last.run;
    const run = this.#find(place);
    this.#last = { place, run };
    return run;
  }

  #find(place: number): FormattedRun {
    const index = this.#pages.find(place);
    const limit = Math.max(
      place + 1,
      index < this.#pages.count ? this.#pages.position(index + 1) : place + 1,
    );
    if (index < 0 || index >= this.#pages.count)
      return { end: Number.MAX_SAFE_INTEGER, id: -1, modifiers: NONE };
    const page = (u32(this.#pages.data(index), 0) & 0x3fffff) * PAGE;
    const bytes = this.#word.subarray(page, page + PAGE);
    if (bytes.length < PAGE) return { end: limit, id: -1, modifiers: NONE };
    const entry = this.#isParagraph ? PARAGRAPH_ENTRY : 1;
    const count = Math.min(u8(bytes, PAGE - 1), Math.floor((PAGE - 5) / (4 + entry)));
    const next = countBefore(count, (at) => u32(bytes, at * 4) <= place);
    const run = next - 1;
    const end = u32(bytes, next * 4);
    if (run < 0 || end <= place)
      return { end: run < 0 && end > place ? end : limit, id: -1, modifiers: NONE };
    const offset = u8(bytes, (count + 1) * 4 + run * entry) * 2;
    if (offset === 0) return { end, id: -1, modifiers: NONE };
    return { end, id: page + offset, modifiers: this.#modifiers(bytes, offset) };
  }

  #modifiers(page: Buffer, offset: number): Buffer {
    const length = u8(page, offset);
    if (!this.#isParagraph) return page.subarray(offset + 1, Math.min(PAGE - 1, offset + 1 + length));
    // Words rather than bytes; a zero announces a second length ([MS-DOC] 2.9.176).
    return length === 0
      ? page.subarray(offset + 2, Math.min(PAGE - 1, offset + 2 + u8(page, offset + 1) * 2))
      : page.subarray(offset + 1, Math.min(PAGE - 1, offset + length * 2));
  }
}

/** The style number at the start of a paragraph's modifiers. */
export const styleOf = (modifiers: Buffer): number => u16(modifiers, 0);
