// Rules of `.gitignore` and `.ignore` files, as in gitignore(5). Works on names only and never reads a file.

import { compileSegment, matchSegments, type Segment } from './glob.ts';

/** Ignore files in order of increasing precedence. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore'];
/** Bytes read of an ignore file; the largest public templates have 20 KiB. */
export const MAX_IGNORE_BYTES: number = 64 * 1024;
/** Maximum number of rules read from an ignore file. */
export const MAX_IGNORE_RULES = 2000;

interface Rule {
  /** Position in the file: the last matching rule wins. */
  readonly order: number;
  readonly again: boolean;
  readonly foldersOnly: boolean;
}

interface PatternRule extends Rule {
  readonly segments: readonly Segment[];
  /** Matches the name at any depth: the rule has no slash except at its end. */
  readonly anywhere: boolean;
}

/** The rules of one file. */
export interface IgnoreFile {
  /** True: excluded. False: included again. Undefined: no rule matches. `path` is relative to the file's folder. */
  says(path: string, isFolder: boolean): boolean | undefined;
  /** Number of rules in effect. */
  readonly rules: number;
  /** Number of rules dropped over the limit. */
  readonly dropped: number;
}

/** Maximum length of a rule, in UTF-16 units; a longer one counts as dropped. */
const MAX_RULE_LENGTH = 1000;
const SPECIAL = /[*?[\\]/;

/** Parses rules as git does. A rule git considers broken (an unclosed class) matches nothing here either. */
export function parseIgnore(text: string, most: number = MAX_IGNORE_RULES): IgnoreFile {
  // Most rules are plain names, so look them up: 2000 of them cost as little as one.
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
    // Three or more asterisks between slashes mean two; git does this, contrary to its manual.
    const parts = (body.startsWith('/') ? body.slice(1) : body)
      .split('/')
      .map((part) => compileSegment(/^\*{3,}$/.test(part) ? '**' : part));
    if (parts.some((part) => !part.sound)) continue;
    const segments: Segment[] = parts.map((part) => part.segment);
    // `a/**` matches what is below `a`, not `a`.
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

/** Strips trailing spaces, unless the last one is escaped. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  let escapes = 0;
  while (line[end - 1 - escapes] === '\\') escapes += 1;
  return line.slice(0, end < line.length && escapes % 2 === 1 ? end + 1 : end);
}

/** All rules in effect in a folder: those of its own ignore files and of its parents. */
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

  /**
   * These rules plus those of the ignore files of `folder` (relative to the workspace), in the order of `IGNORE_FILES`.
   */
  within(folder: string, files: readonly IgnoreFile[]): IgnoreRules {
    return files.length === 0 ? this : new IgnoreRules(this, folder, files);
  }

  /**
   * True when `path` is excluded. Do not call for paths inside an excluded folder: nothing in it can be included again.
   */
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
