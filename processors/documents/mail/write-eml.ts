// Serialises a parsed mail as Internet mail: the form in which a message inside an Outlook message is returned.

import type { Mail, Version } from './mail.ts';

/** The bytes of the mail. Everything is base64, so that no line can be mistaken for a boundary. */
export async function writeEml(mail: Mail): Promise<Uint8Array> {
  const boundary = 'lectern-part';
  const fields = mail.fields
    .filter(({ name }) => name !== 'Date')
    .map(({ name, value }) => `${name}: ${words(value)}`);
  if (mail.sent) fields.push(`Date: ${mail.sent.toUTCString().replace('GMT', '+0000')}`);
  const header = [
    `Subject: ${words(mail.subject)}`,
    ...fields,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
  ];
  const pieces: Uint8Array[] = [Buffer.from(`${header.join('\r\n')}\r\n`)];
  const add = (header: string, body: Uint8Array, within = boundary): void => {
    pieces.push(
      Buffer.from(`\r\n--${within}\r\n${header}\r\nContent-Transfer-Encoding: base64\r\n\r\n`),
      Buffer.from(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64')),
    );
  };
  for (const [at, { others = [], ...body }] of mail.bodies.entries()) {
    if (others.length === 0) {
      add(...partOf(body));
      continue;
    }
    const within = `lectern-versions-${at}`;
    pieces.push(
      Buffer.from(`\r\n--${boundary}\r\nContent-Type: multipart/alternative; boundary="${within}"\r\n`),
    );
    // The richest version comes last (RFC 2046, 5.1.4).
    for (const version of [...others, body]) add(...partOf(version), within);
    pieces.push(Buffer.from(`\r\n--${within}--\r\n`));
  }
  const ids = new Map([...mail.pictures].map(([id, name]) => [name, id]));
  for (const attachment of mail.attachments) {
    const id = ids.get(attachment.name);
    add(
      `Content-Type: ${attachment.type}; name="${words(attachment.name)}"\r\nContent-Disposition: ${attachment.inline ? 'inline' : 'attachment'}${id === undefined ? '' : `\r\nContent-ID: <${id.replace(/[\r\n<>]/g, '')}>`}`,
      await attachment.bytes(),
    );
  }
  pieces.push(Buffer.from(`\r\n--${boundary}--\r\n`));
  return Buffer.concat(pieces);
}

/** The header and the bytes of a version of the text. */
function partOf(version: Version): [header: string, body: Uint8Array] {
  if (version.kind === 'html') return ['Content-Type: text/html; charset=utf-8', Buffer.from(version.html)];
  if (version.kind === 'plain') return ['Content-Type: text/plain; charset=utf-8', Buffer.from(version.text)];
  return ['Content-Type: application/rtf; name="body.rtf"', version.rtf];
}

/** Text for a header field: an encoded word unless it is plain ASCII. */
function words(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return /^[ !#-[\]-~]*$/.test(line) && !line.includes('=?')
    ? line
    : `=?utf-8?B?${Buffer.from(line).toString('base64')}?=`;
}
