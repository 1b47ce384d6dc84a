// Searches one opened file after another: text as it is, documents and what is in archives as the reader converts them.
// Says what was not searched, and where the search ended.

import {
  type Extent,
  type OpenFile,
  plural,
  quoted,
  ReaderError,
  type TextPart,
  throwIfAborted,
  type WorkspaceLimits,
} from '../../contract/index.ts';
import type { Redactor } from '../../redact/index.ts';
import type { Folder, FolderEntry } from '../paths/folder.ts';
import type { SearchAnswer, SearchOptions } from '../workspace.ts';
import { ConvertedText } from './converted-text.ts';
import { Hits, type SearchedFile } from './hits.ts';
import type { SectionsOf } from './labels.ts';
import { type LinePlace, LineSearch, startOf } from './line-search.ts';
import { PartQueue } from './part-queue.ts';
import type { Pattern, SpanPattern } from './pattern.ts';
import { type Kept, printOf } from './search-place.ts';
import { type Decode, hasChanged, isPlainText, type SearchedText, searchedText } from './searched-text.ts';
import { SpanSearch } from './span-search.ts';

/** What a search needs besides its options. */
export interface SearchMeans {
  readonly limits: WorkspaceLimits;
  /** All text of a file that is not searched as it is, or of the place of an address. Without it such files are skipped. */
  readonly searchable?: (address: string, signal: AbortSignal, formulas: boolean) => AsyncIterable<TextPart>;
  /** How answers show files of this name; undefined if only the content tells. */
  readonly shownAs?: (name: string) => 'text' | 'converted' | 'without text' | undefined;
  /** What a match in a text file is in. Without it such matches have no label. */
  readonly sections?: SectionsOf;
  /** Replaces secrets, unless the options of a search name another; without either they are found and shown. */
  readonly redactor?: () => Redactor | undefined;
  /** Decodes text that is not UTF-8; without it only ASCII is found in such files. */
  readonly decode?: Decode;
}

/** A file, and what an address names in it: a file inside it, or a place. */
export interface Located {
  readonly file: OpenFile;
  readonly member?: string;
  readonly fragment?: string;
}

/** The texts of an opened file. */
export type Texts =
  | { readonly text: SearchedText; readonly note?: string; readonly close?: undefined }
  | { readonly parts: PartQueue; readonly part: Omit<Located, 'file'>; close(): Promise<void> };

/** A file and where the search of the workspace is. */
interface At {
  readonly file: OpenFile;
  readonly key: string;
  readonly after: string;
  readonly part?: Omit<Located, 'file'>;
}

/** Maximum number of skipped files named. */
const MAX_SKIPPED = 20;
const PROGRESS_MILLISECONDS = 100;
/** Milliseconds a search may block the event loop, apart from a single block. */
const BREATH_MILLISECONDS = 10;
/** Milliseconds spent on counting the matches that a limit leaves out. */
const COUNT_MILLISECONDS = 2000;
/** Smaller files are searched at once. */
const PEEKED_BYTES = 256 * 1024;
/** Where most files have a match, trying costs more than it saves. */
const MAX_VAIN = 20;
/** Converted text is searched in stretches of this many bytes. */
const STRETCH_BYTES = 8 * 1024 * 1024;

export class FileSearch {
  readonly hits: Hits;
  readonly #pattern: Pattern | SpanPattern;
  readonly #context: number;
  readonly #resume: Kept | undefined;
  readonly #options: SearchOptions;
  readonly #means: SearchMeans;
  readonly #signal: AbortSignal;
  readonly #redactor: Redactor | undefined;
  readonly #deadline: number;
  #fullAt: number | undefined;
  #hasMoved = false;
  readonly #skipped: { readonly path: string; readonly reason: string }[] = [];
  readonly #notes: string[] = [];
  #skippedCount = 0;
  readonly #legacy: string[] = [];
  #searched = 0;
  /** The last that was searched of a converted file. */
  #covered: Extent | undefined;
  #bytes = 0;
  #reported = 0;
  #breath = performance.now();
  #peeked: Buffer | undefined;
  /** How many more files had to be opened after all. */
  #vain = 0;

  constructor(
    pattern: Pattern | SpanPattern,
    resume: Kept | undefined,
    options: SearchOptions,
    means: SearchMeans,
    most: number,
  ) {
    this.hits = new Hits(most, options.count);
    this.#pattern = pattern;
    this.#context = options.count === undefined ? (options.context ?? 0) : 0;
    this.#resume = resume;
    this.#options = options;
    this.#means = means;
    this.#redactor = options.redactor ?? means.redactor?.();
    this.#signal = options.signal ?? new AbortController().signal;
    this.#deadline = performance.now() + means.limits.maxSearchMilliseconds;
  }

