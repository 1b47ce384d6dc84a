// The shape of a text: Markdown headings, or the lines that declare something in code, each with its line number.

import {
  type ProcessContext,
  type Source,
  safeCut,
  type TextPart,
  throwIfAborted,
} from '../../src/contract/index.ts';

const MAX_OUTLINE_LINE = 200;
const HEADING = /^ {0,3}#{1,6}\s+\S/;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
const DECLARATION = new RegExp(
  [
    String.raw`^\s{0,12}(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|virtual|override|open|sealed|data|inline)\s+)*`,
    String.raw`(?:function|class|interface|enum|type|struct|trait|impl|union|def|fn|func|fun|module|mod|namespace|package|object|record|protocol|extension|macro_rules!|sub|procedure|CREATE\s+(?:TABLE|VIEW|FUNCTION|INDEX))\b`,
    String.raw`|^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]{0,80})?=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>|function\b)`,
  ].join(''),
);

/** Lines that say what is where, in order, as many as the budget holds. */
export async function* textOutline(source: Source, context: ProcessContext): AsyncGenerator<TextPart> {
  const text = await context.text(source);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const found: string[] = [];
  let number = 0;
  let rest = '';
  let fenced = false;
  const look = (line: string): void => {
    number += 1;
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && line.length < 1000 && (HEADING.test(line) || DECLARATION.test(line)))
      found.push(`${number}: ${line.slice(0, safeCut(line, MAX_OUTLINE_LINE)).trimEnd()}\n`);
  };
  for await (const chunk of text.chunks()) {
    throwIfAborted(context.signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    // A line of megabytes declares nothing; its length is all that must not pile up.
    rest = (lines.pop() ?? '').slice(-2000);
    for (const line of lines) look(line);
    if (found.length > context.limits.maxTotalOutput / 4) break;
  }
  if (rest !== '') look(rest);
  context.whole({ unit: 'line', of: number });
  const next = { position: [0, 1, 0], request: { lines: `1-${Math.min(number, context.limits.maxLines)}` } };
  const outline = found.join('');
  const { tokensBesideNotes, charactersBesideNotes } = context.budget;
  const within = outline.slice(0, Math.max(0, Math.min(outline.length, charactersBesideNotes)));
  const room = context.budget.prefix(within, tokensBesideNotes);
  const end = room >= outline.length ? room : outline.lastIndexOf('\n', room - 1) + 1;
  yield { kind: 'text', text: outline.slice(0, end), shown: [], next };
}
