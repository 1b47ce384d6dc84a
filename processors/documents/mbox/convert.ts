// A mailbox as a document: a table of its mails, each with the path that reads it.

import {
  type Entry,
  type EntryContext,
  type InnerFile,
  isCount,
  NotThisFormat,
  plural,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  type Warning,
} from '../../../src/contract/index.ts';
import { type Block, linesBlock, memberMark, tableBlock } from '../../../src/document/index.ts';
import type { Converter } from '../document.ts';
import { sentDate } from '../eml/header.ts';
import { decodeHeader, fieldOf, readHeader } from '../mail/header.ts';
import { withAddresses } from '../mail/plain-text.ts';
import { findMails, type Mailbox, type MailPlace } from './messages.ts';

const HEADER_BYTES = 16 * 1024;
/** Further mails are counted and can be read by number, but are not listed. */
const MAX_LISTED = 20_000;
const MAX_FIELD = 200;

/** Columns of the list. */
const FIELDS = ['date', 'from', 'to', 'subject'] as const;

/** Lists the mails of a mailbox. */
export const mboxConverter: Converter = {
  async open(source, context) {
    const mailbox = await mailsOf(source, context.signal);
    const { places } = mailbox;
    const blocks: Block[] = [
      linesBlock(
        `${plural(places.length, 'mail')}${mailbox.more ? ' and more' : ''}. Read one with ${memberMark('1.eml')}, its number in place of 1.`,
      ),
    ];
    // Encodings guessed for header fields, and how many mails have each.
    const guesses = new Map<string, number>();
    const rows: string[][] = [['mail', ...FIELDS]];
    for (const place of places.slice(0, MAX_LISTED)) {
      throwIfAborted(context.signal);
      rows.push([String(rows.length), ...(await rowOf(source, place, guesses))]);
    }
    blocks.push(tableBlock(rows));
    const warnings: Warning[] = [];
    if (places.length > MAX_LISTED)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `Only the first ${MAX_LISTED} of ${places.length} mails are listed; the others can be read by number.`,
      });
    if (guesses.size > 0) {
      const list = [...guesses].map(([name, count]) => `${name} (${plural(count, 'mail')})`);
      warnings.push({
        code: 'ENCODING_GUESSED',
        message: `Some header fields declare no encoding; they are read as ${list.join(', ')}.`,
      });
    }
    return {
      facts: { mails: places.length },
      section: async () => ({ blocks, warnings }),
    };
  },
};

async function mailsOf(source: Source, signal: AbortSignal): Promise<Mailbox> {
  const mailbox = await findMails(source, signal);
  if (mailbox.places.length > 0) return mailbox;
  throw new NotThisFormat({
    code: 'INVALID_SYNTAX',
    message: 'The file does not start with a mailbox line (`From address date`); shown as text.',
  });
}

/** The fields of the header. */
async function rowOf(
  source: Source,
  place: Mailbox['places'][number],
  guesses: Map<string, number>,
): Promise<string[]> {
  const head = Buffer.from(await source.read(place.from, Math.min(HEADER_BYTES, place.to - place.from)));
  const end = head.toString('latin1').search(/\r?\n\r?\n/);
  const { fields, encoding } = await readHeader(end < 0 ? head : head.subarray(0, end));
  if (encoding?.name !== undefined) guesses.set(encoding.name, (guesses.get(encoding.name) ?? 0) + 1);
  const sent = sentDate(fields)?.toISOString().replace('.000', '');
  return FIELDS.map((name) => {
    if (name === 'date' && sent !== undefined) return sent;
    const text = decodeHeader(fieldOf(fields, name) ?? '').replace(/\p{Cc}/gu, '');
    return withAddresses(text.length > MAX_FIELD ? `${text.slice(0, MAX_FIELD)}…` : text);
  });
}

/** The mail with that number: `3`, `3.eml`. @throws {ReaderError} FILE_NOT_FOUND, LIMIT_EXCEEDED */
export async function mboxEntry(source: Source, path: string, context: EntryContext): Promise<Entry> {
  const { places } = await mailsOf(source, context.signal);
  const number = Number(/^(\d{1,9})(?:\.eml)?$/i.exec(path)?.[1] ?? Number.NaN);
  const place = isCount(number, places.length) ? places[number - 1] : undefined;
  if (!place)
    throw new ReaderError(
      'FILE_NOT_FOUND',
      `${quoted(source.name)} has no mail ${quoted(path)}; it has ${plural(places.length, 'mail')}.`,
      `Use a mail's number, as in ${quoted('1.eml')}.`,
    );
  return await mailAt(source, number, place, context);
}

/** The mails in order. @throws {ReaderError} */
export async function* mboxFiles(source: Source, context: EntryContext): AsyncGenerator<InnerFile> {
  const { places } = await mailsOf(source, context.signal);
  for (const [index, place] of places.entries())
    yield { path: `${index + 1}.eml`, open: () => mailAt(source, index + 1, place, context) };
}

async function mailAt(
  source: Source,
  number: number,
  place: MailPlace,
  { limits }: EntryContext,
): Promise<Entry> {
  const length = place.to - place.from;
  if (length > limits.maxBytesInMemory)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The mail has ${length} bytes, above the maximum for a file inside another file (limit \`maxBytesInMemory\`).`,
      'Raise the limit `maxBytesInMemory`.',
    );
  const bytes = Buffer.from(await source.read(place.from, length));
  return { name: `${number}.eml`, mimeType: 'message/rfc822', bytes: unquoted(bytes) };
}

/** Removes the quoting of lines that could be mistaken for the start of a mail. */
function unquoted(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return /^>+From /m.test(text) ? Buffer.from(text.replace(/^>(>*From )/gm, '$1'), 'latin1') : bytes;
}