  /** Reads the start of an opened file, and starts its conversion. @throws {ReaderError} */
  async textsOf(file: OpenFile, part: Omit<Located, 'file'> = {}): Promise<Texts> {
    const { searchable, shownAs } = this.#means;
    const shown = shownAs?.(file.name);
    const { member, fragment } = part;
    const isWhole = member === undefined && fragment === undefined;
    const text = isWhole
      ? await searchedText(file, this.#signal, this.#means.decode, this.#redactor)
      : undefined;
    if (text && (shown !== 'converted' || !searchable)) return text;
    if (!searchable || (isWhole && shown === 'without text'))
      throw new ReaderError('UNSUPPORTED_FORMAT', 'The file has no text.', 'Read it to see what it is.');
    const address = `${pathIn(file, member)}${fragment === undefined ? '' : `#${fragment}`}`;
    const parts = new PartQueue(
      redactedParts(searchable(address, this.#signal, this.#options.formulas === true), this.#redactor),
    );
    return { parts, part, close: () => parts.close() };
  }

  /** True if a file was read and has no match. */
  async isWithout(folder: Folder, entry: FolderEntry): Promise<boolean> {
    const pattern = this.#pattern;
    if ('windowBytes' in pattern || !folder.peek || this.#vain > MAX_VAIN || this.#redactor) return false;
    const shown = this.#means.shownAs?.(entry.shown);
    if (shown !== undefined && shown !== 'text') return false;
    this.#peeked ??= Buffer.allocUnsafeSlow(PEEKED_BYTES);
    const bytes = await folder.peek(entry, this.#peeked);
    if (!bytes) return false;
    const isWithout = isPlainText(bytes) && !pattern.mayBeInBytes(bytes);
    this.#bytes += isWithout ? bytes.length : 0;
    await this.#breathe();
    this.#vain = Math.max(0, this.#vain + (isWithout ? -1 : 1));
    return isWithout;
  }

  /** Counts a file without a match. Where the answer ends, if it ends before it. */
  pass(after: string): Kept | undefined {
    if (this.#isLate()) {
      this.#noteStopped();
      return { after, inside: null };
    }
    this.#hasMoved = true;
    this.#searched += 1;
    return undefined;
  }

  /** Where the answer ends, if it ends in this file. @throws {ReaderError} */
  async search(file: OpenFile, key: string, after: string, texts: Texts): Promise<Kept | undefined> {
    if (this.#isLate()) {
      this.#noteStopped();
      return { after, inside: null };
    }
    const at = { file, key, after, ...('part' in texts && { part: texts.part }) };
    if ('parts' in texts) return await this.#searchParts(at, texts.parts);
    const { text, note } = texts;
    if (note !== undefined) this.#notes.push(`${quoted(file.name)}: ${note}.`);
    this.#searched += 1;
    if (text.legacy) this.#legacy.push(file.name);
    const end = await this.#searchText(text, this.#placeIn(at, startOf(text)), {
      path: file.name,
      converted: false,
      at: (place) => insideOf(at, place),
    });
    if (!end && !text.inMemory && (await hasChanged(file)))
      this.#notes.push(
        `${quoted(file.name)} changed while it was searched; its line numbers may have changed.`,
      );
    return end;
  }

  async #searchParts(at: At, parts: PartQueue): Promise<Kept | undefined> {
    const state: { text?: ConvertedText } = {};
    try {
      const end = await this.#searchEach(at, parts, state);
      if (end) return end;
    } catch (error) {
      throwIfAborted(this.#signal);
      if (!state.text) throw error;
      this.#notes.push(
        `${quoted(state.text.path)}: only the first part was searched, the rest could not be read: ${reasonOf(error)}.`,
      );
    }
    return await this.#searchConverted(at, state.text, true);
  }

  /** `state.text`: what has not been searched. */
  async #searchEach(at: At, parts: PartQueue, state: { text?: ConvertedText }): Promise<Kept | undefined> {
    const resumed = this.#resumedIn(at);
    let isPassed = resumed?.member === undefined;
    for await (const part of parts) {
      throwIfAborted(this.#signal);
      const { inside } = part;
      isPassed ||= inside?.path === resumed?.member;
      if (!isPassed) continue;
      if (inside?.failure) {
        const { code, message } = inside.failure;
        this.skip(pathInside(at, inside.path), new ReaderError(code, message, ''));
        continue;
      }
      if (!state.text || state.text.member !== inside?.path) {
        const end = await this.#searchConverted(at, state.text, true);
        if (end) return end;
        state.text = this.#textAt(at, part);
      }
      const { text } = state;
      text.add(part);
      if (!inside) [this.#covered] = part.shown;
      await this.#breathe();
      const isLate = text.hasMoved && this.#isPastDeadline();
      if (text.bytes < STRETCH_BYTES && !isLate) continue;
      const end = await this.#searchConverted(at, text, false);
      if (end) return end;
      if (!isLate || !text.isAhead) continue;
      this.#noteStopped(text.path, part);
      return this.#fileOf(at, text).at(text.place);
    }
    return undefined;
  }

  #textAt(at: At, { inside, shown: [first] }: TextPart): ConvertedText {
    this.#searched += 1;
    const { member: outer, fragment } = at.part ?? {};
    const path = inside ? pathInside(at, inside.path) : pathIn(at.file, outer);
    const resumed = this.#resumedIn(at);
    // A stretch of lines is numbered as in the file.
    const line = fragment !== undefined && first?.unit === 'line' ? first.from : 1;
    const start = { offset: 0, line, column: 0, seen: 0 };
    const place = resumed?.member === inside?.path ? this.#placeIn(at, start) : start;
    return new ConvertedText({ path, member: inside?.path, fragment }, line, place);
  }

  async #searchConverted(at: At, text: ConvertedText | undefined, isEnd: boolean): Promise<Kept | undefined> {
    if (!text) return undefined;
    const stretch = text.stretch(isEnd);
    const end = stretch && (await this.#searchText(stretch.text, stretch.place, this.#fileOf(at, text)));
    if (stretch) text.passed(stretch);
    return end;
  }

  #fileOf(at: At, text: ConvertedText): SearchedFile {
    // The path may end in a place, or in a name with `#`; either way it leads to the text.
    const isPlace = text.member === undefined && at.part?.member?.includes('#');
    return {
      path: text.path,
      fragment: text.fragment,
      converted: true,
      placeOf: (line, column) => (isPlace ? {} : text.placeOf(line, column)),
      ...(!isPlace && { around: (line: number) => text.around(line) }),
      at: (place) => insideOf(at, place, text.member),
    };
  }

