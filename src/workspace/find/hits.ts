// What a search has found: matches with their places, counts by file and by text, and the cursors to go on from each.

import { printAddress } from '../../address/index.ts';
import type { Match, SearchAnswer } from '../workspace.ts';
import type { HitPlace } from './hit-place.ts';
import { detached, type LineMatch, type LinePlace } from './line-search.ts';
import type { Kept } from './search-place.ts';

/** The text that is searched: a file, or one inside it. */
export interface SearchedFile {
  readonly path: string;
  /** The place in it that is searched, percent-encoded. */
  readonly fragment?: string | undefined;
  readonly converted: boolean;
  /** What a line of it is called; undefined if it is a line of the file. */
  placeOf?(line: number, column: number): HitPlace;
  /** Lines of context that belong to the line a place was asked of last. */
  around?(line: number): { readonly before: number; readonly after: number };
  /** Where the search goes on at a place of its text. */
  at(place: LinePlace): Kept;
}

const MAX_FILES = 10_000;
const MAX_GROUPS = 10_000;

/** Collects matches up to a limit, and counts the others. */
export class Hits {
  readonly #most: number;
  readonly #count: 'files' | 'groups' | undefined;
  readonly #matches: Match[] = [];
  /** Where to go on behind each match. */
  readonly #ends: Kept[] = [];
  readonly #files: { readonly path: string; matches: number; readonly before: Kept }[] = [];
  readonly #groups = new Map<string, number>();
  #total = 0;
  #fileCount = 0;
  #last: { readonly path: string; readonly line: number } | undefined;
  /** More has matched than is kept. */
  isCut = false;

  constructor(most: number, count: 'files' | 'groups' | undefined) {
    this.#most = most;
    this.#count = count;
  }

  get isFull(): boolean {
    return this.#count === undefined && this.#matches.length >= this.#most;
  }

  /** `before`: where the search of the file begins. */
  add(file: SearchedFile, { resume, found, ...match }: LineMatch, before: Kept): void {
    // A very long line is searched in parts.
    const isNewLine = this.#last?.path !== file.path || this.#last.line !== match.line;
    if (isNewLine) this.#tally(file.path, before);
    this.#last = { path: file.path, line: match.line };
    if (this.#count === 'groups') this.#group(found);
    if (this.#count !== undefined) return;
    if (this.isFull) {
      this.isCut = true;
      return;
    }
    const { place, unit, label } = this.#placeOf(file, match);
    this.#matches.push({
      path: file.path,
      address: place ? printAddress(file.path, place, unit) : addressOf(file),
      ...(label !== undefined && { label }),
      ...match,
      ...contextIn(file, match),
      ...(file.converted && { converted: true as const }),
    });
    this.#ends.push(file.at(resume));
  }

  #placeOf(file: SearchedFile, { line, column }: Pick<Match, 'line' | 'column'>): HitPlace {
    return file.placeOf?.(line, column) ?? { place: { lines: `${line}` } };
  }

  #tally(path: string, before: Kept): void {
    this.#total += 1;
    const file = this.#files.at(-1);
    if (file?.path === path) file.matches += 1;
    else {
      this.#fileCount += 1;
      if (this.#files.length < MAX_FILES) this.#files.push({ path, matches: 1, before });
    }
  }

  #group(found: LineMatch['found']): void {
    for (const { text } of found) {
      const known = this.#groups.get(text);
      if (known !== undefined) this.#groups.set(text, known + 1);
      else if (this.#groups.size < MAX_GROUPS) this.#groups.set(detached(text), 1);
      else this.isCut = true;
    }
  }

  /** `end`: where the search stopped before the end; `print` writes a cursor. */
  answer(
    end: Kept | undefined,
    print: (kept: Kept) => string,
  ): Omit<SearchAnswer, 'searched' | 'skipped' | 'skippedCount' | 'notes'> {
    const printed = (kept: Kept | undefined): string | null => (kept ? print(kept) : null);
    const last = this.isCut && this.#count === undefined ? this.#ends.at(-1) : end;
    const files = this.#files.map(({ path, matches }) => ({ path, matches }));
    return {
      matches: this.#matches,
      total: { matches: this.#total, files: this.#fileCount, isExact: end === undefined },
      files,
      ...(this.#count === 'groups' && { groups: sorted(this.#groups) }),
      next: printed(last),
      cursorAfter: (count) =>
        printed(count >= this.#matches.length ? last : (this.#ends[count - 1] ?? this.#files[0]?.before)),
      cursorAtFile: (index) => printed(index >= files.length ? end : this.#files[index]?.before),
    };
  }
}

/** The context of a match without lines of another page, slide or sheet. */
function contextIn(
  file: SearchedFile,
  { line, before, after, continued = 0 }: Pick<Match, 'line' | 'before' | 'after' | 'continued'>,
): Pick<Match, 'before' | 'after'> {
  const around = before || after ? file.around?.(line) : undefined;
  if (!around) return {};
  return {
    ...(before && { before: before.slice(Math.max(0, before.length - around.before)) }),
    ...(after && { after: after.slice(0, Math.max(continued, around.after)) }),
  };
}

const addressOf = ({ path, fragment }: SearchedFile): string =>
  fragment === undefined ? path : `${path}#${fragment}`;

function sorted(groups: ReadonlyMap<string, number>): { readonly text: string; readonly count: number }[] {
  return [...groups]
    .map(([text, count]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}
