// Our own mails, read by others as well: what those find, ours finds.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { missedOfEml, missedOfMsg } from '../../support/mail-oracle.ts';

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../fixtures/mail/${name}`, import.meta.url));

test.each(['report.eml', 'flowed.eml'])('postal-mime finds no more in %s', async (name) =>
  expect(await missedOfEml(fixture(name))).toEqual([]),
);

test('msgreader finds no more in meeting.msg', async () =>
  expect(await missedOfMsg(fixture('meeting.msg'))).toEqual([]));

test('reports what our parser lacks', async () => {
  const mail =
    'From: a@b.c\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n<p>seen<p hidden>unseen words\r\n';
  expect(await missedOfEml(Buffer.from(mail))).toEqual(['words: unseen words']);
});
