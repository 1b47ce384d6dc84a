// Parses Outlook messages ([MS-OXMSG]): headers, the best body, attachments. Embedded messages are returned as Internet
// mail.

import { type MimeType, NotThisFormat, ReaderError, type Warning } from '../../../src/contract/index.ts';
import { type CompoundEntry, CompoundFile } from '../../../src/package/index.ts';
import { decodeCharset } from '../mail/charset.ts';
import type { ReadMail } from '../mail/code.ts';
import {
  type Attachment,
  AttachmentNames,
  type Body,
  contentId,
  type Mail,
  type Version,
} from '../mail/mail.ts';
import { writeEml } from '../mail/write-eml.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { appointmentId, Properties } from './properties.ts';
import { htmlOfRtf, unpackRtf } from './rtf-body.ts';

const MAX_PARTS = 2000;
const MAX_DEPTH = 8;
const TOP_SKIPPED = 32;
const INNER_SKIPPED = 24;
const PART_SKIPPED = 8;

/**
 * Parses an Outlook message. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED; NotThisFormat for another kind of
 * compound file
 */
export const readMsg: ReadMail = async (source, { limits, signal }) => {
  const file = new CompoundFile(await source.bytes());
  if (!file.children(file.root).some(({ name }) => name === '__properties_version1.0'))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file is a compound file, but not an Outlook message.',
    });
  return new MsgReader(file, signal, limits.maxBytesInMemory).message(file.root, TOP_SKIPPED, 0);
};

class MsgReader {
  readonly #file: CompoundFile;
  readonly #signal: AbortSignal;
  /** Counted over all messages: a damaged file may contain itself. */
  #parts = 0;
  #room: number;

  constructor(file: CompoundFile, signal: AbortSignal, room: number) {
    this.#file = file;
    this.#signal = signal;
    this.#room = room;
  }

