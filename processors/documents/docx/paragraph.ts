// A paragraph of a Word document, old or new, as pieces of its story: its content, style and list label decide whether it
// is a heading, a list item, code, a quote or text.

import { spaced } from '../../../src/contract/index.ts';
import { formulaIn, formulaSpan, listItem, type Run, writeRuns } from '../../../src/document/index.ts';
import type { Piece } from '../piece.ts';
import type { Gathered, ParagraphRun } from './inline.ts';
import type { Label } from './numbering.ts';
import type { ParagraphLook } from './styles.ts';

/** Characters that are rare in prose set in a monospaced font. */
const CODE_LIKE =
  /[{}[\]<>;=|\\$#]|\w\(|->|::|^\s*(?:\/\/|--|@\w|(?:import|def|class|return|if|for|while|function|var|let|const)\b.*[:(]?)/;

/** What a paragraph is, besides its content. */
export interface ParagraphKind {
  readonly style: ParagraphLook;
  /** 1 to 9; 0 for body text. */
  readonly heading: number;
  readonly label: Label | undefined;
  /** True to ignore bold and italic. */
  readonly plain: boolean;
}

/** The paragraph, then what is anchored in it. */
export function* paragraphPieces(gathered: Gathered, kind: ParagraphKind): Generator<Piece, void, undefined> {
  const { before, runs, after } = parted(gathered.runs, kind);
  for (const run of before) yield { kind: 'text', text: writeRuns([run]) };
  if (runs.some((run) => run.text.trim() !== '')) yield* ownPieces({ ...gathered, runs }, kind);
  // A paragraph that anchors a text box or picture is not a gap.
  else if (gathered.beside.length + before.length + after.length === 0) yield { kind: 'gap' };
  for (const run of after) yield { kind: 'text', text: writeRuns([run]) };
  yield* gathered.beside;
}

/**
 * Parts a paragraph's text from pictures that are not in its lines: floating ones, and all in a heading, whose text is
 * also shown in outlines. Items of a list keep theirs, as a paragraph between items would end the list.
 */
function parted(
  all: readonly ParagraphRun[],
  { heading, style, label }: ParagraphKind,
): Record<'before' | 'runs' | 'after', ParagraphRun[]> {
  const before: ParagraphRun[] = [];
  const after: ParagraphRun[] = [];
  const isTitle = heading > 0 || style.kind === 'title';
  if (!all.some(({ picture }) => picture) || (label && !isTitle)) return { before, runs: [...all], after };
  const runs: ParagraphRun[] = [];
  for (const run of all) {
    if (run.picture !== 'floating' && !(run.picture && isTitle)) runs.push(run);
    else (isTitle || runs.some(({ text }) => text.trim() !== '') ? after : before).push(run);
  }
  return { before, runs, after };
}

/** The parts between blank lines: paragraphs that were typed with line breaks. */
function atBlankLines(runs: readonly Run[]): Run[][] {
  const parts: Run[][] = [];
  let part: Run[] = [];
  let breaks = 0;
  for (const run of runs)
    for (const [line, text] of (run.raw === true ? [run.text] : run.text.split('\n')).entries()) {
      if (line > 0) breaks += 1;
      if (text !== '' && (breaks === 0 || text.trim() !== '')) {
        if (breaks > 1) {
          parts.push(part);
          part = [];
        } else if (breaks === 1) part.push({ ...run, text: '\n' });
        breaks = 0;
        part.push({ ...run, text });
      }
    }
  return [...parts, part];
}

function ownPieces(gathered: Gathered, { style, heading, label, plain }: ParagraphKind): Piece[] {
  const { runs } = gathered;
  if (heading > 0 || style.kind === 'title') {
    const text = writeRuns(tidied(runs), { plain: true });
    const labelled = label && label.text !== '' ? `${label.text} ${text.trimStart()}` : text;
    return [{ kind: 'heading', level: heading > 0 ? heading : 1, text: labelled }];
  }
  const text = (): string => textOf(runs, plain);
  if (label) {
    const marker = label.bullet ? '' : label.text;
    return [{ kind: 'item', list: label.list, ...listItem(label.level, marker, text()) }];
  }
  switch (style.kind) {
    case 'code':
      return [{ kind: 'code', text: typedText(runs), sure: true, inline: text() }];
    case 'quote':
      return [{ kind: 'quote', text: text() }];
    case 'contents': {
      const { level } = style;
      return [{ kind: 'item', level, marker: '-', text: spaced(text(), '\t'), list: 'contents' }];
    }
    default:
      if (gathered.letters > 0 && gathered.monospaced >= gathered.letters && !runs.some((run) => run.raw)) {
        const code = typedText(runs);
        return [{ kind: 'code', text: code, sure: CODE_LIKE.test(code), inline: text() }];
      }
      return atBlankLines(runs).map((part) => ({ kind: 'text', text: textOf(part, plain) }));
  }
}

function textOf(runs: readonly Run[], plain: boolean): string {
  const [only] = runs;
  // A single formula gets a line of its own.
  const formula = runs.length === 1 && only?.raw === true ? formulaIn(only.text) : undefined;
  if (formula !== undefined) return formulaSpan(formula, true);
  return writeRuns(tidied(runs), { plain });
}

/** Long runs of spaces were typed in place of tabs. */
function tidied(runs: readonly Run[]): readonly Run[] {
  return runs.some((run) => run.text.includes('   '))
    ? runs.map((run) => (run.raw === true ? run : { ...run, text: run.text.replace(/ {3,}/g, ' ') }))
    : runs;
}

function typedText(runs: readonly Run[]): string {
  return runs
    .map((run) => run.text)
    .join('')
    .trimEnd();
}
