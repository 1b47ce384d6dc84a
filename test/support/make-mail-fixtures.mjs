// Writes fixtures/mail: `node test/support/make-mail-fixtures.mjs`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { outlookMessage } from './compound.mjs';

const folder = fileURLToPath(new URL('../../fixtures/mail/', import.meta.url));
mkdirSync(folder, { recursive: true });
const lines = (...text) => text.join('\r\n');
const base64 = (text) =>
  Buffer.from(text)
    .toString('base64')
    .replace(/(.{76})/g, '$1\r\n');

const csv = `id,name,score\r\n${Array.from({ length: 12 }, (_, i) => `${i + 1},Name ${i + 1},${(i * 7) % 10}`).join('\r\n')}\r\n`;
const html =
  '<html><body><p>Dear Jörg,</p><p>the figures for <b>March</b> are attached. See <a href="https://example.org/plan">the plan</a>.</p><ul><li>north: up</li><li>south: down</li></ul><p><img src="cid:logo" alt="logo"></p><p>Best,<br>Ann</p></body></html>';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const inner = lines(
  'From: Bob <bob@example.org>',
  'To: ann@example.org',
  'Subject: First draft',
  'Date: Mon, 2 Mar 2026 09:00:00 +0100',
  '',
  'Here is the first draft.',
  '',
);

writeFileSync(
  `${folder}report.eml`,
  lines(
    'Return-Path: <ann@example.org>',
    'From: =?utf-8?Q?Ann_M=C3=BCller?= <ann@example.org>',
    'To: =?iso-8859-1?Q?J=F6rg?= <joerg@example.org>, "Team, North" <north@example.org>',
    'Cc: =?utf-8?B?5pel5pys?= <nihon@example.org>',
    'Subject: =?utf-8?Q?Figures_for_M=C3=A4rz_?= =?utf-8?Q?(final)?=',
    'Date: Tue, 3 Mar 2026 10:15:00 +0100',
    'Message-ID: <1@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    'This is a message in parts.',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    'Dear Jörg, the figures for March are attached.',
    '--inner',
    'Content-Type: multipart/related; boundary="rel"',
    '',
    '--rel',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    base64(html),
    '--rel',
    'Content-Type: image/png; name="logo.png"',
    'Content-Transfer-Encoding: base64',
    'Content-ID: <logo>',
    'Content-Disposition: inline; filename="logo.png"',
    '',
    base64(png),
    '--rel--',
    '--inner--',
    '--outer',
    'Content-Type: text/csv',
    "Content-Disposition: attachment; filename*0*=utf-8''figures%20M%C3%A4; filename*1=rz.csv",
    'Content-Transfer-Encoding: base64',
    '',
    base64(csv),
    '--outer',
    'Content-Type: message/rfc822',
    '',
    inner,
    '--outer--',
    '',
  ),
);

writeFileSync(
  `${folder}flowed.eml`,
  lines(
    'From: carol@example.org',
    'To: dave@example.org',
    'Subject: Re: plans & *ideas*',
    'Date: Wed, 4 Mar 2026 08:00:00 +0000',
    'Content-Type: text/plain; charset=koi8-r; format=flowed',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '> What do you =',
    'think of it?=20',
    '> Tell me soon.',
    '',
    'I think that this is a long line which was broken by the=20',
    'mail program, and which is one line all the same.',
    '=F0=D2=C9=D7=C5=D4!',
    '',
    '- one',
    '- two',
    '',
    '--=20',
    'Carol',
    '',
  ),
);

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']; // 1 March 2026 is a Sunday
const mails = Array.from({ length: 40 }, (_, i) =>
  lines(
    `From ann@example.org ${weekdays[(i % 9) % 7]} Mar  ${(i % 9) + 1} 10:00:00 2026`,
    `From: Ann <ann${i}@example.org>`,
    `Subject: Note ${i + 1}`,
    `Date: ${weekdays[(i % 9) % 7]}, ${(i % 9) + 1} Mar 2026 10:00:00 +0000`,
    '',
    `The text of note ${i + 1}.`,
    '',
    '>From here on it is quoted.',
    '',
    '',
  ),
);
writeFileSync(`${folder}notes.mbox`, mails.join(''));

