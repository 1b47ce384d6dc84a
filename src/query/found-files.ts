// The files of a workspace that a query names in its text, for callers that list none.

import type { Workspace } from '../workspace/index.ts';
import { TableNames } from './table-names.ts';

const MAX_RESULTS = 1000;
const MAX_QUOTED = 50;

/** Saved results whose table the query names, and paths in quotes that exist. */
export async function filesNamedIn(
  sql: string,
  workspace: Pick<Workspace, 'glob' | 'kind'>,
  signal: AbortSignal,
): Promise<string[]> {
  const text = sql.toLowerCase();
  const { entries } = await workspace.glob('results/**', { limit: MAX_RESULTS, ignore: false, signal });
  const found = new Set(
    entries.filter(({ kind, path }) => kind === 'file' && isNamed(path, text)).map(({ path }) => path),
  );
  const quoted = [...sql.matchAll(/'((?:[^']|'')+)'|"((?:[^"]|"")+)"/g)].slice(0, MAX_QUOTED);
  for (const [, single, double] of quoted) {
    const path = single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"') ?? '';
    if (/\.\w{2,8}$/.test(path) && (await workspace.kind(path).catch(() => undefined)) === 'file')
      found.add(path);
  }
  return [...found];
}

/** The name of the file or of its table is a word of the text. */
function isNamed(path: string, text: string): boolean {
  return new TableNames().take(path.split('/').at(-1) ?? path).some((name) => {
    const word = name.toLowerCase();
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
      if (!/\w/.test(text[at - 1] ?? ' ') && !/\w/.test(text[at + word.length] ?? ' ')) return true;
    return false;
  });
}
