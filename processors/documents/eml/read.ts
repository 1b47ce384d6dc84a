// Parses internet mail (RFC 5322 with MIME): selects the text parts and their alternatives, and the attachments.

import { type MimeType, NotThisFormat, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import { declaredEncoding } from '../../../src/encoding/index.ts';
import { decodeCharset } from '../mail/charset.ts';
import type { ReadMail } from '../mail/code.ts';
import { decodeHeader, fieldOf, type HeaderField } from '../mail/header.ts';
import {
  type Attachment,
  AttachmentNames,
  type Body,
  contentId,
  type Mail,
  type Version,
} from '../mail/mail.ts';
import { type MimePart, readMime } from '../mail/mime.ts';
import { unflow } from '../mail/plain-text.ts';
import { decodeTransfer } from '../mail/transfer.ts';
import { words } from '../words.ts';
import { isMailHeader, sentDate, shownFields } from './header.ts';

/** Longer texts are truncated: such a mail is data, and its source shows it as well. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Parses a mail. @throws {NotThisFormat} for bytes without a header field, {ReaderError} LIMIT_EXCEEDED */
export const readEml: ReadMail = async (source, { signal }) => {
  const bytes = asAscii(await source.bytes());
  const { root, bounded, guess } = await readMime(bytes);
  if (!isMailHeader(root.fields))
    throw new NotThisFormat({
      code: 'INVALID_SYNTAX',
      message: 'The file does not start with a mail header; shown as text.',
    });
  const reading = new EmlReader(signal);
  if (guess) reading.warnings.push(guess);
  await reading.part(root);
  if (bounded)
    reading.warnings.push({
      code: 'SKIPPED_CONTENT',
      message: 'The mail exceeds the limits on parts, levels or header fields; the rest is left out.',
    });
  return reading.mail(root.fields);
};

/** Converts a mail saved as UTF-16. */
function asAscii(bytes: Uint8Array): Uint8Array {
  const [a, b, c, d] = bytes;
  const little = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0);
  const big = (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0);
  if (little || big) return Buffer.from(new TextDecoder(little ? 'utf-16le' : 'utf-16be').decode(bytes));
  return a === 0xef && b === 0xbb && c === 0xbf ? bytes.subarray(3) : bytes;
}

