// Archive formats and how they are recognised. `listing.ts` lists them; `unwrap` reads a file that is only compressed
// as the file inside it.

import { lazily, type Processor } from '../../src/contract/index.ts';
import { isGzip } from './gzip-magic.ts';
import { tarStarts } from './tar-header.ts';

const reading = () => import('./reading.ts');

/** Zip archives, under every extension in use. */
export const zip: Processor = {
  name: 'zip',
  fileType: 'archive',
  extensions: [
    '.zip',
    '.zipx',
    '.jar',
    '.war',
    '.ear',
    '.aar',
    '.apk',
    '.aab',
    '.ipa',
    '.whl',
    '.egg',
    '.xpi',
    '.vsix',
    '.nupkg',
    '.cbz',
    '.kmz',
    '.sketch',
  ],
  mimeTypes: [
    'application/zip',
    'application/x-zip-compressed',
    'application/java-archive',
    'application/vnd.android.package-archive',
    'application/x-xpinstall',
    'application/vnd.comicbook+zip',
    'application/vnd.google-earth.kmz',
  ],
  selects: [],
  textual: false,
  magic: [
    { starts: 'PK\x03\x04', what: 'a zip archive', shared: true }, // APPNOTE 4.3.7
    { starts: 'PK\x05\x06', what: 'a zip archive' }, // 4.3.16: empty
  ],
  matches: holdsZip,
  ...lazily(async () => (await reading()).zipCode),
  entry: async (source, path, context) => (await reading()).zipEntry(source, path, context),
};

/** Matches a local header or an empty directory, also after other data, as in a self-extracting archive. */
function holdsZip(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  return bytes.includes('PK\u0003\u0004') || bytes.includes('PK\u0005\u0006');
}

/** Uncompressed tar archives. */
export const tar: Processor = {
  name: 'tar',
  fileType: 'archive',
  extensions: ['.tar', '.gem', '.ova'],
  mimeTypes: ['application/x-tar', 'application/x-gtar'],
  selects: [],
  textual: false,
  matches: (head) =>
    tarStarts(head.subarray(0, 512)) || (head.length >= 1024 && head.every((byte) => byte === 0)),
  ...lazily(async () => (await reading()).tarCode),
  entry: async (source, path, context) => (await reading()).tarFileEntry(source, path, context),
};

/** Gzip: a tar archive inside is listed; any other file inside is read in place of the gzip file. */
export const gzip: Processor = {
  name: 'gzip',
  fileType: 'archive',
  extensions: ['.gz', '.gzip', '.tgz', '.tar.gz', '.taz', '.svgz'],
  mimeTypes: ['application/gzip', 'application/x-gzip', 'application/x-compressed-tar'],
  selects: [],
  textual: false,
  magic: [{ starts: '\x1f\x8b\x08', what: 'a gzip file' }], // RFC 1952, 2.3.1
  matches: isGzip,
  ...lazily(async () => (await reading()).gzipCode),
  entry: async (source, path, context) => (await reading()).gzipEntry(source, path, context),
  unwrap: async (source, context) => (await reading()).unwrapGzip(source, context),
};
