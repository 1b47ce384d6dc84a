// Searches the files of a workspace in byte order of their paths. Time, memory and answer size are bounded, and a
// cursor resumes where an answer ended. Files that cannot be searched are reported.

import {
  type Bytes,
  closeFile,
  errnoOf,
  isCount,
  type OpenFile,
  plural,
  quoted,
  ReaderError,
  throwIfAborted,
  type WorkspaceLimits,
} from '../../contract/index.ts';
import type { FileTree } from '../paths/file-tree.ts';
import type { Folder } from '../paths/folder.ts';
import type { Match, SearchAnswer, SearchOptions } from '../workspace.ts';
import { compileGlob } from './glob.ts';
import { type LineMatch, type LinePlace, LineSearch, startOf } from './line-search.ts';
import { resultsAtMost } from './listing.ts';
import {
  compilePattern,
  compileSpans,
  looksLikeRegex,
  type Pattern,
  type SpanPattern,
  whyNoExpression,
} from './pattern.ts';
import { type Kept, keptIn, printOf, wordsOf } from './search-place.ts';
import { type Decode, hasChanged, type Searched, searchedText, type TextOf } from './searched-text.ts';
import { SpanSearch } from './span-search.ts';
import { Tree } from './tree.ts';
import { writeTreeCursor } from './tree-cursor.ts';

/** What a search needs besides its options. */
export interface SearchMeans {
  readonly limits: WorkspaceLimits;
  /** Text of documents read before; without it they are skipped. */
  readonly textOf?: TextOf;
  /** Decodes text that is not UTF-8; without it only ASCII is found in such files. */
  readonly decode?: Decode;
}

/** Maximum lines of context. */
const MAX_CONTEXT = 20;
/** Maximum number of skipped files named. */
const MAX_SKIPPED = 20;
const PROGRESS_MILLISECONDS = 100;
/** Milliseconds a search may block the event loop, apart from a single block. */
const BREATH_MILLISECONDS = 10;

/**
 * Lines that contain or match `query`.
 * @throws {ReaderError} BAD_INPUT for an invalid query or option, STALE_CURSOR, ABORTED; as `FileTree.openFile` for `path`
 */
export async function searchFiles(
  root: FileTree,
  query: string,
  options: SearchOptions,
  means: SearchMeans,
): Promise<SearchAnswer> {
  const {
    regex = false,
    multiline = false,
    caseSensitive = true,
    context = 0,
    path = '',
    ignore = true,
  } = options;
  if (!isCount(context, MAX_CONTEXT))
    throw new ReaderError(
      'BAD_INPUT',
      `\`context\` is ${quoted(String(context))}; expected 0 to ${MAX_CONTEXT} lines.`,
      'To see more, read the file around the match.',
    );
  const most = resultsAtMost(options.limit, means.limits.maxMatches);
  const glob = options.glob === undefined ? undefined : compileGlob(options.glob, root.mount, root.host);
  const exclude =
    options.exclude === undefined ? undefined : compileGlob(options.exclude, root.mount, root.host);
  const pattern = multiline
    ? await compileSpans(query, { regex, caseSensitive })
    : await compilePattern(query, { regex, caseSensitive });
  const question = [
    query,
    regex,
    ...(multiline ? [true] : []),
    ...(options.exclude === undefined ? [] : [options.exclude]),
    caseSensitive,
    path,
    options.glob ?? null,
    ignore,
  ];
  const kept = options.cursor === undefined ? undefined : keptIn(options.cursor, question);
  const search = new Search(pattern, context, most, kept, options, means);

  const start = await folderAt(root, path);
  if (!start) {
    const over = performance.now() + means.limits.maxSearchMilliseconds;
    await search.file(await root.openFile(path), () => performance.now() >= over);
  } else
    try {
      const tree = new Tree(root, start, {
        ...(glob && { mayEnter: (folder: string) => glob.mayEnter(folder) }),
        ...(kept && { after: kept.after }),
        ignore,
        limits: means.limits,
        signal: search.signal,
      });
      await search.tree(tree, (plain) => (glob?.matches(plain) ?? true) && !exclude?.matches(plain));
    } finally {
      await start.close();
    }
  return await search.answer(question, query, regex);
}

/** The folder at `path`; undefined if it is not a folder. */
async function folderAt(root: FileTree, path: string): Promise<Folder | undefined> {
  try {
    return await root.openFolder(path);
  } catch (error) {
    if (error instanceof ReaderError && ['NOT_A_FOLDER', 'NOT_A_FILE'].includes(error.code)) return undefined;
    throw error;
  }
}

/** An opened file, or the error from opening it. */
type Prepared =
  | { readonly opened: OpenFile; readonly searched: Searched }
  | { readonly opened: OpenFile | undefined; readonly error: unknown };

const closed = async ({ opened }: Prepared): Promise<void> => {
  if (opened) await closeFile(opened);
};

