// Writes a mail as Markdown: subject as heading, sender and dates as a list, attachments with the path that reads each,
// then the text.

import { type FormatFacts, plural, type Warning } from '../../../src/contract/index.ts';
import {
  type Block,
  cleanText,
  headingBlock,
  type ListItem,
  linesBlock,
  listBlock,
  memberMark,
} from '../../../src/document/index.ts';
import type { ConvertContext } from '../document.ts';
import { bodyBlocks } from './bodies.ts';
import type { Attachment, Mail } from './mail.ts';
import { withAddresses } from './plain-text.ts';
import { withTnef } from './with-tnef.ts';

export interface WrittenMail {
  readonly blocks: readonly Block[];
  readonly facts: FormatFacts;
  readonly warnings: readonly Warning[];
}

/** Longer attachment lists follow the text, so that they do not push it out of the response. */
const MAX_AHEAD = 20;
const MAX_FIELD = 2000;

/** The blocks; an attachment is named by its member mark. */
export async function writeMail(given: Mail, context: ConvertContext): Promise<WrittenMail> {
  const mail = await withTnef(given, context);
  const warnings = [...mail.warnings];
  const heading = headingBlock(1, cleanText(flat(mail.subject)) || '(no subject)');
  const list = attachmentList(mail.attachments);
  const ahead = mail.attachments.length <= MAX_AHEAD;
  const fields = mail.fields.map(({ name, value }) => itemOf(`${name}: ${withAddresses(flat(value))}`));
  if (mail.attachments.length > 0 && !ahead)
    fields.push(itemOf(`Attachments: ${mail.attachments.length}, listed at the end`));
  const blocks: Block[] = [heading];
  if (fields.length > 0) blocks.push(listBlock(fields));
  const body = await bodyBlocks(mail, warnings, context);
  for (const block of ahead ? [...list, ...body] : [...body, ...list]) blocks.push(block);
  const from = mail.fields.find(({ name }) => name === 'From')?.value;
  return {
    blocks,
    facts: {
      ...(mail.subject !== '' && { title: flat(mail.subject) }),
      ...(from !== undefined && { author: flat(from) }),
      ...(mail.sent && { created: mail.sent.toISOString() }),
      attachments: mail.attachments.length,
    },
    warnings,
  };
}

function flat(text: string): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  return line.length > MAX_FIELD ? `${line.slice(0, MAX_FIELD)}…` : line;
}

function attachmentList(attachments: readonly Attachment[]): Block[] {
  if (attachments.length === 0) return [];
  const items = attachments.map((attachment) => {
    const { name, type, inline, note } = attachment;
    const what = [
      type,
      sizeOf(attachment.size()),
      ...(inline ? ['inline'] : []),
      ...(note === undefined ? [] : [cleanText(flat(note))]),
    ];
    return itemOf(`${cleanText(name)} (${what.join(', ')}): read with ${memberMark(name)}`);
  });
  return [linesBlock(`${plural(attachments.length, 'attachment')}:`), listBlock(items)];
}

const itemOf = (text: string): ListItem => ({ level: 0, marker: '-', text });

function sizeOf(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte');
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
