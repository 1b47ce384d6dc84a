// Reads the files that come with pdfjs-dist: character maps, fonts for documents without their own, decoders.

// biome-ignore lint/style/noRestrictedImports: these are files of an installed package, never the user's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER: string = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/**
 * The file at `path` inside the installed `pdfjs-dist`. Read in one go: a thread that is ended while it waits for a file
 * leaves it open.
 */
export async function dataFile(path: string): Promise<Uint8Array> {
  return new Uint8Array(readFileSync(join(FOLDER, path)));
}