/** A file being opened ahead. */
interface Ahead {
  readonly path: string;
  readonly key: string;
  /** `key` of the entry before it in the walk. */
  readonly after: string;
  readonly file: Promise<Prepared>;
}

/** Number of files opened ahead; each holds up to 256 KiB. */
const FILES_AHEAD = 4;

class Search {
  readonly signal: AbortSignal;
  readonly #pattern: Pattern | SpanPattern;
  readonly #context: number;
  readonly #most: number;
  readonly #resume: Kept | undefined;
  readonly #options: SearchOptions;
  readonly #means: SearchMeans;
  readonly #matches: Match[] = [];
  readonly #skipped: { readonly path: string; readonly reason: string }[] = [];
  readonly #notes: string[] = [];
  #skippedCount = 0;
  readonly #legacy: string[] = [];
  #links = 0;
  #searched = 0;
  #bytes: Bytes = 0;
  #after: string;
  #next: Kept | undefined;
  #told = 0;
  #breath = performance.now();

  constructor(
    pattern: Pattern | SpanPattern,
    context: number,
    most: number,
    resume: Kept | undefined,
    options: SearchOptions,
    means: SearchMeans,
  ) {
    this.signal = options.signal ?? new AbortController().signal;
    this.#pattern = pattern;
    this.#context = context;
    this.#most = most;
    this.#resume = resume;
    this.#options = options;
    this.#means = means;
    this.#after = resume?.after ?? '';
  }

