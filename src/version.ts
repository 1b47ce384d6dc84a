// The running version of lectern. Read from the package on first use, never at import.

import { createRequire } from 'node:module';

let known: string | undefined;

/** The version in the package manifest, or `unknown`. */
export function packageVersion(): string {
  known ??= versionOf(createRequire(import.meta.url)('lectern/package.json'));
  return known;
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
