// Names the definition or the section that a match in a text file is in.

import { ReaderError, type SectionLines, throwIfAborted } from '../../contract/index.ts';
import type { Match } from '../workspace.ts';

/** The definitions and headings of a text, by line; a heading holds for what follows it, up to the next of its level. */
export type Sections = readonly (SectionLines & { readonly level: number })[];
export type SectionsOf = (path: string, signal: AbortSignal) => Promise<Sections>;

/** The outline of a file takes as long as reading it: only the first files are looked at, and not for longer. */
const MAX_FILES = 10;
const MAX_MILLISECONDS = 1000;

/** `matches`, those in the first text files with a label. @throws {ReaderError} ABORTED */
export async function labelled(
  matches: readonly Match[],
  sectionsOf: SectionsOf,
  signal: AbortSignal,
): Promise<Match[]> {
  const until = performance.now() + MAX_MILLISECONDS;
  const known = new Map<string, Sections>();
  for (const { path, converted } of matches) {
    if (converted || known.has(path)) continue;
    if (known.size >= MAX_FILES || performance.now() > until) break;
    known.set(path, await sectionsOf(path, signal).catch(noSections));
    throwIfAborted(signal);
  }
  return matches.map((match) => {
    const label = labelAt(known.get(match.path) ?? [], match.line);
    return label === undefined ? match : { ...match, label };
  });
}

/** The search of a file does not depend on its outline. */
function noSections(error: unknown): Sections {
  if (error instanceof ReaderError) return [];
  throw error;
}

/** `Reader.read` for a line of a definition, the heading above any other; undefined on the line that names it itself. */
function labelAt(sections: Sections, line: number): string | undefined {
  const open: Sections[number][] = [];
  for (const section of sections) {
    if (section.from > line) break;
    while ((open.at(-1)?.level ?? 0) >= section.level) open.pop();
    open.push(section);
  }
  const around = open.filter(({ isHeading, to, from }) =>
    isHeading ? to < line : from < line && to >= line,
  );
  const definitions = around.filter(({ isHeading }) => !isHeading);
  if (definitions.length > 0) return definitions.map(({ title }) => title).join('.');
  return around.at(-1)?.title;
}
