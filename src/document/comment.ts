// Comments of a document: who wrote one, when, and the words it stands on.

import { safeCut } from '../contract/index.ts';
import { type Comment, filledLines } from './block.ts';
import { cleanText } from './escape.ts';
import type { Inline } from './inline.ts';

/** Longer names are cut. */
const MAX_AUTHOR = 200;
/** Characters of the words a comment stands on; the rest is cut. */
const MAX_ON = 100;
/** Ranges that are open at once. The words of further ones are not collected, which bounds the work for each text. */
const MAX_OPEN = 32;

/** What is known of a comment besides its text. Plain texts; empty ones count as unknown. */
export interface Byline {
  readonly author?: string | undefined;
  /** Starts with the day in the form of ISO 8601; any other date counts as unknown. */
  readonly date?: string | undefined;
  /** The words it stands on. */
  readonly on?: string | undefined;
  /** It answers the comment before it. */
  readonly isReply?: boolean | undefined;
}

/** A comment that is referred to by `mark` (`c1`). */
export function commentBlock(
  mark: string,
  { author = '', date = '', on = '', isReply = false }: Byline,
  lines: readonly Inline[],
): Comment {
  const name = cleanText(author).replace(/\s+/g, ' ').trim().slice(0, MAX_AUTHOR);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(date.trim()) ?? [];
  return {
    kind: 'comment',
    mark,
    ...(name !== '' && { author: name }),
    ...(day !== undefined && { date: day }),
    ...(on !== '' && { on }),
    ...(isReply && { isReply: true as const }),
    lines: filledLines(lines),
  };
}

/** What stands before the text of a comment: `Ines (2024-05-31) on "the words": `; `''` if nothing is known. */
export function bylineOf({ author, date, on, isReply }: Omit<Comment, 'kind' | 'mark' | 'lines'>): string {
  if (author === undefined && date === undefined && on === undefined) return '';
  const name = author === undefined ? '' : cleanText(author);
  const who = isReply ? `Reply${name === '' ? '' : ` by ${name}`}` : name === '' ? 'Comment' : name;
  return `${who}${date === undefined ? '' : ` (${date})`}${on === undefined ? '' : ` on "${cleanText(on)}"`}: `;
}

/** Collects the words between the start and the end of each comment's range. */
export class CommentedWords {
  readonly #open = new Map<string, string>();
  readonly #words = new Map<string, string>();

  begin(id: string): void {
    if (this.#open.size < MAX_OPEN && !this.#words.has(id)) this.#open.set(id, '');
  }

  /** Text that is shown, or a space between two paragraphs. */
  add(text: string): void {
    for (const [id, before] of this.#open) {
      const words = `${before}${text.slice(0, 4 * MAX_ON)}`.replace(/\s+/g, ' ').trimStart();
      if (words.length > MAX_ON) this.#end(id, words);
      else this.#open.set(id, words);
    }
  }

  end(id: string): void {
    const words = this.#open.get(id);
    if (words !== undefined) this.#end(id, words);
  }

  /** The words of the comment's range; undefined if it has none. */
  of(id: string): string | undefined {
    const words = (this.#words.get(id) ?? this.#open.get(id) ?? '').trim();
    return words === '' ? undefined : words;
  }

  #end(id: string, words: string): void {
    this.#open.delete(id);
    this.#words.set(
      id,
      words.length > MAX_ON ? `${words.slice(0, safeCut(words, MAX_ON)).trimEnd()}…` : words,
    );
  }
}
