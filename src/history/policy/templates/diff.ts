// Unified diffs: which files, and how many lines were added and removed in each.

import { plural } from '../../../contract/index.ts';
import { listed, type Template } from './template.ts';

const MOST_FILES = 15;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

interface Changes {
  readonly file: string;
  added: number;
  removed: number;
}

const nameOf = (header: string): string =>
  header
    .slice(4)
    .split('\t')[0]
    ?.replace(/^[ab]\//, '') ?? '';

/** A header may look like a removed line, so hunks are read by the lengths they give. */
function changesIn(lines: readonly string[]): readonly Changes[] {
  const files: Changes[] = [];
  let current: Changes | null = null;
  let [old, now] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (old > 0 || now > 0) {
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) now -= 1;
      else if (line.startsWith('-')) old -= 1;
      else [old, now] = [old - 1, now - 1];
      if (current && line.startsWith('+')) current.added += 1;
      if (current && line.startsWith('-')) current.removed += 1;
      continue;
    }
    const next = lines[at + 1] ?? '';
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      const name = nameOf(next);
      current = { file: name === '/dev/null' ? nameOf(line) : name, added: 0, removed: 0 };
      files.push(current);
    }
    const [hunk, from = '1', to = '1'] = HUNK.exec(line) ?? [];
    if (hunk !== undefined) [old, now] = [Number(from), Number(to)];
  }
  return files;
}

export const diff: Template = (text) => {
  const files = changesIn(text.split('\n')).filter(({ added, removed }) => added + removed > 0);
  if (files.length === 0) return null;
  const added = files.reduce((sum, one) => sum + one.added, 0);
  const removed = files.reduce((sum, one) => sum + one.removed, 0);
  return [
    `Diff of ${plural(files.length, 'file')}: ${plural(added, 'line')} added, ${removed} removed`,
    ...listed(
      files.map((one) => `${one.file} +${one.added} -${one.removed}`),
      MOST_FILES,
      'file',
    ),
  ];
};
