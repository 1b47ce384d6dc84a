// The figures of the documents are those of the code: measured again before it has moved on too far.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { figures } from './tables.ts';

/** Commits to the product after which its figures are no longer said to be true. */
const MOST_COMMITS = 200;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How many commits changed the product since a day; 0 where the history is not here, as in a package or a short clone. */
function commitsSince(date: string): number {
  try {
    const words = ['rev-list', '--count', `--since=${date}T23:59:59Z`, 'HEAD', '--', 'src', 'processors'];
    return Number(
      execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    return 0;
  }
}

it('measures again after 200 commits: npm run record, npm run bench -- --gate --record', () => {
  const moments = [...Object.entries(figures.cases), ...Object.entries(figures.gate)];
  const age = new Map(
    [...new Set(moments.map(([, { date }]) => date))].map((date) => [date, commitsSince(date)]),
  );
  expect(moments.filter(([, { date }]) => (age.get(date) ?? 0) > MOST_COMMITS).map(([name]) => name)).toEqual(
    [],
  );
});
