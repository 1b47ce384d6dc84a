// Files of many formats that hold the same planted secrets, and a check that an answer holds no part of one.

import { gzipSync } from 'node:zlib';
import { wordFile } from '../processors/documents/word-file.ts';
import { onePage } from '../support/pdf.ts';
import { type Planted, plantedSecrets } from '../support/planted-secrets.mjs';
import { workbookOf } from '../support/workbook.ts';
import { zipOf } from '../support/zip.ts';

/** Every format twice. */
export const PLANTED: readonly Planted[] = plantedSecrets(20261128, 54);

/** Shorter parts of a secret are found in other text too. */
const PART = 9;

const parts = new Map<string, string>();
for (const { kind, secret } of PLANTED)
  for (const piece of secret.split('\n'))
    for (let at = 0; at + PART <= Math.max(PART, piece.length); at += 1)
      parts.set(piece.slice(at, at + PART), `${kind}: ${piece.slice(0, 20)}`);

/** What of the planted secrets stands in `text`; undefined if nothing does. */
export function leakIn(text: string): string | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const secret = parts.get(text.slice(at, at + PART));
    if (secret !== undefined)
      return `${secret} in ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))}`;
  }
  return undefined;
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const all = PLANTED.map(({ text }, at) => `Part ${at}\n${text}\n`).join('\n');
const lines = all.split('\n');
const single = PLANTED.map(({ text }) => text.replaceAll('\n', ' '));
const records = PLANTED.map(({ text }, at) => ({ id: at, text }));
const indented = PLANTED.map(({ text }, at) => `- id: ${at}\n  text: |\n${text.replace(/^/gm, '    ')}\n`);
const csvCell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csv = `id,note\n${PLANTED.map(({ text }, at) => `${at},${csvCell(text)}\n`).join('')}`;
const paragraphs = lines
  .map((line) => `<w:p><w:r><w:t xml:space="preserve">${xml(line)}</w:t></w:r></w:p>`)
  .join('');
const cells = PLANTED.map(
  ({ text }, at) =>
    `<row r="${at + 1}"><c r="A${at + 1}" t="inlineStr"><is><t>${xml(text)}</t></is></c></row>`,
).join('');
const pdfLines = lines
  .slice(0, 90)
  .map((line, at) => `BT /F 6 Tf 20 ${790 - 8 * at} Td (${line.replace(/[\\()]/g, '\\$&')}) Tj ET`)
  .join('\n');
const cell = (kind: 'code' | 'markdown', text: string) => ({
  cell_type: kind,
  metadata: {},
  source: text.split(/(?<=\n)/),
  ...(kind === 'code' && {
    execution_count: 1,
    outputs: [{ output_type: 'stream', name: 'stdout', text: text.split(/(?<=\n)/) }],
  }),
});
const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: PLANTED.map(({ text }, at) => cell(at % 2 ? 'code' : 'markdown', text)),
};
const rtf = `{\\rtf1\\ansi ${lines.map((line) => `${line.replace(/[\\{}]/g, '\\$&')}\\par `).join('\n')}}`;
const mail = [
  'From: a@example.org',
  'To: b@example.org',
  `Subject: ${single[2]}`,
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(all).toString('base64').replace(/.{76}/g, '$&\r\n'),
  '',
].join('\r\n');
const html = `<html><head><title>${xml(single[0] ?? '')}</title></head><body>${PLANTED.map(({ text }) => `<p>${xml(text)}</p><pre>${xml(text)}</pre>`).join('')}</body></html>`;

/** By name. */
export const SECRET_FILES: Readonly<Record<string, string | Buffer>> = {
  'plain.txt': all,
  'crlf.txt': all.replaceAll('\n', '\r\n'),
  'one-line.log': single.join(' '),
  'app.env': all,
  'notes.md': PLANTED.map(({ text }, at) => `## Part ${at}\n\n${text}\n`).join('\n'),
  'code.py': PLANTED.map(({ text }, at) => `def f${at}():\n    """\n${text}\n    """\n`).join('\n'),
  'data.csv': csv,
  'data.json': JSON.stringify(records, null, 2),
  'min.json': JSON.stringify(records),
  'data.jsonl': records.map((one) => `${JSON.stringify(one)}\n`).join(''),
  'data.yaml': indented.join(''),
  'data.toml': PLANTED.map(({ text }, at) => `[p${at}]\ntext = ${JSON.stringify(text)}\n`).join(''),
  'data.xml': `<all>${PLANTED.map(({ text }) => `<one>${xml(text)}</one>\n`).join('')}</all>`,
  'page.html': html,
  'mail.eml': mail,
  'book.ipynb': JSON.stringify(notebook, null, 1),
  'letter.docx': wordFile({ body: paragraphs }),
  'sheet.xlsx': workbookOf({ sheets: [{ name: 'Keys', xml: cells }] }),
  'text.rtf': rtf,
  'page.pdf': onePage(pdfLines),
  'wide.txt': Buffer.from(`\ufeff${all}`, 'utf16le'),
  'plain.txt.gz': gzipSync(all),
  'pack.zip': zipOf([
    { name: 'inner/app.env', data: all },
    { name: 'data.csv', data: csv },
    { name: 'letter.docx', data: wordFile({ body: paragraphs }) },
  ]),
  'captions.srt': PLANTED.map(
    ({ text }, at) =>
      `${at + 1}\n00:00:0${at % 9},000 --> 00:00:0${(at % 9) + 1},000\n${text.replaceAll('\n', ' ')}\n`,
  ).join('\n'),
};
