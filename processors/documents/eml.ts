// Internet mail files and how they are recognised. Reading is in `eml/` and `mail/`.

import type { Processor } from '../../src/contract/index.ts';
import { mailCode } from './mail/code.ts';

/** A single mail with its attachments, which are read as `mail.eml!/name`. */
export const eml: Processor = {
  name: 'eml',
  fileType: 'email',
  extensions: ['.eml', '.emlx', '.mht', '.mhtml'],
  mimeTypes: ['message/rfc822', 'message/global', 'multipart/related'],
  textual: true,
  reads: looksLikeMail,
  matches: startsWithFields,
  ...mailCode('eml-8', async () => (await import('./eml/read.ts')).readEml),
};

/** A mailbox line or a header field first; later bytes may be 8-bit. */
function startsWithFields(head: Uint8Array): boolean {
  return /^(?:\s*|\d{1,12}\s*\n)(?:From |[!-9;-~]{1,80}:[ \t\r\n])/.test(
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1000)).toString('latin1'),
  );
}

const MAIL_FIELDS = /^(?:received|return-path|delivered-to|message-id|mime-version|from|to|subject|date):/i;

/** Only header fields at the start, at least three of them typical of mail. */
function looksLikeMail(text: string): boolean {
  const [header = ''] = text.slice(0, 8192).split(/\r?\n\r?\n/, 1);
  const lines = header.split(/\r?\n/);
  if (isWebArchive(lines)) return true;
  if (lines.length < 3 || !lines.every((line) => /^[!-9;-~]+:|^[ \t]/.test(line))) return false;
  return lines.filter((line) => MAIL_FIELDS.test(line)).length >= 3;
}

/** A page with its pictures in one file, which Word writes without the fields of a mail, also under the name `.doc`. */
function isWebArchive(lines: readonly string[]): boolean {
  return (
    lines.some((line) => /^mime-version:/i.test(line)) &&
    lines.some((line) => /^content-type:\s*multipart\/related\b/i.test(line))
  );
}
