// A mail as it is shown, whatever container it came in: header lines, bodies, attachments. No Markdown yet.

import type { Bytes, MimeType, Warning } from '../../../src/contract/index.ts';
import { visibleName } from '../../../src/contract/index.ts';

/** A stretch of the text of a mail in one form. */
export type Version =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'rtf'; readonly rtf: Uint8Array };

/** A stretch of the text of a mail, in its richest version. */
export type Body = Version & {
  /** The mail's other versions of it, which should say the same and may not. */
  readonly others?: readonly Version[];
};

/** A file in a mail. Its bytes are made when they are asked for. */
export interface Attachment {
  /** Without folders, told apart from the others; how it is asked for. */
  readonly name: string;
  readonly type: MimeType;
  /** Shown inside the text, as a picture of the sender's is. */
  readonly inline: boolean;
  /** What else is worth saying: `signature`, `forwarded message: Subject`. */
  readonly note?: string;
  /** Decoded. May take as long as decoding it. */
  size(): Bytes;
  bytes(): Promise<Uint8Array>;
}

/** A mail taken apart. */
export interface Mail {
  readonly subject: string;
  /** In the order to show, names as people write them: `From`, `To`, ... */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** When it was sent, where that can be told. */
  readonly sent?: Date;
  readonly bodies: readonly Body[];
  readonly attachments: readonly Attachment[];
  readonly warnings: readonly Warning[];
  /** Addresses of pictures (`cid:...`) to the names of the attachments they mean. */
  readonly pictures: ReadonlyMap<string, string>;
}

const MAX_NAME = 150;

/** Gives attachments names that are safe to show and differ from each other. */
export class AttachmentNames {
  readonly #taken = new Set<string>();
  #count = 0;

  /** `name` as it may be shown, else one made of `type`; with a number where it is taken. */
  next(name: string, type: string): string {
    this.#count += 1;
    const clean = cleanName(name) || `part-${this.#count}${ENDINGS[type] ?? ''}`;
    let free = clean;
    if (this.#taken.has(free.toLowerCase())) {
      const dot = clean.lastIndexOf('.');
      const [base, ending] = dot > 0 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, ''];
      // Numbered by place: counting up through a thousand files of one name would take a million steps.
      free = `${base} (${this.#count})${ending}`;
    }
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

/** The last component as it is shown; `''` for a path without one. */
function cleanName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = visibleName(last.replace(/\s+/g, ' ').trim());
  if (/^\.*$/.test(clean)) return '';
  if (clean.length <= MAX_NAME) return clean;
  const ending = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, MAX_NAME - ending.length).trimEnd() + ending;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'text/plain': '.txt',
  'text/html': '.html',
  'text/calendar': '.ics',
  'text/csv': '.csv',
  'text/vcard': '.vcf',
  'text/x-vcard': '.vcf',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/pgp-signature': '.asc',
  'application/pkcs7-signature': '.p7s',
  'application/x-pkcs7-signature': '.p7s',
  'application/pkcs7-mime': '.p7m',
  'application/x-pkcs7-mime': '.p7m',
  'application/ms-tnef': '.dat',
};

/** What a picture's address and a part's id have in common. */
export function contentId(text: string): string {
  const bare = text.trim().replace(/^cid:/i, '').replace(/^<|>$/g, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}
