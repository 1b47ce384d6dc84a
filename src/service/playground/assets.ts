// Loads the built playground into memory, with the HTTP headers of each file.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the page. */
export interface Asset {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Quoted, as in the header. */
  readonly etag: string;
  readonly cacheControl: string;
}

/** Allows scripts, styles and requests from this server only, and images and audio that the page creates. */
export const PLAYGROUND_CSP: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob: data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>lectern playground</title></head>
<body><main><h1>The playground is not built</h1><p>Run <code>npm run build</code>, then restart the server. The API works without it: see the <a href="docs">reference</a>.</p></main></body></html>`;

const BUILT: string = fileURLToPath(new URL('.', import.meta.resolve('#playground')));

/**
 * The files by URL path: `/` and `/assets/NAME`. If the folder does not exist, `/` is a page that says how to build it.
 * Files are served from this map, so a request path never reaches the file system.
 */
export async function loadPlayground(folder: string = BUILT): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  const index = await readIfThere(`${folder}/index.html`);
  assets.set('/', assetOf('.html', index ?? Buffer.from(NOT_BUILT)));
  if (!index) return assets;
  for (const name of await readdir(`${folder}/assets`)) {
    const type = extname(name);
    if (TYPES[type] === undefined) continue; // a source map
    assets.set(`/assets/${name}`, assetOf(type, await readFile(`${folder}/assets/${name}`)));
  }
  return assets;
}

function assetOf(extension: string, body: Uint8Array): Asset {
  return {
    body,
    contentType: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    // Asset names contain a hash of their content, so they never change.
    cacheControl: extension === '.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
  };
}

async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
