// Compiles and bundles `dist` before the tests when a source is newer: tests of programs run what is published.

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = 'src/service/playground/page';
const ROOT: string = fileURLToPath(new URL('..', import.meta.url));

function newest(folder: string, extension: string): number {
  let time = 0;
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true }))
    if (entry.isFile() && entry.name.endsWith(extension))
      time = Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return time;
}

function compiled(): number {
  try {
    return Math.min(newest('dist/modules', '.js'), newest('dist/chunks', '.js'));
  } catch {
    return 0; // never compiled
  }
}

/** The page of the service, built by Vite. */
function buildPlayground(): void {
  const sources = Math.max(...['.ts', '.tsx', '.css', '.html'].map((ending) => newest(PAGE, ending)));
  let built = 0;
  try {
    built = newest('dist/playground', '.json');
  } catch {
    // never built
  }
  if (sources <= built) return;
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--config', '.config/vite.config.ts'],
    { cwd: ROOT },
  );
}

/** Run by vitest once, before all tests. Types are checked elsewhere. */
export default function setup(): void {
  buildPlayground();
  if (Math.max(newest('processors', '.ts'), newest('src', '.ts')) <= compiled()) return;
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', '.config/tsconfig.build.json'], { cwd: ROOT });
  execFileSync(process.execPath, [join(ROOT, '.config/build-pdf.mjs')]);
  execFileSync(process.execPath, [join(ROOT, '.config/bundle.mjs')]);
}
