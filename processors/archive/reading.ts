// Exports the archive readers behind one import, so that the format list loads none of them.

import type { Processor, ProcessorCode } from '../../src/contract/index.ts';
import { type ListArchive, listArchive } from './listing.ts';
import { outlineArchive } from './outline.ts';
import { type Packing, packedEntry, packedListing, unwrapPacked } from './packed/packing.ts';
import { sevenZipListing } from './seven-zip/seven-zip.ts';
import { tarFileListing } from './tar.ts';
import { zipListing } from './zip.ts';

export { sevenZipEntry } from './seven-zip/seven-zip.ts';
export { tarFileEntry } from './tar.ts';
export { zipEntry } from './zip.ts';

const codeOf = (list: ListArchive): ProcessorCode => ({
  process: (source, context) => listArchive(list, source, context),
  outline: (source, context) => outlineArchive(list, source, context),
});

export const zipCode: ProcessorCode = codeOf(zipListing);
export const sevenZipCode: ProcessorCode = codeOf(sevenZipListing);
export const tarCode: ProcessorCode = codeOf(tarFileListing);

/** What reads a file that is only packed. */
export interface PackedCode extends ProcessorCode, Required<Pick<Processor, 'entry' | 'unwrap'>> {}

export const packedCode = (packing: Packing): PackedCode => ({
  ...codeOf((source, context) => packedListing(packing, source, context)),
  entry: (source, path, context) => packedEntry(packing, source, path, context),
  unwrap: (source, context) => unwrapPacked(packing, source, context),
});
