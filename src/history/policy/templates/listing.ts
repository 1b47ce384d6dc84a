// File listings: one path per line, as printed by `find`, `ls` and glob tools.

import { plural } from '../../../contract/index.ts';
import { counted, listed, others, type Template } from './template.ts';

/** `ls -l`: mode, links, owner, group, size, three date fields, then the name. */
const LONG = /^([-dlbcps])[-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s+\S+\s+\S+\s+\S+\s+(\S.*)$/;
const PATH = /^(?:- )?(?:\.{0,2}\/)?[\w.@+~-]+(?:\/[\w.@+~ -]+)*\/?$/;
/** `.` and `..`, which `ls -a` lists. */
const ITSELF = /^\.{1,2}\/?$/;
const FEWEST = 8;
const SHARE = 0.9;
const MOST_KINDS = 8;

const FOLDERS = 'folders';
/** File types in the mode of `ls -l`. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['d', FOLDERS],
  ['l', 'links'],
]);

interface Listed {
  readonly path: string;
  readonly kind: string;
}

function listedIn(line: string): Listed | null {
  const [, mode, long] = LONG.exec(line) ?? [];
  if (mode !== undefined && long !== undefined) return { path: long, kind: KINDS.get(mode) ?? kindOf(long) };
  if (!PATH.test(line) || !/[./]/.test(line)) return null;
  const path = line.replace(/^- /, '');
  return { path, kind: kindOf(path) };
}

function kindOf(path: string): string {
  if (path.endsWith('/')) return FOLDERS;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot) : 'no extension';
}

export const listing: Template = (text) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^total \S+$/.test(line));
  const read = lines.map((line) => ({ line, found: listedIn(line.trim()) }));
  const rest = read.flatMap(({ line, found }) => (found ? [] : [line]));
  const paths = read.flatMap(({ found }) => (found && !ITSELF.test(found.path) ? [found] : []));
  if (paths.length < FEWEST || lines.length - rest.length < SHARE * lines.length) return null;
  return [
    `Listing of ${plural(paths.length, 'path')}:`,
    ...listed(
      counted(paths.map(({ kind }) => kind)).map(([kind, count]) => `${kind}: ${count}`),
      MOST_KINDS,
      'kind',
    ),
    ...others(rest),
  ];
};
