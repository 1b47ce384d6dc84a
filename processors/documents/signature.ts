// How documents begin: what tells their containers apart on the first bytes.

import { zipHeadNames } from '../../src/zip/head.ts';

/** A zip container: `PK` and a local header (APPNOTE 4.3.7). */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** A compound file of OLE ([MS-CFB] 2.2): an Office document under a password, or one of before 2007. */
export function isOle(head: Uint8Array): boolean {
  return head[0] === 0xd0 && head[1] === 0xcf && head[2] === 0x11 && head[3] === 0xe0;
}

/** How a compound file starts, all 8 bytes, for `magic`. */
export const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** The name of a stream as a compound file holds it: UTF-16LE ([MS-CFB] 2.6.1). */
export const streamNamed = (name: string): string => [...name].join('\0');

/** True when the bytes hold the word in ASCII. */
export function holds(head: Uint8Array, word: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(word);
}

/** Streams that say what a compound file is. */
const STREAMS: readonly string[] = [
  '__properties_version1', // an Outlook message
  'EncryptedPackage', // an Office Open XML package under a password
  'WordDocument',
  'PowerPoint Document',
  'Workbook',
];

/** A compound file whose head names `stream`, or no stream that says it is something else. */
export function mayHoldStream(head: Uint8Array, stream: string): boolean {
  const names = (name: string): boolean => holds(head, streamNamed(name));
  return isOle(head) && (names(stream) || !STREAMS.some(names));
}

/** What a package has whose main part stands further on, or elsewhere than usual. */
const OFFICE_PARTS: readonly string[] = ['[content_types].xml', '_rels/', 'docprops/', 'customxml/'];
const OPEN_DOCUMENT_PARTS: readonly string[] = [
  'mimetype',
  'content.xml',
  'styles.xml',
  'meta.xml',
  'settings.xml',
  'meta-inf/manifest.xml',
];
const BOOK_PARTS: readonly string[] = ['mimetype', 'meta-inf/container.xml', 'oebps/', 'ops/', 'epub/'];
/** Folders and types that say what else a package is. */
const OFFICE_FOLDERS: readonly string[] = ['word/', 'ppt/', 'xl/'];
const BOOK = 'application/epub+zip';
const OPEN_DOCUMENT = 'vnd.oasis.opendocument.';

const anyOf = (names: readonly string[], starts: readonly string[]): boolean =>
  names.some((name) => starts.some((start) => name.startsWith(start)));

/**
 * True for an Office Open XML package of the kind whose parts stand in `folder` (`ppt/`), as far as its head tells: the
 * names of the first parts, else those that any kind has and none of another. Also for a package under a password.
 */
export function isOfficePackage(head: Uint8Array, folder: 'word/' | 'ppt/'): boolean {
  if (isOle(head)) return mayHoldStream(head, 'EncryptedPackage');
  if (!isZip(head)) return false;
  const names = zipHeadNames(head);
  return anyOf(names, [folder]) || (anyOf(names, OFFICE_PARTS) && !anyOf(names, OFFICE_FOLDERS));
}

/**
 * True for an OpenDocument of that kind, as far as its head tells: a package whose first member names it, one that names
 * no type, or flat XML.
 */
export function isOpenDocument(head: Uint8Array, kind: 'text' | 'presentation'): boolean {
  if (isZip(head)) {
    if (holds(head, OPEN_DOCUMENT)) return holds(head, OPEN_DOCUMENT + kind);
    return !holds(head, BOOK) && isPackageOf(head, OPEN_DOCUMENT_PARTS);
  }
  return holds(head, ':opendocument:') && (!holds(head, OPEN_DOCUMENT) || holds(head, OPEN_DOCUMENT + kind));
}

/** True for a book, as far as its head tells: by the type it names, else by the parts that books have. */
export function isBook(head: Uint8Array): boolean {
  if (!isZip(head)) return false;
  if (holds(head, BOOK) || zipHeadNames(head).some((name) => name.endsWith('.opf'))) return true;
  return !holds(head, OPEN_DOCUMENT) && isPackageOf(head, BOOK_PARTS);
}

function isPackageOf(head: Uint8Array, parts: readonly string[]): boolean {
  const names = zipHeadNames(head);
  return anyOf(names, parts) && !anyOf(names, OFFICE_FOLDERS);
}
