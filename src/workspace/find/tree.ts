// Walks everything below a folder in byte order of the paths, for listings, globs and searches. Never follows links.
// Reports what it could not see, and opens no files except ignore files.

import {
  bytesOfFile,
  closeFile,
  type OpenFile,
  plural,
  quoted,
  ReaderError,
  sizeOfFile,
  throwIfAborted,
  type WorkspaceLimits,
} from '../../contract/index.ts';
import type { FileTree } from '../paths/file-tree.ts';
import type { Folder, FolderEntry } from '../paths/folder.ts';
import { MAX_DEPTH } from '../paths/walk.ts';
import { IGNORE_FILES, type IgnoreFile, IgnoreRules, MAX_IGNORE_BYTES, parseIgnore } from './ignore.ts';

export interface TreeOptions {
  /** Levels below the start, at most `MAX_DEPTH`: each level holds a folder open, and descriptors are limited. */
  readonly depth?: number;
  readonly ignore: boolean;
  /** False for a folder that can be skipped. */
  readonly mayEnter?: (path: string) => boolean;
  /** `key` of the last walked entry: earlier entries are skipped and not counted. */
  readonly after?: string;
  readonly limits: WorkspaceLimits;
  readonly signal: AbortSignal;
}

/** An entry of a folder. */
export interface TreeEntry {
  /** Path from the root, as shown to a model. */
  readonly path: string;
  /** The same path as plain text, for patterns. */
  readonly plain: string;
  /** Sort key: the bytes of its path below the start, as Latin-1. */
  readonly key: string;
  readonly entry: FolderEntry;
  /** Open until the walk continues. */
  readonly folder: Folder;
}

/** Maximum number of rules in effect at once, over all ignore files of a branch. */
const MAX_RULES = 5000;
/** Milliseconds the walk may block the event loop. */
const BREATH_MILLISECONDS = 10;

interface Step {
  readonly key: string;
  readonly entry: FolderEntry;
  /** Enter the folder instead of yielding it. */
  readonly enter: boolean;
}

interface Level {
  readonly folder: Folder;
  readonly plain: string;
  readonly key: string;
  readonly rules: IgnoreRules;
  readonly ruleCount: number;
  readonly steps: readonly Step[];
  at: number;
}

/** One walk. Iterate once, then read what was skipped. */
export class Tree {
  /** `key` of the last walked entry. */
  place: string;
  /** True if a limit kept entries from being walked. */
  stopped = false;
  /** The limit that ended the walk early. */
  end: string | undefined;
  readonly #root: FileTree;
  readonly #start: Folder;
  readonly #options: TreeOptions;
  readonly #deadline: number;
  readonly #notes: string[] = [];
  readonly #closed: string[] = [];
  readonly #deep: string[] = [];
  readonly #ignored: string[] = [];
  #closedCount = 0;
  #deepCount = 0;
  #ignoredCount = 0;
  #walked = 0;
  #breath = performance.now();

  /** `start` stays open; the caller closes it. */
  constructor(root: FileTree, start: Folder, options: TreeOptions) {
    this.#root = root;
    this.#start = start;
    this.#options = options;
    this.place = options.after ?? '';
    this.#deadline = performance.now() + options.limits.maxSearchMilliseconds;
  }

  /** True when the time limit has passed. */
  get late(): boolean {
    return performance.now() >= this.#deadline;
  }