  async tree(tree: Tree, isWanted: (plain: string) => boolean): Promise<void> {
    // Open the next files during the search: waiting for the system takes longer than searching.
    const ahead: Ahead[] = [];
    try {
      for await (const { key, path, plain, entry, folder } of tree) {
        if (!isWanted(plain)) continue;
        if (entry.kind === 'link') this.#links += 1;
        if (entry.kind !== 'file') continue;
        ahead.push({ path, key, after: tree.place, file: this.#prepared(() => folder.openFile(entry)) });
        if (ahead.length >= FILES_AHEAD && !(await this.#takeNext(ahead, tree))) return;
      }
      while (ahead.length > 0) if (!(await this.#takeNext(ahead, tree))) return;
      if (tree.end !== undefined) {
        this.#next = { after: tree.place, inside: null };
        this.#notes.push(tree.end);
      }
    } finally {
      for (const { file } of ahead) await closed(await file);
      this.#notes.push(...tree.notes);
      if (this.#links > 0)
        this.#notes.push(
          `${plural(this.#links, 'link')} not followed; pass one as the path to search its target.`,
        );
    }
  }

  async #takeNext(ahead: Ahead[], tree: Tree): Promise<boolean> {
    const first = ahead.shift();
    if (!first) return true;
    this.#after = first.after;
    return await this.#search(first.path, first.key, await first.file, () => tree.late);
  }

  /** Searches a file and closes it. */
  async file(file: OpenFile, isLate: () => boolean): Promise<void> {
    await this.#search(file.name, '', await this.#prepared(async () => file), isLate);
  }

  /** Opens a file and reads its start. Never rejects, because nobody may be awaiting it. */
  async #prepared(open: () => Promise<OpenFile>): Promise<Prepared> {
    let opened: OpenFile | undefined;
    try {
      opened = await open();
      return { opened, searched: await searchedText(opened, this.signal, this.#means) };
    } catch (error) {
      return { opened, error };
    }
  }

  /** False if the answer ends in this file. */
  async #search(path: string, key: string, prepared: Prepared, isLate: () => boolean): Promise<boolean> {
    try {
      if ('error' in prepared) throw prepared.error;
      return await this.#searchOpen(prepared.opened, prepared.searched, key, isLate);
    } catch (error) {
      throwIfAborted(this.signal);
      if (!(error instanceof ReaderError) && errnoOf(error) === undefined) throw error;
      const reason = error instanceof ReaderError ? SKIPPED[error.code] : 'it could not be read to its end';
      this.#skip(path, reason ?? 'it could not be opened');
      return true;
    } finally {
      await closed(prepared);
    }
  }

  async #searchOpen(
    file: OpenFile,
    searched: Searched,
    key: string,
    isLate: () => boolean,
  ): Promise<boolean> {
    const { text } = searched;
    if (!text) {
      this.#skip(file.name, searched.reason);
      return true;
    }
    if (searched.note !== undefined) this.#notes.push(`${quoted(file.name)}: ${searched.note}.`);
    const place = this.#placeIn(file, key, startOf(text));
    const search =
      'windowBytes' in this.#pattern
        ? new SpanSearch(text, this.#pattern, place, this.#context)
        : new LineSearch(text, this.#pattern, place, this.#context);
    this.#searched += 1;
    if (text.legacy) this.#legacy.push(file.name);
    const ended = await this.#searchLines(search, file, key, text.converted, isLate);
    this.#noteLongLines(file, search);
    if (ended && !text.inMemory && (await hasChanged(file)))
      this.#notes.push(
        `${quoted(file.name)} changed while it was searched; its line numbers may have changed.`,
      );
    return ended;
  }

  /** False if the answer ends here. */
  async #searchLines(
    search: LineSearch | SpanSearch,
    file: OpenFile,
    key: string,
    converted: boolean,
    isLate: () => boolean,
  ): Promise<boolean> {
    while (!search.ended) {
      throwIfAborted(this.signal);
      const before = search.place;
      const { matches } = await search.step();
      this.#bytes += search.place.offset - before.offset;
      await this.#breathe();
      for (const [i, match] of matches.entries()) {
        if (this.#matches.length >= this.#most) {
          // There is at least one more match; `#matches` ends with the one before it.
          const last = i === 0 ? undefined : matches[i - 1];
          this.#endIn(file, key, last ? { ...before, seen: last.line } : before);
          return false;
        }
        this.#matches.push(this.#matchOf(file.name, match, converted));
      }
      if (!search.ended && isLate()) {
        const { maxSearchMilliseconds } = this.#means.limits;
        this.#notes.push(
          `Stopped in ${quoted(file.name)} after ${maxSearchMilliseconds} ms (limit \`maxSearchMilliseconds\`); continue with the cursor.`,
        );
        this.#endIn(file, key, search.place);
        return false;
      }
    }
    return true;
  }

  #noteLongLines(file: OpenFile, search: LineSearch | SpanSearch): void {
    if ('windowBytes' in this.#pattern) {
      if (search.hasLongLines)
        this.#notes.push(
          `${quoted(file.name)} has lines longer than ${this.#pattern.windowBytes} bytes, which were not searched.`,
        );
      return;
    }
    const { blockBytes, overlapBytes } = this.#pattern;
    if (search.hasLongLines)
      this.#notes.push(
        `${quoted(file.name)} has lines longer than ${blockBytes} bytes, which were searched in parts: matches longer than ${overlapBytes} bytes may have been missed.`,
      );
    if (search.lacksContext)
      this.#notes.push(
        `${quoted(file.name)} has matches in lines longer than ${blockBytes} bytes; their context lines are left out.`,
      );
  }

  #matchOf(path: string, match: LineMatch, converted: boolean): Match {
    return { path, ...match, ...(converted && { converted: true as const }) };
  }

  /** Where the previous answer ended in this file, if it did. */
  #placeIn(file: OpenFile, key: string, start: LinePlace): LinePlace {
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

  #endIn(file: OpenFile, key: string, place: LinePlace): void {
    this.#next = { after: this.#after, inside: { key, print: printOf(file), ...place } };
  }

  #skip(path: string, reason: string): void {
    this.#skippedCount += 1;
    if (this.#skipped.length < MAX_SKIPPED) this.#skipped.push({ path, reason });
  }

  /** Yields to the event loop and reports progress. */
  async #breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.#breath >= BREATH_MILLISECONDS) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#breath = performance.now();
    }
    if (now - this.#told < PROGRESS_MILLISECONDS) return;
    this.#told = now;
    this.#options.onProgress?.({ files: this.#searched, bytes: this.#bytes });
  }

  async answer(question: readonly unknown[], query: string, regex: boolean): Promise<SearchAnswer> {
    const notes = this.#notes.slice(0, MAX_NOTES);
    const [legacy] = this.#legacy;
    if (legacy !== undefined && NOT_ASCII.test(query))
      notes.unshift(
        `Non-ASCII characters are not found in files that are not UTF-8: ${plural(this.#legacy.length, 'file')}, first ${quoted(legacy)}. Search for an ASCII part, or read the file.`,
      );
    if (this.#notes.length > MAX_NOTES)
      notes.push(`${this.#notes.length - MAX_NOTES} more notes are left out.`);
    if (
      this.#matches.length === 0 &&
      !this.#next &&
      this.#resume === undefined &&
      !regex &&
      looksLikeRegex(query)
    ) {
      const reason = await whyNoExpression(query);
      notes.push(
        reason === undefined
          ? `${quoted(query)} was searched literally; set \`regex\` to true to search for it as a regular expression.`
          : `${reason} It was searched literally.`,
      );
    }
    if (regex && this.#options.multiline !== true && /\\n/.test(query))
      notes.push('Lines are searched one by one; set `multiline` to true for matches across line ends.');
    return {
      matches: this.#matches,
      searched: this.#searched,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      next: this.#next ? writeTreeCursor(question, wordsOf(this.#next)) : null,
      notes,
    };
  }
}

const MAX_NOTES = 20;
const NOT_ASCII = /[^\0-\x7f]/;

/** Why a listed file could not be opened. */
const SKIPPED: Readonly<Partial<Record<ReaderError['code'], string>>> = {
  FILE_NOT_FOUND: 'it no longer exists',
  ACCESS_DENIED: 'permission was denied',
  NOT_A_FILE: 'it is no longer a file',
  BUSY: 'too many files are open',
  CONFLICT: 'it changed while it was searched',
};
