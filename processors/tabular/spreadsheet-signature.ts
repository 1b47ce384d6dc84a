// Signatures of spreadsheet containers.

/** Signature of a compound file ([MS-CFB] 2.2). */
export const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** A stream name as stored in a compound file: UTF-16LE ([MS-CFB] 2.6.1). */
export const streamNamed = (name: string): string => [...name].join('\0');

/** A zip container: `PK` and a local header or an empty directory. */
export function isZip(head: Uint8Array): boolean {
  return (
    head[0] === 0x50 &&
    head[1] === 0x4b &&
    (head[2] === 3 || head[2] === 5) &&
    (head[3] === 4 || head[3] === 6)
  );
}

/** An OLE compound file: XLS, or encrypted Office Open XML. */
export function isOle(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(8, head.length)).toString('latin1') === OLE;
}

const WORKBOOK_STREAMS: readonly string[] = ['Workbook', 'Book\0', 'EncryptedPackage'].map(streamNamed);
const OTHER_STREAMS: readonly string[] = ['__properties_version1', 'WordDocument', 'PowerPoint Document'].map(
  streamNamed,
);

/** True for a compound file whose head names a workbook stream, or no stream of another file type. */
export function mayBeOleWorkbook(head: Uint8Array): boolean {
  if (!isOle(head)) return false;
  const named = (names: readonly string[]): boolean => names.some((name) => holds(head, name));
  return named(WORKBOOK_STREAMS) || !named(OTHER_STREAMS);
}

/** What the records after a BOF record of Excel 2 to 4 contain (OpenOffice.org, Excel file format, 5.8.1 to 5.8.3). */
const RAW_KINDS: Readonly<Record<number, 'sheet' | 'other' | 'workbook'>> = {
  16: 'sheet',
  32: 'other', // a chart
  64: 'other', // a macro sheet
  256: 'workbook',
};

/**
 * Excel 2 to 4 wrote records without a container, starting with a BOF record (0x0009, 0x0209, 0x0409) of a sheet, or in
 * Excel 4 of a workbook of several sheets. Undefined for anything else.
 */
export function rawBiffKind(head: Uint8Array): 'sheet' | 'other' | 'workbook' | undefined {
  const [low, version = 0, length = 0, lengthHigh] = head;
  const isBof = low === 9 && [0, 2, 4].includes(version) && length >= 4 && length <= 16 && lengthHigh === 0;
  return isBof ? RAW_KINDS[(head[6] ?? 0) + 256 * (head[7] ?? 0)] : undefined;
}

/** True if the bytes contain the word in ASCII. */
export function holds(head: Uint8Array, word: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(word);
}
