// The shape of a text: Markdown headings, or the lines that declare something in code, each with its line number.

import {
  type ProcessContext,
  type Source,
  safeCut,
  type TextPart,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { indexLines } from '../../src/scan/index.ts';
import { newlineOf } from './lines.ts';

const MAX_OUTLINE_LINE = 200;
/** No heading or declaration has as many characters. */
const LONG_LINE = 1000;
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
  const newline = await newlineOf(text);
  const { count } = await indexLines(text, { newline, signal: context.signal });
  context.whole({ unit: 'line', of: count });
  const outline = (await declarations(text, String.fromCharCode(newline), context)).join('');
  const { tokensBesideNotes, charactersBesideNotes } = context.budget;
  const within = outline.slice(0, Math.max(0, Math.min(outline.length, charactersBesideNotes)));
  const room = context.budget.prefix(within, tokensBesideNotes);
  const end = room >= outline.length ? room : outline.lastIndexOf('\n', room - 1) + 1;
  const next = { position: [0, 1, 0], request: { lines: `1-${Math.min(count, context.limits.maxLines)}` } };
  yield { kind: 'text', text: outline.slice(0, end), shown: [], next };
}

/** Numbered lines that declare something, up to as many characters as an answer may have. */
async function declarations(
  text: Source,
  terminator: string,
  { limits, signal }: ProcessContext,
): Promise<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const found: string[] = [];
  let length = 0;
  let number = 0;
  let fenced = false;
  const look = (line: string): void => {
    number += 1;
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && line.length < LONG_LINE && (HEADING.test(line) || DECLARATION.test(line))) {
      found.push(`${number}: ${line.slice(0, safeCut(line, MAX_OUTLINE_LINE)).trimEnd()}\n`);
      length += found.at(-1)?.length ?? 0;
    }
  };
  let rest = '';
  for await (const chunk of text.chunks()) {
    throwIfAborted(signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(terminator);
    // A line of megabytes declares nothing: all that is kept of it is that it is long.
    rest = (lines.pop() ?? '').slice(0, LONG_LINE);
    for (const line of lines) look(line);
    if (length > limits.maxTotalOutput) return found;
  }
  if (rest !== '') look(rest);
  return found;
}
