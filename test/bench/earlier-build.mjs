// The product as it was at an earlier commit, built from the history of the checkout with the packages that are installed
// now: what a machine that is slower or faster than the recorded one measures beside the product of today.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the product of a commit, without the page of the service, in `folder`, once.
 * @param {string} commit
 * @param {string} folder of its own
 * @param {(message: string) => void} progress
 * @returns {string | undefined} its `dist`; undefined where the history lacks the commit or it cannot be built here
 */
export function earlierBuild(commit, folder, progress) {
  const checkout = join(folder, commit);
  const dist = join(checkout, 'dist');
  if (existsSync(dist)) return dist;
  const run = (program, ...words) =>
    execFileSync(program, words, { cwd: checkout, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    progress(`  builds ${commit} to measure it on this machine`);
    execFileSync('git', ['worktree', 'add', '--detach', '--force', checkout, commit], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    run('npm', 'run', 'generate');
    run('npx', 'tsc', '-p', '.config/tsconfig.build.json');
    run('node', '.config/bundle.mjs');
    return dist;
  } catch (error) {
    progress(
      `  ${commit} cannot be built here: ${String(error.stderr ?? error)
        .trim()
        .split('\n')
        .at(-1)}`,
    );
    return undefined;
  }
}

/** Takes the checkouts of `folder` away, and git's record of them. */
export function removeEarlierBuilds(folder) {
  rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('git', ['worktree', 'prune'], { cwd: ROOT, stdio: 'ignore' });
  } catch {
    // Without a repository there was nothing to build and there is nothing to forget.
  }
}