  /** Unless it stopped because there are enough matches. */
  #noteStopped(path?: string, part?: TextPart): void {
    if (this.hits.isFull) return;
    const { unit, to, of } = part?.shown[0] ?? {};
    const at =
      unit === undefined || unit === 'byte' ? '' : ` at ${unit} ${to}${of === undefined ? '' : ` of ${of}`}`;
    const where = path === undefined ? '' : ` in ${quoted(path)}${at}`;
    this.#notes.push(
      `Stopped${where} after ${this.#means.limits.maxSearchMilliseconds} ms (limit \`maxSearchMilliseconds\`); continue with the cursor.`,
    );
  }

  async #searchText(text: SearchedText, place: LinePlace, file: SearchedFile): Promise<Kept | undefined> {
    const search =
      'windowBytes' in this.#pattern
        ? new SpanSearch(text, this.#pattern, place, this.#context)
        : new LineSearch(text, this.#pattern, place, this.#context);
    const before = file.at(place);
    while (!search.ended) {
      throwIfAborted(this.#signal);
      const { offset } = search.place;
      const { matches } = await search.step();
      this.#hasMoved = true;
      this.#bytes += search.place.offset - offset;
      for (const match of matches) this.hits.add(file, match, before);
      if (this.hits.isFull) this.#fullAt ??= performance.now();
      await this.#breathe();
      if (search.ended || !this.#isLate()) continue;
      this.#noteStopped(file.path);
      return file.at(search.place);
    }
    this.#noteLongLines(file.path, search);
    return undefined;
  }

  #isLate(): boolean {
    // Every answer continues beyond the one before.
    return this.#hasMoved && this.#isPastDeadline();
  }

  #isPastDeadline(): boolean {
    const now = performance.now();
    return now >= this.#deadline || (this.#fullAt !== undefined && now >= this.#fullAt + COUNT_MILLISECONDS);
  }

  #noteLongLines(path: string, search: LineSearch | SpanSearch): void {
    if ('windowBytes' in this.#pattern) {
      if (search.hasLongLines)
        this.#notes.push(`${quoted(path)} has very long lines, which were not searched.`);
      return;
    }
    if (search.hasLongLines)
      this.#notes.push(
        `${quoted(path)} has very long lines, which were searched in parts: very long matches may have been missed.`,
      );
    if (search.lacksContext)
      this.#notes.push(`${quoted(path)} has matches in very long lines; their context lines are left out.`);
  }

  #resumedIn({ file, key }: At): NonNullable<Kept['inside']> | undefined {
    const inside = this.#resume?.inside;
    return inside?.key === key && inside.print === printOf(file) ? inside : undefined;
  }

  /** Where the previous answer ended in this file, if it did. */
  #placeIn({ file, key }: At, start: LinePlace): LinePlace {
    const inside = this.#resume?.inside;
    if (!inside || inside.key !== key) return start;
    if (inside.print === printOf(file)) {
      const { offset, line, column, seen } = inside;
      return { offset: Math.max(start.offset, offset), line, column, seen };
    }
    this.#notes.push(
      `${quoted(file.name)} changed since the previous answer; lines after ${inside.seen} were searched in its current version.`,
    );
    return { ...start, seen: inside.seen };
  }

  /** Names a file that is not searched. */
  skip(path: string, error: unknown): void {
    const reason = reasonOf(error);
    this.#skippedCount += 1;
    if (this.#skipped.length >= MAX_SKIPPED) {
      // A file that may hold what is looked for is named in place of a binary one.
      const last = this.#skipped.findLastIndex((one) => one.reason === BINARY);
      if (last < 0 || reason === BINARY) return;
      this.#skipped.splice(last, 1);
    }
    this.#skipped.push({ path, reason });
  }

  coverage(): Pick<SearchAnswer, 'searched' | 'covered' | 'skipped' | 'skippedCount'> {
    const { unit, to, of, name } = this.#covered ?? {};
    // The rows of one of several tables say nothing of the others.
    const isOne = this.#searched === 1 && unit !== undefined && to !== undefined && name === undefined;
    return {
      searched: this.#searched,
      ...(isOne && { covered: { unit, from: 1, to, ...(of !== undefined && { of }) } }),
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
    };
  }

  notes(query: string): readonly string[] {
    const [legacy] = this.#legacy;
    if (legacy === undefined || !NOT_ASCII.test(query)) return this.#notes;
    return [
      `Non-ASCII characters are not found in files that are not UTF-8: ${plural(this.#legacy.length, 'file')}, first ${quoted(legacy)}. Search for an ASCII part, or read the file.`,
      ...this.#notes,
    ];
  }

  /** Yields to the event loop and reports progress. */
  async #breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.#breath >= BREATH_MILLISECONDS) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#breath = performance.now();
    }
    if (now - this.#reported < PROGRESS_MILLISECONDS) return;
    this.#reported = now;
    this.#options.onProgress?.({ files: this.#searched, bytes: this.#bytes });
  }
}

