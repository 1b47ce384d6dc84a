// Document properties of a compound file: the property set of its stream `SummaryInformation` ([MS-OLEPS] 2.20,
// [MS-OSHARED] 2.3.3.2.1).

import type { CompoundFile } from '../../../src/package/index.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { beforeNul, i16, u32, utf16 } from './bytes.ts';

/** Facts and the ids of their properties. */
const TEXTS: readonly (readonly [string, number])[] = [
  ['title', 2],
  ['subject', 3],
  ['author', 4],
  ['keywords', 5],
  ['lastModifiedBy', 8],
];
const TIMES: readonly (readonly [string, number])[] = [
  ['created', 12],
  ['documentModified', 13],
];
const CODE_PAGE = 1;
const TYPE_I2 = 2;
const TYPE_STRING = 30;
const TYPE_WIDE = 31;
const TYPE_TIME = 64;
const MAX_PROPERTIES = 1000;
const MAX_LENGTH = 1000;
const UTF_16 = 1200;
/** 100-nanosecond intervals from 1601 to 1970, in milliseconds. */
const EPOCH = 11_644_473_600_000;

/** Title, author and the like; without those that are empty. */
export async function summaryFacts(file: CompoundFile): Promise<Record<string, string>> {
  const entry = file.children(file.root).find(({ name }) => name === '\u0005SummaryInformation');
  const bytes = entry ? file.bytes(entry) : Buffer.alloc(0);
  const start = u32(bytes, 44);
  const properties = new Map<number, number>();
  const count = Math.min(MAX_PROPERTIES, u32(bytes, start + 4));
  for (let index = 0; index < count; index += 1) {
    const at = start + 8 + index * 8;
    properties.set(u32(bytes, at), start + u32(bytes, at + 4));
  }
  const page = properties.get(CODE_PAGE);
  const codePage = page !== undefined && u32(bytes, page) === TYPE_I2 ? i16(bytes, page + 4) & 0xffff : 1252;
  const { default: iconv } = await import('iconv-lite');
  const charset = charsetOfCodePage(codePage);
  const facts: Record<string, string> = {};
  for (const [fact, id] of TEXTS) {
    const at = properties.get(id);
    if (at === undefined) continue;
    const type = u32(bytes, at);
    const length = Math.min(u32(bytes, at + 4), MAX_LENGTH * 2);
    const narrow = bytes.subarray(at + 8, at + 8 + length);
    let text = '';
    if (type === TYPE_WIDE) text = utf16(bytes, at + 8, length);
    else if (type === TYPE_STRING && codePage === UTF_16) text = utf16(bytes, at + 8, length >> 1);
    else if (type === TYPE_STRING)
      text = iconv.decode(narrow, iconv.encodingExists(charset) ? charset : 'cp1252');
    const clean = beforeNul(text)
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .trim()
      .slice(0, MAX_LENGTH);
    if (clean !== '') facts[fact] = clean;
  }
  for (const [fact, id] of TIMES) {
    const at = properties.get(id);
    if (at === undefined || u32(bytes, at) !== TYPE_TIME || at + 12 > bytes.length) continue;
    const time = new Date(Number(bytes.readBigUInt64LE(at + 4) / 10_000n) - EPOCH);
    // An unset time is 1601; PowerPoint writes durations here.
    if (time.getTime() > 0 && time.getUTCFullYear() < 2200)
      facts[fact] = time.toISOString().replace(/\.\d+Z$/, 'Z');
  }
  return facts;
}
