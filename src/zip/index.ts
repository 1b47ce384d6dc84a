// Zip files: the directory, salvage without one, bounded inflating, names, writing. The only zip code; knows no format
// built on zip.

export { CUT_OFF, readZip } from './contents.ts';
export { type Decrypted, decryptedEntry, doubtfulPassword } from './decrypt.ts';
export { corrupt, extraField, type ZipLocal, type ZipRecord } from './directory.ts';
export { entryLocal, entryPieces, isEncrypted, readableLocal, type ZipData, type ZipEntry } from './entry.ts';
export { AES, DEFLATED, DESCRIPTOR_FLAG, STORED } from './format.ts';
export { gathered, inflateRaw } from './inflate.ts';
export { InflateMeter } from './meter.ts';
export { methodName } from './name.ts';
export { type PackedEntry, packedZip } from './packed-zip.ts';
export { type EntryPlace, ZipWriter } from './writer.ts';