  /** What was not walked and why, except for `end`. */
  get notes(): string[] {
    const notes = [...this.#notes];
    const named = (paths: readonly string[], count: number): string =>
      `${paths.map(quoted).join(', ')}${count > paths.length ? `, and ${count - paths.length} more` : ''}`;
    if (this.#closedCount > 0)
      notes.push(
        `${plural(this.#closedCount, 'folder')} could not be entered: ${named(this.#closed, this.#closedCount)}.`,
      );
    if (this.#deepCount > 0)
      notes.push(
        `${plural(this.#deepCount, 'folder')} more than ${MAX_DEPTH} levels down ${this.#deepCount === 1 ? 'was' : 'were'} not entered: ${named(this.#deep, this.#deepCount)}. Pass one as the path to see its entries.`,
      );
    if (this.#ignoredCount > 0)
      notes.push(
        `Ignore files exclude ${named(this.#ignored, this.#ignoredCount)}. Set \`ignore\` to false to include them.`,
      );
    return notes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TreeEntry> {
    const { depth = MAX_DEPTH } = this.#options;
    const deepest = Math.min(depth, MAX_DEPTH);
    const above = this.#options.ignore ? await this.#rulesAbove() : IgnoreRules.none;
    const plainStart = this.#start.path;
    const levels: Level[] = [await this.#open(this.#start, plainStart, '', above, 0)];
    try {
      for (let level = levels.at(-1); level; level = levels.at(-1)) {
        const step = level.steps[level.at];
        if (!step) {
          levels.pop();
          if (level.folder !== this.#start) await level.folder.close();
          continue;
        }
        level.at += 1;
        await this.#breathe();
        if (this.#walked > 0 && this.#mustStop()) return;
        const plain = `${level.plain === '' ? '' : `${level.plain}/`}${step.entry.name.toString('utf8')}`;
        const path = `${level.folder.path === '' ? '' : `${level.folder.path}/`}${step.entry.shown}`;
        if (!step.enter) {
          this.#walked += 1;
          yield { path, plain, key: step.key, entry: step.entry, folder: level.folder };
          this.place = step.key;
          continue;
        }
        if (levels.length >= deepest) {
          if (depth > MAX_DEPTH || this.#options.depth === undefined) this.#tooDeep(path);
        } else {
          const entered = await this.#enter(level, step, plain, path);
          if (entered) levels.push(entered);
        }
        if (this.place < step.key) this.place = step.key;
      }
    } finally {
      for (const { folder } of levels) if (folder !== this.#start) await folder.close();
    }
  }

  #mustStop(): boolean {
    const { maxWalkedEntries, maxSearchMilliseconds } = this.#options.limits;
    if (this.#walked < maxWalkedEntries && !this.late) return false;
    this.stopped = true;
    this.end =
      this.#walked >= maxWalkedEntries
        ? `Stopped after ${plural(maxWalkedEntries, 'entry')} (limit \`maxWalkedEntries\`); continue with the cursor.`
        : `Stopped after ${maxSearchMilliseconds} ms (limit \`maxSearchMilliseconds\`); continue with the cursor.`;
    return true;
  }

  async #enter(above: Level, step: Step, plain: string, path: string): Promise<Level | undefined> {
    try {
      const folder = await above.folder.openFolder(step.entry);
      try {
        return await this.#open(folder, plain, step.key, above.rules, above.ruleCount);
      } catch (error) {
        await folder.close();
        throw error;
      }
    } catch (error) {
      if (!(error instanceof ReaderError) || error.code === 'ABORTED') throw error;
      this.#closedCount += 1;
      if (this.#closed.length < MAX_NAMED) this.#closed.push(path);
      return undefined;
    }
  }

  /** Reads a folder and sorts its entries. `key` ends in a slash, except for the start. */
  async #open(
    folder: Folder,
    plain: string,
    key: string,
    above: IgnoreRules,
    ruleCount: number,
  ): Promise<Level> {
    const { ignore, mayEnter, limits, signal, after = '' } = this.#options;
    const entries: FolderEntry[] = [];
    for await (const entry of folder.entries(signal)) {
      if (entries.length >= Math.max(1, limits.maxWalkedEntries)) {
        this.stopped = true;
        this.#notes.push(
          `${quoted(folder.path === '' ? this.#root.mount : folder.path)} has more than ${plural(limits.maxWalkedEntries, 'entry')} (limit \`maxWalkedEntries\`); the rest were not looked at.`,
        );
        break;
      }
      entries.push(entry);
      await this.#breathe();
    }
    let rules = above;
    let count = ruleCount;
    if (ignore) {
      const files: IgnoreFile[] = [];
      for (const name of IGNORE_FILES) {
        const entry = entries.find((one) => one.kind === 'file' && one.shown === name);
        const file = entry && (await this.#readRules(() => folder.openFile(entry), MAX_RULES - count));
        if (file) files.push(file);
        count += file?.rules ?? 0;
      }
      rules = above.within(plain, files);
    }
    const steps: Step[] = [];
    const prefix = plain === '' ? '' : `${plain}/`;
    for (const entry of entries) {
      const stepKey = key + entry.name.toString('latin1');
      const isFolder = entry.kind === 'directory';
      const isPast = stepKey <= after;
      // A folder sorts before its entries, which sort among its siblings by their full paths.
      const enterKey = `${stepKey}/`;
      const entersPast = !isFolder || (enterKey < after && !after.startsWith(enterKey));
      if (isPast && entersPast) continue;
      await this.#breathe();
      const path = prefix + entry.name.toString('utf8');
      if (ignore && rules.leavesOut(path, isFolder)) {
        const above = folder.path === '' ? '' : `${folder.path}/`;
        this.#leftOut(`${above}${entry.shown}${isFolder ? '/' : ''}`);
        continue;
      }
      if (!isPast) steps.push({ key: stepKey, entry, enter: false });
      if (!entersPast && (mayEnter?.(path) ?? true)) steps.push({ key: enterKey, entry, enter: true });
    }
    steps.sort((a, b) => (a.key < b.key ? -1 : 1));
    return { folder, plain, key, rules, ruleCount: count, steps, at: 0 };
  }

  /** Rules of the parent folders of the start. */
  async #rulesAbove(): Promise<IgnoreRules> {
    const names = this.#start.path === '' ? [] : this.#start.path.split('/');
    let rules = IgnoreRules.none;
    let count = 0;
    for (let depth = 0; depth < Math.min(names.length, MAX_DEPTH); depth += 1) {
      const above = names.slice(0, depth).join('/');
      const files: IgnoreFile[] = [];
      const folder = await this.#root.openFolder(above);
      try {
        for (const name of IGNORE_FILES) {
          const entry = { name: Buffer.from(name), shown: name, kind: 'file' } as const;
          const file = await this.#readRules(() => folder.openFile(entry), MAX_RULES - count);
          if (file) files.push(file);
          count += file?.rules ?? 0;
        }
      } finally {
        await folder.close();
      }
      rules = rules.within(above, files);
    }
    return rules;
  }

  async #readRules(open: () => Promise<OpenFile>, most: number): Promise<IgnoreFile | undefined> {
    let file: OpenFile;
    try {
      file = await open();
    } catch (error) {
      if (error instanceof ReaderError) return undefined; // missing or unreadable
      throw error;
    }
    try {
      const { signal } = this.#options;
      const pieces: Uint8Array[] = [];
      for await (const piece of bytesOfFile(file, { to: MAX_IGNORE_BYTES, signal })) pieces.push(piece);
      const rules = parseIgnore(Buffer.concat(pieces).toString('utf8'), most);
      if (rules.dropped > 0 || sizeOfFile(file) > MAX_IGNORE_BYTES)
        this.#notes.push(`${quoted(file.name)} has more rules than the limit; the last ones are ignored.`);
      return rules;
    } catch {
      return undefined; // treat as unreadable
    } finally {
      await closeFile(file);
    }
  }

  #tooDeep(path: string): void {
    this.#deepCount += 1;
    if (this.#deep.length < MAX_NAMED) this.#deep.push(path);
  }

  #leftOut(path: string): void {
    if (path === '.git/' || path.endsWith('/.git/')) return;
    this.#ignoredCount += 1;
    if (this.#ignored.length < MAX_NAMED) this.#ignored.push(path);
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#breath < BREATH_MILLISECONDS) return;
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(this.#options.signal);
    this.#breath = performance.now();
  }
}

/** Maximum number of paths named in a note; the rest are counted. */
const MAX_NAMED = 5;
