// The documents for people, and the examples that they show.

import { readdirSync, readFileSync } from 'node:fs';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const markdownIn = (folder: string): string[] =>
  readdirSync(at(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`));

/** Paths of the documents, from the root of the repository. */
export const PAGES: readonly string[] = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...markdownIn('examples'),
];

export const pageAt = (path: string): string => readFileSync(at(path), 'utf8');

export const README: string = pageAt('README.md');

/** Code of the examples, by name. */
export const EXAMPLES: ReadonlyMap<string, string> = new Map(
  readdirSync(at('examples'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.slice(0, -'.ts'.length), pageAt(`examples/${name}`)]),
);
