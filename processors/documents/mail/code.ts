// Code shared by mail formats, as documents and as containers: one section of Markdown, and attachments by name.

import {
  type Entry,
  type EntryContext,
  editDistance,
  type Processor,
  quoted,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import type { Converter } from '../document.ts';
import { documentCode } from '../document-code.ts';
import type { Attachment, Mail } from './mail.ts';

/** Parses a mail. @throws {ReaderError}, NotThisFormat */
export type ReadMail = (source: Source, context: Pick<EntryContext, 'limits' | 'signal'>) => Promise<Mail>;

/** The manifest entries for reading mail; `version` changes with the converter's output. */
export function mailCode(
  version: string,
  load: () => Promise<ReadMail>,
): Required<Pick<Processor, 'process' | 'outline' | 'entry' | 'files' | 'selects' | 'formats'>> {
  return {
    ...documentCode({
      version,
      load: async () => converterFor(await load()),
    }),
    entry: async (source, path, context) =>
      entryOf(await (await load())(source, context), path, source, context),
    async *files(source, context) {
      const mail = await (await load())(source, context);
      for (const { name } of mail.attachments)
        yield { path: name, open: () => entryOf(mail, name, source, context) };
    },
  };
}

function converterFor(read: ReadMail): Converter {
  return {
    async open(source, context) {
      const mail = await read(source, context);
      const { writeMail } = await import('./write.ts');
      const { blocks, facts, warnings } = await writeMail(mail, context);
      return {
        facts,
        section: async () => ({ blocks, warnings }),
      };
    },
  };
}

async function entryOf(
  { attachments }: Mail,
  path: string,
  source: Source,
  { limits }: EntryContext,
): Promise<Entry> {
  const wanted = path.replace(/^\/+/, '');
  const lower = wanted.toLowerCase();
  const found =
    attachments.find(({ name }) => name === wanted) ??
    attachments.find(({ name }) => name.toLowerCase() === lower);
  if (!found) {
    const near = attachments.find(({ name }) => editDistance(lower, name.toLowerCase(), 3) <= 3);
    throw new ReaderError(
      'FILE_NOT_FOUND',
      attachments.length === 0
        ? `${quoted(source.name)} has no attachment.`
        : `${quoted(source.name)} has no attachment ${quoted(path)}; it has ${namesFor(attachments)}.`,
      near ? `Did you mean ${quoted(near.name)}?` : 'Read the mail itself to list its attachments.',
    );
  }
  const bytes = await found.bytes();
  if (bytes.length > limits.maxBytesInMemory)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(found.name)} has ${bytes.length} bytes, above the maximum for a file inside another file (limit \`maxBytesInMemory\`).`,
      'Raise the limit `maxBytesInMemory`, or save the attachment and read it.',
    );
  return { name: found.name, mimeType: found.type, bytes };
}

/** Lists attachment names for a name that was not found. */
function namesFor(attachments: readonly Attachment[]): string {
  const names = attachments.slice(0, 5).map(({ name }) => quoted(name));
  const more = attachments.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
