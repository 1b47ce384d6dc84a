// Listings of files: one path a line, as `find`, `ls` and globs print them.

import { plural } from '../../../contract/index.ts';
import { counted, listed, type Template } from './template.ts';

/** `ls -l`: mode, links, owner, group, size, three parts of a date, then the name. */
const LONG = /^[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s+\S+\s+\S+\s+\S+\s+(.+)$/;
const PATH = /^(?:- )?(?:\.{0,2}\/)?[\w.@+~-]+(?:\/[\w.@+~ -]+)*\/?$/;
const FEWEST = 8;
const SHARE = 0.9;
const MOST_KINDS = 8;

function pathOf(line: string): string | null {
  const [, long] = LONG.exec(line) ?? [];
  if (long !== undefined) return long;
  return PATH.test(line) && /[./]/.test(line) ? line.replace(/^- /, '') : null;
}

function kindOf(path: string): string {
  if (path.endsWith('/')) return 'folders';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot) : 'without an ending';
}

export const listing: Template = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^total \d+$/.test(line));
  const paths = lines.flatMap((line) => pathOf(line.trim()) ?? []);
  if (paths.length < FEWEST || paths.length < SHARE * lines.length) return null;
  return [
    `Listing of ${plural(paths.length, 'path')}:`,
    ...listed(
      counted(paths.map(kindOf)).map(([kind, count]) => `${kind}: ${count}`),
      MOST_KINDS,
      'kind',
    ),
  ];
};
