// The versions of one mail: what is shown of each where they do not say the same.

import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { outlookMessage } from '../../support/compound.mjs';
import { contentOf } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]).split('\n\n').slice(2).join('\n\n') : result.error.code;
const notesOf = (result: FileExtractionResult): string[] =>
  result.success ? result.warnings.map(({ code, message }) => `${code} ${message}`) : [];

const part = (type: string, text: string): string =>
  `--x\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${text}\r\n`;
const alternatives = (...parts: readonly string[]): string =>
  `From: a@b.c\r\nSubject: s\r\nContent-Type: multipart/alternative; boundary=x\r\n\r\n${parts.join('')}--x--\r\n`;
const readMail = (text: string): Promise<FileExtractionResult> =>
  reader.read({ name: 'm.eml', bytes: Buffer.from(text) }, { all: true });
const read = (plain: string, html: string): Promise<FileExtractionResult> =>
  readMail(alternatives(part('text/plain', plain), part('text/html', html)));

const LONG =
  'The quarterly review of the harbour works is complete and the figures have been checked by the auditors twice.';

describe('a plain text version', () => {
  it.each([
    ['another text', 'Pay 900 EUR to DE02 1203 0000 0000 2020 51.', '<p>Thank you for your order.</p>'],
    [
      'another day',
      `${LONG} We meet on Monday at the north quay.`,
      `<p>${LONG} We meet on <b>Friday</b> at the north quay.`,
    ],
    ['another amount', `${LONG} The sum is 900 EUR.`, `<p>${LONG} The sum is 100 EUR.`],
    [
      'a denial',
      `${LONG} Please do not sign the contract today.`,
      `<p>${LONG} Please do sign the contract today.`,
    ],
    ['a passage more', `${LONG}\r\n\r\nThe new account is 4711.`, `<p>${LONG}`],
    ['a passage in Chinese', `${LONG}\r\n\r\n请把货款汇到新的银行账户，谢谢。`, `<p>${LONG}`],
  ])('with %s is quoted if it differs, with a note', async (_what, plain, html) => {
    const result = await read(plain, html);
    const [shown, differing] = textOf(result).split('\n\nOnly in the plain text version:\n\n');
    expect(shown?.replaceAll('*', '')).toBe(html.replace(/<[^>]*>/g, ''));
    const passages = plain.split('\r\n\r\n');
    expect(differing).toBe(`> ${passages.at(-1)}\n`);
    expect(notesOf(result)).toEqual([expect.stringMatching(/^HIDDEN_CONTENT The plain text version of/)]);
  });

  it.each([
    ['Amount 10.00 EUR', '<p>Amount 1000 EUR</p>'],
    ['Amount 1.000 EUR', '<p>Amount 1,000 EUR</p>'],
    ['Total -900 EUR', '<p>Total 900 EUR</p>'],
    ['Total 900 EUR', '<p>Total -900 EUR</p>'],
    ['Apple costs 3', '<p>Apple costs 4</p>'],
    ['Meet at 9', '<p>Meet at 10</p>'],
    ['Deal: 5 %', '<p>Deal: 5 $</p>'],
  ])('that says `%s` is quoted beside `%s`', async (plain, html) =>
    expect(textOf(await read(plain, html))).toContain(`Only in the plain text version:\n\n> ${plain}\n`),
  );

  it.each([
    ['the same words', LONG, `<p>${LONG}</p>`],
    [
      'broken lines and quotations',
      `${LONG.replaceAll(' the ', ' the\r\n')}\r\n\r\n> a quoted line`,
      `<p>${LONG}</p><blockquote>a quoted line</blockquote>`,
    ],
    [
      'addresses of links',
      `${LONG} Read on <https://example.org/track?u=1&id=77> or (http://e.org)`,
      `<p>${LONG} <a href="https://other.example/x">Read on</a> or`,
    ],
    [
      'an address of a mail',
      `${LONG} Write to us [anna@example.org]`,
      `<p>${LONG} <a href="mailto:anna@example.org">Write to us</a>`,
    ],
    [
      'link fields of Outlook',
      `${LONG} HYPERLINK "https://example.org/" the plan`,
      `<p>${LONG} <a href="https://example.org/">the plan</a>`,
    ],
    [
      'marks of pictures',
      `[image: Our logo] ${LONG} [cid:image001.png@01D0]`,
      `<img src="cid:l" alt="Our logo"><p>${LONG}`,
    ],
    [
      'numbered references',
      `${LONG} See the plan[1] and the map[2].`,
      `<p>${LONG} See <a href="https://e.org/p">the plan</a> and <a href="https://e.org/m">the map</a>.`,
    ],
    [
      'capitals, rules and stars',
      `*** THE FIGURES ***\r\n-------\r\n* one\r\n* two\r\n\r\n${LONG}`,
      `<h1>The figures</h1><ul><li>one<li>two</ul><p>${LONG}`,
    ],
    [
      'cells in a row',
      `NamePriceBread2.50Milk1.20\r\n\r\n${LONG}`,
      `<table><tr><td>Name<td>Price<tr><td>Bread<td>2.50<tr><td>Milk<td>1.20</table><p>${LONG}`,
    ],
    [
      'passages in another order',
      `Milk is sold out today.\r\n\r\n${LONG}`,
      `<p>${LONG}<p>Milk is sold out today.`,
    ],
    ['units in another place', `${LONG}\r\n\r\n1. Bread costs 5 €`, `<p>${LONG}<ul><li>Bread costs €5</ul>`],
    ['no accents', `${LONG} Resume du cafe`, `<p>${LONG} Résumé du café`],
    [
      'the words that HTML hides ahead',
      `Five offers inside this week\r\n\r\n${LONG}`,
      `<div style="display:none">Five offers inside this week</div><p>${LONG}`,
    ],
    ['nothing', '', `<p>${LONG}`],
  ])('with %s is not mentioned', async (_what, plain, html) => {
    const result = await read(plain, html);
    expect(notesOf(result).filter((note) => !note.startsWith('HIDDEN_TEXT'))).toEqual([]);
    expect(textOf(result)).not.toContain('Only in');
  });

  it('with files among its parts is compared too', async () => {
    const mixed = `--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\nThe code word is heron.\r\n--y--\r\n`;
    const result = await readMail(alternatives(mixed, part('text/html', `<p>${LONG}`)));
    expect(textOf(result)).toContain('> The code word is heron.');
  });

  it('shown because the HTML is nearly empty is followed by text only in the HTML', async () => {
    const result = await read(
      `${LONG} ${LONG}`,
      '<img src="cid:x" alt="Half price until Sunday"><p hidden>secret words',
    );
    expect(textOf(result)).toBe(
      `${LONG} ${LONG}\n\nOnly in the HTML version:\n\n> ![Half price until Sunday]()\n`,
    );
    expect(notesOf(result).map((note) => note.split(' ')[0])).toEqual([
      'SKIPPED_CONTENT',
      'HIDDEN_TEXT',
      'HIDDEN_CONTENT',
    ]);
  });

  it('is shown if the HTML is a file', async () => {
    const file =
      '--x\r\nContent-Type: text/html; name=page.html\r\nContent-Disposition: attachment\r\n\r\n<p>page\r\n';
    expect(textOf(await readMail(alternatives(part('text/plain', 'The words.'), file)))).toContain(
      '\n\nThe words.\n',
    );
  });
});