class EmlReader {
  readonly warnings: Warning[] = [];
  readonly #signal: AbortSignal;
  readonly #bodies: Body[] = [];
  readonly #attachments: Attachment[] = [];
  readonly #pictures = new Map<string, string>();
  readonly #names = new AttachmentNames();
  #toldStray = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  mail(fields: readonly HeaderField[]): Mail {
    const sent = sentDate(fields);
    return {
      subject: decodeHeader(fieldOf(fields, 'subject') ?? ''),
      fields: shownFields(fields),
      ...(sent && { sent }),
      bodies: this.#bodies,
      attachments: this.#attachments,
      warnings: this.warnings,
      pictures: this.#pictures,
    };
  }

  /** Classifies a part as text or attachment. The parser bounds the depth of the tree. */
  async part(part: MimePart, related = false): Promise<void> {
    throwIfAborted(this.#signal);
    const { value } = part.type;
    if (value.startsWith('multipart/') && part.children.length > 0)
      return this.#multipart(part, value, related);
    if (this.#isText(part, related)) this.#bodies.push(await this.#body(part));
    else await this.#attach(part, related);
  }

  async #multipart(part: MimePart, value: string, related: boolean): Promise<void> {
    const children = part.children.filter(({ stray }) => !stray);
    if (value === 'multipart/alternative') await this.#alternative(children, related);
    else if (value === 'multipart/related') {
      const [first, ...rest] = children;
      if (first) await this.part(first);
      for (const child of rest) await this.part(child, true);
    } else {
      if (value === 'multipart/encrypted')
        this.warnings.push({
          code: 'SKIPPED_CONTENT',
          message: 'The mail is encrypted (OpenPGP or S/MIME): only the encrypted parts are listed.',
        });
      for (const child of children) await this.part(child, related);
    }
    const behind = part.children.filter(({ stray }) => stray);
    for (const child of behind) await this.part(child, related);
    if (behind.length > 0 && !this.#toldStray) {
      this.#toldStray = true;
      this.warnings.push({
        code: 'HIDDEN_CONTENT',
        message:
          'The mail has text after its closing boundary, which most programs do not show; it is included here.',
      });
    }
  }

  /** The richest version that can be shown, with all its parts; the texts of other versions are kept for comparison. */
  async #alternative(children: readonly MimePart[], related: boolean): Promise<void> {
    const plains = children.filter((child) => leaf(child)?.type.value === 'text/plain');
    const htmls = children.filter((child) => leaf(child)?.type.value === 'text/html');
    const texts = children.filter((child) => TEXTS.has(leaf(child)?.type.value ?? ''));
    const shown = new Set(
      [htmls, plains, texts.slice(-1), children.slice(-1)].find(({ length }) => length > 0),
    );
    const before = this.#bodies.length;
    const rest: MimePart[] = [];
    for (const child of children) {
      if (shown.has(child)) await this.part(child, related);
      else await this.#files(child, related, rest);
    }
    const others: Version[] = [];
    for (const part of rest) others.push(await this.#body(part));
    const body = this.#bodies[before];
    if (body) this.#bodies[before] = others.length > 0 ? { ...body, others } : body;
    // The preferred version turned out to be a file.
    else for (const other of others) this.#bodies.push(other);
  }

  /**
   * Collects the files of a version that is not shown: an invitation next to the text that announces it. Its texts go
   * to `texts`.
   */
  async #files(part: MimePart, related: boolean, texts: MimePart[]): Promise<void> {
    if (part.type.value.startsWith('multipart/'))
      for (const child of part.children) await this.#files(child, related, texts);
    else if (part.disposition.value === 'attachment' || !TEXTS.has(part.type.value))
      await this.#attach(part, related);
    else texts.push(part);
  }

  #isText({ type, disposition, body }: MimePart, related: boolean): boolean {
    // A multipart without any parts still has its preamble text.
    if (type.value.startsWith('multipart/')) return true;
    if (disposition.value === 'attachment' || !TEXTS.has(type.value)) return false;
    const named = disposition.parameters.has('filename') || type.parameters.has('name');
    // A named text next to others is a file that some programs also show inline.
    if (named && (this.#bodies.length > 0 || disposition.value !== ''))
      return this.#bodies.length === 0 && !related;
    return body.length <= MAX_BODY_BYTES || this.#bodies.length === 0;
  }

  async #body(part: MimePart): Promise<Version> {
    const decoded = decodeTransfer(part.body, part.encoding);
    if (decoded.length > MAX_BODY_BYTES)
      this.warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `The text of the mail has ${decoded.length} bytes; only the first ${MAX_BODY_BYTES} are shown.`,
      });
    const isHtml = part.type.value === 'text/html';
    const charset =
      part.type.parameters.get('charset') ??
      (isHtml ? declaredEncoding(decoded.subarray(0, 16 * 1024)) : undefined);
    const { text, lossy, guess } = await decodeCharset(decoded.subarray(0, MAX_BODY_BYTES), charset ?? '');
    if (guess && !this.warnings.some(({ message }) => message === guess.message)) this.warnings.push(guess);
    if (lossy)
      this.warnings.push({
        code: 'LOSSY_DECODE',
        message: `Some bytes of the mail are invalid in its charset and are shown as replacement characters.`,
      });
    if (isHtml) return { kind: 'html', html: text };
    const { parameters } = part.type;
    const plain = ENRICHED.has(part.type.value) ? withoutCommands(text) : text;
    const flowed = parameters.get('format')?.toLowerCase() === 'flowed';
    return {
      kind: 'plain',
      text: flowed ? unflow(plain, parameters.get('delsp')?.toLowerCase() === 'yes') : plain,
    };
  }

  async #attach(part: MimePart, related: boolean): Promise<void> {
    const { type, disposition, fields } = part;
    const inner =
      type.value === 'message/rfc822' || type.value === 'message/global'
        ? await readMimeSubject(part)
        : undefined;
    const given =
      disposition.parameters.get('filename') ??
      type.parameters.get('name') ??
      (inner === undefined || inner === '' ? '' : `${inner}.eml`);
    const name = this.#names.next(given, type.value);
    const id = contentId(fieldOf(fields, 'content-id') ?? '');
    if (id !== '' && !this.#pictures.has(id)) this.#pictures.set(id, name);
    const bytes = (): Uint8Array => decodeTransfer(part.body, part.encoding);
    const note = noteOf(type.value, inner);
    if (/^application\/(?:x-)?pkcs7-mime$/.test(type.value))
      this.warnings.push({
        code: 'SKIPPED_CONTENT',
        message: 'The mail is wrapped in S/MIME (signed or encrypted); its content is not shown.',
      });
    this.#attachments.push({
      name,
      // Matches the pattern required of every type, and is lower case.
      type: type.value as MimeType,
      inline:
        disposition.value !== 'attachment' &&
        (related || disposition.value === 'inline') &&
        type.value.startsWith('image/'),
      ...(note !== undefined && { note }),
      size: () => sizeOf(part, bytes),
      bytes: async () => bytes(),
    });
  }
}

const ENRICHED: ReadonlySet<string> = new Set(['text/enriched', 'text/richtext']);

/** Shown as text; other text types are files. */
const TEXTS: ReadonlySet<string> = new Set(
  words(
    'text/plain text/html text/enriched text/richtext text/rfc822-headers message/delivery-status ' +
      'message/disposition-notification message/feedback-report',
  ),
);

/** The text part a version of `multipart/alternative` leads to. */
function leaf(part: MimePart): MimePart | undefined {
  let at: MimePart | undefined = part;
  while (at && at.children.length > 0)
    at = at.type.value === 'multipart/alternative' ? at.children.at(-1) : at.children[0];
  return at;
}

/** RFC 1896: commands in angle brackets; `<<` is a literal bracket. */
function withoutCommands(text: string): string {
  return text.replace(/<<|<\/?[\w-]{1,60}>/g, (command) => (command === '<<' ? '<' : ''));
}

async function readMimeSubject(part: MimePart): Promise<string> {
  const { root } = await readMime(decodeTransfer(part.body.subarray(0, 256 * 1024), part.encoding));
  return decodeHeader(fieldOf(root.fields, 'subject') ?? '');
}

function noteOf(type: string, inner: string | undefined): string | undefined {
  if (inner !== undefined) return inner === '' ? 'a mail' : `a mail: ${inner}`;
  if (/^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/.test(type)) return 'signature';
  if (type === 'text/calendar') return 'invitation or calendar entry';
  return undefined;
}

/** Size of the decoded content; not cached, because a mail may have many parts. */
function sizeOf(part: MimePart, bytes: () => Uint8Array): number {
  return part.encoding === 'base64' || part.encoding === 'quoted-printable' || part.encoding.includes('uue')
    ? bytes().length
    : part.body.length;
}
