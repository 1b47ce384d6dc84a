// Mails of others, read by postal-mime and msgreader as well: what those find, ours finds.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missedOfEml, missedOfMsg } from '../support/mail-oracle.ts';

const CORPUS = process.env['LECTERN_CORPUS'];
const FOLDER = path.join(CORPUS ?? '.', 'mail');

/** What ours lacks of theirs, and why that is right. */
const EXCEPTIONS: readonly (readonly [file: RegExp, lacking: RegExp, reason: string])[] = [
  [/legacy\/0(?:09|10|18|24)\.eml$/, /^subject: .*\S$/, 'bytes outside ASCII, which only ours decodes'],
  [/legacy\/047\.eml$/, /^words: die hasen .*$/, 'a text with a name, which ours lists as an attachment'],
  [/calendar-event\.eml$/, /^words: have been invited attend named$/, 'hidden text, which ours reports'],
  [/nonUnicodeCP932\.msg$/, /^subject: .*\nwords: .*$/, 'a code page, which msgreader has to be told'],
];

const lackingOf = (name: string): RegExp => EXCEPTIONS.find(([file]) => file.test(name))?.[1] ?? /^$/;

const filesOf = (ending: string): string[] =>
  CORPUS === undefined
    ? []
    : readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));

describe.runIf(CORPUS !== undefined)('mails of others', () => {
  test('there are some', () => {
    expect(filesOf('.eml').length).toBeGreaterThan(40);
    expect(filesOf('.msg').length).toBeGreaterThan(5);
  });

  test.each(filesOf('.eml'))('postal-mime finds no more in %s', async (name) =>
    expect((await missedOfEml(readFileSync(path.join(FOLDER, name)))).join('\n')).toMatch(lackingOf(name)),
  );

  test.each(filesOf('.msg'))('msgreader finds no more in %s', async (name) =>
    expect((await missedOfMsg(readFileSync(path.join(FOLDER, name)))).join('\n')).toMatch(lackingOf(name)),
  );
});
