// Searches the files of a workspace in byte order of their paths. Time, memory and answer size are bounded, and a
// cursor resumes where an answer ended. Files that cannot be searched are reported.

import { splitAddress, splitMember } from '../../address/index.ts';
import {
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
import type { SearchAnswer, SearchOptions } from '../workspace.ts';
import { FileSearch, type Located, type SearchMeans, type Texts } from './file-search.ts';
import { compileGlob } from './glob.ts';
import { labelled } from './labels.ts';
import { resultsAtMost } from './listing.ts';
import { compilePattern, compileSpans, looksLikeRegex, whyNoExpression } from './pattern.ts';
import { type Kept, keptIn, wordsOf } from './search-place.ts';
import { Tree } from './tree.ts';
import { writeTreeCursor } from './tree-cursor.ts';

/** Maximum lines of context. */
const MAX_CONTEXT = 20;

/**
 * Lines that contain or match `query`.
 * @throws {ReaderError} BAD_INPUT for an invalid query or option, STALE_CURSOR, ABORTED; as `FileTree.openFile` for `path`
 */
export async function searchFiles(
  root: FileTree,
  query: string,
  options: SearchOptions,
  means: SearchMeans & { readonly limits: WorkspaceLimits },
): Promise<SearchAnswer> {
  const { regex = false, multiline = false, caseSensitive = true, path = '', ignore = true } = options;
  checkOptions(options);
  const { limits } = means;
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
    ...(options.formulas === true ? ['formulas'] : []),
    ...(options.exclude === undefined ? [] : [options.exclude]),
    caseSensitive,
    path,
    options.glob ?? null,
    ignore,
  ];
  const kept = options.cursor === undefined ? undefined : keptIn(options.cursor, question);
  const files = new FileSearch(
    pattern,
    kept,
    options,
    means,
    resultsAtMost(options.limit, limits.maxMatches),
  );
  const search = new Search(files, options.signal ?? new AbortController().signal, kept?.after ?? '');

  const folder = await folderAt(root, path);
  if (!folder) await search.file(await locatedAt(root, path));
  else
    try {
      const tree = new Tree(root, folder, {
        ...(glob && { mayEnter: (folder: string) => glob.mayEnter(folder) }),
        ...(kept && { after: kept.after }),
        ignore,
        limits,
        signal: search.signal,
      });
      await search.tree(tree, (plain) => (glob?.matches(plain) ?? true) && !exclude?.matches(plain));
    } finally {
      await folder.close();
    }
  const notes = [...files.notes(query), ...search.notes];
  if (regex && !multiline && /\\n/.test(query))
    notes.push('Lines are searched one by one; set `multiline` to true for matches across line ends.');
  const hits = files.hits.answer(search.end, (place) => writeTreeCursor(question, wordsOf(place)));
  if (hits.total.matches === 0 && hits.next === null && !kept && !regex && looksLikeRegex(query))
    notes.push(await literalNote(query));
  const named = await labelled(hits.matches, means, search.signal);
  const redactor = options.redactor ?? means.redactor?.();
  const matches = redactor
    ? named.map((match) =>
        match.label === undefined ? match : { ...match, label: redactor.text(match.label) },
      )
    : named;
  return { ...hits, matches, ...files.coverage(), notes: bounded(notes) };
}

/** @throws {ReaderError} BAD_INPUT */
function checkOptions({ context = 0, count }: SearchOptions): void {
  if (!isCount(context, MAX_CONTEXT))
    throw new ReaderError(
      'BAD_INPUT',
      `\`context\` is ${quoted(String(context))}; expected 0 to ${MAX_CONTEXT} lines.`,
      'To see more, read the file around the match.',
    );
  if (count !== undefined && count !== 'files' && count !== 'groups')
    throw new ReaderError(
      'BAD_INPUT',
      `\`count\` is ${quoted(String(count))}; expected \`files\` or \`groups\`.`,
      'Omit it to get the matches.',
    );
}

/** Says why nothing was found by a query that looks like an expression. */
async function literalNote(query: string): Promise<string> {
  const reason = await whyNoExpression(query);
  return reason === undefined
    ? `${quoted(query)} was searched literally; set \`regex\` to true to search for it as a regular expression.`
    : `${reason} It was searched literally.`;
}

const MAX_NOTES = 20;

function bounded(notes: readonly string[]): string[] {
  const shown = notes.slice(0, MAX_NOTES);
  if (notes.length > MAX_NOTES) shown.push(`${notes.length - MAX_NOTES} more notes are left out.`);
  return shown;
}

