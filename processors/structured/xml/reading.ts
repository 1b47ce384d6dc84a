// XML of any size: the document's own text with marks for what the limits leave out, then every omitted range.

import {
  type Bytes,
  type Extent,
  OUTLINE,
  type OutlineLine,
  type Part,
  type ProcessContext,
  resolveRange,
  type Source,
  type TextSource,
} from '../../../src/contract/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { showElided, walkAll } from '../elided.ts';
import { stretchOf } from '../stretch.ts';
import { type Subject, XmlDocument } from './document.ts';
import { CHILDREN, elidableAttribute, elidableChildren, elidableSubject } from './elidable.ts';
import { countText, matchParts } from './matches.ts';
import { LEVELS, MAX_ELEMENTS, outlineOf } from './outline.ts';
import { plistAsXml } from './plist.ts';
import { PLIST_MAGIC } from './plist-magic.ts';
import { type FoundAttribute, findXml, isPattern } from './search.ts';
import { Malformed } from './token-kinds.ts';
import { VALIDATED_BYTES, validate, validateShown } from './validate.ts';

/** The view of a document or of the part a pointer names, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const document = new XmlDocument(await textOf(source, context), context.signal);
  try {
    yield* read(document, context);
  } catch (error) {
    if (error instanceof Malformed) await document.reject(error);
    throw error;
  }
}

/** Element names with counts. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const document = new XmlDocument(await textOf(source, context), context.signal);
  try {
    const { brief, pointer = '' } = context.selection;
    const root = await open(document, context);
    if (isPattern(pointer)) {
      yield { level: 0, text: await countText(document, root, pointer) };
      return;
    }
    const found = await findXml(document, root, pointer);
    const subject = 'open' in found ? found : root;
    const { lines, complete, largest } = await outlineOf(document, subject, brief);
    if (!complete && !brief)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message: `The outline counts only the first ${MAX_ELEMENTS} elements.`,
      });
    const { depth } = await document.contents.below(subject.open);
    if (depth + 1 > LEVELS) context.whole({ unit: 'level', of: depth + 1, name: OUTLINE });
    yield* lines;
    if (depth + 1 > LEVELS && !brief && largest !== undefined)
      yield {
        level: 0,
        text: `${LEVELS} of ${depth + 1} levels; for more, ask for an element such as \`#${subject.path}/${largest}\`.`,
      };
  } catch (error) {
    if (error instanceof Malformed) await document.reject(error);
    throw error;
  }
}

/** The file as XML text: itself, or a converted binary property list. */
async function textOf(source: Source, context: ProcessContext): Promise<TextSource> {
  if (decodeUtf8(await source.read(0, PLIST_MAGIC.length)) !== PLIST_MAGIC) return context.text(source);
  context.describe({ convertedFrom: 'binary property list' });
  return plistAsXml(source, context.signal);
}

/** Validates as far as the size allows, and reports the facts. */
async function open(document: XmlDocument, context: ProcessContext): Promise<Subject> {
  const validated = await validate(document.source, context.signal);
  const root = await document.root();
  const doctype = await document.doctype(root, VALIDATED_BYTES);
  if (doctype?.external)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message:
        'The document type refers to external files; they were not opened, and entities are not expanded.',
    });
  const { elements, depth } = await document.contents.below(root.open);
  context.describe({
    root: root.path.slice(1),
    elements: elements + 1,
    levels: depth + 1,
    ...(doctype && { doctype: true }),
    validated: validated && doctype?.validated !== false,
  });
  return root;
}

async function* read(document: XmlDocument, context: ProcessContext): AsyncGenerator<Part> {
  const { selection } = context;
  const { resume, rows } = selection;
  const root = await open(document, context);
  if (isPattern(selection.pointer)) {
    yield* matchParts(document, root, context);
    return;
  }
  const found = await findXml(document, root, selection.pointer ?? '');
  if (!('open' in found)) {
    yield* readAttribute(document, found, context);
    return;
  }
  const { children } = found.content;
  if (resume?.[0] === CHILDREN) {
    const { from } = resolveRange('rows', { from: Number(resume[1]), to: Number(resume[1]) }, children);
    yield* showElided(() => elidableChildren(document, found, from, context), context);
  } else if (rows && !resume) {
    const { from, to } = resolveRange('rows', rows, children);
    const stop: Bytes | undefined =
      to < children ? await document.contents.child(found.open, to + 1) : undefined;
    yield* walkAll(await elidableChildren(document, found, from, context), context, stop);
  } else if (selection.all && !resume)
    yield* stretchOf(document.source, found.start, found.end, context.signal);
  else
    for await (const part of showElided(
      (limits, exact) => elidableSubject(document, found, context, limits, exact),
      context,
    )) {
      if (!resume && part.kind === 'text' && document.window.size > VALIDATED_BYTES)
        await validateShown(document.source, part.text, context.signal);
      yield part;
    }
}

async function* readAttribute(
  document: XmlDocument,
  found: FoundAttribute,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget, selection } = context;
  const { valueStart, valueEnd, units: of } = found.attribute;
  const elidable = elidableAttribute(document, found, context);
  if (selection.resume) {
    yield* showElided(() => elidable, context);
    return;
  }
  context.whole({ unit: 'character', of, name: found.path });
  const text = of <= budget.characters ? await document.window.text(valueStart, valueEnd) : undefined;
  if (text !== undefined && budget.fits(text, budget.tokens, budget.characters)) {
    const shown: Extent[] = of > 0 ? [{ unit: 'character', from: 1, to: of, of, name: found.path }] : [];
    yield { kind: 'text', text, shown };
  } else yield* walkAll(elidable, context);
}
