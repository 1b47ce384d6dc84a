// Which processor nameless content goes to.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });
const processorOf = async (text: string): Promise<string> =>
  (await readOk(reader, { bytes: Buffer.from(text), name: 'stdin' })).processor;

it.each([
  ['csv', 'id,name,note\n1,Ann,"a, b"\n2,Bob,c\n'],
  ['csv', 'a;b;c\r\n1;2;3\r\n4;5;6\r\n'],
  ['csv', 'a\tb\n1\t2\n3\t4\n5\t6\n7\t8\n9\t0\n'],
  ['json', '{"a": 1}'],
  ['json', '[1, 2]'],
  ['xml', '<?xml version="1.0"?><a/>'],
  ['text', 'One, two, three.\nFour, five, six.\nSeven, eight, nine.\n'],
  ['text', 'let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\nlet e = 5;\nlet f = 6;\n'],
  ['text', 'a,b\nc,d\n'],
  ['text', 'Nothing to see here.\n'],
])('%s: %j', async (processor, text) => {
  expect(await processorOf(text)).toBe(processor);
});

it('a mail whose lines agree on a delimiter stays a mail', async () => {
  const mail = 'From: a@b.org;x;y\nTo: c@d.org;x;y\nSubject: e;x;y\n\nhello;x;y\n';
  expect(await processorOf(mail)).toBe('eml');
});

it('a tab and a line end in UTF-16 are text, not records of Excel 2', async () => {
  const bytes = Buffer.from('\t\r\n Notes of the meeting, and what follows.\r\n', 'utf16le');
  expect((await readOk(reader, { bytes, name: 'stdin' })).processor).toBe('text');
});

it('an empty workbook is an empty file', async () => {
  const result = await readOk(reader, { bytes: new Uint8Array(), name: 'a.xlsx' });
  expect(result).toMatchObject({ processor: 'xlsx', truncation: null, warnings: [{ code: 'EMPTY_FILE' }] });
});

describe('binary files that look like text', () => {
  const printable = 'a comment '.repeat(3000);

  it('knows a picture with a long comment, whatever it is called', async () => {
    const png = Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
      Buffer.from('IHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU', 'latin1'),
      Buffer.from([0, 0, printable.length >> 8, printable.length & 255]),
      Buffer.from(`tEXt${printable}`, 'latin1'),
    ]);
    for (const name of ['unnamed', 'notes.txt']) {
      const inspected = await createReader().inspect({ name, bytes: png });
      expect(inspected.success ? inspected.fileType : inspected.error.code).not.toBe('text');
    }
  });

  it('knows a quiet recording', async () => {
    const wav = Buffer.alloc(44 + 8000);
    wav.write('RIFF', 0);
    wav.writeUInt32LE(36 + 8000, 4);
    wav.write('WAVEfmt ', 8);
    wav.writeUInt32LE(16, 16);
    wav.writeUInt16LE(1, 20);
    wav.writeUInt16LE(1, 22);
    wav.writeUInt32LE(8000, 24);
    wav.writeUInt32LE(16000, 28);
    wav.writeUInt16LE(2, 32);
    wav.writeUInt16LE(16, 34);
    wav.write('data', 36);
    wav.writeUInt32LE(8000, 40);
    for (let i = 44; i < wav.length; i += 2) wav.writeInt16LE(32 + (i % 64), i);
    expect(await createReader().inspect({ name: 'unnamed', bytes: wav })).toMatchObject({
      fileType: 'audio',
    });
  });
});

