// What `.gitignore` and `.ignore` files leave out, by the rules of gitignore(5). Knows names only and never reads a file.

import { compileSegment, matchSegments, type Segment } from './glob.ts';

/** Names of the files whose rules are honoured; where both say something, the later has the last word. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore'];
/** Bytes of an ignore file that are read: the largest public templates have 20 KiB. */
export const MAX_IGNORE_BYTES: number = 64 * 1024;
/** Rules of an ignore file that are honoured. */
export const MAX_IGNORE_RULES = 2000;

interface Rule {
  /** Its place in the file: the last rule that matches decides. */
  readonly order: number;
  readonly again: boolean;
  readonly foldersOnly: boolean;
}

interface PatternRule extends Rule {
  readonly segments: readonly Segment[];
  /** Of the name alone: no slash but at the end. */
  readonly anywhere: boolean;
}

/** The rules of one file. */
export interface IgnoreFile {
  /** True: left out. False: taken in again. Undefined: nothing is said. `path` is relative to the file's folder. */
  says(path: string, isFolder: boolean): boolean | undefined;
  /** Rules that are honoured. */
  readonly rules: number;
  /** Rules past the most that are. */
  readonly dropped: number;
}

/** The most a rule may be long, in UTF-16 units; a longer one counts as dropped. */
const MAX_RULE_LENGTH = 1000;
const SPECIAL = /[*?[\\]/;

/** Reads rules as git does; what git takes for broken (a class that does not end) matches nothing here, too. */
export function parseIgnore(text: string, most: number = MAX_IGNORE_RULES): IgnoreFile {
  // Plain names are most of any such file: looked up, 2000 of them cost as little as one.
  const names = new Map<string, Rule[]>();
  const patterns: PatternRule[] = [];
  let order = 0;
  let dropped = 0;
  for (const line of lines(text)) {
    const again = line.startsWith('!');
    let body = again ? line.slice(1) : line;
    const foldersOnly = body.endsWith('/');
    if (foldersOnly) body = body.slice(0, -1);
    if (body === '') continue;
    if (order >= Math.min(most, MAX_IGNORE_RULES) || body.length > MAX_RULE_LENGTH) {
      dropped += 1;
      continue;
    }
    const rule: Rule = { order, again, foldersOnly };
    order += 1;
    if (!SPECIAL.test(body) && !body.includes('/')) {
      const group = names.get(body);
      if (group) group.push(rule);
      else names.set(body, [rule]);
      continue;
    }
    // More than two asterisks between slashes are two: so does git, whatever its manual says.
    const parts = (body.startsWith('/') ? body.slice(1) : body)
      .split('/')
      .map((part) => compileSegment(/^\*{3,}$/.test(part) ? '**' : part));
    if (parts.some((part) => !part.sound)) continue;
    const segments: Segment[] = parts.map((part) => part.segment);
    // `a/**` is what lies in `a`, not `a`.
    if (segments.length > 1 && segments.at(-1) === '**') segments.push([{ kind: 'many' }]);
    patterns.push({ ...rule, segments, anywhere: !body.includes('/') });
  }
  patterns.reverse();
  return {
    rules: order,
    dropped,
    says(path, isFolder): boolean | undefined {
      const parts = path.split('/');
      const name = parts.slice(-1);
      let last: Rule | undefined;
      for (const rule of names.get(name[0] ?? '') ?? []) if (isFolder || !rule.foldersOnly) last = rule;
      for (const rule of patterns) {
        if (last && rule.order < last.order) break;
        if (rule.foldersOnly && !isFolder) continue;
        if (!matchSegments(rule.segments, rule.anywhere ? name : parts)) continue;
        last = rule;
        break;
      }
      return last && !last.again;
    },
  };
}

function* lines(text: string): Generator<string> {
  for (const raw of text.replace(/^\ufeff/, '').split('\n')) {
    const line = withoutEnd(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
    if (line !== '' && !line.startsWith('#')) yield line;
  }
}

/** Without the spaces it ends with, unless the last of them is escaped. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  let escapes = 0;
  while (line[end - 1 - escapes] === '\\') escapes += 1;
  return line.slice(0, end < line.length && escapes % 2 === 1 ? end + 1 : end);
}

/** All rules that hold in one folder: those of its own ignore files and of the folders it lies in. */
export class IgnoreRules {
  static readonly none: IgnoreRules = new IgnoreRules(undefined, '', []);
  readonly #parent: IgnoreRules | undefined;
  readonly #folder: string;
  readonly #files: readonly IgnoreFile[];

  private constructor(parent: IgnoreRules | undefined, folder: string, files: readonly IgnoreFile[]) {
    this.#parent = parent;
    this.#folder = folder;
    this.#files = files;
  }

  /** These rules and those of the files of `folder` (a path inside the workspace), in the order of `IGNORE_FILES`. */
  within(folder: string, files: readonly IgnoreFile[]): IgnoreRules {
    return files.length === 0 ? this : new IgnoreRules(this, folder, files);
  }

  /** True when `path` is left out. Not asked of what lies in a folder that is: nothing there is taken in again. */
  leavesOut(path: string, isFolder: boolean): boolean {
    if (path === '.git' || path.endsWith('/.git')) return true;
    for (let rules: IgnoreRules | undefined = this; rules; rules = rules.#parent) {
      const inside = rules.#folder === '' ? path : path.slice(rules.#folder.length + 1);
      for (const file of [...rules.#files].reverse()) {
        const said = file.says(inside, isFolder);
        if (said !== undefined) return said;
      }
    }
    return false;
  }
}
