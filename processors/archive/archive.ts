// Archive formats and how they are recognised. `listing.ts` lists them; `unwrap` reads a file that is only compressed
// as the file inside it.

import { type LazyCode, lazily, type Processor } from '../../src/contract/index.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { isGzip } from './packed/gzip-magic.ts';
import type { Packing } from './packed/packing.ts';
import type { PackedCode } from './reading.ts';
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
  ...holding(async () => (await reading()).zipFiles),
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
  ...holding(async () => (await reading()).tarFiles),
};

export const sevenZip: Processor = {
  // Cursors hold names, which start with a letter.
  name: 'sevenzip',
  fileType: 'archive',
  extensions: ['.7z'],
  mimeTypes: ['application/x-7z-compressed'],
  selects: [],
  textual: false,
  magic: [{ starts: '7z\xbc\xaf\x27\x1c', what: 'a 7z archive' }], // 7zFormat.txt
  ...lazily(async () => (await reading()).sevenZipCode),
  ...holding(async () => (await reading()).sevenZipFiles),
};

/** How an archive gives its files. */
function holding(load: () => Promise<ArchiveFiles>): Required<Pick<Processor, 'entry' | 'files' | 'lists'>> {
  return {
    lists: true,
    entry: async (source, path, context) => (await load()).entry(source, path, context),
    async *files(source, context) {
      yield* (await load()).files(source, context);
    },
  };
}

/** The code of a format that packs one file: a tar archive inside is listed, any other file is read in its place. */
function packed(
  load: () => Promise<Packing>,
): LazyCode & Required<Pick<Processor, 'entry' | 'files' | 'lists' | 'unwrap'>> {
  const code = async (): Promise<PackedCode> => {
    const [{ packedCode }, packing] = await Promise.all([reading(), load()]);
    return packedCode(packing);
  };
  return {
    ...lazily(code),
    ...holding(code),
    unwrap: async (source, context) => (await code()).unwrap(source, context),
  };
}

export const gzip: Processor = {
  name: 'gzip',
  fileType: 'archive',
  extensions: ['.gz', '.gzip', '.tgz', '.tar.gz', '.taz', '.svgz'],
  mimeTypes: ['application/gzip', 'application/x-gzip', 'application/x-compressed-tar'],
  selects: [],
  textual: false,
  magic: [{ starts: '\x1f\x8b\x08', what: 'a gzip file' }], // RFC 1952, 2.3.1
  matches: isGzip,
  ...packed(async () => (await import('./packed/gzip.ts')).gzipPacking),
};

export const bzip2: Processor = {
  name: 'bzip2',
  fileType: 'archive',
  extensions: ['.bz2', '.bz', '.tbz', '.tbz2', '.tb2', '.tar.bz2'],
  mimeTypes: ['application/x-bzip2', 'application/x-bzip', 'application/x-bzip-compressed-tar'],
  selects: [],
  textual: false,
  magic: [
    { starts: 'BZh?1AY&SY', what: 'a bzip2 file' },
    { starts: 'BZh?\x17\x72\x45\x38\x50\x90', what: 'an empty bzip2 file', mimeType: 'application/x-bzip2' },
  ],
  matches: (head) => starts(head, 'BZh'),
  ...packed(async () => (await import('./packed/bzip2.ts')).bzip2Packing),
};

export const xz: Processor = {
  name: 'xz',
  fileType: 'archive',
  extensions: ['.xz', '.txz', '.tar.xz'],
  mimeTypes: ['application/x-xz', 'application/x-xz-compressed-tar'],
  selects: [],
  textual: false,
  magic: [{ starts: '\xfd7zXZ\0', what: 'an xz file' }], // The .xz file format 1.2, 2.1.1.1
  matches: (head) => starts(head, '\xfd7zXZ\0'),
  ...packed(async () => (await import('./packed/xz.ts')).xzPacking),
};

export const zstd: Processor = {
  name: 'zstd',
  fileType: 'archive',
  extensions: ['.zst', '.zstd', '.tzst', '.tar.zst'],
  mimeTypes: ['application/zstd', 'application/x-zstd-compressed-tar'],
  selects: [],
  textual: false,
  // RFC 8878, 3.1.1
  magic: [{ starts: '\x28\xb5\x2f\xfd', what: 'a Zstandard file' }],
  matches: (head) => starts(head, '\x28\xb5\x2f\xfd') || isSkippable(head),
  ...packed(async () => (await import('./packed/zstd.ts')).zstdPacking),
};

function starts(head: Uint8Array, text: string): boolean {
  return Buffer.from(head.subarray(0, text.length)).toString('latin1') === text;
}

/** A skippable frame (RFC 8878, 3.1.2), with which some writers begin. */
function isSkippable([first = 0, second, third, fourth]: Uint8Array): boolean {
  return first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18;
}
