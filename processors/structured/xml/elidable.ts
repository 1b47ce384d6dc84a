// A document, one of its elements, or an attribute, as a text that can be shown with parts left out.

import type { Bytes, Position, ProcessContext, Whole } from '../../../src/contract/index.ts';
import type { Elidable } from '../elided.ts';
import {
  type ElidableText,
  type ElisionLimits,
  elisionLimits,
  type Gap,
  gapsOf,
  glyphOutside,
  together,
} from '../elision.ts';
import { loosest } from '../tree/fit.ts';
import type { Subject, XmlDocument } from './document.ts';
import { XmlElider } from './elision.ts';
import type { FoundAttribute } from './search.ts';
import { readXml } from './tree.ts';
import { type XmlPlace, XmlWalk } from './walk.ts';

/** Fewest and most UTF-16 units held of a document; between them, several times what a view shows. */
const LEAST_HELD = 20_000;
const MOST_HELD = 16 * 1024 * 1024;
const HELD_PER_TOKEN = 20;

/** The whole of a subject, and nothing of it shown. */
export const wholeOf = ({ content: { children: of }, path: name }: Subject): Whole =>
  of > 0 ? { unit: 'element', of, name } : { unit: 'element', of: 1, name: '' };

/** `gap`, of which nothing is shown. */
function elidableGap(
  document: XmlDocument,
  gap: Gap,
  whole: Whole,
  context: ProcessContext,
  head: Position = ['source'],
): Elidable<XmlPlace> {
  const { size } = document.window;
  return {
    text: undefined,
    limits: elisionLimits(context.limits),
    head,
    gaps: () => [gap],
    walk: (form) => new XmlWalk(document, form),
    place: (fields, gaps) => {
      const offset = fields.count(size);
      const members = gaps.find(({ from, to }) => offset >= from && offset < to)?.members;
      const most = members?.unit === 'element' ? members.of : size;
      return {
        offset,
        seen: fields.countOr(0, most),
        depth: fields.countOr(0, size),
        inside: fields.countOr(0, size),
      };
    },
    count: () => context.whole(whole),
  };
}

/** The document or element under `limits`, or under the loosest that are not too much to hold. */
export async function elidableSubject(
  document: XmlDocument,
  subject: Subject,
  context: ProcessContext,
  limits: ElisionLimits,
  exact: boolean,
): Promise<Elidable<XmlPlace>> {
  const { start: from, end: to } = subject;
  const gap: Gap = { from, to, pointer: '', members: { unit: 'element', first: 1, of: 1 } };
  const base = elidableGap(document, gap, wholeOf(subject), context);
  const { tokens, characters } = context.budget;
  const held = Math.max(LEAST_HELD, Math.min(MOST_HELD, characters, tokens * HELD_PER_TOKEN));
  const tree = exact
    ? await readXml(document, subject, together(limits), MOST_HELD)
    : await loosest(limits, (tried) => readXml(document, subject, tried, held));
  if (!tree) return base;
  const { depth } = await document.contents.below(subject.open);
  const { text: source, byteAt, limits: kept } = tree;
  const glyph = glyphOutside(source);
  const text: ElidableText = {
    source,
    scope: [{ from: 0, to: source.length }],
    prefix: '',
    opens: true,
    elide: (tried) => new XmlElider(tree, glyph, depth + 1, tried).run(),
  };
  const gaps: Elidable<XmlPlace>['gaps'] = async (edits) => {
    if (!edits) return [gap];
    const found: Gap[] = [];
    for (const one of gapsOf(edits))
      found.push({ ...one, from: await byteAt(one.from), to: await byteAt(one.to) });
    return found;
  };
  return { ...base, text, limits: kept, gaps };
}

/** The value of an attribute. */
export function elidableAttribute(
  document: XmlDocument,
  { attribute: { valueStart, valueEnd, units: of }, path }: FoundAttribute,
  context: ProcessContext,
): Elidable<XmlPlace> {
  const members = { unit: 'character', first: 1, of } as const;
  const gap: Gap = { from: valueStart, to: valueEnd, pointer: path, members };
  return elidableGap(document, gap, { unit: 'character', of, name: path }, context);
}

/** A position in a walk over child elements starts with this and the number of the first. */
export const CHILDREN = 'children';

/** The child elements from number `first` on, and what is between them. */
export async function elidableChildren(
  document: XmlDocument,
  subject: Subject,
  first: number,
  context: ProcessContext,
): Promise<Elidable<XmlPlace>> {
  const { children: of, close } = subject.content;
  const from: Bytes = await document.contents.child(subject.open, first);
  const to = await document.window.trimBlank(from, close);
  const gap: Gap = { from, to, pointer: subject.path, members: { unit: 'element', first, of } };
  return elidableGap(document, gap, wholeOf(subject), context, [CHILDREN, first]);
}
