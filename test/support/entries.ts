// What an entry point of the package exports, and what its source does: bundling may let it export what chunks share.

import { MANIFEST } from './consumer.ts';

/** Entry points that import `langchain`, which only test/integrations installs. */
export const LANGCHAIN_ENTRIES: readonly string[] = ['./history/langchain', './plan/langchain'];

async function namesOf(path: string): Promise<readonly string[]> {
  const module: object = await import(/* @vite-ignore */ `../../${path}`);
  return Object.keys(module).sort();
}

export async function exportsOf(
  entry: string,
): Promise<{ readonly published: readonly string[]; readonly source: readonly string[] }> {
  const published = MANIFEST.exports[entry]?.default;
  if (published === undefined) throw new Error(`The package has no entry point ${entry}.`);
  const source = published.replace('./dist/', '').replace(/\.js$/, '.ts');
  return { published: await namesOf(published), source: await namesOf(source) };
}
