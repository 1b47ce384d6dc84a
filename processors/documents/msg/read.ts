// Parses Outlook messages ([MS-OXMSG]): headers, the best body, attachments. Embedded messages are returned as Internet
// mail.

import { ReaderError, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import type { CompoundEntry, CompoundFile } from '../../../src/package/index.ts';
import type { ReadMail } from '../mail/code.ts';
import type { Mail } from '../mail/mail.ts';
import { type MapiProperties, OutlookAttachments, outlookMail } from '../mail/outlook.ts';
import { writeEml } from '../mail/write-eml.ts';
import { openStreams } from '../office97/streams.ts';
import { appointmentId, type MsgObject, msgObject } from './properties.ts';

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
  const { compound: file } = openStreams(
    await source.bytes(),
    '__properties_version1.0',
    'an Outlook message',
  );
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
    const { properties } = msgObject(this.#file, folder, skipped);
    const warnings: Warning[] = [];
    const attachments = new OutlookAttachments();
    const recipients: MapiProperties[] = [];
    for (const entry of this.#file.children(folder)) {
      if (!entry.folder) continue;
      const isAttachment = entry.name.startsWith('__attach_version1.0_');
      if (!isAttachment && !entry.name.startsWith('__recip_version1.0_')) continue;
      throwIfAborted(this.#signal);
      this.#parts += 1;
      if (this.#parts > MAX_PARTS) {
        warnings.push({
          code: 'SKIPPED_CONTENT',
          message: `The message has more than ${MAX_PARTS} recipients and attachments; the rest is left out.`,
        });
        break;
      }
      const part = msgObject(this.#file, entry, PART_SKIPPED, properties.codePage);
      if (isAttachment) await this.#attach(part, entry, attachments, depth);
      else recipients.push(part.properties);
    }
    const sent = properties.time(0x0039) ?? properties.time(0x0e06);
    return outlookMail(properties, recipients, sent, attachments, warnings, (named) =>
      appointmentId(this.#file, named),
    );
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

  async #attach(
    { properties, size }: MsgObject,
    folder: CompoundEntry,
    attachments: OutlookAttachments,
    depth: number,
  ): Promise<void> {
    const inner = this.#file
      .children(folder)
      .find(({ name, folder: is }) => is && name.toLowerCase() === '__substg1.0_3701000d');
    const isMail = inner !== undefined && (properties.number(0x3705) ?? 5) === 5;
    const mail =
      isMail && depth < MAX_DEPTH ? await this.message(inner, INNER_SKIPPED, depth + 1) : undefined;
    const packed = mail && (await this.#packed(mail));
    await attachments.add(properties, {
      mail,
      note: isMail ? 'a mail nested too deep to be opened' : undefined,
      size: () => packed?.length ?? size(0x3701) ?? 0,
      bytes: async () => packed ?? properties.bytes(0x3701) ?? new Uint8Array(),
    });
  }
}
