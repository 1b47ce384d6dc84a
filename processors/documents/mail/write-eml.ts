// A mail taken apart, put together again as Internet mail: the form in which a message inside an Outlook message is given.

import type { Mail } from './mail.ts';

/** The bytes of the mail. Everything is base64, so that no line of it can be taken for a boundary. */
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
  const add = (header: string, body: Uint8Array): void => {
    pieces.push(
      Buffer.from(`\r\n--${boundary}\r\n${header}\r\nContent-Transfer-Encoding: base64\r\n\r\n`),
      Buffer.from(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64')),
    );
  };
  for (const body of mail.bodies) {
    if (body.kind === 'html') add('Content-Type: text/html; charset=utf-8', Buffer.from(body.html));
    else if (body.kind === 'plain') add('Content-Type: text/plain; charset=utf-8', Buffer.from(body.text));
    else add('Content-Type: application/rtf; name="body.rtf"', body.rtf);
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

/** Text for a header field: an encoded word where it is more than plain ASCII. */
function words(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return /^[ !#-[\]-~]*$/.test(line) && !line.includes('=?')
    ? line
    : `=?utf-8?B?${Buffer.from(line).toString('base64')}?=`;
}
