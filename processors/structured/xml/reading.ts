// XML of any size: the document's own text with marks for what the limits leave out, then every omitted range.

import {
  type Bytes,
  OUTLINE,
  type OutlineLine,
  type Part,
  type ProcessContext,
  resolveRange,
  type Source,
  staleCursor,
  type TextSource,
} from '../../../src/contract/index.ts';
import { decodeUtf8 } from '../byte-window.ts';
import { stretchOf } from '../stretch.ts';

import { treeLimits } from '../tree/shape.ts';
import { extentsOf, wholeOf } from './assemble.ts';
import { XmlDocument } from './document.ts';
import { fitView, MOST_SHOWN_BYTES, viewUnder } from './fit.ts';
import { countText, matchParts } from './matches.ts';
import { LEVELS, MAX_ELEMENTS, outlineOf } from './outline.ts';
import { plistAsXml } from './plist.ts';
import { PLIST_MAGIC } from './plist-magic.ts';
import { decodePosition, type Plan, type RangePlan, type ViewPlan } from './position.ts';
import { type FoundAttribute, findXml, isPattern } from './search.ts';
import { Malformed } from './token-kinds.ts';
import { VALIDATED_BYTES, validate, validateShown } from './validate.ts';
import type { Cut, Subject } from './view.ts';
import { nextAfter, walk } from './walk.ts';

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
  const { selection, budget, limits } = context;
  const root = await open(document, context);
  if (isPattern(selection.pointer)) {
    yield* matchParts(document, root, context);
    return;
  }
  if (selection.resume) {
    const { plan, place } = decodePosition(selection.resume, document.window.size);
    context.whole(wholeOf(root));
    const cuts = plan.kind === 'range' ? [rangeCut(plan)] : await cutsOf(document, root, plan);
    yield* walk({ document, plan, cuts, budget, plain: selection.all }, place);
    return;
  }
  const found = await findXml(document, root, selection.pointer ?? '');
  if (!('open' in found)) {
    yield* readAttribute(document, found, context);
    return;
  }
  const subject = found;
  if (selection.rows) {
    yield* readChildren(document, subject, context);
    return;
  }
  if (selection.all) {
    yield* stretchOf(document.source, subject.start, subject.end, context.signal);
    return;
  }
  if (budget.tokens <= 0 || budget.characters <= 0) {
    context.whole(wholeOf(subject));
    return;
  }
  const fitted = await fitView(document, subject, treeLimits(limits), budget);
  if (!fitted) {
    context.whole(wholeOf(subject));
    const plan = await wholePlan(document, subject);
    yield* walk({ document, plan, cuts: [rangeCut(plan)], budget, plain: false }, undefined);
    return;
  }
  const { view, text } = fitted;
  if (document.window.size > VALIDATED_BYTES) await validateShown(document.source, text, context.signal);
  const { depth } = await document.contents.below(subject.open);
  const { shown, wholes } = extentsOf(subject, view, depth + 1);
  for (const whole of wholes) context.whole(whole);
  const plan: Plan = {
    kind: 'view',
    ...fitted.limits,
    base: subject.start < subject.open.start || subject.end > subject.content.end ? -1 : subject.open.start,
    path: subject.path,
  };
  const next = nextAfter(plan, view.cuts, undefined);
  yield { kind: 'text', text, shown, ...(next && { next }) };
}

async function cutsOf(document: XmlDocument, root: Subject, plan: ViewPlan): Promise<readonly Cut[]> {
  const subject = plan.base < 0 ? root : await document.element(plan.base, plan.path);
  const view = await viewUnder(document, subject, plan, MOST_SHOWN_BYTES);
  if (!view) throw staleCursor('The cursor does not match any view of this file.');
  return view.cuts;
}

function rangeCut(plan: RangePlan): Cut {
  return { ...plan, mark: () => '' };
}

/** The whole subject as one range, for a budget in which no view fits. */
async function wholePlan(document: XmlDocument, subject: Subject): Promise<RangePlan> {
  const { start, end, path } = subject;
  if (start === 0 && end === document.window.size)
    return { kind: 'range', unit: 'element', start, end, first: 1, of: 1, path: '' };
  const of = await document.window.units(start, end);
  return { kind: 'range', unit: 'character', start, end, first: 1, of, path };
}

async function* readAttribute(
  document: XmlDocument,
  { attribute, path }: FoundAttribute,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget, selection } = context;
  const { valueStart: start, valueEnd: end, units: of } = attribute;
  context.whole({ unit: 'character', of, name: path });
  if (of <= budget.characters && of <= MOST_SHOWN_BYTES) {
    const text = await document.window.text(start, end);
    if (budget.fits(text, budget.tokens, budget.characters)) {
      yield {
        kind: 'text',
        text,
        shown: of > 0 ? [{ unit: 'character', from: 1, to: of, of, name: path }] : [],
      };
      return;
    }
  }
  const plan: Plan = { kind: 'range', unit: 'character', start, end, first: 1, of, path };
  yield* walk({ document, plan, cuts: [rangeCut(plan)], budget, plain: selection.all }, undefined);
}

/** The requested child elements by number, and what is between them. */
async function* readChildren(
  document: XmlDocument,
  subject: Subject,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget, selection } = context;
  if (!selection.rows) return;
  const { children: of, close } = subject.content;
  context.whole(wholeOf(subject));
  const { from, to } = resolveRange('rows', selection.rows, of);
  const start = await document.contents.child(subject.open, from);
  const end = await document.window.trimBlank(start, close);
  const stop: Bytes = to < of ? await document.contents.child(subject.open, to + 1) : end;
  const plan: Plan = { kind: 'range', unit: 'element', start, end, first: from, of, path: subject.path };
  yield* walk(
    {
      document,
      plan,
      cuts: [rangeCut(plan)],
      budget,
      stop,
      plain: selection.all,
    },
    undefined,
  );
}
