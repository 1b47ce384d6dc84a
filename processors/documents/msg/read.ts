// Parses Outlook messages ([MS-OXMSG]): headers, the best body, attachments. Embedded messages are returned as Internet
// mail.

import { type MimeType, NotThisFormat, ReaderError, type Warning } from '../../../src/contract/index.ts';
import { type CompoundEntry, CompoundFile } from '../../../src/package/index.ts';
import type { ReadMail } from '../mail/code.ts';
import { type Attachment, AttachmentNames, contentId, type Mail } from '../mail/mail.ts';
import { outlookBodies, outlookFields } from '../mail/outlook.ts';
import { writeEml } from '../mail/write-eml.ts';
import { appointmentId, Properties } from './properties.ts';

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
      fields: await outlookFields(properties, recipients, sent, (named) => appointmentId(this.#file, named)),
      ...(sent && { sent }),
      bodies: await outlookBodies(properties),
      attachments,
      warnings,
      pictures,
    };
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
