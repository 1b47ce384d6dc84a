// The parts of a mail in the properties of an Outlook message ([MS-OXPROPS]), in whichever container: header fields and
// the best body.

import { htmlOfRtf, unpackRtf } from '../msg/rtf-body.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { pairs } from '../words.ts';
import { decodeCharset } from './charset.ts';
import type { Body, Mail, Version } from './mail.ts';

/** Properties of a message or recipient, by id. */
export interface MapiProperties {
  /** The code page of text that is not Unicode. */
  readonly codePage: number;
  /** `''` if the property is missing. */
  text(id: number): Promise<string>;
  bytes(id: number): Buffer | undefined;
  number(id: number): number | undefined;
  time(id: number): Date | undefined;
}

/** The header fields; `appointment` returns the id of a named property of appointments. */
export async function outlookFields(
  properties: MapiProperties,
  recipients: readonly MapiProperties[],
  sent: Date | undefined,
  appointment: (named: number) => number | undefined,
): Promise<Mail['fields']> {
  const from = address(
    (await properties.text(0x0c1a)) || (await properties.text(0x0042)),
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
export async function outlookBodies(properties: MapiProperties): Promise<Body[]> {
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
