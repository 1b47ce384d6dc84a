// Reads the files shipped with pdfjs-dist: character maps, standard fonts, decoders.

// biome-ignore lint/style/noRestrictedImports: these are files of an installed package, never the user's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER: string = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/**
 * The file at `path` in the installed `pdfjs-dist`. Synchronous: a thread terminated while waiting for a file would
 * leave it open.
 */
export async function dataFile(path: string): Promise<Uint8Array> {
  return new Uint8Array(readFileSync(join(FOLDER, path)));
}
