// Exports the archive readers behind one import, so that the format list loads none of them.

import type { Processor, ProcessorCode } from '../../src/contract/index.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { type ListArchive, listArchive } from './listing.ts';
import { outlineArchive } from './outline.ts';
import { type Packing, packedFiles, packedListing, unwrapPacked } from './packed/packing.ts';
import { sevenZipListing } from './seven-zip/seven-zip.ts';
import { tarFileListing } from './tar.ts';
import { zipListing } from './zip.ts';

export { sevenZipFiles } from './seven-zip/seven-zip.ts';
export { tarFiles } from './tar.ts';
export { zipFiles } from './zip.ts';

const codeOf = (list: ListArchive): ProcessorCode => ({
  process: (source, context) => listArchive(list, source, context),
  outline: (source, context) => outlineArchive(list, source, context),
});

export const zipCode: ProcessorCode = codeOf(zipListing);
export const sevenZipCode: ProcessorCode = codeOf(sevenZipListing);
export const tarCode: ProcessorCode = codeOf(tarFileListing);

/** What reads a file that is only packed. */
export interface PackedCode extends ProcessorCode, ArchiveFiles, Required<Pick<Processor, 'unwrap'>> {}

export const packedCode = (packing: Packing): PackedCode => ({
  ...codeOf((source, context) => packedListing(packing, source, context)),
  ...packedFiles(packing),
  unwrap: (source, context) => unwrapPacked(packing, source, context),
});
