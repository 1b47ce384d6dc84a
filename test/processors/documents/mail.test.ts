// Internet mail: headers, bodies in their versions, attachments by path, charsets, and mails made to hurt.

import { readFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { contentOf } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const mail = (bytes: Uint8Array | string, entry?: string): Promise<FileExtractionResult> =>
  reader.read(
    { name: 'm.eml', bytes: Buffer.from(bytes), ...(entry !== undefined && { entry }) },
    { all: true },
  );
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : `${result.error.code} ${result.error.message}`;
const warningsOf = (result: FileExtractionResult): string =>
  result.success
    ? result.warnings.map(({ code, message }) => `${code} ${message}`).join('\n')
    : result.error.code;
const plain = (header: string, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(`From: a@b.c\r\nSubject: s\r\n${header}\r\n\r\n`), Buffer.from(body)]);
const bodyOf = async (bytes: Uint8Array | string): Promise<string> =>
  textOf(await mail(bytes))
    .split('\n\n')
    .slice(2)
    .join('\n\n');

it('has its attachments in its contents', async () => {
  const found = await reader.inspect('fixtures/mail/report.eml', { maxTokens: 500 });
  const lines = (found.success && found.contents?.text.split('\n')) || [];
  expect(lines.filter((line) => line.includes('!/'))).toEqual([
    expect.stringMatching(/^#L\d+: logo\.png \(image\/png, .*\): read with `report\.eml!\/logo\.png`$/),
    expect.stringContaining('`report.eml!/figures März.csv`'),
    expect.stringContaining('`report.eml!/First draft.eml`'),
  ]);
});

describe('a body', () => {
  it('may have any number of paragraphs', async () => {
    const answer = await reader.read({ name: 'm.eml', bytes: plain('', 'a\n\n'.repeat(130_000)) });
    expect(textOf(answer)).toContain('a\n\na');
  });

  it.each([
    ['koi8-r', 'Привет, мир'],
    ['windows-1251', 'Привет, мир'],
    ['iso-8859-1', 'Grüße aus Köln'],
    ['iso-8859-15', 'Preis: 5 €'],
    ['shift_jis', 'こんにちは世界'],
    ['euc-jp', 'こんにちは世界'],
    ['gb2312', '你好，世界'],
    ['gb18030', '你好，世界 𠀀'],
    ['big5', '你好，世界'],
    ['euc-kr', '안녕하세요'],
    ['cp932', 'こんにちは世界'],
    ['utf-16le', 'Grüße'],
    ['utf-7', 'Grüße'],
    ['cp850', 'Grüße'],
  ])('in %s is decoded', async (charset, text) => {
    const bytes = iconv.encode(text, charset);
    const quoted = [...bytes].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
    for (const [encoding, body] of [
      ['base64', bytes.toString('base64')],
      ['quoted-printable', quoted],
    ] as const)
      expect(
        await bodyOf(
          plain(
            `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}`,
            body,
          ),
        ),
      ).toBe(`${text}\n`);
  });

  it('in ISO-2022-JP, a 7-bit encoding, is decoded', async () =>
    expect(await bodyOf(plain('Content-Type: text/plain; charset=iso-2022-jp', '\u001b$B$3$s\u001b(B'))).toBe(
      'こん\n',
    ));

  it('without a charset is UTF-8 if valid, otherwise Windows-1252', async () => {
    expect(await bodyOf(plain('X: y', 'Grüße'))).toBe('Grüße\n');
    expect(await bodyOf(plain('X: y', Buffer.from('Gr\u00fc\u00dfe', 'latin1')))).toBe('Grüße\n');
  });

  it('with bytes invalid in its charset is reported', async () =>
    expect(
      warningsOf(await mail(plain('Content-Type: text/plain; charset=utf-8', Buffer.from([0x61, 0xff])))),
    ).toContain('LOSSY_DECODE'));

  it('in flowed format is joined, except quotations', async () => {
    const header = 'Content-Type: text/plain; format=flowed; delsp=no';
    expect(await bodyOf(plain(header, '> a \r\n> b\r\n\r\nc \r\nd\r\n'))).toBe('> a b\n\nc d\n');
  });

  it('with markup in plain text is unchanged', async () =>
    expect(await bodyOf(plain('X: y', '# no heading\n\n*stars* and <b>\n\n- a list\n\n    indented'))).toBe(
      '\\# no heading\n\n\\*stars\\* and \\<b>\n\n- a list\n\nindented\n',
    ));

  it('in two versions is shown in the richer one', async () => {
    const parts = (html: string): string =>
      `From: a@b.c\r\nSubject: s\r\nContent-Type: multipart/alternative; boundary=x\r\n\r\n--x\r\n\r\nrich words that say it all\r\n--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--\r\n`;
    expect(await bodyOf(parts('<p>rich <b>words</b> that say it all</p>'))).toBe(
      'rich **words** that say it all\n',
    );
    const poor = await mail(parts('<img src="x.png">'));
    expect(textOf(poor)).toContain('rich words that say it all');
    expect(warningsOf(poor)).toContain('SKIPPED_CONTENT');
  });
});

describe('parts', () => {
  const mixed = (body: string, boundary = 'x', type = 'mixed'): string =>
    `From: a@b.c\r\nSubject: s\r\nContent-Type: multipart/${type}; boundary="${boundary}"\r\n\r\n${body}`;
  const part = (type: string, text: string): string => `--x\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;

  it.each([
    ['a note', 'Note: added\r\n', 'Note: added\n'],
    ['a part', 'Content-Type: text/html\r\n\r\n<p>added</p>\r\n', 'added\n'],
    ['a part with its boundary', part('text/plain', 'added'), 'added\n'],
  ])('behind the last boundary, here %s, are shown', async (_what, rest, shown) => {
    const result = await mail(mixed(`${part('text/plain', 'first')}--x--\r\n${rest}`));
    expect(textOf(result)).toBe(`# s\n\n- From: a@b.c\n\nfirst\n\n${shown}`);
    expect(warningsOf(result)).toEqual(
      rest.startsWith('--')
        ? ''
        : expect.stringMatching(/^HIDDEN_CONTENT The mail has text after its closing boundary/),
    );
  });

  it('with blanks after the last boundary cause no warning', async () =>
    expect(warningsOf(await mail(mixed(`${part('text/plain', 'first')}--x--\r\n \r\n\r\n`)))).toBe(''));

  it('may have a boundary with the same suffix as the enclosing ones', async () => {
    const inner = mixed('--a--\r\n\r\nbody\r\n--a----\r\n', 'a--').replace(/^.*\r\n.*\r\n/, '');
    expect(await bodyOf(mixed(`--a\r\n${inner}--a--\r\n`, 'a'))).toBe('body\n');
  });

  it('of one kind in an alternative are all shown', async () =>
    expect(
      await bodyOf(
        mixed(
          part('text/plain', 'one two') + part('text/html', '<p>one') + part('text/html', '<p>two'),
          'x',
          'alternative',
        ),
      ),
    ).toBe('one\n\ntwo\n'));

  it('that are files are listed even if their version of the text is not shown', async () => {
    const inner =
      'Content-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\nrich\r\n--y\r\nContent-Type: application/pdf; name=f.pdf\r\n\r\n%PDF\r\n--y--\r\n';
    const text = await bodyOf(
      mixed(`--x\r\n${inner}${part('text/html', '<p>rich')}--x--\r\n`, 'x', 'alternative'),
    );
    expect(text).toContain('- f.pdf (application/pdf, 4 bytes)');
    expect(text).toMatch(/\n\nrich\n$/);
  });
});

