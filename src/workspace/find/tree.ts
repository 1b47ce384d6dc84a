// Everything below a folder, folder by folder, in the byte order of the paths: what listings, globs and searches walk.
// Never through a link. Says what it could not see; opens no file but ignore files.

import { plural, quoted, ReaderError, throwIfAborted, type WorkspaceLimits } from '../../contract/index.ts';
import type { Folder, FolderEntry } from '../paths/folder.ts';
import type { Root } from '../paths/root.ts';
import { MAX_DEPTH } from '../paths/walk.ts';
import { IGNORE_FILES, type IgnoreFile, IgnoreRules, MAX_IGNORE_BYTES, parseIgnore } from './ignore.ts';

export interface TreeOptions {
  /** Levels below the start; at most `MAX_DEPTH`: each holds a folder open, and descriptors are few. */
  readonly depth?: number;
  readonly ignore: boolean;
  /** False for a folder that need not be entered. */
  readonly mayEnter?: (path: string) => boolean;
  /** `key` of what was walked last: what comes before is left out, and not counted. */
  readonly after?: string;
  readonly limits: WorkspaceLimits;
  readonly signal: AbortSignal;
}

/** Something in a folder. */
export interface TreeEntry {
  /** As a model sees it, from the root on. */
  readonly path: string;
  /** The same as plain text, for patterns. */
  readonly plain: string;
  /** Its place in the order: the bytes of its path below the start, as Latin-1. */
  readonly key: string;
  readonly entry: FolderEntry;
  /** Open until the walk goes on. */
  readonly folder: Folder;
}

/** Rules in force at once, over all ignore files of a branch. */
const MAX_RULES = 5000;
/** How long the walk may keep other work of the process waiting. */
const BREATH_MILLISECONDS = 10;

interface Step {
  readonly key: string;
  readonly entry: FolderEntry;
  /** To go into the folder, rather than to tell of it. */
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

/** One walk. Iterate once; ask for what was missed when it is over. */
export class Tree {
  /** `key` of what was walked last. */
  place: string;
  /** True when a bound kept something from being walked. */
  stopped = false;
  /** Which bound ended the walk before its end. */
  end: string | undefined;
  readonly #root: Root;
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

  /** `start` stays open; who opened it closes it. */
  constructor(root: Root, start: Folder, options: TreeOptions) {
    this.#root = root;
    this.#start = start;
    this.#options = options;
    this.place = options.after ?? '';
    this.#deadline = performance.now() + options.limits.maxSearchMilliseconds;
  }

  /** True when the time for it is over, and something has been walked. */
  get late(): boolean {
    return performance.now() >= this.#deadline;
  }

  /** What was not walked and why, but for `end`. */
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
        `${plural(this.#deepCount, 'folder')} more than ${MAX_DEPTH} levels down ${this.#deepCount === 1 ? 'was' : 'were'} not entered: ${named(this.#deep, this.#deepCount)}. Name one as the path to see what is in it.`,
      );
    if (this.#ignoredCount > 0)
      notes.push(
        `Ignore files leave out ${named(this.#ignored, this.#ignoredCount)}. Set \`ignore\` to false to see what is left out.`,
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
        ? `Ended after ${plural(maxWalkedEntries, 'entry')} (limit \`maxWalkedEntries\`); the cursor goes on from there.`
        : `Ended after ${maxSearchMilliseconds} ms (limit \`maxSearchMilliseconds\`); the cursor goes on from there.`;
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

  /** Reads a folder and puts what is in it in order; `key` ends in a slash unless it is that of the start. */
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
          `${quoted(folder.path === '' ? this.#root.mount : folder.path)} holds more than ${plural(limits.maxWalkedEntries, 'entry')} (limit \`maxWalkedEntries\`); the others were not looked at.`,
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
      // A folder comes before what is in it, and that among its siblings as if each were named in full.
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

  /** Rules of the folders that the start lies in. */
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

  async #readRules(open: () => ReturnType<Root['openFile']>, most: number): Promise<IgnoreFile | undefined> {
    let file: Awaited<ReturnType<Root['openFile']>>;
    try {
      file = await open();
    } catch (error) {
      if (error instanceof ReaderError) return undefined; // none there, or none that may be read
      throw error;
    }
    try {
      const bytes = Buffer.alloc(Math.min(MAX_IGNORE_BYTES, Number(file.stats.size)));
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, 0);
      const rules = parseIgnore(bytes.toString('utf8', 0, bytesRead), most);
      if (rules.dropped > 0 || file.stats.size > MAX_IGNORE_BYTES)
        this.#notes.push(`${quoted(file.name)} has more rules than are honoured; its last ones are not.`);
      return rules;
    } catch {
      return undefined; // as a file that may not be read
    } finally {
      await file.handle.close();
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

/** Paths a note names; the others are counted. */
const MAX_NAMED = 5;
