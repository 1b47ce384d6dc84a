// The names in the first bytes of a zip file, to detect what kind of file it is. Imports no reader, so that a list of
// formats stays cheap.

import { DESCRIPTOR_FLAG, LOCAL_HEADER, LOCAL_LENGTH } from './format.ts';

const SIGNATURE = 'PK\u0003\u0004';

/**
 * Names of the entries whose headers are in `head`, excluding those of a nested zip; in lower case, as packages compare
 * names.
 */
export function zipHeadNames(head: Uint8Array): string[] {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const names: string[] = [];
  let at = 0;
  while (at >= 0 && at + LOCAL_LENGTH <= bytes.length && bytes.readUInt32LE(at) === LOCAL_HEADER) {
    const nameEnd = at + LOCAL_LENGTH + bytes.readUInt16LE(at + 26);
    const name = bytes.toString('latin1', at + LOCAL_LENGTH, nameEnd);
    names.push(name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase());
    const start = nameEnd + bytes.readUInt16LE(at + 28);
    const told = (bytes.readUInt16LE(at + 6) & DESCRIPTOR_FLAG) === 0;
    at = told ? start + bytes.readUInt32LE(at + 18) : bytes.indexOf(SIGNATURE, start, 'latin1');
  }
  return names;
}