describe('a header', () => {
  it('with an invalid date before a valid one uses the valid one', async () =>
    expect(
      await mail(plain('Date: Tue, 7 Apr 2026 10:00:t\r\nDate: Tue, 7 Apr 2026 10:00:01 +0000', 'x')),
    ).toMatchObject({ metadata: { created: '2026-04-07T10:00:01.000Z' } }));

  it.each([
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?utf-8?B?R3LDvA==?= =?utf-8?B?w59l?=', 'Grüße'],
    ['=?utf-8?B?R3LD?= =?utf-8?B?vMOfZQ==?=', 'Grüße'],
    ['=?iso-2022-jp?B?GyRCJDMkcxsoQg==?= plain', 'こん plain'],
    ['=?utf-8*en?Q?a_b?=', 'a b'],
    ['=?utf-7?Q?Gr+APwA3w-e_1_+-_1?=', 'Grüße 1 + 1'],
    ['a =?unknown?Q?b?= c', 'a b c'],
    ['=?utf-8?Q?never ended', '=?utf-8?Q?never ended'],
    ['folded\r\n \tover lines', 'folded over lines'],
  ])('decodes %s', async (subject, text) => {
    const result = await mail(`From: a@b.c\r\nSubject: ${subject}\r\n\r\nx`);
    expect(result).toMatchObject({ success: true, metadata: { title: text } });
  });

  it('gives metadata', async () =>
    expect(
      await mail('From: A <a@b.c>\r\nSubject: s\r\nDate: Tue, 3 Mar 2026 10:15:00 +0100\r\n\r\nx'),
    ).toMatchObject({
      fileType: 'email',
      metadata: { title: 's', author: 'A <a@b.c>', created: '2026-03-03T09:15:00.000Z', attachments: 0 },
    }));
});

