// Names what a match in a text file is in: the definition, the section, the value in JSON or YAML, the element in
// XML.

import { printAddress } from '../../address/index.ts';
import {
  type FileType,
  ReaderError,
  type SectionLines,
  type TextPart,
  throwIfAborted,
} from '../../contract/index.ts';
import type { Match } from '../workspace.ts';
import type { SearchMeans } from './file-search.ts';
import { JsonPointers } from './json-pointers.ts';
import { XmlPointers } from './xml-pointers.ts';
import { YamlPointers } from './yaml-pointers.ts';

/** The definitions and headings of a text, by line; a heading holds for what follows it, up to the next of its level. */
export type Sections = readonly (SectionLines & { readonly level: number })[];
export type SectionsOf = (
  path: string,
  signal: AbortSignal,
) => Promise<{ readonly fileType: FileType; readonly sections: Sections }>;

/** The outline of a file takes as long as reading it: only the first files are looked at, and not for longer. */
const MAX_FILES = 10;
const MAX_MILLISECONDS = 1000;
const MAX_DATA_CHARACTERS = 16 * 1024 * 1024;

type LabelOf = (match: Match) => Match;

/** `matches`, those in the first text files with a label. @throws {ReaderError} ABORTED */
export async function labelled(
  matches: readonly Match[],
  means: Pick<SearchMeans, 'sections' | 'searchable'>,
  signal: AbortSignal,
): Promise<Match[]> {
  const until = performance.now() + MAX_MILLISECONDS;
  const known = new Map<string, LabelOf>();
  for (const { path, converted } of matches) {
    if (converted || known.has(path)) continue;
    if (known.size >= MAX_FILES || performance.now() > until) break;
    known.set(path, await labelOf(path, means, signal));
    throwIfAborted(signal);
  }
  return matches.map((match) => known.get(match.path)?.(match) ?? match);
}

/** The search of a file does not depend on its labels. */
async function labelOf(
  path: string,
  { sections, searchable }: Pick<SearchMeans, 'sections' | 'searchable'>,
  signal: AbortSignal,
): Promise<LabelOf> {
  try {
    const file = await sections?.(path, signal);
    if (!file) return unlabelled;
    const inData = IN_DATA[file.fileType];
    if (!inData) return (match) => withLabel(match, labelAt(file.sections, match.line));
    const text = searchable && (await textOf(searchable(path, signal, false)));
    return text === undefined ? unlabelled : inData(text);
  } catch (error) {
    if (error instanceof ReaderError) return unlabelled;
    throw error;
  }
}

const unlabelled: LabelOf = (match) => match;

const withLabel = (match: Match, label: string | undefined): Match =>
  label === undefined ? match : { ...match, label };

/** Undefined if it is too long to be looked through for labels. */
async function textOf(parts: AsyncIterable<TextPart>): Promise<string | undefined> {
  let text = '';
  for await (const part of parts) {
    text += part.text;
    if (text.length > MAX_DATA_CHARACTERS) return undefined;
  }
  return text;
}

function inYaml(text: string): LabelOf {
  const pointers = new YamlPointers(text);
  return (match) => withLabel(match, pointers.of(match.line) || undefined);
}

const inJson = (text: string): LabelOf =>
  /^\s*[[{]/.test(text) ? byOffset(text, new JsonPointers(text)) : unlabelled;

const inXml = (text: string): LabelOf =>
  /^\s*</.test(text) ? byOffset(text, new XmlPointers(text)) : unlabelled;

const IN_DATA: Readonly<Partial<Record<FileType, (text: string) => LabelOf>>> = {
  json: inJson,
  yaml: inYaml,
  xml: inXml,
};

/** Labels with pointers; in a long line, as of a minified document, they are the address too. */
function byOffset(text: string, pointers: Pick<JsonPointers, 'of'>): LabelOf {
  let line = 1;
  let start = 0;
  return (match) => {
    for (; line < match.line; line += 1) start = text.indexOf('\n', start) + 1;
    const { pointer, shown } = pointers.of(start + match.column - 1);
    if (pointer === '') return match;
    const address =
      match.cut && shown !== '' ? { address: printAddress(match.path, { pointer: shown }) } : {};
    return { ...match, ...address, label: pointer };
  };
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
