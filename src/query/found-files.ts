// The files that a query names in its text, for callers that list none.

import { addressCuts } from '../address/index.ts';
import type { Workspace } from '../workspace/index.ts';
import { TableNames } from './table-names.ts';

const MAX_RESULTS = 1000;
const MAX_QUOTED = 50;
const QUOTED = /(\b(?:from|join|describe|summarize)\s+)?(?:'((?:[^']|'')+)'|"((?:[^"]|"")+)")/gi;

/**
 * Saved results whose table the query names, and addresses in quotes whose file exists. Without any, the addresses in
 * the place of tables, so that their error says what is missing.
 */
export async function filesNamedIn(
  sql: string,
  workspace: Pick<Workspace, 'kind'> & Partial<Pick<Workspace, 'glob'>>,
  signal: AbortSignal,
): Promise<string[]> {
  const text = sql.toLowerCase();
  const results = await workspace.glob?.('results/**', { limit: MAX_RESULTS, ignore: false, signal });
  const found = new Set(
    results?.entries
      .filter(({ kind, path }) => kind === 'file' && isNamed(path, text))
      .map(({ path }) => path),
  );
  const missing = new Set<string>();
  for (const { text: address, isTable } of quotedIn(sql)) {
    const cuts = [address.length, address.indexOf('!/'), ...addressCuts(address)];
    const paths = cuts.filter((cut) => cut > 0).map((cut) => address.slice(0, cut));
    if (!paths.some((path) => /\.\w{1,8}$/.test(path))) continue;
    const kinds = await Promise.all(paths.map((path) => workspace.kind(path).catch(() => undefined)));
    if (kinds.includes('file')) found.add(address);
    else if (isTable) missing.add(address);
  }
  return [...(found.size > 0 ? found : missing)];
}

/** What stands in quotes; `isTable` where a table stands. */
export function quotedIn(sql: string): { readonly text: string; readonly isTable: boolean }[] {
  return [...sql.matchAll(QUOTED)].slice(0, MAX_QUOTED).map(([, table, single, double]) => ({
    text: single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"') ?? '',
    isTable: table !== undefined,
  }));
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