describe('an attachment', () => {
  const report = readFileSync(new URL('../../../fixtures/mail/report.eml', import.meta.url));

  it('is listed with a path that reads it', async () => {
    const text = textOf(await mail(report));
    const paths = [...text.matchAll(/read with `m\.eml!\/([^`]+)`/g)].map(([, path]) => path ?? '');
    expect(paths).toEqual(['logo.png', 'figures März.csv', 'First draft.eml']);
    for (const path of paths) expect(textOf(await mail(report, path))).not.toMatch(/^[A-Z]+_[A-Z]+ /);
    expect(await mail(report, 'figures März.csv')).toMatchObject({
      processor: 'csv',
      metadata: { rows: 12 },
    });
    expect(textOf(await mail(report, 'First draft.eml'))).toContain('# First draft');
  });

  it('that is missing suggests a similar name', async () =>
    expect(await mail(report, 'figures Marz.csv')).toMatchObject({
      error: { code: 'FILE_NOT_FOUND', hint: 'Did you mean `figures März.csv`?' },
    }));

  it('has a unique name without folders', async () => {
    const part = (name: string, data: string): string =>
      `--x\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Disposition: attachment\r\n\r\n${data}\r\n`;
    const bytes = `From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${part('../../a.txt', 'one')}${part('a.txt', 'two')}${part('', 'three')}--x--`;
    expect([...textOf(await mail(bytes)).matchAll(/m\.eml!\/([^`]+)`/g)].map(([, name]) => name)).toEqual([
      'a.txt',
      'a (2).txt',
      'part-3',
    ]);
    expect(textOf(await mail(bytes, 'a (2).txt'))).toBe('two');
  });

  it.each([
    ['application/pkcs7-mime', 'S/MIME'],
    ['application/ms-tnef', 'not a readable Outlook message'],
  ])('of %s is reported', async (type, word) => {
    const result = await mail(
      plain(`Content-Type: ${type}; name=x.dat\r\nContent-Transfer-Encoding: base64`, 'AAAA'),
    );
    expect(textOf(result) + warningsOf(result)).toContain(word);
  });
});

describe('a hostile mail', () => {
  const deep = (levels: number): string =>
    `From: a@b.c\r\n${Array.from({ length: levels }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('')}\r\ntext`;
  it.each<[what: string, bytes: Uint8Array | string]>([
    ['100 000 header fields', `From: a@b.c\r\n${'X: y\r\n'.repeat(100_000)}\r\nbody`],
    ['a header of 20 MB', `From: a@b.c\r\nSubject: ${'x'.repeat(2e7)}\r\n\r\nbody`],
    ['a field folded a million times', `From: a@b.c\r\nSubject: ${'\r\n y'.repeat(1e6)}\r\n\r\nbody`],
    ['100 000 encoded words', `From: a@b.c\r\nSubject: ${'=?utf-8?Q?=C3?= '.repeat(1e5)}\r\n\r\nbody`],
    ['question marks', `From: a@b.c\r\nSubject: ${'=?'.repeat(3e4)}\r\n\r\nbody`],
    ['100 000 parameters', `From: a@b.c\r\nContent-Type: text/plain; ${'a="b'.repeat(1e5)}\r\n\r\nbody`],
    [
      '200 000 parts',
      `From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${'--x\r\n\r\ny\r\n'.repeat(2e5)}`,
    ],
    ['1000 levels', deep(1000)],
    [
      'text behind 200 000 last boundaries',
      `From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\ny\r\n${'--x--\r\nz\r\n'.repeat(2e5)}`,
    ],
    [
      'a part that says that its boundary is its end',
      `From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/mixed; boundary="x--"\r\n${'X: y\r\n'.repeat(1e5)}\r\n${'--x--\r\nz\r\n'.repeat(1e5)}`,
    ],
    [
      'a boundary that is everywhere',
      `From: a@b.c\r\nContent-Type: multipart/mixed; boundary="-"\r\n\r\n${'---\r\n'.repeat(2e5)}`,
    ],
    ['a quotation 100 000 deep', `From: a@b.c\r\n\r\n${'>'.repeat(1e5)} x`],
    [
      'zero bytes',
      Buffer.concat([Buffer.from('From: a@b.c\r\nSubject: \0\0\r\n\r\nbody '), Buffer.alloc(1000)]),
    ],
  ])('with %s is read', async (_what, bytes) => {
    const result = await reader.read({
      name: 'm.eml',
      bytes: Buffer.from(bytes),
      mimeType: 'message/rfc822',
    });
    expect(result.success || result.error.code).toBe(true);
    expect(textOf(result)).not.toContain('\0');
  });

  it('is text if it is not a mail', async () =>
    expect(await mail('just words\n')).toMatchObject({
      processor: 'text',
      warnings: [{ code: 'INVALID_SYNTAX' }],
    }));
});

it('is detected without a name', async () => {
  const bytes = Buffer.from('Received: from x\r\nFrom: a@b.c\r\nTo: d@e.f\r\nSubject: hello\r\n\r\ntext\r\n');
  expect(await reader.read({ bytes, name: 'stdin' })).toMatchObject({ processor: 'eml' });
});

describe('a mailbox', () => {
  const box = readFileSync(new URL('../../../fixtures/mail/notes.mbox', import.meta.url));
  it('lists its mails, which are read by number', async () => {
    const result = await reader.read({ name: 'n.mbox', bytes: box }, { all: true });
    expect(textOf(result)).toMatch(/^40 mails\.[\s\S]*\n\| 40 \| .* \| Note 40 \|\n/);
    const last = await reader.read({ name: 'n.mbox', bytes: box, entry: '40.eml' });
    expect(textOf(last)).toContain('The text of note 40.\n\nFrom here on it is quoted.');
    expect(await reader.read({ name: 'n.mbox', bytes: box, entry: '41' })).toMatchObject({
      error: { code: 'FILE_NOT_FOUND' },
    });
  });
});
