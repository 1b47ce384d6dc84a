#!/usr/bin/env node
// Entry point of the command line: arguments, streams and exit status of the process.

import module from 'node:module';
// biome-ignore lint/style/noRestrictedImports: the entry of the room loads what should be compiled once.
import { cacheDirectory } from '../cache/place.ts';

// Node.js 22 and later can cache compiled code between runs, for the imports below. The cache is in the user's cache
// directory, because the default is in the temporary directory, which others can write to.
const { XDG_CACHE_HOME, HOME, LOCALAPPDATA, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
const caches = cacheDirectory({ XDG_CACHE_HOME, HOME, LOCALAPPDATA });
const compiledIn = NODE_COMPILE_CACHE || (caches && `${caches}-compiled`);
if (
  compiledIn !== undefined &&
  'enableCompileCache' in module &&
  typeof module.enableCompileCache === 'function'
)
  module.enableCompileCache(compiledIn);
const { runProcess } = await plainly(import('./run.ts'));
process.exitCode = await plainly(runProcess(NODE_DISABLE_COMPILE_CACHE === '1' ? undefined : compiledIn));

/** Ends the process with a message where it cannot even load its own files. */
async function plainly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Node.js reports a package that it cannot open as one that is missing.
    const isFull =
      code === 'EMFILE' || code === 'ENFILE' || (code === 'ERR_MODULE_NOT_FOUND' && hasFewFiles());
    if (!isFull) throw error;
    process.stderr.write(
      'lectern: BUSY: too many files are open. Raise the limit of open files, such as with `ulimit -n 1024`.\n',
    );
    process.exit(18); // EXIT_STATUS.BUSY, whose module may be one that could not be loaded
  }
}

/** True if the process may not open the files it needs; false on systems that do not say. */
function hasFewFiles(): boolean {
  const report: unknown = process.report?.getReport();
  const limits = report instanceof Object && 'userLimits' in report ? report.userLimits : undefined;
  const files = limits instanceof Object && 'open_files' in limits ? limits.open_files : undefined;
  const soft = files instanceof Object && 'soft' in files ? Number(files.soft) : Number.NaN;
  return soft < 128; // loading all modules takes some 60 at once
}
