// The converted text of a file, searched in stretches while the rest is still being converted.

import { newlinesIn, type TextPart } from '../../contract/index.ts';
import { type HitPlace, HitPlaces } from './hit-place.ts';
import type { LinePlace } from './line-search.ts';
import { inMemoryText, type SearchedText } from './searched-text.ts';

/** What has been converted of a text and not been searched. */
export class ConvertedText {
  readonly path: string;
  /** Path of the file inside the opened one. */
  readonly member: string | undefined;
  /** The place in the file that is searched. */
  readonly fragment: string | undefined;
  readonly #places: HitPlaces;
  readonly #from: LinePlace;
  #parts: Buffer[] = [];
  /** Bytes before `#parts` that were dropped, and the lines before it. */
  #dropped: { readonly bytes: number; readonly lines: number };
  bytes = 0;
  #lines = 0;
  place: LinePlace;

  /** `line`: number of its first line; `from`: where its search begins. */
  constructor(
    { path, member, fragment }: Pick<ConvertedText, 'path' | 'member' | 'fragment'>,
    line: number,
    from: LinePlace,
  ) {
    this.path = path;
    this.member = member;
    this.fragment = fragment;
    this.#places = new HitPlaces(fragment !== undefined);
    this.#from = from;
    this.#dropped = { bytes: 0, lines: line - 1 };
    this.place = from;
  }

  add(part: TextPart): void {
    const bytes = Buffer.from(part.text, 'utf8');
    this.#places.add(part, this.#dropped.lines + this.#lines + 1);
    this.#parts.push(bytes);
    this.bytes += bytes.length;
    this.#lines += newlinesIn(part.text);
  }

  /** There is text behind the place where the search began. */
  get hasMoved(): boolean {
    return this.#dropped.bytes + this.bytes > this.#from.offset;
  }

  /** More has been searched than where its search began. */
  get isAhead(): boolean {
    return this.place.offset > this.#from.offset;
  }

  placeOf(line: number, column: number): HitPlace {
    return this.#places.of(line, column);
  }

  around(line: number): ReturnType<HitPlaces['around']> {
    return this.#places.around(line);
  }

  /** The text to search now: up to its last line end, unless it ends here. */
  stretch(isEnd: boolean): Stretch | undefined {
    const whole = Buffer.concat(this.#parts);
    const end = isEnd ? whole.length : whole.lastIndexOf(10) + 1;
    if (this.#dropped.bytes + end <= this.place.offset) return undefined;
    return {
      text: inMemoryText(whole.subarray(0, end), this.#dropped.bytes),
      place: this.place,
      rest: whole.subarray(end),
      end: this.#dropped.bytes + end,
    };
  }

  /** Forgets a stretch that was searched. */
  passed({ rest, end }: Stretch): void {
    const lines = this.#lines - newlinesIn(rest.toString('utf8'));
    this.#dropped = { bytes: end, lines: this.#dropped.lines + lines };
    this.#lines -= lines;
    this.#parts = [rest];
    this.bytes = rest.length;
    this.place = { offset: end, line: this.#dropped.lines + 1, column: 0, seen: this.place.seen };
    this.#places.passed(this.#dropped.lines + 1);
  }
}

interface Stretch {
  readonly text: SearchedText;
  readonly place: LinePlace;
  readonly rest: Buffer;
  /** Offset of its end. */
  readonly end: number;
}
