// Finds the lines of a section of Markdown by its heading.

import type { ProcessContext, TextSource } from '../../src/contract/index.ts';
import { noHeading, rankedBy, SURE } from '../../src/document/index.ts';
import { Headings } from './markdown-outline.ts';
import { lineStarts } from './text-lines.ts';

/** The lines from the heading that `asked` names to the next one of its level. @throws {ReaderError} BAD_INPUT */
export async function sectionLines(
  text: TextSource,
  asked: string,
  context: ProcessContext,
): Promise<{ readonly from: number; readonly to: number }> {
  const rankOf = rankedBy(asked);
  const headings = new Headings();
  const titles: string[] = [];
  let best: { readonly rank: number; readonly level: number; readonly from: number; to?: number } | undefined;
  let line = 0;
  for await (const lines of lineStarts(text, context))
    for (const one of lines) {
      line += 1;
      const { level = 1, names } = headings.add(one) ?? {};
      if (!names) continue;
      titles.push(names.title);
      if (best && best.to === undefined && level <= best.level) {
        best.to = names.from - 1;
        if (best.rank <= SURE) return { from: best.from, to: best.to };
      }
      const rank = rankOf(names.title);
      if (rank !== undefined && rank < (best?.rank ?? Number.POSITIVE_INFINITY))
        best = { rank, level, from: names.from };
    }
  if (!best) throw noHeading(asked, titles);
  return { from: best.from, to: best.to ?? line };
}