describe('other versions', () => {
  it('in enriched text are compared', async () => {
    const result = await readMail(
      alternatives(part('text/plain', LONG), part('text/enriched', `<bold>${LONG}</bold> And a heron.`)),
    );
    expect(textOf(result)).toContain(
      `${LONG}\n\nOnly in the other plain text version:\n\n> ${LONG} And a heron.`,
    );
  });

  it('in enriched text next to an unknown type are shown', async () =>
    expect(
      textOf(
        await readMail(
          alternatives(part('text/enriched', '<bold>Now</bold> or never.'), part('application/x-odd', 'zz')),
        ),
      ),
    ).toContain('Now or never.'));

  it('of a message of Outlook are compared: plain text, HTML and RTF', async () => {
    const rtf = Buffer.from(`{\\rtf1\\ansi ${LONG} Bring the blue folder.}`, 'latin1');
    const header = Buffer.alloc(16);
    header.writeUInt32LE(rtf.length + 12, 0);
    header.writeUInt32LE(rtf.length, 4);
    header.writeUInt32LE(0x414c454d, 8);
    const bytes = outlookMessage({
      text: { 55: 's', 4096: `${LONG} The door code is 2718.` },
      binary: { 4115: Buffer.from(`<p>${LONG}</p>`), 4105: Buffer.concat([header, rtf]) },
    });
    const text = textOf(await reader.read({ name: 'm.msg', bytes }, { all: true }));
    expect(text).toContain(`Only in the plain text version:\n\n> ${LONG} The door code is 2718.`);
    expect(text).toContain(`Only in the RTF version:\n\n> ${LONG} Bring the blue folder.`);
  });

  it('of a message inside a message of Outlook are kept', async () => {
    const inner = {
      text: { 55: 'Inner', 4096: `${LONG} The door code is 2718.` },
      binary: { 4115: Buffer.from(`<p>${LONG}</p>`) },
    };
    const bytes = outlookMessage({
      text: { 55: 's' },
      attachments: [{ numbers: { 14085: 5 }, message: inner }],
    });
    const result = await reader.read({ name: 'm.msg', bytes, entry: 'Inner.eml' }, { all: true });
    expect(result.success && contentOf([result])).toBe(
      `# Inner\n\n${LONG}\n\nOnly in the plain text version:\n\n> ${LONG} The door code is 2718.\n`,
    );
  });
});

it('compares long versions in linear time and reports where it stopped', async () => {
  const words = Array.from({ length: 100_000 }, (_, i) => `word${i * 7919 + 1e6}`).join(' ');
  const result = await read(words, `<p>${words}`);
  expect(notesOf(result)).toEqual([expect.stringContaining('up to 1000000 letters')]);
});
