// The README, and the examples in it.

import { readFileSync } from 'node:fs';

export const README: string = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Code of the examples, by name. */
export const EXAMPLES: ReadonlyMap<string, string> = new Map(
  [...README.matchAll(/<!-- example: ([\w-]+) -->\n```ts\n([\s\S]*?)```/g)].map(
    ([, name = '', code = '']) => [name, code],
  ),
);
