// Shows a source text by elision and walks what the view left out: the part of reading that YAML and TOML share.

import {
  type Next,
  NotThisFormat,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  ReaderError,
  type RequestFields,
  type Source,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import {
  type Elision,
  type ElisionLimits,
  elisionLimits,
  fitElision,
  type Gap,
  gapsOf,
  type Stretch,
} from './elision.ts';
import { gapPages, Lines } from './source-pages.ts';

/** A document, or a part of one, that can be shown with stretches left out. */
export interface Elidable {
  readonly source: string;
  /** What of the source is to be shown, ascending. */
  readonly scope: readonly Stretch[];
  /** Goes before the view, to make a part of a document stand alone. */
  readonly prefix: string;
  elide(limits: ElisionLimits): Elision;
}

/** Limits under which only the root's own counts are looked at. */
const BARE: ElisionLimits = { depth: 1, items: 0, keys: 0, string: 1, comment: Number.POSITIVE_INFINITY };

/** The view of `document` that fits, then by cursor what it left out; the source itself where no view fits. */
export function* showElided(document: Elidable, context: ProcessContext): Generator<Part> {
  const { source, scope } = document;
  const { selection, budget } = context;
  const lines = new Lines(source);
  if (selection.resume) {
    yield* walk(document, selection.resume, lines, context);
    return;
  }
  if (selection.all) {
    for (const { from, to } of scope)
      yield { kind: 'text', text: source.slice(from, to), shown: lines.extents(from, to) };
    return;
  }
  const limits = elisionLimits(context.limits);
  if (budget.tokens < 1 || budget.characters < 1) {
    const [root] = document.elide(BARE).wholes;
    if (root) context.whole(root);
    return;
  }
  const view = fitElision(source, scope, document.prefix, limits, budget, (tried) => document.elide(tried));
  if (!view) {
    yield* walk(document, ['source', scope[0]?.from ?? 0], lines, context);
    return;
  }
  for (const whole of view.wholes) context.whole(whole);
  if (view.text === '') return;
  const gaps = gapsOf(view.edits);
  const [gap] = gaps;
  yield {
    kind: 'text',
    text: view.text,
    shown: view.shown,
    ...(gap && { next: { position: [...limitNumbers(view.limits), gap.from], ...inLines(gaps, lines) } }),
  };
}

/** Share of the lines from the first gap to the last that may be shown already where all of them are proposed. */
const MOST_REPEATED = 0.5;

/** All that was left out by its lines, or where much between is shown already, the longest gap. */
function inLines(gaps: readonly Gap[], lines: Lines): Pick<Next, 'request' | 'skip'> {
  const from = gaps[0]?.from ?? 0;
  const to = gaps.at(-1)?.to ?? 0;
  const left = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  if (left < (to - from) * MOST_REPEATED) return { skip: longest(gaps, lines) };
  return { request: { lines: `${lines.at(from)}-${lines.at(to - 1)}` } };
}

/** The lines of the longest of `gaps`. */
function longest(gaps: readonly Gap[], lines: Lines): RequestFields {
  const size = ({ from, to }: Gap): number => to - from;
  const { from, to } = gaps.reduce((most, gap) => (size(gap) > size(most) ? gap : most));
  return { lines: `${lines.at(from)}-${lines.at(to - 1)}` };
}

function* walk(
  document: Elidable,
  position: Position,
  lines: Lines,
  context: ProcessContext,
): Generator<TextPart> {
  const { source, scope } = document;
  const fields = new PositionReader(position, 'The cursor does not name a place in this file.');
  let gaps: Gap[];
  let head: readonly (number | string)[];
  if (fields.oneOf(['source', 'view']) === 'source') {
    head = ['source'];
    gaps = scope.map((stretch) => ({ ...stretch, pointer: '' }));
  } else {
    const limits = limitsFrom(fields);
    head = limitNumbers(limits);
    gaps = gapsOf(document.elide(limits).edits);
  }
  const offset = fields.count(source.length);
  fields.check(gaps.some(({ from, to }) => offset >= from && offset < to));
  context.whole({ unit: 'line', of: lines.count });
  const next = (at: number): Next => ({ position: [...head, at] });
  yield* gapPages(source, gaps, offset, { budget: context.budget, lines, comment: '# ', next });
}

const MOST = 2 ** 31;

function limitNumbers({ depth, items, keys, string, comment }: ElisionLimits): (number | string)[] {
  const bounded = (value: number): number => Math.min(value, MOST);
  return ['view', bounded(depth), bounded(items), bounded(keys), bounded(string), bounded(comment)];
}

function limitsFrom(fields: PositionReader): ElisionLimits {
  const depth = fields.count(MOST);
  const items = fields.count(MOST);
  const keys = fields.count(MOST);
  const string = fields.count(MOST);
  const comment = fields.count(MOST);
  return { depth, items, keys, string, comment: comment === MOST ? Number.POSITIVE_INFINITY : comment };
}

/** The whole of a text as it is, in pieces, in constant memory. */
export async function* streamText(source: TextSource, signal: AbortSignal): AsyncGenerator<TextPart> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let line = 1;
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    const from = line;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++;
    const to = text.endsWith('\n') ? line - 1 : line;
    yield { kind: 'text', text, shown: [{ unit: 'line', from, to }] };
  }
  const rest = decoder.decode();
  if (rest !== '') yield { kind: 'text', text: rest, shown: [{ unit: 'line', from: line, to: line }] };
}

/**
 * The whole text of a file that is to be read as a tree, of `language` as people call it.
 * @throws {NotThisFormat} NOT_VALIDATED above `maxTreeBytes`, where text will do
 * @throws {ReaderError} LIMIT_EXCEEDED above it, where the request needs the tree
 */
export async function readForTree(
  source: Source,
  language: string,
  { limits, selection }: ProcessContext,
): Promise<string> {
  if (source.size <= limits.maxTreeBytes)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.bytes());
  const bound = `larger than the ${limits.maxTreeBytes} bytes up to which ${language} is read as a tree.`;
  if (selection.pointer !== undefined || selection.format === 'json')
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The file is ${bound}`,
      'Leave `pointer` and `format` out to read it as text, by `lines`.',
    );
  throw new NotThisFormat({ code: 'NOT_VALIDATED', message: `Shown as text: the file is ${bound}` });
}
