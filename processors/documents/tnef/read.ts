// Parses an Outlook message in transport form (`winmail.dat`, [MS-OXTNEF]): a sequence of attributes with lengths and
// checksums. Embedded messages are returned as Internet mail.

import { NotThisFormat, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import type { ReadMail } from '../mail/code.ts';
import type { Mail } from '../mail/mail.ts';
import { OutlookAttachments, outlookMail } from '../mail/outlook.ts';
import { writeEml } from '../mail/write-eml.ts';
import { TnefProperties } from './properties.ts';

/** Attributes by id, without their type ([MS-OXTNEF] 2.1.3.2). */
const FROM = 0x8000;
const SUBJECT = 0x8004;
const SENT = 0x8005;
const BODY = 0x800c;
const DATA = 0x800f;
const TITLE = 0x8010;
const RENDERING = 0x9002;
const MESSAGE = 0x9003;
const RECIPIENTS = 0x9004;
const ATTACHMENT = 0x9005;
const CODE_PAGE = 0x9007;

const MAX_PARTS = 2000;
/** Embedded messages below are returned as they are. */
const MAX_DEPTH = 3;
const HEAD = 6;

/** Parses a message in transport form. @throws {NotThisFormat}, {ReaderError} ABORTED */
export const readTnef: ReadMail = async (source, { signal }) => {
  const bytes = await source.bytes();
  return messageOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), signal, 0);
};

interface Attribute {
  readonly id: number;
  readonly data: Buffer;
}

/** An attachment while its attributes are read. */
interface Part {
  title: Buffer | undefined;
  data: Buffer | undefined;
  properties: TnefProperties;
}

async function messageOf(bytes: Buffer, signal: AbortSignal, depth: number): Promise<Mail> {
  if (!isTnef(bytes))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file does not start with the signature of an Outlook message in transport form (TNEF).',
    });
  const warnings: Warning[] = [];
  const attributes = [...attributesOf(bytes, warnings)];
  const stated = attributes.find(({ id }) => id === CODE_PAGE)?.data;
  const codePage = stated && stated.length >= 4 ? stated.readUInt32LE(0) : 1252;
  const properties = new TnefProperties(codePage);
  const recipients: TnefProperties[] = [];
  const parts: Part[] = [];
  let cut = false;
  for (const { id, data } of attributes) {
    if (id === MESSAGE) cut = properties.read(data, 0) === undefined || cut;
    else if (id === RECIPIENTS) cut = !readRecipients(data, codePage, recipients) || cut;
    else if (id === RENDERING)
      parts.push({ title: undefined, data: undefined, properties: new TnefProperties(codePage) });
    const part = parts.at(-1);
    if (!part) continue;
    if (id === TITLE) part.title = data;
    else if (id === DATA) part.data = data;
    else if (id === ATTACHMENT) cut = part.properties.read(data, 0) === undefined || cut;
  }
  // Values with an attribute of their own are not in the list.
  for (const { id, data } of attributes) addStated(properties, id, data);
  if (cut)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: 'A list of properties in the message is damaged; the rest of that list is left out.',
    });
  if (parts.length > MAX_PARTS)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The message has more than ${MAX_PARTS} attachments; the rest is left out.`,
    });
  const attachments = new OutlookAttachments();
  for (const part of parts.slice(0, MAX_PARTS)) await attach(part, attachments, signal, depth);
  const sent = properties.time(0x0039) ?? sentOf(attributes);
  return outlookMail(properties, recipients, sent, attachments, warnings, (named) =>
    properties.appointment(named),
  );
}

/** True for the signature `0x223E9F78`. */
function isTnef(bytes: Uint8Array): boolean {
  return bytes[0] === 0x78 && bytes[1] === 0x9f && bytes[2] === 0x3e && bytes[3] === 0x22;
}

function* attributesOf(bytes: Buffer, warnings: Warning[]): Generator<Attribute> {
  let damaged = 0;
  for (let at = HEAD; at < bytes.length; ) {
    const length = at + 9 <= bytes.length ? bytes.readUInt32LE(at + 5) : Number.POSITIVE_INFINITY;
    const data = bytes.subarray(at + 9, at + 9 + length);
    const end = at + 9 + length + 2;
    if (end > bytes.length) {
      warnings.push({ code: 'SKIPPED_CONTENT', message: 'The message is truncated; the rest is missing.' });
      break;
    }
    if (sumOf(data) !== bytes.readUInt16LE(end - 2)) damaged += 1;
    yield { id: bytes.readUInt16LE(at + 1), data };
    at = end;
  }
  if (damaged > 0)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The message is damaged: ${damaged} of its checksums do not match; what could be read is shown.`,
    });
}

function sumOf(data: Buffer): number {
  let sum = 0;
  for (const byte of data) sum = (sum + byte) & 0xffff;
  return sum;
}

/** False if the table is damaged. */
function readRecipients(data: Buffer, codePage: number, recipients: TnefProperties[]): boolean {
  if (data.length < 4) return false;
  let at: number | undefined = 4;
  for (let left = data.readUInt32LE(0); left > 0 && recipients.length < MAX_PARTS; left -= 1) {
    const recipient = new TnefProperties(codePage);
    at = recipient.read(data, at);
    if (at === undefined) return false;
    recipients.push(recipient);
  }
  return true;
}

function addStated(properties: TnefProperties, id: number, data: Buffer): void {
  if (id === SUBJECT) properties.addText(0x0037, data);
  else if (id === BODY) properties.addText(0x1000, data);
  else if (id === FROM && data.length >= 8) {
    // A name and an address like `SMTP:lea@example.org`, with their lengths before them.
    const name = data.readUInt16LE(4);
    properties.addText(0x0c1a, data.subarray(8, 8 + name));
    const mail = data.subarray(8 + name, 8 + name + data.readUInt16LE(6));
    properties.addText(0x0c1f, mail.subarray(mail.indexOf(':') + 1));
  }
}

/** Year, month, day, hour, minute and second, two bytes each. */
function sentOf(attributes: readonly Attribute[]): Date | undefined {
  const data = attributes.find(({ id }) => id === SENT)?.data;
  if (!data || data.length < 12) return undefined;
  const [year = 0, month = 0, ...rest] = [0, 2, 4, 6, 8, 10].map((at) => data.readUInt16LE(at));
  const date = new Date(Date.UTC(year, month - 1, ...rest));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

async function attach(
  { title, data, properties }: Part,
  attachments: OutlookAttachments,
  signal: AbortSignal,
  depth: number,
): Promise<void> {
  throwIfAborted(signal);
  if (title) properties.addText(0x3001, title);
  const object = properties.object(0x3701);
  const mail =
    object && isTnef(object) && depth < MAX_DEPTH ? await messageOf(object, signal, depth + 1) : undefined;
  const bytes = mail ? await writeEml(mail) : (object ?? data ?? properties.bytes(0x3701) ?? Buffer.alloc(0));
  await attachments.add(properties, { mail, size: () => bytes.length, bytes: async () => bytes });
}
