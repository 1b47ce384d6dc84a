// Files of pdf.js: character maps and decoders. `.config/build-pdf.mjs` packs them in modules; the host
// process sends them to the thread.

import { brotliDecompressSync } from 'node:zlib';

const FOLDERS: Readonly<Record<string, () => Promise<{ readonly FILES: Readonly<Record<string, string>> }>>> =
  {
    cmaps: () => import('./packed/cmaps.generated.ts'),
    wasm: () => import('./packed/wasm.generated.ts'),
  };

/**
 * The file at `path` inside `pdfjs-dist`.
 * @throws {Error} when it has no such file
 */
export async function dataFile(path: string): Promise<Uint8Array> {
  const [folder = '', name = ''] = path.split('/');
  const packed = (await FOLDERS[folder]?.())?.FILES[name];
  if (packed === undefined) throw new Error(`pdf.js has no file \`${path}\``);
  return new Uint8Array(brotliDecompressSync(Buffer.from(packed, 'base64')));
}
