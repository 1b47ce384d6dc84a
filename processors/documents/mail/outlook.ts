// The parts of a mail in the properties of an Outlook message ([MS-OXPROPS]), in whichever container: header fields and
// the best body.

import { type MimeType, withoutEnd } from '../../../src/contract/index.ts';
import { htmlOfRtf, unpackRtf } from '../msg/rtf-body.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { pairs } from '../words.ts';
import { decodeCharset } from './charset.ts';
import { type Attachment, AttachmentNames, type Body, contentId, type Mail, type Version } from './mail.ts';

/** Types of properties ([MS-OXCDATA] 2.11.1). */
export const TYPE = {
  long: 3,
  boolean: 0xb,
  object: 0xd,
  string8: 0x1e,
  unicode: 0x1f,
  time: 0x40,
  binary: 0x102,
} as const;
/** 100-nanosecond intervals from 1601 to 1970, in milliseconds. */
const EPOCH = 11_644_473_600_000;
/** `PSETID_Appointment` ([MS-OXPROPS] 1.3.2) in its stored form. */
export const APPOINTMENT: Buffer = Buffer.from('0220060000000000c000000000000046', 'hex');

/** Properties of a message, recipient or attachment, by id. */
export class MapiProperties {
  /** The code page of text that is not Unicode. */
  readonly codePage: number;
  readonly #value: (id: number, type: number) => Buffer | undefined;

  /** `value`: the bytes of a property of that type. */
  constructor(codePage: number, value: (id: number, type: number) => Buffer | undefined) {
    this.codePage = codePage;
    this.#value = value;
  }

  /** `''` if the property is missing. */
  async text(id: number): Promise<string> {
    const wide = this.#value(id, TYPE.unicode);
    if (wide) return withoutEnd(wide.toString('utf16le', 0, wide.length - (wide.length % 2)), '\0');
    const narrow = this.#value(id, TYPE.string8);
    if (!narrow) return '';
    return withoutEnd((await decodeCharset(narrow, charsetOfCodePage(this.codePage))).text, '\0');
  }

  /** The first of these that is not empty. */
  async firstText(...ids: readonly number[]): Promise<string> {
    for (const id of ids) {
      const text = await this.text(id);
      if (text !== '') return text;
    }
    return '';
  }

  bytes(id: number): Buffer | undefined {
    return this.#value(id, TYPE.binary);
  }

  number(id: number): number | undefined {
    return this.#value(id, TYPE.long)?.readInt32LE(0);
  }

  flag(id: number): boolean {
    return this.#value(id, TYPE.boolean)?.[0] === 1;
  }

  time(id: number): Date | undefined {
    const value = this.#value(id, TYPE.time);
    if (!value) return undefined;
    const date = new Date(Number(value.readBigUInt64LE(0) / 10_000n) - EPOCH);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }
}

/** What an attachment of a message is, besides its properties. */
interface AttachedContent {
  /** An embedded message. */
  readonly mail: Mail | undefined;
  readonly note?: string | undefined;
  size(): number;
  bytes(): Promise<Uint8Array>;
}

/** The attachments of one message. */
export class OutlookAttachments {
  readonly list: Attachment[] = [];
  readonly pictures: Map<string, string> = new Map();
  readonly #names = new AttachmentNames();

  async add(part: MapiProperties, { mail, note, size, bytes }: AttachedContent): Promise<void> {
    const title = await part.firstText(0x3707, 0x3704, 0x3001);
    const stated = (await part.text(0x370e)).trim().toLowerCase();
    const known = /^[\w.+-]+\/[\w.+-]+$/.test(stated) ? stated : 'application/octet-stream';
    const type = mail ? 'message/rfc822' : known;
    const name = this.#names.next(mail ? `${mail.subject || title || 'message'}.eml` : title, type);
    const id = contentId(await part.text(0x3712));
    if (id !== '') this.pictures.set(id, name);
    const about = mail ? `a mail: ${mail.subject}` : note;
    this.list.push({
      name,
      // Matches the syntax of a type, and is lower case.
      type: type as MimeType,
      inline: part.flag(0x7ffe) || (id !== '' && type.startsWith('image/')),
      ...(about !== undefined && { note: about }),
      size,
      bytes,
    });
  }
}

/** The message with these properties; `appointment` returns the id of a named property of appointments. */
export async function outlookMail(
  properties: MapiProperties,
  recipients: readonly MapiProperties[],
  sent: Date | undefined,
  { list, pictures }: OutlookAttachments,
  warnings: Mail['warnings'],
  appointment: (named: number) => number | undefined,
): Promise<Mail> {
  return {
    subject: await properties.text(0x0037),
    fields: await outlookFields(properties, recipients, sent, appointment),
    ...(sent && { sent }),
    bodies: await outlookBodies(properties),
    attachments: list,
    warnings,
    pictures,
  };
}

async function outlookFields(
  properties: MapiProperties,
  recipients: readonly MapiProperties[],
  sent: Date | undefined,
  appointment: (named: number) => number | undefined,
): Promise<Mail['fields']> {
  const from = address(
    await properties.firstText(0x0c1a, 0x0042),
    await firstAddress(properties, [0x5d01, 0x5d02, 0x0c1f, 0x0065]),
  );
  const people = new Map<number, string[]>();
  for (const recipient of recipients) {
    const kind = recipient.number(0x0c15) ?? 1;
    const one = address(await recipient.text(0x3001), await firstAddress(recipient, [0x39fe, 0x3003]));
    const others = people.get(kind);
    if (others) others.push(one);
    else people.set(kind, [one]);
  }
  // Uses the displayed names if there is no recipient table.
  const list = async (kind: number, shown: number): Promise<string> =>
    people.get(kind)?.join(', ') ?? (await properties.text(shown));
  const time = (named: number): Date | undefined => {
    const id = appointment(named);
    return id === undefined ? undefined : properties.time(id);
  };
  const start = time(0x820d);
  const end = time(0x820e);
  const place = appointment(0x8208);
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

/** Exchange addresses are meaningless outside their organisation. */
async function firstAddress(properties: MapiProperties, ids: readonly number[]): Promise<string> {
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
async function outlookBodies(properties: MapiProperties): Promise<Body[]> {
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

async function htmlOf(properties: MapiProperties): Promise<string> {
  const bytes = properties.bytes(0x1013);
  if (!bytes) return properties.text(0x1013);
  const codePage = properties.number(0x3fde) ?? properties.codePage;
  return (await decodeCharset(bytes, CHARSETS.get(`${codePage}`) ?? charsetOfCodePage(codePage))).text;
}

/** Windows code pages without a font character set. */
const CHARSETS = pairs(
  '1200 utf-16le 1201 utf-16be 20127 us-ascii 20866 koi8-r 21866 koi8-u 28591 iso-8859-1 ' +
    '28592 iso-8859-2 28595 iso-8859-5 28597 iso-8859-7 28599 iso-8859-9 28605 iso-8859-15 ' +
    '50220 iso-2022-jp 50221 iso-2022-jp 50222 iso-2022-jp 51932 euc-jp 51949 euc-kr 52936 hz-gb-2312 ' +
    '54936 gb18030',
);
