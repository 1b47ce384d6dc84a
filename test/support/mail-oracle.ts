// What other readers of mail find in a file that ours does not: subject, addresses, names of attachments, words.

import { createRequire } from 'node:module';
import PostalMime, { type Address } from 'postal-mime';
import { readEml } from '../../processors/documents/eml/read.ts';
import type { ReadMail } from '../../processors/documents/mail/code.ts';
import { writeMail } from '../../processors/documents/mail/write.ts';
import { readMsg } from '../../processors/documents/msg/read.ts';
import { NotThisFormat } from '../../src/contract/index.ts';
import { markdownOf } from '../../src/document/index.ts';
import { memorySource, testContext } from './context.ts';

const { default: MsgReader } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader',
) as typeof import('@kenjiuno/msgreader'); // CommonJS, whose default export is one of its names

interface Found {
  readonly subject: string;
  readonly text: string;
  readonly names: readonly string[];
}

async function found(read: ReadMail, bytes: Uint8Array): Promise<Found> {
  const context = testContext({ selection: { all: true } });
  const mail = await read(memorySource(bytes), context).catch((error: unknown) => {
    if (error instanceof NotThisFormat) return undefined;
    throw error;
  });
  // Shown as text.
  if (!mail) return { subject: '', text: Buffer.from(bytes).toString(), names: [] };
  const { blocks } = await writeMail(mail, context);
  return {
    subject: mail.subject,
    text: blocks
      .map(markdownOf)
      .join('\n')
      .replace(/\\(?=[!-/:-@[-`{-~])/g, ''),
    names: mail.attachments.map(({ name }) => name),
  };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const flat = (text: string | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();

const seenIn = (html: string): string =>
  html
    .replace(/<(style|script|head|title)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->|<[^>]*>/gi, ' ')
    .replace(/&#(x?[\da-f]{1,5});/gi, (_, code: string) =>
      String.fromCodePoint(Number(code.replace(/^x/i, '0x'))),
    )
    .replace(/&\w{1,20};/g, ' ');

const addressesOf = (list: readonly (Address | undefined)[]): string[] =>
  list.flatMap((one) => (one?.group ? one.group.map(({ address }) => address) : [one?.address ?? '']));

/** One line for each kind of thing that postal-mime finds and ours lacks, in mails inside as well. */
export async function missedOfEml(bytes: Uint8Array, depth = 0): Promise<string[]> {
  const theirs = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  const { from, sender, to = [], cc = [], bcc = [], replyTo = [] } = theirs;
  const lines = missed(await found(readEml, bytes), {
    subject: theirs.subject,
    addresses: addressesOf([from, sender, ...to, ...cc, ...bcc, ...replyTo]),
    names: theirs.attachments.map(({ filename }) => filename ?? ''),
    words: wordsOf(theirs.html === undefined ? (theirs.text ?? '') : seenIn(theirs.html)),
  });
  for (const { mimeType, content } of theirs.attachments)
    if (mimeType === 'message/rfc822' && depth < 8 && typeof content !== 'string')
      lines.push(...(await missedOfEml(new Uint8Array(content), depth + 1)));
  return lines;
}

/** The same for an Outlook message and msgreader. */
export async function missedOfMsg(bytes: Uint8Array): Promise<string[]> {
  const theirs = new MsgReader(new Uint8Array(bytes).buffer).getFileData();
  return missed(await found(readMsg, bytes), {
    subject: theirs.subject,
    addresses: (theirs.recipients ?? []).map(({ smtpAddress, email }) => smtpAddress ?? email ?? ''),
    names: (theirs.attachments ?? []).map(({ fileName }) => fileName ?? ''),
    words: wordsOf(theirs.body ?? ''),
  });
}

function missed(
  ours: Found,
  theirs: {
    readonly subject: string | undefined;
    readonly addresses: readonly string[];
    readonly names: readonly string[];
    readonly words: readonly string[];
  },
): string[] {
  const words = new Set(wordsOf(ours.text));
  const lacking = {
    subject: [flat(theirs.subject)].filter((subject) => subject !== '' && subject !== flat(ours.subject)),
    addresses: theirs.addresses.filter((address) => !ours.text.includes(address)),
    attachments: theirs.names.filter((name) => name !== '' && !ours.names.includes(name)),
    words: [...new Set(theirs.words)].filter((word) => !words.has(word)),
  };
  return Object.entries(lacking)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `${kind}: ${list.join(' ')}`);
}
