// Outlook messages in transport form, alone and inside a mail, and such made to hurt.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { draws } from '../../support/draws.ts';
import { contentOf } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const read = (name: string, bytes: Uint8Array, entry?: string): Promise<FileExtractionResult> =>
  reader.read({ name, bytes, ...(entry !== undefined && { entry }) }, { all: true });
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : `${result.error.code} ${result.error.message}`;
const warningsOf = (result: FileExtractionResult): string =>
  result.success ? result.warnings.map(({ message }) => message).join('\n') : '';

const u16 = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(2);
      bytes.writeUInt16LE(value);
      return bytes;
    }),
  );
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);

function attribute(level: 1 | 2, id: number, data: Buffer): Buffer {
  let sum = 0;
  for (const byte of data) sum = (sum + byte) & 0xffff;
  return Buffer.concat([Buffer.from([level]), u32(id), u32(data.length), data, u16(sum)]);
}

const variable = (type: number, id: number, data: Buffer): Buffer =>
  Buffer.concat([u16(type, id), u32(1), u32(data.length), padded(data)]);
const text = (id: number, value: string): Buffer => variable(0x1f, id, Buffer.from(`${value}\0`, 'utf16le'));
const list = (...values: Buffer[]): Buffer => Buffer.concat([u32(values.length), ...values]);

interface Given {
  readonly subject: string;
  readonly properties?: readonly Buffer[];
  readonly attachments?: readonly { readonly name: string; readonly data: Buffer; readonly message?: true }[];
}

function message({ subject, properties = [], attachments = [] }: Given): Buffer {
  return Buffer.concat([
    u32(0x223e9f78),
    u16(1),
    attribute(1, 0x69007, Buffer.concat([u32(1252), u32(0)])),
    attribute(1, 0x18004, Buffer.from(`${subject}\0`, 'latin1')),
    attribute(1, 0x38005, u16(2026, 3, 4, 5, 6, 7, 3)),
    attribute(1, 0x8000, Buffer.concat([u16(4, 0, 4, 13), Buffer.from('Lea\0SMTP:l@x.org\0')])),
    attribute(1, 0x69003, list(...properties)),
    attribute(1, 0x69004, Buffer.concat([u32(1), list(text(0x3001, 'Bo'), text(0x39fe, 'bo@x.org'))])),
    ...attachments.flatMap(({ name, data, message: inner }) => [
      attribute(2, 0x69002, Buffer.alloc(14)),
      attribute(2, 0x18010, Buffer.from('SHORT~1\0')),
      ...(inner ? [] : [attribute(2, 0x6800f, data)]),
      attribute(
        2,
        0x69005,
        list(
          text(0x3707, name),
          ...(inner ? [variable(0xd, 0x3701, Buffer.concat([Buffer.alloc(16), data]))] : []),
        ),
      ),
    ]),
  ]);
}

const INNER = message({
  subject: 'Inner',
  properties: [text(0x1000, 'Inner text')],
  attachments: [{ name: 'in.txt', data: Buffer.from('deepest\n') }],
});
const NAMED = Buffer.concat([
  u16(0x1f, 0x8001),
  Buffer.from('0220060000000000c000000000000046', 'hex'),
  u32(0),
  u32(0x8208),
  text(0, 'Pier 2').subarray(4),
]);
const WHOLE = message({
  subject: 'Quai n\xb0 7',
  properties: [
    NAMED,
    Buffer.concat([u16(0x1003, 0x1234), u32(2), u32(1), u32(2)]),
    variable(0x102, 0x1013, Buffer.from('<p>Opens at <b>7</b>.</p>')),
  ],
  attachments: [
    { name: 'long name.csv', data: Buffer.from('a,b\n1,2\n') },
    { name: 'Inner', data: INNER, message: true },
  ],
});

const mailWith = (body: string): Buffer =>
  Buffer.from(
    `From: l@x.org\r\nSubject: Quay\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${body}--b\r\nContent-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\n${WHOLE.toString('base64')}\r\n--b--\r\n`,
  );

describe('a message', () => {
  it('is read with its fields, text and attachments', async () => {
    expect(textOf(await read('winmail.dat', WHOLE))).toBe(
      `# Quai n° 7

- From: Lea <l@x.org>
- To: Bo <bo@x.org>
- Date: 2026-03-04T05:06:07.000Z
- Where: Pier 2

2 attachments:

- long name.csv (application/octet-stream, 8 bytes): read with \`winmail.dat!/long name.csv\`
- Inner.eml (message/rfc822, 457 bytes, a mail: Inner): read with \`winmail.dat!/Inner.eml\`

Opens at **7**.
`,
    );
  });

  it('gives its attachments, and those of a message in it', async () => {
    expect(textOf(await read('winmail.dat', WHOLE, 'long name.csv'))).toBe('a,b\n1,2\n');
    expect(textOf(await read('winmail.dat', WHOLE, 'Inner.eml'))).toContain('Inner text');
    expect(textOf(await read('winmail.dat', WHOLE, 'Inner.eml!/in.txt'))).toBe('deepest\n');
  });

  it('says that it is truncated or damaged', async () => {
    expect(warningsOf(await read('winmail.dat', WHOLE.subarray(0, -100)))).toContain('truncated');
    const damaged = Buffer.from(WHOLE);
    damaged[damaged.indexOf('1,2')] = 0x39;
    expect(warningsOf(await read('winmail.dat', damaged))).toContain('1 of its checksums');
    const short = message({ subject: 's', properties: [Buffer.concat([u16(0x102, 1), u32(0xffffffff)])] });
    expect(warningsOf(await read('winmail.dat', short))).toContain('list of properties');
  });

  it('never fails other than by an error of its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(WHOLE.length - 1), fc.nat(255), async (at, byte) => {
        const bytes = Buffer.from(WHOLE);
        bytes[at] = byte;
        const result = await read('winmail.dat', bytes);
        expect(result.success || result.error.code !== 'INTERNAL').toBe(true);
      }),
      { numRuns: draws(100) },
    );
  });
});

describe('inside a mail', () => {
  it('its text is the text of a mail without one, and its attachments can be read', async () => {
    const bare = mailWith('');
    const shown = textOf(await read('m.eml', bare));
    expect(shown).toContain('Opens at **7**.');
    expect(shown).toContain('read with `m.eml!/winmail.dat!/long name.csv`');
    expect(textOf(await read('m.eml', bare, 'winmail.dat!/long name.csv'))).toBe('a,b\n1,2\n');
  });

  it('only what the text of the mail does not have is added', async () => {
    const same = textOf(await read('m.eml', mailWith('--b\r\n\r\nOpens at 7.\r\n')));
    expect(same).not.toContain('Only in');
    const other = textOf(await read('m.eml', mailWith('--b\r\n\r\nSee the attached message.\r\n')));
    expect(other).toContain('Only in the HTML version:\n\n> Opens at **7**.');
  });
});