async function* redactedParts(
  parts: AsyncIterable<TextPart>,
  redactor: Redactor | undefined,
): AsyncGenerator<TextPart> {
  for await (const part of parts) yield redactor ? { ...part, text: redactor.text(part.text) } : part;
}

const NOT_ASCII = /[^\0-\x7f]/;

const pathIn = ({ name }: OpenFile, member: string | undefined): string =>
  member === undefined ? name : `${name}!/${member}`;

/** The path of a file inside the searched one, or inside the folder of an archive that is searched. */
function pathInside({ file, part: { member } = {} }: At, path: string): string {
  const folder = member?.slice(member.lastIndexOf('!/') + 1).replace(/^\/|\/$/g, '') ?? '';
  if (member === undefined || folder === '' || !path.startsWith(`${folder}/`))
    return `${pathIn(file, member)}!/${path}`;
  const outer = member.slice(0, member.lastIndexOf(folder));
  return pathIn(file, outer + path);
}

function insideOf({ file, key, after }: At, place: LinePlace, member?: string): Kept {
  return {
    after,
    inside: { key, print: printOf(file), ...place, ...(member !== undefined && { member }) },
  };
}

const BINARY = 'binary';
/** Why a file could not be searched. */
const REASONS: Readonly<Partial<Record<ReaderError['code'], string>>> = {
  FILE_NOT_FOUND: 'it no longer exists',
  ACCESS_DENIED: 'permission was denied',
  NOT_A_FILE: 'it is no longer a file',
  BUSY: 'too many files are open',
  CONFLICT: 'it changed while it was searched',
  UNSUPPORTED_FORMAT: BINARY,
  ENCRYPTED_FILE: 'protected by a password',
  WRONG_PASSWORD: 'protected by a password',
  CORRUPT_FILE: 'damaged',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof ReaderError)) return 'it could not be read to its end';
  return REASONS[error.code] ?? error.message.replace(/\.$/, '');
}
