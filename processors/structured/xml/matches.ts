// Pointers with wildcards: every matching element or attribute in document order, as a table of pointers and values.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type TextPart,
  type TextSource,
} from '../../../src/contract/index.ts';
import { type Table, type TableRow, tableParts } from '../../../src/table/index.ts';
import { MAX_RECORD_BYTES, pointed } from '../records/records.ts';
import { isNamed, MAX_ATTRIBUTES, notFound, segmentsOf, type XmlDocument } from './document.ts';
import { stepOf } from './node-test.ts';
import type { OpenToken } from './token-kinds.ts';
import type { Subject } from './view.ts';

const MAX_MATCHES = 250_000;

/** A match, and the bytes of its value: text, an attribute's value, or an element that is not text alone. */
interface Match {
  readonly pointer: string;
  readonly from: Bytes;
  readonly to: Bytes;
}

/** What a segment stands for: `*` is `{}`, `name[*]` has a name alone, and `name` the number 1. */
interface Step {
  readonly name?: string;
  readonly number?: number;
  /** `*` for all. */
  readonly attribute?: string;
}

/** True if a segment of `pointer` stands for several elements or attributes. */
export const isPattern = (pointer: string | undefined): pointer is string =>
  pointer !== undefined && /\/(?:@?\*|[^/]+\[\*\])(?:\/|$)/.test(pointer);

function stepIn(segment: string): Step {
  if (segment === '*') return {};
  if (segment.startsWith('@')) return { attribute: segment.slice(1) };
  if (/^\d{1,15}$/.test(segment)) return { number: Number(segment) };
  const [, name = segment, number = '1'] = /^(.+)\[(\d{1,15}|\*)\]$/s.exec(segment) ?? [];
  return number === '*' ? { name } : { name, number: Number(number) };
}

/** An answer needs them more than once. */
const KNOWN = new WeakMap<TextSource, { readonly pointer: string; readonly matches: readonly Match[] }>();

/** @throws {ReaderError} BAD_INPUT for another root, LIMIT_EXCEEDED */
async function matchesOf(document: XmlDocument, root: Subject, pointer: string): Promise<readonly Match[]> {
  const known = KNOWN.get(document.source);
  if (known?.pointer === pointer) return known.matches;
  const [first = {}, ...steps] = segmentsOf(pointer).map(stepIn);
  const name = await document.reader.name(root.open);
  if ((first.number ?? 1) !== 1 || !isNamed(name, first.name ?? name)) throw notFound(pointer, '', [name], 1);
  const search = new Search(document, pointer, steps);
  await search.below(root.open, `/${name}`, 0);
  KNOWN.set(document.source, { pointer, matches: search.found });
  return search.found;
}

class Search {
  readonly found: Match[] = [];
  readonly #document: XmlDocument;
  readonly #pointer: string;
  readonly #steps: readonly Step[];

  constructor(document: XmlDocument, pointer: string, steps: readonly Step[]) {
    this.#document = document;
    this.#pointer = pointer;
    this.#steps = steps;
  }

  /** Collects what the steps from `at` on lead to from an element. */
  async below(open: OpenToken, path: string, at: number): Promise<void> {
    const { reader, contents } = this.#document;
    const step = this.#steps[at];
    const content = await contents.of(open);
    if (!step) {
      const isText = content.children === 0 && content.close > content.start;
      const [from, to] = isText ? [content.start, content.close] : [open.start, content.end];
      this.#add({ pointer: path, from, to });
      return;
    }
    if (step.attribute !== undefined) {
      if (at === this.#steps.length - 1) await this.#attributes(open, path, step.attribute);
      return;
    }
    const names = new Map<string, number>();
    let number = 0;
    for (let position = open.end; position < content.close; ) {
      const token = await reader.at(position);
      position = token.end;
      if (token.kind === 'end' || token.kind === 'close') return;
      if (token.kind !== 'open') continue;
      const name = await reader.name(token);
      const child = `${path}/${stepOf(name, names)}`;
      position = (await contents.of(token)).end;
      if (!isNamed(name, step.name ?? name)) continue;
      number += 1;
      if (number === (step.number ?? number)) await this.below(token, child, at + 1);
      if (number === step.number) return;
    }
  }

  async #attributes(open: OpenToken, path: string, wanted: string): Promise<void> {
    const { reader, window } = this.#document;
    const token = await reader.at(open.start, MAX_ATTRIBUTES);
    for (const { start, nameEnd, valueStart, valueEnd } of token.kind === 'open' ? token.attributes : []) {
      const name = await window.text(start, nameEnd);
      if (wanted === '*' || isNamed(name, wanted))
        this.#add({ pointer: `${path}/@${name}`, from: valueStart, to: valueEnd });
    }
  }

  #add(match: Match): void {
    if (this.found.length >= MAX_MATCHES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `\`pointer\` ${quoted(this.#pointer)} has more than ${MAX_MATCHES} matches.`,
        'Use a number or a name in place of one `*`.',
      );
    this.found.push(match);
  }
}

/** How many matches there are. */
export async function countText(document: XmlDocument, root: Subject, pointer: string): Promise<string> {
  const { length } = await matchesOf(document, root, pointer);
  return `${length} ${length === 1 ? 'match' : 'matches'} of ${quoted(pointer)}`;
}

/** The parts of an answer about the matches of the requested pointer. @throws as `matchesOf` */
export async function* matchParts(
  document: XmlDocument,
  root: Subject,
  context: ProcessContext,
): AsyncGenerator<TextPart> {
  const { pointer = '', resume, rows } = context.selection;
  const matches = await matchesOf(document, root, pointer);
  context.describe({ matches: matches.length });
  const isFirst = resume === undefined && rows === undefined;
  const table: Table = {
    header: ['pointer', 'value'],
    headerRow: 0,
    rows: matches.length,
    columns: 2,
    ...(isFirst && { heading: await countText(document, root, pointer) }),
    read: (from, to) => rowsOf(document, matches, from, to, context),
  };
  yield* pointed(tableParts(table, context), pointer);
}

async function* rowsOf(
  { window }: XmlDocument,
  matches: readonly Match[],
  first: number,
  last: number,
  { warn }: ProcessContext,
): AsyncGenerator<TableRow> {
  for (const [index, { pointer, from, to }] of matches.slice(first - 1, last).entries()) {
    const number = first + index;
    const end = Math.min(to, from + MAX_RECORD_BYTES);
    if (end < to)
      warn({
        code: 'SKIPPED_CONTENT',
        message: `Match ${number} takes ${to - from} bytes; only the first ${MAX_RECORD_BYTES} were read.`,
      });
    yield { number, cells: [pointer, (await window.text(from, end)).trim()] };
  }
}
