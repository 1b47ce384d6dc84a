// A paragraph of a Word document, old or new, as pieces of its story: its content, style and list label decide whether it
// is a heading, a list item, code, a quote or text.

import { type Run, writeRuns } from '../markdown/index.ts';
import type { Gathered } from './inline.ts';
import type { Label } from './numbering.ts';
import type { StoryBlock } from './story-block.ts';
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
export function* paragraphPieces(
  gathered: Gathered,
  kind: ParagraphKind,
): Generator<StoryBlock, void, undefined> {
  const own = ownPiece(gathered, kind);
  if (own) yield own;
  yield* gathered.beside;
}

function ownPiece(
  gathered: Gathered,
  { style, heading, label, plain }: ParagraphKind,
): StoryBlock | undefined {
  const { runs } = gathered;
  if (!runs.some((run) => run.text.trim() !== '')) {
    // A paragraph that anchors a text box or picture is not a gap.
    return gathered.beside.length === 0 ? { kind: 'gap' } : undefined;
  }
  if (heading > 0 || style.kind === 'title') {
    const text = writeRuns(tidied(runs), { plain: true });
    return {
      kind: 'heading',
      level: heading > 0 ? heading : 1,
      text: label && label.text !== '' ? `${label.text} ${text.trimStart()}` : text,
    };
  }
  const text = isFormula(runs) ? `$${runs[0]?.text ?? ''}$` : writeRuns(tidied(runs), { plain });
  if (label) return item(label, text);
  switch (style.kind) {
    case 'code':
      return { kind: 'code', text: plainText(runs), sure: true, markdown: text };
    case 'quote':
      return { kind: 'quote', text };
    case 'contents':
      return {
        kind: 'item',
        level: style.level,
        marker: '-',
        text: text.replace(/\s*\t\s*/g, ' '),
        list: 'contents',
      };
    default:
      if (gathered.letters > 0 && gathered.monospaced >= gathered.letters && !runs.some((run) => run.raw)) {
        const code = plainText(runs);
        return { kind: 'code', text: code, sure: CODE_LIKE.test(code), markdown: text };
      }
      return { kind: 'text', text };
  }
}

/** A number Markdown supports becomes the list marker; any other label becomes text after a bullet. */
function item({ level, text: label, bullet, list }: Label, text: string): StoryBlock {
  if (bullet || label === '') return { kind: 'item', level, marker: '-', text, list };
  if (/^\d{1,9}[.)]?$/.test(label))
    return { kind: 'item', level, marker: /\d$/.test(label) ? `${label}.` : label, text, list };
  return { kind: 'item', level, marker: '-', text: `${label} ${text.trimStart()}`, list };
}

/** True for a single inline formula, which gets a line of its own. */
function isFormula(runs: readonly Run[]): boolean {
  const [only] = runs;
  return runs.length === 1 && only?.raw === true && /^\$[^$]/.test(only.text);
}

/** Long runs of spaces were typed in place of tabs. */
function tidied(runs: readonly Run[]): readonly Run[] {
  return runs.some((run) => run.text.includes('   '))
    ? runs.map((run) => (run.raw === true ? run : { ...run, text: run.text.replace(/ {3,}/g, ' ') }))
    : runs;
}

function plainText(runs: readonly Run[]): string {
  return runs
    .map((run) => run.text)
    .join('')
    .replace(/\s+$/, '');
}