it.each([
  ['mail/meeting.msg', 'msg', ['a.xls', 'a.xlsb', 'a.ods', 'a.docx', 'a.pptx', 'a.pdf']],
  ['tabular/parcels.xls', 'spreadsheet', ['a.msg', 'a.docx', 'a.pptx', 'a.pdf']],
  ['tabular/parcels.xlsb', 'spreadsheet', ['a.xlsx', 'a.docx', 'a.odt', 'a.epub', 'a.pdf']],
  ['documents/ferry.epub', 'epub', ['a.odt', 'a.odp', 'a.docx', 'a.pptx', 'a.xlsx', 'a.ods', 'a.pdf']],
  ['documents/survey.docx', 'docx', ['a.odt', 'a.odp', 'a.epub', 'a.pptx', 'a.xlsx', 'a.ods', 'a.pdf']],
  ['documents/river.odt', 'odt', ['a.docx', 'a.odp', 'a.epub', 'a.pptx', 'a.xlsx', 'a.ods', 'a.pdf']],
  ['archive/logs.zip', 'zip', ['a.docx', 'a.odt', 'a.odp', 'a.epub', 'a.pptx', 'a.xlsx', 'a.ods', 'a.pdf']],
  ['archive/project.zip', 'zip', ['a.docx', 'a.odt', 'a.odp', 'a.epub', 'a.pptx', 'a.xlsx', 'a.ods']],
  ['structured/binary.plist', 'xml', ['a.txt', 'a.bin', 'a.json', 'a.pdf']],
  ['documents/minutes.rtf', 'rtf', ['a.doc', 'a.7z', 'a.pdf', 'a.txt', 'a.bin']],
])('%s is what its bytes say, whatever it is called', async (fixture, processor, names) => {
  const bytes = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url));
  for (const name of names) {
    const { processor: found, warnings } = await readOk(reader, { bytes, name });
    expect([name, found, warnings.some(({ code }) => code === 'FORMAT_MISMATCH')]).toEqual([
      name,
      processor,
      true,
    ]);
  }
});

it.each([
  ['structured/binary.plist', 'xml'],
  ['documents/minutes.rtf', 'rtf'],
  ['documents/survey.docx', 'docx'],
  ['tabular/orders.xlsx', 'xlsx'],
  ['tabular/parcels.xlsb', 'spreadsheet'],
  ['tabular/orders.csv', 'csv'], // with line breaks in quoted fields
])('%s is known without a name', async (fixture, processor) => {
  const bytes = readFileSync(new URL(`../../fixtures/${fixture}`, import.meta.url));
  const result = await readOk(reader, { bytes, name: 'stdin' });
  expect(result.processor).toBe(processor);
  expect(result.warnings.filter(({ code }) => code === 'FORMAT_MISMATCH')).toEqual([]);
});

const PAGE =
  '<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><h1>Dredging plan</h1></body></html>';
const ARCHIVE = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/related; boundary="----=_NextPart_01"',
  '',
  'This document is a Single File Web Page.',
  '',
  '------=_NextPart_01',
  'Content-Location: file:///C:/plan.htm',
  'Content-Transfer-Encoding: quoted-printable',
  'Content-Type: text/html; charset="us-ascii"',
  '',
  '<html><body><h1>Dredging pl=',
  'an</h1></body></html>',
  '------=_NextPart_01--',
  '',
].join('\r\n');

describe('a web page under the name of a Word or Excel file', () => {
  it.each([
    ['html', PAGE],
    ['html', `\uFEFF<!-- saved from a site -->\n<!DOCTYPE html>${PAGE}`],
    ['html', `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n${PAGE}`],
    ['html', '<meta charset="utf-8"><h1>Dredging plan</h1>'],
    ['html', '<table border="1"><tr><th>Dredging plan</th></tr></table>'],
    ['eml', ARCHIVE],
  ])('is read as %s: %j', async (processor, text) => {
    for (const name of ['plan.doc', 'plan.xls'])
      for (const encoding of ['utf8', 'utf16le'] as const) {
        if (encoding === 'utf16le' && processor === 'eml') continue;
        const bytes = Buffer.from(encoding === 'utf8' ? text : `\uFEFF${text}`, encoding);
        const result = await readOk(reader, { bytes, name });
        expect(result.processor).toBe(processor);
        expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'FORMAT_MISMATCH' }));
        expect(result.text).toMatch(/Dredging plan/);
        expect(result.text).not.toContain('<h1>');
      }
  });

  it('is not XML or text of another kind', async () => {
    expect(await processorOf('<?xml version="1.0"?><table><row/></table>')).toBe('xml');
    expect(await processorOf('<p align="center">A readme</p>\n\n# Title\n')).toBe('text');
    expect(await processorOf('MIME-Version: 1.0\nNotes: none\n\nand text\n')).toBe('text');
  });
});
