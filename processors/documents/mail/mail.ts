// A parsed mail, independent of its container: header lines, bodies, attachments. No Markdown yet.

import type { Bytes, MimeType, Warning } from '../../../src/contract/index.ts';
import { visibleName } from '../../../src/contract/index.ts';
import { pairs } from '../words.ts';

/** A stretch of the mail's text in one format. */
export type Version =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'rtf'; readonly rtf: Uint8Array };

/** A stretch of the mail's text in its richest version. */
export type Body = Version & {
  /** The mail's other versions of it, which should have the same content but may not. */
  readonly others?: readonly Version[];
};

/** A file in a mail. Its bytes are decoded on demand. */
export interface Attachment {
  /** Unique name without folders, used to request it. */
  readonly name: string;
  readonly type: MimeType;
  /** True if it is shown inside the text, like an embedded picture. */
  readonly inline: boolean;
  /** An additional note: `signature`, `forwarded message: Subject`. */
  readonly note?: string;
  /** Decoded size. May take as long as decoding. */
  size(): Bytes;
  bytes(): Promise<Uint8Array>;
}

/** A parsed mail. */
export interface Mail {
  readonly subject: string;
  /** In display order, with conventional names: `From`, `To`, ... */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** When it was sent, if known. */
  readonly sent?: Date;
  readonly bodies: readonly Body[];
  readonly attachments: readonly Attachment[];
  readonly warnings: readonly Warning[];
  /** Maps picture addresses (`cid:...`) to attachment names. */
  readonly pictures: ReadonlyMap<string, string>;
}

const MAX_NAME = 150;

/** Assigns attachments unique names that are safe to show. */
export class AttachmentNames {
  readonly #taken = new Set<string>();
  #count = 0;

  /** `name` sanitised, else one derived from `type`; with a number if it is taken. */
  next(name: string, type: string): string {
    this.#count += 1;
    const clean = cleanName(name) || `part-${this.#count}${ENDINGS.get(type) ?? ''}`;
    let free = clean;
    if (this.#taken.has(free.toLowerCase())) {
      const dot = clean.lastIndexOf('.');
      const [base, ending] = dot > 0 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, ''];
      // Numbered by position: counting up through a thousand files of one name would take a million steps.
      free = `${base} (${this.#count})${ending}`;
    }
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

/** The sanitised last path component; `''` if there is none. */
function cleanName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = visibleName(last.replace(/\s+/g, ' ').trim());
  if (/^\.*$/.test(clean)) return '';
  if (clean.length <= MAX_NAME) return clean;
  const ending = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, MAX_NAME - ending.length).trimEnd() + ending;
}

const ENDINGS = pairs(
  'message/rfc822 .eml text/plain .txt text/html .html text/calendar .ics text/csv .csv ' +
    'text/vcard .vcf text/x-vcard .vcf image/png .png image/jpeg .jpg image/gif .gif ' +
    'application/pdf .pdf application/zip .zip application/pgp-signature .asc ' +
    'application/pkcs7-signature .p7s application/x-pkcs7-signature .p7s application/pkcs7-mime .p7m ' +
    'application/x-pkcs7-mime .p7m application/ms-tnef .dat',
);

/** Normalises a picture address or part id for comparison. */
export function contentId(text: string): string {
  const bare = text.trim().replace(/^cid:/i, '').replace(/^<|>$/g, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}
