// Unified diffs: the files, with lines added and removed in each. Git also writes headers for files without changed
// lines: renames, mode changes and binary files.

import { plural } from '../../../contract/index.ts';
import { listed, type Template } from './template.ts';

const MOST_FILES = 15;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const GIT = 'diff --git ';
const BINARY = /^(?:GIT binary patch|Binary files (.+) differ)$/;
/** Lines that Git puts between a file header and its hunks. */
const MOVED = /^(rename|copy) (from|to) (.+)$/;
const MODE = /^(old|new) mode (\d{6})$/;
const STATE = /^(new|deleted) file mode \d{6}$/;

interface Changes {
  file: string;
  /** A Git header whose `---` and `+++` lines have not appeared yet, if there are any. */
  isOpen: boolean;
  readonly isGit: boolean;
  isBinary: boolean;
  movedFrom: string | null;
  mode: string | null;
  state: string | null;
  added: number;
  removed: number;
}

const changesOf = (file: string, isGit: boolean, isBinary = false): Changes => ({
  file,
  isOpen: isGit,
  isGit,
  isBinary,
  movedFrom: null,
  mode: null,
  state: null,
  added: 0,
  removed: 0,
});

/** Git quotes some names. */
const unquoted = (name: string): string => name.replace(/^"(.*)"$/, '$1');
const plainName = (name: string): string => unquoted(name).replace(/^[ab]\//, '');
const nameOf = (header: string): string => plainName(header.slice(4).split('\t')[0] ?? '');
const changedName = (from: string, to: string): string => (to === '/dev/null' ? from : to);

/** Both names in a Git header are the same unless the following lines say otherwise. */
function gitName(header: string): string {
  const names = header.slice(GIT.length);
  const half = (names.length - 1) / 2;
  const to = plainName(names.slice(half + 1));
  return plainName(names.slice(0, half)) === to ? to : names;
}

/** Applies a line between a file header and its hunks. */
function take(file: Changes, line: string): void {
  const [, moved, side, name = ''] = MOVED.exec(line) ?? [];
  if (side === 'to') file.file = unquoted(name);
  if (side === 'from') file.movedFrom = `${moved === 'copy' ? 'copied' : 'renamed'} from ${unquoted(name)}`;
  const [, age, mode = ''] = MODE.exec(line) ?? [];
  if (age !== undefined) file.mode = age === 'old' ? `mode ${mode}` : `${file.mode ?? 'mode'} to ${mode}`;
  file.state = STATE.exec(line)?.[1] ?? file.state;
  file.isBinary ||= BINARY.test(line);
}

/** The file whose header starts at `line` outside a hunk, or null. */
function begunBy(line: string, next: string, open: Changes | null): Changes | null {
  if (line.startsWith(GIT)) return changesOf(gitName(line), true);
  if (line.startsWith('--- ') && next.startsWith('+++ ')) {
    const name = changedName(nameOf(line), nameOf(next));
    if (!open) return changesOf(name, false);
    open.file = name;
    open.isOpen = false;
    return null;
  }
  const names = BINARY.exec(line)?.[1]?.split(' and ') ?? [];
  const [from, to] = [names[0], names.at(-1)];
  if (open || from === undefined || to === undefined) return null;
  return changesOf(changedName(plainName(from), plainName(to)), false, true);
}

/** Reads hunks by their stated lengths, because a header may look like a removed line. */
function changesIn(lines: readonly string[]): readonly Changes[] {
  const files: Changes[] = [];
  let current: Changes | null = null;
  let [old, now] = [0, 0];
  for (const [at, line] of lines.entries()) {
    // No hunk line starts like this, so an unfinished hunk was truncated.
    if (line.startsWith(GIT)) [old, now] = [0, 0];
    if (old > 0 || now > 0) {
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) now -= 1;
      else if (line.startsWith('-')) old -= 1;
      else [old, now] = [old - 1, now - 1];
      if (current && line.startsWith('+')) current.added += 1;
      if (current && line.startsWith('-')) current.removed += 1;
      continue;
    }
    const open: Changes | null = current?.isOpen ? current : null;
    const begun = begunBy(line, lines[at + 1] ?? '', open);
    if (begun) files.push(begun);
    else if (open) take(open, line);
    current = begun ?? current;
    const [hunk, from = '1', to = '1'] = HUNK.exec(line) ?? [];
    if (hunk !== undefined) [old, now] = [Number(from), Number(to)];
  }
  return files;
}

function lineOf(one: Changes): string {
  const lines = one.isBinary ? '' : ` +${one.added} -${one.removed}`;
  const notes = [one.isBinary ? 'binary' : null, one.state, one.movedFrom, one.mode];
  return [`${one.file}${lines}`, ...notes.filter((note) => note !== null)].join(', ');
}

export const diff: Template = (text) => {
  const isChanged = ({ added, removed }: Changes): boolean => added + removed > 0;
  const files = changesIn(text.split('\n')).filter((one) => one.isGit || one.isBinary || isChanged(one));
  if (!files.some((one) => one.isGit || isChanged(one))) return null;
  const added = files.reduce((sum, one) => sum + one.added, 0);
  const removed = files.reduce((sum, one) => sum + one.removed, 0);
  const moved = files.filter((one) => one.movedFrom !== null).length;
  const binary = files.filter((one) => one.isBinary).length;
  return [
    [
      `Diff of ${plural(files.length, 'file')}: ${plural(added, 'line')} added, ${removed} removed`,
      ...(moved > 0 ? [`${plural(moved, 'file')} renamed or copied`] : []),
      ...(binary > 0 ? [plural(binary, 'binary file')] : []),
    ].join('; '),
    ...listed(files.map(lineOf), MOST_FILES, 'file'),
  ];
};
