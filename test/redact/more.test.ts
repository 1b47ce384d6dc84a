// Secrets in the side rooms of documents: comments, notes, links, titles, databases, protected and nested files.

import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { wordFile } from '../processors/documents/word-file.ts';
import { zipOf } from '../support/zip.ts';
import { leakIn, PLANTED } from './secret-files.ts';

const reader = createReader({ redact: true, cache: false, environment: {} });
const token = PLANTED.find(({ kind }) => kind === 'github')?.secret ?? '';
const url = PLANTED.find(({ text }) => /^(?:postgres|mongodb|redis|amqp)/.test(text))?.text ?? '';
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const REQUESTS = [
  {},
  { all: true },
  { comment: '1' },
  { overflow: 'outline' },
  { format: 'json' },
  { maxTokens: 50 },
] as const;

const shows = async (name: string, bytes: Uint8Array): Promise<void> => {
  for (const request of REQUESTS) {
    const answer = await reader.read({ name, bytes }, request);
    expect(leakIn(JSON.stringify(answer)), JSON.stringify(request)).toBeUndefined();
  }
  expect(leakIn(JSON.stringify(await reader.inspect({ name, bytes }, { maxTokens: 900 })))).toBeUndefined();
};

it('in comments, notes, runs and links of a Word document', async () => {
  const run = (text: string, bold = false): string =>
    `<w:r>${bold ? '<w:rPr><w:b/></w:rPr>' : ''}<w:t>${text}</w:t></w:r>`;
  const bytes = wordFile({
    body: [
      `<w:p><w:commentRangeStart w:id="0"/>${run('see')}<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>`,
      `<w:p>${run(token.slice(0, 15))}${run(token.slice(15, 25), true)}${run(token.slice(25))}</w:p>`,
      `<w:p><w:hyperlink r:id="l1">${run('here')}</w:hyperlink></w:p>`,
      `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(token)}</w:p>`,
      `<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
      `<w:tbl><w:tr><w:tc>${paragraph('api_key')}</w:tc><w:tc>${paragraph(token)}</w:tc></w:tr></w:tbl>`,
    ].join(''),
    comments: `<w:comment w:id="0" w:author="${token}">${paragraph(`use ${token}`)}</w:comment>`,
    footnotes: `<w:footnote w:id="2">${paragraph(token)}</w:footnote>`,
    links: [['l1', 'hyperlink', url]],
  });
  await shows('a.docx', bytes);
  await shows('a.zip', zipOf([{ name: 'b.zip', data: zipOf([{ name: 'a.docx', data: bytes }]) }]));
  const inner = await reader.read({
    name: 'a.zip',
    bytes: zipOf([{ name: 'a.docx', data: bytes }]),
    entry: 'a.docx',
  });
  expect(leakIn(JSON.stringify(inner))).toBeUndefined();
});

it('in a mail: header, quoted-printable body, HTML entities', async () => {
  const soft = `${token.slice(0, 20)}=\r\n${token.slice(20)}`;
  const entities = Array.from(token, (one) => `&#${one.codePointAt(0)};`).join('');
  const mail = `From: a@b.c\r\nSubject: ${token}\r\nX-Key: ${token}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${soft}\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>${entities}</p><a href="${url}">x</a>\r\n--x\r\nContent-Type: text/plain; name="${token}.txt"\r\nContent-Disposition: attachment\r\n\r\n${token}\r\n--x--\r\n`;
  await shows('a.eml', Buffer.from(mail));
  await shows(
    'a.html',
    Buffer.from(
      `<title>${entities}</title><p>${entities}</p><!-- ${token} --><img alt="${token}" src="x.png">`,
    ),
  );
});

it('in a database', async () => {
  const path = join(tmpdir(), `lectern-redact-${process.pid}.db`);
  const client = createClient({ url: `file:${path}` });
  try {
    await client.batch(
      ['CREATE TABLE keys (id, value)', { sql: 'INSERT INTO keys VALUES (1, ?)', args: [token] }],
      'write',
    );
    client.close();
    for (const request of REQUESTS)
      expect(leakIn(JSON.stringify(await reader.read(path, request)))).toBeUndefined();
    expect(leakIn(JSON.stringify(await reader.inspect(path, { maxTokens: 900 })))).toBeUndefined();
  } finally {
    await rm(path, { force: true });
  }
});

it('in text of another encoding than the file has', async () => {
  const bytes = Buffer.from(`TOKEN=${token}\nDB_PASSWORD=Harbor!4711qwe\n`.repeat(3));
  for (const encoding of ['utf-16le', 'utf-7', 'latin1', 'shift_jis', 'hex', 'base64', 'utf-32le']) {
    const answer = await reader.read({ name: 'a.env', bytes }, { encoding });
    expect(leakIn(JSON.stringify(answer)), encoding).toBeUndefined();
    const text = answer.success ? answer.text : '';
    for (const form of ['utf16le', 'hex', 'base64'] as const)
      expect(Buffer.from(text.replace(/\s/g, ''), form).toString('latin1')).not.toContain(token.slice(4, 14));
  }
});
