// The headings of a document, each with its page or line: the document's own outline, else the headings of its text.

import type { Budget, Part, ProcessContext } from '../../src/contract/index.ts';
import { plural, throwIfAborted } from '../../src/contract/index.ts';
import type { OutlineEntry, SectionUnit } from './document.ts';
import type { KeptDocument } from './kept-document.ts';
import { SectionText } from './section-text.ts';

/** Sections looked through for headings where the document has no outline of its own. */
const MAX_SECTIONS = 200;

/** One line a heading, as many as the budget holds. */
export async function* documentOutline(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { budget } = context;
  const { facts, sections } = await document.summary();
  context.describe(unit ? { [`${unit}s`]: sections, ...facts } : facts);
  if (unit) context.whole({ unit, of: sections });
  const own = unit ? await document.outline() : undefined;
  const lines =
    own && own.length > 0
      ? own.map((entry) => told(entry, unit))
      : await found(document, unit, sections, context);
  const outline = fitted(lines, budget);
  const next = {
    position: [1, 0, 0],
    request: unit ? { pages: `1-${Math.min(sections, 3)}` } : { lines: `1-${context.limits.maxLines}` },
  };
  yield { kind: 'text', text: outline, shown: [], next };
}

/** As many lines as fit; where some do not, the last line says how many. */
function fitted(lines: readonly string[], budget: Budget): string {
  const outline = lines.join('');
  const fits = (text: string, tokens: number, characters: number): number =>
    budget.prefix(text.slice(0, Math.max(0, Math.min(text.length, characters))), tokens);
  const { tokensBesideNotes, charactersBesideNotes } = budget;
  if (fits(outline, tokensBesideNotes, charactersBesideNotes) >= outline.length) return outline;
  const most = `[… ${plural(lines.length, 'more heading')} …]\n`;
  const room = fits(outline, tokensBesideNotes - budget.count(most), charactersBesideNotes - most.length);
  const end = outline.lastIndexOf('\n', room - 1) + 1;
  if (room <= 0 || end === 0) return '';
  const left = lines.length - (outline.slice(0, end).split('\n').length - 1);
  return `${outline.slice(0, end)}[… ${plural(left, 'more heading')} …]\n`;
}

function told({ level, title, section }: OutlineEntry, unit: SectionUnit | undefined): string {
  const place = unit && section !== undefined ? `${unit} ${section}: ` : '';
  return `${place}${'#'.repeat(Math.min(6, Math.max(1, level)))} ${title.replaceAll('\n', ' ')}\n`;
}

async function found(
  document: KeptDocument,
  unit: SectionUnit | undefined,
  sections: number,
  context: ProcessContext,
): Promise<string[]> {
  const lines: string[] = [];
  for (let number = 1; number <= Math.min(sections, MAX_SECTIONS); number += 1) {
    throwIfAborted(context.signal);
    const { blocks } = await document.section(number);
    const text = new SectionText(blocks, number === sections);
    if (!unit) context.whole({ unit: 'line', of: text.lines });
    let line = 1;
    for (const block of blocks) {
      if (/^#{1,6} /.test(block)) lines.push(unit ? `${unit} ${number}: ${block}` : `${line}: ${block}`);
      line += block.split('\n').length;
    }
  }
  return lines;
}