/** The folder at `path`; undefined if it is not a folder. */
async function folderAt(root: FileTree, path: string): Promise<Folder | undefined> {
  try {
    return await root.openFolder(path);
  } catch (error) {
    const isAddress = path.includes('#') || path.includes('!/');
    const codes = ['NOT_A_FOLDER', 'NOT_A_FILE', ...(isAddress ? ['FILE_NOT_FOUND'] : [])];
    if (error instanceof ReaderError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** The file that an address names, and what to search of it. @throws {ReaderError} as `FileTree.openFile` */
async function locatedAt(root: FileTree, address: string): Promise<Located> {
  const files = { kind: (path: string) => kindAt(root, path) };
  const { path, member } = await splitMember(address, files);
  if (member !== undefined && member !== '') return { file: await root.openFile(path), member };
  const { path: plain, fragment } = await splitAddress(path, files);
  return { file: await root.openFile(plain), ...(fragment !== undefined && { fragment }) };
}

async function kindAt(root: FileTree, path: string): Promise<'file' | 'other' | undefined> {
  try {
    await closeFile(await root.openFile(path));
    return 'file';
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    return error.code === 'FILE_NOT_FOUND' ? undefined : 'other';
  }
}

/** An opened file, or the error from opening it. */
type Prepared =
  | { readonly opened: OpenFile; readonly texts: Texts }
  | { readonly opened: OpenFile | undefined; readonly error: unknown };

const closed = async (prepared: Prepared): Promise<void> => {
  if ('texts' in prepared) await prepared.texts.close?.();
  if (prepared.opened) await closeFile(prepared.opened);
};

/** A file being opened ahead; `file` is undefined for one without a match. */
interface Ahead {
  readonly path: string;
  readonly key: string;
  /** `key` of the entry before it in the walk. */
  readonly after: string;
  readonly file: Promise<Prepared> | undefined;
}

const NOWHERE: ReadonlySet<string> = new Set(['FILE_NOT_FOUND', 'BAD_INPUT']);

/** Number of files opened ahead; each holds up to 256 KiB. */
const FILES_AHEAD = 4;

class Search {
  readonly signal: AbortSignal;
  readonly notes: string[] = [];
  /** Where the search ended before everything was searched. */
  end: Kept | undefined;
  readonly #files: FileSearch;
  #links = 0;
  #after: string;

  constructor(files: FileSearch, signal: AbortSignal, after: string) {
    this.#files = files;
    this.signal = signal;
    this.#after = after;
  }

  async tree(tree: Tree, isWanted: (plain: string) => boolean): Promise<void> {
    // Open the next files during the search: waiting for the system takes longer than searching.
    const ahead: Ahead[] = [];
    let opened = 0;
    try {
      for await (const { key, path, plain, entry, folder } of tree) {
        if (!isWanted(plain)) continue;
        if (entry.kind === 'link') this.#links += 1;
        if (entry.kind !== 'file') continue;
        const isWithout = await this.#files.isWithout(folder, entry);
        const file = isWithout ? undefined : this.#prepared(() => folder.openFile(entry));
        ahead.push({ path, key, after: tree.place, file });
        if (file) opened += 1;
        while (ahead[0] && (!ahead[0].file || opened >= FILES_AHEAD)) {
          if (ahead[0].file) opened -= 1;
          if (!(await this.#takeNext(ahead))) return;
        }
      }
      while (ahead.length > 0) if (!(await this.#takeNext(ahead))) return;
      if (tree.end !== undefined) {
        this.end = { after: tree.place, inside: null };
        this.notes.push(tree.end);
      }
    } finally {
      for (const { file } of ahead) if (file) await closed(await file);
      this.notes.push(...tree.notes);
      if (this.#links > 0)
        this.notes.push(
          `${plural(this.#links, 'link')} not followed; pass one as the path to search its target.`,
        );
    }
  }

  async #takeNext(ahead: Ahead[]): Promise<boolean> {
    const first = ahead.shift();
    if (!first) return true;
    this.#after = first.after;
    if (!first.file) {
      this.end = this.#files.pass(first.after);
      return this.end === undefined;
    }
    return await this.#search(first.path, first.key, await first.file);
  }

  /** Searches a file and closes it. */
  async file({ file, ...part }: Located): Promise<void> {
    await this.#search(file.name, '', await this.#prepared(async () => file, part));
  }

  /** Opens a file and reads its start. Never rejects, because nobody may be awaiting it. */
  async #prepared(open: () => Promise<OpenFile>, part?: Omit<Located, 'file'>): Promise<Prepared> {
    let opened: OpenFile | undefined;
    try {
      opened = await open();
      return { opened, texts: await this.#files.textsOf(opened, part) };
    } catch (error) {
      return { opened, error };
    }
  }

  /** False if the answer ends in this file. */
  async #search(path: string, key: string, prepared: Prepared): Promise<boolean> {
    try {
      if ('error' in prepared) throw prepared.error;
      this.end = await this.#files.search(prepared.opened, key, this.#after, prepared.texts);
    } catch (error) {
      throwIfAborted(this.signal);
      if (!(error instanceof ReaderError) && errnoOf(error) === undefined) throw error;
      // The address that was asked for leads nowhere.
      if (key === '' && error instanceof ReaderError && NOWHERE.has(error.code)) throw error;
      this.#files.skip(path, error);
    } finally {
      await closed(prepared);
    }
    return this.end === undefined;
  }
}
