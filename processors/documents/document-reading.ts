// Shows a converted document: its text by a walk, or one of its tables. The converters produce the sections.

import {
  type OutlineLine,
  type Part,
  type ProcessContext,
  ReaderError,
  type Source,
} from '../../src/contract/index.ts';
import {
  inlineMarkdown,
  plainText,
  type Table,
  targetsLeftOut,
  unseenTargets,
  withMembers,
  withNames,
} from '../../src/document/index.ts';
import { tableOf, tableParts } from '../../src/table/index.ts';
import type { SectionUnit } from './document.ts';
import { documentOutline, selected } from './document-outline.ts';
import { tableAt } from './document-place.ts';
import { DocumentWalk } from './document-walk.ts';
import { type DocumentConversion, KeptDocument } from './kept-document.ts';
import type { SectionText } from './section-text.ts';

/** The response for one document. */
export function readDocument(
  conversion: DocumentConversion,
  unit: SectionUnit | undefined,
  source: Source,
  context: ProcessContext,
): AsyncGenerator<Part> {
  return withDocument(conversion, source, context, (document) => contentOf(document, unit, context));
}

/** The headings of a document with their places. */
export function outlineDocument(
  conversion: DocumentConversion,
  unit: SectionUnit | undefined,
  source: Source,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  return withDocument(conversion, source, context, (document) => documentOutline(document, unit, context));
}

async function* withDocument<T>(
  conversion: DocumentConversion,
  source: Source,
  context: ProcessContext,
  read: (document: KeptDocument) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const document = await KeptDocument.of(conversion, source, context);
  try {
    yield* read(document);
  } finally {
    await document.close();
  }
}

async function* contentOf(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget, selection } = context;
  const { facts, sections } = await document.summary();
  context.describe(unit ? { [`${unit}s`]: sections, ...facts } : facts);
  if (selection.table !== undefined) {
    const numbers = selected(selection.pages, sections);
    const table = await tableAt(document, numbers, selection.table, context);
    yield* tableParts(tableOf(cellsOf(table, document.name, context)), context);
    return;
  }
  if (unit) context.whole({ unit, of: sections });
  if (selection.format === 'csv')
    context.warn({ code: 'IGNORED_FIELD', message: '`format` `csv` has no effect without `table`.' });
  if (selection.rows ?? selection.columns)
    throw new ReaderError(
      'BAD_INPUT',
      '`rows` and `columns` select parts of a table, and no table is named.',
      'Pass `table`, such as `"1"`, with them.',
    );
  const walk = new DocumentWalk(document, unit, sections, context);
  // A flowing document is converted whole, so that its lines can be counted.
  if (!unit) describeFlow(await walk.text(1), context);
  if (budget.tokens < 1 || budget.characters < 1) return;
  yield* selection.all ? walk.everything() : walk.page();
}

/** The cells as the answer's format writes them: with their links and marks in Markdown, else as plain values. */
function cellsOf({ rows }: Table, name: string, { selection, warn }: ProcessContext): string[][] {
  if (selection.format === 'markdown')
    return rows.map((row) => row.map((cell) => withMembers(inlineMarkdown(cell), name, false)));
  const targets = rows.flat().flatMap(unseenTargets).length;
  if (targets > 0) warn({ code: 'SKIPPED_CONTENT', message: targetsLeftOut(targets) });
  return rows.map((row) => row.map((cell) => withNames(plainText(cell), name)));
}

function describeFlow({ lines, text }: SectionText, context: ProcessContext): void {
  context.describe({ lines });
  context.whole({ unit: 'line', of: lines });
  if (text === '') context.warn({ code: 'EMPTY_FILE', message: 'The document contains no text.' });
}
