// Signatures of document containers.

import { zipHeadNames } from '../../src/zip/head.ts';
import { words } from './words.ts';

/** A zip container: `PK` and a local header (APPNOTE 4.3.7). */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** An OLE compound file ([MS-CFB] 2.2): a password-protected Office document, or one from before 2007. */
export function isOle(head: Uint8Array): boolean {
  return head[0] === 0xd0 && head[1] === 0xcf && head[2] === 0x11 && head[3] === 0xe0;
}

/** Signature of a compound file, all 8 bytes, for `magic`. */
export const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** A stream name as stored in a compound file: UTF-16LE ([MS-CFB] 2.6.1). */
export const streamNamed = (name: string): string => [...name].join('\0');

/** True if the bytes contain the word in ASCII. */
export function holds(head: Uint8Array, word: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(word);
}

/** Streams that identify the type of a compound file. */
const STREAMS: readonly string[] = [
  '__properties_version1', // an Outlook message
  'EncryptedPackage', // a password-protected Office Open XML package
  'WordDocument',
  'PowerPoint Document',
  'Workbook',
];

/** A compound file whose head names `stream`, or no stream of another type. */
export function mayHoldStream(head: Uint8Array, stream: string): boolean {
  const names = (name: string): boolean => holds(head, streamNamed(name));
  return isOle(head) && (names(stream) || !STREAMS.some(names));
}

/** Parts of a package whose main part comes later, or has an unusual name. */
const OFFICE_PARTS: readonly string[] = ['[content_types].xml', '_rels/', 'docprops/', 'customxml/'];
const OPEN_DOCUMENT_PARTS = words(
  'mimetype content.xml styles.xml meta.xml settings.xml meta-inf/manifest.xml',
);
const BOOK_PARTS: readonly string[] = ['mimetype', 'meta-inf/container.xml', 'oebps/', 'ops/', 'epub/'];
/** Folders and types that identify other kinds of package. */
const OFFICE_FOLDERS: readonly string[] = ['word/', 'ppt/', 'xl/'];
const BOOK = 'application/epub+zip';
const OPEN_DOCUMENT = 'vnd.oasis.opendocument.';

const anyOf = (names: readonly string[], starts: readonly string[]): boolean =>
  names.some((name) => starts.some((start) => name.startsWith(start)));

/**
 * True for an Office Open XML package of the kind whose parts are in `folder` (`ppt/`), judging by its head: the names
 * of the first parts, or parts common to all kinds and none of another kind. Also true for a password-protected
 * package.
 */
export function isOfficePackage(head: Uint8Array, folder: 'word/' | 'ppt/'): boolean {
  if (isOle(head)) return mayHoldStream(head, 'EncryptedPackage');
  if (!isZip(head)) return false;
  const names = zipHeadNames(head);
  return anyOf(names, [folder]) || (anyOf(names, OFFICE_PARTS) && !anyOf(names, OFFICE_FOLDERS));
}

/**
 * True for an OpenDocument of that kind, judging by its head: a package whose first member states its type, one without
 * a stated type, or flat XML.
 */
export function isOpenDocument(head: Uint8Array, kind: 'text' | 'presentation'): boolean {
  if (isZip(head)) {
    if (holds(head, OPEN_DOCUMENT)) return holds(head, OPEN_DOCUMENT + kind);
    return !holds(head, BOOK) && isPackageOf(head, OPEN_DOCUMENT_PARTS);
  }
  return holds(head, ':opendocument:') && (!holds(head, OPEN_DOCUMENT) || holds(head, OPEN_DOCUMENT + kind));
}

/** True for an EPUB book, judging by its head: by its stated type, else by parts typical of books. */
export function isBook(head: Uint8Array): boolean {
  if (!isZip(head)) return false;
  if (holds(head, BOOK) || zipHeadNames(head).some((name) => name.endsWith('.opf'))) return true;
  return !holds(head, OPEN_DOCUMENT) && isPackageOf(head, BOOK_PARTS);
}

function isPackageOf(head: Uint8Array, parts: readonly string[]): boolean {
  const names = zipHeadNames(head);
  return anyOf(names, parts) && !anyOf(names, OFFICE_FOLDERS);
}