  async message(folder: CompoundEntry, skipped: number, depth: number): Promise<Mail> {
    const properties = new Properties(this.#file, folder, skipped);
    const warnings: Warning[] = [];
    const names = new AttachmentNames();
    const attachments: Attachment[] = [];
    const pictures = new Map<string, string>();
    const recipients: Properties[] = [];
    for (const entry of this.#file.children(folder)) {
      if (!entry.folder) continue;
      const isAttachment = entry.name.startsWith('__attach_version1.0_');
      if (!isAttachment && !entry.name.startsWith('__recip_version1.0_')) continue;
      if (this.#signal.aborted)
        throw new ReaderError('ABORTED', 'The read was cancelled.', 'Call again to read the file.');
      this.#parts += 1;
      if (this.#parts > MAX_PARTS) {
        warnings.push({
          code: 'SKIPPED_CONTENT',
          message: `The message has more than ${MAX_PARTS} recipients and attachments; the rest is left out.`,
        });
        break;
      }
      const part = new Properties(this.#file, entry, PART_SKIPPED, properties.codePage);
      if (isAttachment) attachments.push(await this.#attachment(part, entry, names, pictures, depth));
      else recipients.push(part);
    }
    const sent = properties.time(0x0039) ?? properties.time(0x0e06);
    return {
      subject: await properties.text(0x0037),
      fields: await this.#fields(properties, recipients, sent),
      ...(sent && { sent }),
      bodies: await bodiesOf(properties),
      attachments,
      warnings,
      pictures,
    };
  }

  async #fields(
    properties: Properties,
    recipients: readonly Properties[],
    sent: Date | undefined,
  ): Promise<{ name: string; value: string }[]> {
    const from = address(
      (await properties.text(0x0c1a)) || (await properties.text(0x0042)),
      await firstAddress(properties, [0x5d01, 0x5d02, 0x0c1f, 0x0065]),
    );
    const people = new Map<number, string[]>();
    for (const recipient of recipients) {
      const kind = recipient.number(0x0c15) ?? 1;
      const one = address(await recipient.text(0x3001), await firstAddress(recipient, [0x39fe, 0x3003]));
      people.set(kind, [...(people.get(kind) ?? []), one]);
    }
    // Uses the displayed names if there is no recipient table.
    const list = async (kind: number, shown: number): Promise<string> =>
      people.get(kind)?.join(', ') ?? (await properties.text(shown));
    const start = this.#appointment(properties, 0x820d);
    const end = this.#appointment(properties, 0x820e);
    const place = appointmentId(this.#file, 0x8208);
    return [
      { name: 'From', value: from },
      { name: 'To', value: await list(1, 0x0e04) },
      { name: 'Cc', value: await list(2, 0x0e03) },
      { name: 'Bcc', value: await list(3, 0x0e02) },
      { name: 'Date', value: sent?.toISOString() ?? '' },
      { name: 'Where', value: place === undefined ? '' : await properties.text(place) },
      {
        name: 'When',
        value: start ? `${start.toISOString()}${end ? ` to ${end.toISOString()}` : ''}` : '',
      },
      { name: 'Message-ID', value: await properties.text(0x1035) },
    ].filter(({ value }) => value !== '');
  }

  async #packed(mail: Mail): Promise<Uint8Array> {
    for (const attachment of mail.attachments) this.#room -= attachment.size();
    if (this.#room < 0)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        'The embedded messages exceed the maximum for a file inside another file (limit `maxBytesInMemory`).',
        'Raise the limit `maxBytesInMemory`, or save the embedded messages separately.',
      );
    return writeEml(mail);
  }

  #appointment(properties: Properties, named: number): Date | undefined {
    const id = appointmentId(this.#file, named);
    return id === undefined ? undefined : properties.time(id);
  }

  async #attachment(
    part: Properties,
    folder: CompoundEntry,
    names: AttachmentNames,
    pictures: Map<string, string>,
    depth: number,
  ): Promise<Attachment> {
    const inner = this.#file
      .children(folder)
      .find(({ name, folder: is }) => is && name.toLowerCase() === '__substg1.0_3701000d');
    const statedName = (await part.text(0x3707)) || (await part.text(0x3704)) || (await part.text(0x3001));
    const isMail = inner !== undefined && (part.number(0x3705) ?? 5) === 5;
    const mail =
      isMail && depth < MAX_DEPTH ? await this.message(inner, INNER_SKIPPED, depth + 1) : undefined;
    const stated = (await part.text(0x370e)).trim().toLowerCase();
    const type = mail
      ? 'message/rfc822'
      : /^[\w.+-]+\/[\w.+-]+$/.test(stated)
        ? stated
        : 'application/octet-stream';
    const name = names.next(mail ? `${mail.subject || statedName || 'message'}.eml` : statedName, type);
    const id = contentId(await part.text(0x3712));
    if (id !== '') pictures.set(id, name);
    const packed = mail && (await this.#packed(mail));
    const note = mail
      ? `a mail: ${mail.subject}`
      : isMail
        ? 'a mail nested too deep to be opened'
        : undefined;
    return {
      name,
      // Matches the syntax of a type, and is lower case.
      type: type as MimeType,
      inline: part.flag(0x7ffe) || (id !== '' && type.startsWith('image/')),
      ...(note !== undefined && { note }),
      size: () => packed?.length ?? part.size(0x3701) ?? 0,
      bytes: async () => packed ?? part.bytes(0x3701) ?? new Uint8Array(),
    };
  }
}

/** Exchange addresses are meaningless outside their organisation. */
async function firstAddress(properties: Properties, ids: readonly number[]): Promise<string> {
  for (const id of ids) {
    const text = await properties.text(id);
    if (text.includes('@')) return text;
  }
  return '';
}

function address(name: string, mail: string): string {
  if (mail === '' || mail === name) return name;
  return name === '' ? mail : `${name} <${mail}>`;
}

/** The first available of HTML, HTML wrapped in RTF, plain text and other RTF; then the rest. */
async function bodiesOf(properties: Properties): Promise<Body[]> {
  const versions: Version[] = [];
  const html = await htmlOf(properties);
  if (html.trim() !== '') versions.push({ kind: 'html', html });
  const packed = properties.bytes(0x1009);
  const rtf = packed && unpackRtf(packed);
  const wrapped = rtf && htmlOfRtf(rtf);
  if (wrapped !== undefined && wrapped.trim() !== '' && wrapped !== html)
    versions.push({ kind: 'html', html: wrapped });
  const text = await properties.text(0x1000);
  if (text.trim() !== '') versions.push({ kind: 'plain', text });
  if (rtf && wrapped === undefined) versions.push({ kind: 'rtf', rtf });
  const [first, ...others] = versions;
  return first ? [{ ...first, ...(others.length > 0 && { others }) }] : [];
}

async function htmlOf(properties: Properties): Promise<string> {
  const bytes = properties.bytes(0x1013);
  if (!bytes) return properties.text(0x1013);
  const codePage = properties.number(0x3fde) ?? properties.codePage;
  return (await decodeCharset(bytes, CHARSETS[codePage] ?? charsetOfCodePage(codePage))).text;
}

/** Windows code pages without a font character set. */
const CHARSETS: Readonly<Record<number, string>> = {
  1200: 'utf-16le',
  1201: 'utf-16be',
  20127: 'us-ascii',
  20866: 'koi8-r',
  21866: 'koi8-u',
  28591: 'iso-8859-1',
  28592: 'iso-8859-2',
  28595: 'iso-8859-5',
  28597: 'iso-8859-7',
  28599: 'iso-8859-9',
  28605: 'iso-8859-15',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  52936: 'hz-gb-2312',
  54936: 'gb18030',
};
