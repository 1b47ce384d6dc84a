// Edits the texts inside a file, such as the cells of a notebook: each change belongs to one of them.

import type { Passages } from '../contract/index.ts';
import { bad } from './argument-rules.ts';
import type { Change, Edit } from './edits.ts';
import { lf } from './line-breaks.ts';

/** The changes of an edit to `text`; `number` is that of the edit, if there are several. */
type ChangesIn = (edit: Edit, text: string, number: number | undefined) => readonly Change[];

/**
 * All texts after the edits, and the names of those that changed, in order.
 * @throws {ReaderError} BAD_INPUT for a place given as a line, and for a text that spans two passages
 */
export function editPassages(
  list: Passages['list'],
  edits: readonly Edit[],
  name: string,
  changesIn: ChangesIn,
): { readonly texts: readonly string[]; readonly names: readonly string[] } {
  if (edits.some(({ kind }) => kind === 'insertion'))
    throw bad(
      `The lines of ${name} are those of its cells, so \`insert_line\` does not apply; nothing was changed.`,
      'Pass `old_text` from a cell, and `new_text` with the addition.',
    );
  const texts = list.map(({ text }) => text);
  const touched = new Set<number>();
  for (const [at, edit] of edits.entries())
    for (const change of changesIn(
      edit,
      texts.join('\n'),
      edits.length > 1 ? at + 1 : undefined,
    ).toReversed())
      touched.add(apply(change, texts, name));
  const names = list.flatMap((passage, at) => (touched.has(at) ? [passage.name] : []));
  return { texts, names };
}

/** Applies a change, whose place counts the texts as joined by line breaks, to the text it belongs to. */
function apply({ at, length, next }: Change, texts: string[], name: string): number {
  let index = 0;
  let from = 0;
  while (index < texts.length - 1 && at > from + (texts[index]?.length ?? 0)) {
    from += (texts[index]?.length ?? 0) + 1;
    index += 1;
  }
  const text = texts[index] ?? '';
  const start = at - from;
  // A change of whole lines includes the line break after the last one, which here only separates two texts.
  const isWhole = start + length === text.length + 1;
  if (start + length > text.length && !isWhole)
    throw bad(
      `The text to replace in ${name} spans two cells; nothing was changed.`,
      'Edit each cell with its own text.',
    );
  const given = lf(next);
  texts[index] =
    text.slice(0, start) + (isWhole ? given.replace(/\n$/, '') : given) + text.slice(start + length);
  return index;
}
