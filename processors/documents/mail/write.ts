// A mail as Markdown: its subject as the heading, who and when as a list, the attachments with the path that reads each,
// then the text.

import { type FormatFacts, plural, type Warning } from '../../../src/contract/index.ts';
import type { Block, ConvertContext } from '../document.ts';
import { htmlToBlocks } from '../html/blocks.ts';
import { cleanText, escapeText, headingBlock } from '../markdown/index.ts';
import { BytesSource } from './bytes-source.ts';
import { type Attachment, type Body, contentId, type Mail } from './mail.ts';
import { plainBlocks, withAddresses } from './plain-text.ts';

export interface WrittenMail {
  readonly blocks: readonly Block[];
  readonly facts: FormatFacts;
  readonly warnings: readonly Warning[];
}

/** Longer lists stand behind the text, so that they do not push it out of the answer. */
const MAX_AHEAD = 20;
const MAX_FIELD = 2000;

/** `source` is what the mail is called: with `!/` and a name it is how an attachment is read. */
export async function writeMail(mail: Mail, source: string, context: ConvertContext): Promise<WrittenMail> {
  const warnings = [...mail.warnings];
  const heading = headingBlock(1, escapeText(flat(mail.subject)) || '(no subject)');
  const list = attachmentList(mail.attachments, source);
  const ahead = mail.attachments.length <= MAX_AHEAD;
  const fields = mail.fields.map(({ name, value }) => `- ${name}: ${withAddresses(flat(value))}`);
  if (mail.attachments.length > 0 && !ahead)
    fields.push(`- Attachments: ${mail.attachments.length}, listed at the end`);
  const blocks: Block[] = [heading];
  if (fields.length > 0) blocks.push(`${fields.join('\n')}\n`);
  if (ahead) blocks.push(...list);
  for (const body of mail.bodies) blocks.push(...(await bodyBlocks(body, mail, warnings, context)));
  if (!ahead) blocks.push(...list);
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

function attachmentList(attachments: readonly Attachment[], source: string): Block[] {
  if (attachments.length === 0) return [];
  const lines = attachments.map((attachment) => {
    const { name, type, inline, note } = attachment;
    const what = [
      type,
      sizeOf(attachment.size()),
      ...(inline ? ['inline'] : []),
      ...(note === undefined ? [] : [escapeText(flat(note))]),
    ];
    return `- ${escapeText(name)} (${what.join(', ')}): read with \`${`${source}!/${name}`.replaceAll('`', "'")}\``;
  });
  return [`${plural(attachments.length, 'attachment')}:\n`, `${lines.join('\n')}\n`];
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte');
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

async function bodyBlocks(
  body: Body,
  { pictures }: Mail,
  warnings: Warning[],
  context: ConvertContext,
): Promise<readonly Block[]> {
  if (body.kind === 'plain') return plainBlocks(body.text);
  if (body.kind === 'rtf') return rtfBlocks(body.rtf, context, warnings);
  const picture = (address: string): string => pictures.get(contentId(address)) ?? address;
  const page = await htmlToBlocks(body.html, { signal: context.signal, picture });
  const words = wordsOf(
    page.blocks.join(' ').replace(/!\[[^\]]{0,500}\]\([^)]{0,2000}\)|\]\([^)]{0,2000}\)/g, ' '),
  );
  // HTML that says next to nothing of what the plain text says is a picture or a frame around one.
  if (body.plain !== undefined && words * 3 < wordsOf(body.plain)) {
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The HTML of the mail holds ${plural(words, 'word')}; its plain text, which holds more, is shown.`,
    });
    return plainBlocks(body.plain);
  }
  warnings.push(...page.warnings);
  return page.blocks;
}

const wordsOf = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

async function rtfBlocks(
  rtf: Uint8Array,
  context: ConvertContext,
  warnings: Warning[],
): Promise<readonly Block[]> {
  const { rtfConverter } = await import('../rtf/convert.ts');
  const document = await rtfConverter.open(new BytesSource(rtf), {
    ...context,
    warn: (warning) => warnings.push(warning),
  });
  try {
    const { blocks, warnings: more = [] } = await document.section(1);
    warnings.push(...more);
    return blocks;
  } finally {
    await document.close();
  }
}