writeFileSync(
  `${folder}meeting.msg`,
  outlookMessage({
    text: {
      55: 'Minutes of the meeting',
      3098: 'Ann Müller',
      23809: 'ann@example.org',
      4096: 'Dear all,\r\n\r\nhere are the minutes.\r\n\r\nAnn\r\n',
      4149: '<2@example.org>',
    },
    binary: {
      4115: '<html><body><p>Dear all,</p><p>here are the <i>minutes</i>.</p><p>Ann</p></body></html>',
    },
    numbers: { 16350: 65001 },
    times: { 57: '2026-03-05T12:00:00Z' },
    recipients: [
      { text: { 12289: 'Jörg', 14846: 'joerg@example.org' }, numbers: { 3093: 1 } },
      { text: { 12289: 'Team', 14846: 'team@example.org' }, numbers: { 3093: 2 } },
    ],
    attachments: [
      {
        text: { 14087: 'minutes.txt', 14094: 'text/plain' },
        binary: { 14081: 'Present: all.\nAbsent: none.\n' },
        numbers: { 14085: 1 },
      },
      {
        text: { 12289: 'Invitation' },
        numbers: { 14085: 5 },
        message: {
          text: { 55: 'Invitation', 3098: 'Bob', 4096: 'Please come.\r\n' },
          times: { 57: '2026-03-01T12:00:00Z' },
        },
      },
    ],
  }),
);

// An Outlook message in transport form ([MS-OXTNEF]): attributes with their lengths and checksums.
const attribute = (level, id, data) => {
  const head = Buffer.alloc(9);
  head.writeUInt8(level, 0);
  head.writeUInt32LE(id, 1);
  head.writeUInt32LE(data.length, 5);
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(data.reduce((total, byte) => (total + byte) & 0xffff, 0));
  return Buffer.concat([head, data, sum]);
};
const properties = (entries) => {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(entries.length);
  const values = entries.map(([id, type, data]) => {
    const head = Buffer.alloc(12);
    head.writeUInt16LE(type, 0);
    head.writeUInt16LE(id, 2);
    head.writeUInt32LE(1, 4);
    head.writeUInt32LE(data.length, 8);
    return Buffer.concat([head, data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
  });
  return Buffer.concat([count, ...values]);
};
const wide = (id, text) => [id, 0x1f, Buffer.from(`${text}\0`, 'utf16le')];
const DATE = Buffer.alloc(14);
for (const [at, value] of [2026, 3, 9, 8, 30, 0, 1].entries()) DATE.writeUInt16LE(value, at * 2);
writeFileSync(
  `${folder}winmail.tnef`,
  Buffer.concat([
    Buffer.from('789f3e220100', 'hex'),
    attribute(1, 0x69007, Buffer.from('e404000000000000', 'hex')),
    attribute(1, 0x18004, Buffer.from('Sluice times\0')),
    attribute(1, 0x38005, DATE),
    attribute(
      1,
      0x69003,
      properties([
        wide(0x0c1a, 'Ann'),
        wide(0x0c1f, 'ann@example.org'),
        wide(0x0e04, 'Jörg'),
        [0x1013, 0x102, Buffer.from('<p>The sluice opens at <b>seven</b>.</p><p>The list is attached.</p>')],
      ]),
    ),
    attribute(2, 0x69002, Buffer.alloc(14)),
    attribute(2, 0x18010, Buffer.from('TIMES~1.CSV\0')),
    attribute(2, 0x6800f, Buffer.from('day,opens\nMonday,7\nTuesday,8\n')),
    attribute(2, 0x69005, properties([wide(0x3707, 'times of the week.csv')])),
  ]),
);
