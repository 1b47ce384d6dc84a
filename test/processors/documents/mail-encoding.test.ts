// Mail whose header fields and texts declare no charset, and mail in windows-1252.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';

const reader = createReader({ environment: {}, cache: false });
const read = async (bytes: Buffer, name: string): Promise<FileExtractionResult> =>
  reader.read({ name, bytes }, { all: true });
const textOf = (result: FileExtractionResult): string =>
  result.success ? (result.text ?? '') : result.error.message;
const warningsOf = (result: FileExtractionResult): string =>
  result.success ? result.warnings.map(({ code, message }) => `${code} ${message}`).join('\n') : '';

const SUBJECTS: readonly (readonly [encoding: string, text: string, name: string])[] = [
  ['windows-1252', 'Größe der Übersicht für Jürgen', 'windows-1252'],
  ['windows-1252', 'He said “hello” – €5', 'windows-1252'],
  ['koi8-r', 'Привет из Москвы', 'koi8-r'],
  ['windows-1251', 'Отчёт за год', 'windows-1251'],
  ['iso-8859-2', 'Žluťoučký kůň', 'iso-8859-2'],
  ['shift_jis', '新しい注文のご確認', 'shift_jis'],
  ['gbk', '中文邮件主题', 'gb18030'],
];
const mail = (subject: string, fields = ''): string =>
  `From: A <a@b.c>\r\nSubject: ${subject}\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\n${fields}\r\nHello\r\n`;
const MARK = Buffer.from('From a@b.c Mon Jan 1 00:00:00 2024\n');

describe('a header field without a charset', () => {
  it.each(SUBJECTS)('is read as %s: %s', async (encoding, subject, name) => {
    const bytes = iconv.encode(mail(subject), encoding);
    const whole = await read(bytes, 'a.eml');
    expect(textOf(whole)).toContain(`# ${subject}\n`);
    expect(warningsOf(whole)).toContain(
      `ENCODING_GUESSED Header fields of the mail declare no encoding; they are read as ${name}`,
    );
    const listed = await read(Buffer.concat([MARK, bytes]), 'a.mbox');
    expect(textOf(listed)).toContain(`| ${subject} |\n`);
    expect(warningsOf(listed)).toContain(`they are read as ${name} (1 mail)`);
  });

  it('in UTF-8 is not a guess', async () => {
    const result = await read(Buffer.from(mail('Größe')), 'a.eml');
    expect(textOf(result)).toContain('# Größe\n');
    expect(warningsOf(result)).toBe('');
  });

  it('is read in the charset of the text', async () => {
    const bytes = iconv.encode(mail('Да', 'Content-Type: text/plain; charset=koi8-r\r\n'), 'koi8-r');
    expect(textOf(await read(bytes, 'a.eml'))).toContain('# Да\n');
    expect(textOf(await read(Buffer.concat([MARK, bytes]), 'a.mbox'))).toContain('| Да |\n');
  });

  it('in words of an unknown charset is read with the others', async () => {
    const word = iconv.encode('Привет из Москвы', 'koi8-r').toString('base64');
    const result = await read(Buffer.from(mail(`=?unknown-8bit?B?${word}?=`)), 'a.eml');
    expect(textOf(result)).toContain('# Привет из Москвы\n');
  });

  it('names attachments, whose boundary has bytes of it too', async () => {
    const text = [
      'From: a@b.c',
      'Subject: x',
      'Content-Type: multipart/mixed; boundary="é"',
      '',
      '--é',
      '',
      'hi',
      '--é',
      'Content-Type: application/octet-stream; name="Prénom – été.bin"',
      '',
      'xx',
      '--é--',
      '',
    ].join('\r\n');
    expect(textOf(await read(iconv.encode(text, 'windows-1252'), 'a.eml'))).toContain('- Prénom – été.bin (');
  });
});

describe('the text of a mail', () => {
  it.each(['windows-1252', 'iso-8859-1'])(
    'in windows-1252, declared as %s, has its marks',
    async (charset) => {
      const text = mail('x', `Content-Type: text/plain; charset=${charset}\r\n`).replace(
        'Hello',
        '“Hello” – €5',
      );
      expect(textOf(await read(iconv.encode(text, 'windows-1252'), 'a.eml'))).toContain('“Hello” – €5');
    },
  );

  it('without a charset is a guess', async () => {
    const result = await read(
      iconv.encode(mail('x').replace('Hello', 'Привет, как дела?'), 'koi8-r'),
      'a.eml',
    );
    expect(textOf(result)).toContain('Привет, как дела?');
    expect(warningsOf(result)).toBe(
      'ENCODING_GUESSED Texts of the mail declare no encoding; they are read as koi8-r.',
    );
  });

  it('is read in the charset its HTML declares', async () => {
    const html = '<html><head><meta charset="koi8-r"></head><body><p>Да</p></body></html>';
    const text = mail('x', 'Content-Type: text/html\r\n').replace('Hello', html);
    expect(textOf(await read(iconv.encode(text, 'koi8-r'), 'a.eml'))).toContain('Да');
  });
});
