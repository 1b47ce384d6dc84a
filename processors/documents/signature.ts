// How documents begin: what tells their containers apart on the first bytes.

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

/**
 * True for an Office Open XML package of the kind whose parts stand in `folder` (`ppt/`), as far as its head tells: the
 * names of the first parts, else nothing that belongs to another kind. Also for a package under a password.
 */
export function isOfficePackage(head: Uint8Array, folder: 'word/' | 'ppt/'): boolean {
  if (isOle(head)) return mayHoldStream(head, 'EncryptedPackage');
  if (!isZip(head)) return false;
  if (holds(head, folder)) return true;
  return !['word/', 'ppt/', 'xl/', 'META-INF/', 'mimetype'].some((other) => holds(head, other));
}

/**
 * True for an OpenDocument of that kind, as far as its head tells: a package whose first member names it, one that names
 * nothing, or flat XML.
 */
export function isOpenDocument(head: Uint8Array, kind: 'text' | 'presentation'): boolean {
  const type = 'vnd.oasis.opendocument.';
  if (isZip(head)) {
    if (holds(head, type)) return holds(head, type + kind);
    return !['word/', 'ppt/', 'xl/'].some((other) => holds(head, other));
  }
  return holds(head, ':opendocument:') && (!holds(head, type) || holds(head, type + kind));
}
