// Footnotes, endnotes and comments of a Word document: their reference marks, and their texts in order of reference,
// each once.

import {
  type Block,
  type Byline,
  bylineOf,
  CommentedWords,
  commentBlock,
  noteBlock,
} from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';

/** The part with the remark. */
export type RemarkKind = 'footnote' | 'endnote' | 'comment';

/** A referenced remark whose text has not been written yet. */
export interface Remark {
  readonly kind: RemarkKind;
  /** For example `e1`. */
  readonly mark: string;
  readonly element: XmlElement;
  readonly by: Byline;
  /** Replies to a comment. */
  readonly answers: readonly { readonly by: Byline; readonly element: XmlElement }[];
}

interface Entry {
  readonly element: XmlElement;
  readonly answers: XmlElement[];
  /** Id of the comment this one replies to. */
  parent: string | undefined;
}

const MAX_REMARKS = 100_000;

/** Numbers the remarks of a document, each kind from 1. */
export class RemarkNumbers {
  readonly #counts: Record<RemarkKind, number> = { footnote: 0, endnote: 0, comment: 0 };
  readonly #prefixes: Record<RemarkKind, string>;

  constructor(hasFootnotes: boolean) {
    this.#prefixes = { footnote: '', endnote: hasFootnotes ? 'e' : '', comment: 'c' };
  }

  /** The mark of the next remark of that kind. */
  next(kind: RemarkKind): string {
    this.#counts[kind] += 1;
    return `${this.#prefixes[kind]}${this.#counts[kind]}`;
  }
}

/** The texts of remarks, taken until there are no more, in the order in which they stand at the end. */
export async function remarkBlocks<One extends { readonly kind: RemarkKind }>(
  take: () => One | undefined,
  write: (remark: One) => Promise<Block>,
): Promise<Block[]> {
  const blocks: Record<RemarkKind, Block[]> = { footnote: [], endnote: [], comment: [] };
  for (let remark = take(); remark; remark = take()) blocks[remark.kind].push(await write(remark));
  return [...blocks.footnote, ...blocks.endnote, ...blocks.comment];
}

/** The remarks of one document. */
export class Remarks {
  readonly #entries: Readonly<Record<RemarkKind, Map<string, Entry>>>;
  readonly #marks = new Map<string, string>();
  readonly #numbers: RemarkNumbers;
  readonly #waiting: { readonly id: string; readonly remark: Remark }[] = [];
  /** The words that comments stand on. */
  readonly words: CommentedWords = new CommentedWords();
  #taken = 0;

  /** The root elements of the parts; `extended` relates replies to comments ([MS-DOCX] 2.5.4.1). */
  constructor(parts: {
    readonly footnotes?: XmlElement | undefined;
    readonly endnotes?: XmlElement | undefined;
    readonly comments?: XmlElement | undefined;
    readonly extended?: XmlElement | undefined;
  }) {
    this.#entries = {
      footnote: entriesOf(parts.footnotes, 'footnote'),
      endnote: entriesOf(parts.endnotes, 'endnote'),
      comment: entriesOf(parts.comments, 'comment'),
    };
    this.#numbers = new RemarkNumbers(this.#entries.footnote.size > 0);
    linkAnswers(this.#entries.comment, parts.extended);
  }

  /** The mark for a reference; empty if the remark does not exist, or is a reply shown with its comment. */
  refer(kind: RemarkKind, id: string | undefined): string {
    const entry = id === undefined ? undefined : this.#entries[kind].get(id);
    if (!entry || id === undefined || entry.parent !== undefined) return '';
    const key = `${kind} ${id}`;
    const known = this.#marks.get(key);
    if (known !== undefined) return known;
    const mark = this.#numbers.next(kind);
    this.#marks.set(key, mark);
    const { element } = entry;
    const answers = entry.answers.map((answer) => ({ by: bylineIn(answer), element: answer }));
    this.#waiting.push({ id, remark: { kind, mark, element, by: bylineIn(element), answers } });
    return mark;
  }

  /** The next referenced remark that has not been taken. */
  take(): Remark | undefined {
    const next = this.#waiting[this.#taken];
    if (!next) return undefined;
    this.#taken += 1;
    const { id, remark } = next;
    return remark.kind === 'comment' ? { ...remark, by: { ...remark.by, on: this.words.of(id) } } : remark;
  }
}

function entriesOf(root: XmlElement | undefined, name: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const element of root?.elements(name) ?? []) {
    const id = element.get('id');
    const type = element.get('type') ?? 'normal';
    // Separators and continuation notices are never referenced.
    if (id === undefined || type !== 'normal' || entries.has(id) || entries.size >= MAX_REMARKS) continue;
    entries.set(id, { element, answers: [], parent: undefined });
  }
  return entries;
}

function linkAnswers(comments: Map<string, Entry>, extended: XmlElement | undefined): void {
  if (!extended) return;
  // A comment is identified by the id of its last paragraph.
  const byParagraph = new Map<string, string>();
  for (const [id, { element }] of comments) {
    const paragraph = element.elements('p').at(-1)?.get('paraId');
    if (paragraph !== undefined) byParagraph.set(paragraph, id);
  }
  for (const one of extended.elements('commentEx')) {
    const id = byParagraph.get(one.get('paraId') ?? '');
    const parent = byParagraph.get(one.get('paraIdParent') ?? '');
    const entry = id === undefined ? undefined : comments.get(id);
    const target = parent === undefined ? undefined : comments.get(parent);
    // Word has one level of replies; a reply to a reply is shown separately, which also avoids cycles.
    if (!entry || !target || entry === target || entry.parent !== undefined) continue;
    if (target.parent !== undefined || entry.answers.length > 0) continue;
    entry.parent = parent;
    target.answers.push(entry.element);
  }
}

const bylineIn = (comment: XmlElement): Byline => ({
  author: comment.get('author'),
  date: comment.get('date'),
});

/** The text of a remark as a block, given as lines; those of each reply begin with its author. */
export function remarkBlock(
  { kind, mark, by }: Pick<Remark, 'kind' | 'mark' | 'by'>,
  lines: readonly string[],
  replies: readonly { readonly by: Byline; readonly lines: readonly string[] }[] = [],
): Block {
  if (kind !== 'comment') return noteBlock(mark, lines);
  const answers = replies.flatMap(({ by: other, lines: [first = '', ...rest] }) => [
    `${bylineOf(commentBlock(mark, other, []))}${first}`,
    ...rest,
  ]);
  return commentBlock(mark, by, [...lines, ...answers]);
}
