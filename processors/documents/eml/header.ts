// The header fields of internet mail (RFC 5322) to show, their labels, and the sent date.

import { decodeHeader, type HeaderField } from '../mail/header.ts';
import type { Mail } from '../mail/mail.ts';
import { words } from '../words.ts';

/** Every mail has at least one of these fields. */
const KNOWN: ReadonlySet<string> = new Set(
  words(
    'from to cc bcc subject date received message-id mime-version return-path delivered-to reply-to ' +
      'sender content-type content-transfer-encoding',
  ),
);

/** Header fields in the order shown. */
const SHOWN: readonly (readonly [name: string, label: string])[] = [
  ['from', 'From'],
  ['sender', 'Sender'],
  ['reply-to', 'Reply-To'],
  ['to', 'To'],
  ['cc', 'Cc'],
  ['bcc', 'Bcc'],
  ['date', 'Date'],
  ['resent-from', 'Resent-From'],
  ['resent-to', 'Resent-To'],
  ['resent-date', 'Resent-Date'],
  ['newsgroups', 'Newsgroups'],
  ['organization', 'Organization'],
  ['importance', 'Importance'],
  ['list-id', 'List-Id'],
  ['message-id', 'Message-ID'],
  ['in-reply-to', 'In-Reply-To'],
];

/** True if at least one field is typical of mail. */
export function isMailHeader(fields: readonly HeaderField[]): boolean {
  return fields.some(({ name }) => KNOWN.has(name));
}

/** The decoded fields to show; at most three of the same name. */
export function shownFields(fields: readonly HeaderField[]): Mail['fields'] {
  return SHOWN.flatMap(([name, label]) =>
    fields
      .filter((field) => field.name === name)
      .slice(0, 3)
      .map(({ raw }) => ({ name: label, value: decodeHeader(raw) }))
      .filter(({ value }) => value !== ''),
  );
}

/** The first valid date of the header: damaged mails may have an invalid one before it. */
export function sentDate(fields: readonly HeaderField[]): Date | undefined {
  const time = fields
    .filter(({ name }) => name === 'date')
    .slice(0, 3)
    .map(({ raw }) => Date.parse(decodeHeader(raw).replace(/\([^()]*\)/g, '')))
    .find(Number.isFinite);
  return time === undefined ? undefined : new Date(time);
}
