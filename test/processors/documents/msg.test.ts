// Outlook messages: fields, the best body, messages inside, and compound files that loop.

import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { compoundOf, type OutlookMessage, outlookMessage } from '../../support/compound.mjs';
import { contentOf } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const read = (bytes: Uint8Array, entry?: string): Promise<FileExtractionResult> =>
  reader.read({ name: 'm.msg', bytes, ...(entry !== undefined && { entry }) }, { all: true });
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : result.error.code;
const textOfMessage = async (message: OutlookMessage): Promise<string> =>
  textOf(await read(outlookMessage(message)));

/** RTF as Outlook keeps it, not packed. */
function keptRtf(rtf: string): Buffer {
  const body = Buffer.from(rtf, 'latin1');
  const header = Buffer.alloc(16);
  header.writeUInt32LE(body.length + 12, 0);
  header.writeUInt32LE(body.length, 4);
  header.writeUInt32LE(0x414c454d, 8);
  return Buffer.concat([header, body]);
}

describe('the body', () => {
  it.each<[what: string, message: OutlookMessage, text: string]>([
    [
      'HTML in a code page',
      { binary: { 4115: Buffer.from('<p>Gr\u00fc\u00dfe</p>', 'latin1') }, numbers: { 16350: 1252 } },
      'Grüße',
    ],
    [
      'HTML wrapped in RTF',
      {
        binary: {
          4105: keptRtf(
            "{\\rtf1\\ansi\\ansicpg1252\\fromhtml1{\\fonttbl{\\f0 Arial;}}{\\*\\htmltag64 <p>}\\htmlrtf{\\b\\htmlrtf0 Gr\\'fc\\'dfe \\u8364?{\\*\\htmltag84 <b>}!{\\*\\htmltag92 </b>}\\htmlrtf}\\htmlrtf0{\\*\\htmltag72 </p>}}",
          ),
        },
      },
      'Grüße €**!**',
    ],
    [
      'plain text beside RTF that is no HTML',
      { text: { 4096: 'plain\r\n' }, binary: { 4105: keptRtf('{\\rtf1 rich}') } },
      'plain',
    ],
    ['RTF alone', { binary: { 4105: keptRtf('{\\rtf1\\ansi {\\b rich} words\\par}') } }, '**rich** words'],
  ])('is %s', async (_what, message, text) => {
    expect(
      await textOfMessage({
        text: { 55: 's', ...message.text },
        ...message,
        ...(message.text && { text: { 55: 's', ...message.text } }),
      }),
    ).toContain(text);
  });

  it('is decompressed', async () => {
    // [MS-OXRTFCP] 4.1.1, example 1: the packed form of a short RTF text.
    const packed = Buffer.from(
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
      'hex',
    );
    expect(await textOfMessage({ binary: { 4105: packed } })).toContain('hello world');
  });
});

it('shows an embedded message as a mail, with its own attachments', async () => {
  const inner: OutlookMessage = {
    text: { 55: 'Inner', 4096: 'inside\r\n' },
    attachments: [{ text: { 14087: 'data.csv' }, binary: { 14081: 'a,b\n1,2\n' } }],
  };
  const bytes = outlookMessage({
    text: { 55: 'Outer' },
    attachments: [{ numbers: { 14085: 5 }, message: inner }],
  });
  expect(textOf(await read(bytes))).toContain('m.msg!/Inner.eml');
  expect(textOf(await read(bytes, 'Inner.eml'))).toContain('inside');
  expect(await read(bytes, 'Inner.eml!/data.csv')).toMatchObject({ processor: 'csv', metadata: { rows: 1 } });
});

it('reads streams large and small', async () => {
  const data = Buffer.alloc(100_000, 'abcdefg\n');
  const bytes = outlookMessage({
    text: { 55: 's' },
    attachments: [{ text: { 14087: 'big.txt' }, binary: { 14081: data } }],
  });
  expect(textOf(await read(bytes, 'big.txt'))).toBe(data.toString());
});

describe('a hostile file', () => {
  const whole = outlookMessage({
    text: { 55: 'subject', 4096: 'text\r\n' },
    attachments: [{ text: { 14087: 'a.txt' }, binary: { 14081: Buffer.alloc(9000, 'x') } }],
  });

  it('with cyclic chains is read or rejected', async () => {
    const loops = Buffer.from(whole);
    const table = loops.length - 512;
    for (let at = table; at < loops.length; at += 4) loops.writeUInt32LE(0, at);
    const self = Buffer.from(whole);
    for (let i = 0; i * 4 + table < self.length; i += 1) self.writeUInt32LE(i, table + i * 4);
    for (const bytes of [loops, self]) {
      const result = await read(bytes);
      expect(result.success || result.error.code).not.toBe('INTERNAL');
    }
  });

  it('with folders inside themselves is read', async () => {
    const bytes = compoundOf([
      { name: '__properties_version1.0', data: Buffer.alloc(32) },
      {
        name: '__attach_version1.0_#00000000',
        children: [
          {
            name: '__substg1.0_3701000D',
            children: [{ name: '__attach_version1.0_#00000000', children: [] }],
          },
        ],
      },
    ]);
    // The innermost attachment holds the outermost message.
    const directory = (bytes.readUInt32LE(48) + 1) * 512;
    for (let at = directory; at + 128 <= bytes.length; at += 128)
      if (
        bytes.toString('utf16le', at, at + 20) === '__attach_v' &&
        bytes.readUInt32LE(at + 76) === 0xffffffff
      )
        bytes.writeUInt32LE(bytes.readUInt32LE(directory + 76), at + 76);
    expect(await read(bytes)).toMatchObject({ success: true });
  });

  it('changed in any byte is read or rejected', async () => {
    for (let at = 0; at < whole.length; at += 13)
      for (const value of [0, 0xff]) {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        const result = await read(bytes);
        expect(result.success || result.error.code).not.toBe('INTERNAL');
      }
  });

  it('cut anywhere is read or rejected', async () => {
    for (let length = 0; length < whole.length; length += 97) {
      const result = await read(whole.subarray(0, length));
      expect(result.success || result.error.code).not.toBe('INTERNAL');
    }
  });
});
