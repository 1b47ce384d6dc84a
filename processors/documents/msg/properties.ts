// Properties of a message, recipient or attachment in an Outlook file ([MS-OXMSG]): text, bytes, numbers and times by
// id.

import type { CompoundEntry, CompoundFile } from '../../../src/package/index.ts';
import { APPOINTMENT, MapiProperties, TYPE } from '../mail/outlook.ts';
import { pairs } from '../words.ts';

/** Code pages by locale language ([MS-LCID]), if no code page is stated. */
const BY_LOCALE = pairs(
  '1 1256 2 1251 4 936 5 1250 8 1253 13 1255 14 1250 17 932 18 949 21 1250 24 1250 25 1251 30 874 ' +
    '31 1254 34 1251 37 1257 38 1257 39 1257 42 1258',
);

const FIXED: readonly number[] = [TYPE.long, TYPE.boolean, TYPE.time];

/** The properties of one object, and the declared length of a binary one. */
export interface MsgObject {
  readonly properties: MapiProperties;
  size(id: number): number | undefined;
}

/** `skipped`: bytes before the first fixed property: 32 at the top, 24 in an embedded message, 8 elsewhere. */
export function msgObject(
  file: CompoundFile,
  folder: CompoundEntry,
  skipped: number,
  codePage?: number,
): MsgObject {
  const streams = new Map<string, CompoundEntry>();
  for (const entry of file.children(folder)) if (!entry.folder) streams.set(entry.name.toLowerCase(), entry);
  const list = streams.get('__properties_version1.0');
  const data = list ? file.bytes(list) : Buffer.alloc(0);
  const fixed = new Map<number, Buffer>();
  for (let at = skipped; at + 16 <= data.length; at += 16)
    fixed.set(data.readUInt32LE(at), data.subarray(at + 8, at + 16));
  const numberOf = (id: number, type: number): number => ((id << 16) | type) >>> 0;
  const stream = (id: number, type: number): CompoundEntry | undefined =>
    streams.get(`__substg1.0_${numberOf(id, type).toString(16).padStart(8, '0')}`);
  const value = (id: number, type: number): Buffer | undefined => {
    if (FIXED.includes(type)) return fixed.get(numberOf(id, type));
    const entry = stream(id, type);
    return entry && file.bytes(entry);
  };
  const own = new MapiProperties(0, value);
  const stated = codePage ?? own.number(0x3ffd) ?? BY_LOCALE.get(`${(own.number(0x3ff1) ?? 0) & 0x3ff}`);
  return {
    properties: new MapiProperties(Number(stated ?? 1252), value),
    size: (id) => stream(id, TYPE.binary)?.size,
  };
}

/** The id the file assigns to a named appointment property ([MS-OXMSG] 2.2.3). */
export function appointmentId(file: CompoundFile, named: number): number | undefined {
  const folder = file.children(file.root).find(({ name }) => name === '__nameid_version1.0');
  if (!folder) return undefined;
  const streams = file.children(folder);
  const read = (suffix: string): Buffer => {
    const entry = streams.find(({ name }) => name.toLowerCase() === `__substg1.0_${suffix}`);
    return entry ? file.bytes(entry) : Buffer.alloc(0);
  };
  const sets = read('00020102');
  const names = read('00030102');
  for (let at = 0; at + 8 <= names.length; at += 8) {
    const place = names.readUInt16LE(at + 4);
    const set = (place >> 1) - 3;
    if ((place & 1) !== 0 || names.readUInt32LE(at) !== named || set < 0) continue;
    if (sets.subarray(set * 16, set * 16 + 16).equals(APPOINTMENT))
      return 0x8000 + names.readUInt16LE(at + 6);
  }
  return undefined;
}
