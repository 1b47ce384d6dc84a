// Exports the archive readers behind one import, so that the format list loads none of them.

import type { ProcessorCode } from '../../src/contract/index.ts';
import { gzipListing } from './gzip.ts';
import { type ListArchive, listArchive } from './listing.ts';
import { outlineArchive } from './outline.ts';
import { tarFileListing } from './tar.ts';
import { zipListing } from './zip.ts';

export { gzipEntry, unwrapGzip } from './gzip.ts';
export { tarFileEntry } from './tar.ts';
export { zipEntry } from './zip.ts';

const codeOf = (list: ListArchive): ProcessorCode => ({
  process: (source, context) => listArchive(list, source, context),
  outline: (source, context) => outlineArchive(list, source, context),
});

export const zipCode: ProcessorCode = codeOf(zipListing);
export const tarCode: ProcessorCode = codeOf(tarFileListing);
export const gzipCode: ProcessorCode = codeOf(gzipListing);
