// Speaker notes and reviewers' comments of a slide, classic and threaded.

import { type Block, cleanText } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { OoxmlPackage } from '../ooxml/package.ts';
import { commentList, type SlideComment } from '../slides.ts';
import { propertiesOf } from './layout.ts';
import { paragraphsOf, type Relations, textBlocks } from './text.ts';

/** Placeholders of a notes page without notes. */
const NOT_NOTES: ReadonlySet<string> = new Set(['sldImg', 'sldNum', 'dt', 'hdr', 'ftr']);
const MAX_COMMENTS = 10_000;
const MAX_REPLY_DEPTH = 16;

/** The notes of the speaker. */
export function notesBlocks(notes: XmlElement | undefined, relations: Relations): Block[] {
  const blocks: Block[] = [];
  for (const shape of notes?.at('cSld', 'spTree')?.elements('sp') ?? []) {
    const type = propertiesOf(shape)?.at('nvPr', 'ph')?.get('type');
    const body = shape.child('txBody');
    if (!body || (type !== undefined && NOT_NOTES.has(type))) continue;
    for (const block of textBlocks(paragraphsOf(body, [], relations))) blocks.push(block);
  }
  return blocks;
}

/** Names of comment authors by id: `commentAuthors.xml` uses numbers, `authors.xml` GUIDs. */
export async function commentAuthors(
  relations: Relations,
  pack: OoxmlPackage,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const { type, target, external } of relations.values()) {
    if (external || (type !== 'commentAuthors' && type !== 'authors')) continue;
    const root = await pack.tryXml(target);
    for (const author of root?.elements() ?? []) {
      const id = author.get('id');
      const name = author.get('name');
      if (id !== undefined && name !== undefined) names.set(id, name);
    }
  }
  return names;
}

/** The comments of slide `number`: one line that refers to them, then each. */
export function commentBlocks(
  lists: readonly XmlElement[],
  authors: ReadonlyMap<string, string>,
  number: number,
): Block[] {
  const comments: SlideComment[] = [];
  const add = (comment: XmlElement, depth: number): void => {
    if (comments.length >= MAX_COMMENTS) return;
    const text = commentText(comment);
    const author = authors.get(comment.get('authorId') ?? '');
    const date = comment.get('dt') ?? comment.get('created');
    if (text !== '') comments.push({ by: { author, date, isReply: depth > 0 }, text });
    if (depth >= MAX_REPLY_DEPTH) return;
    for (const reply of comment.child('replyLst')?.elements('reply') ?? []) add(reply, depth + 1);
  };
  for (const list of lists) for (const comment of list.elements('cm')) add(comment, 0);
  return commentList(comments, number);
}

function commentText(comment: XmlElement): string {
  const plain = comment.child('text')?.text();
  const body = comment.child('txBody');
  const text =
    plain ??
    (body
      ? body
          .elements('p')
          .map((p) => [...p.descendants('t')].map((t) => t.text()).join(''))
          .join(' ')
      : '');
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
