// Several files in one answer of `read_file`: each below its own heading, all under one budget.

import { headingOf, type Tokens } from '../contract/index.ts';
import type { FileExtractionResult, ReadRequest } from '../reader/index.ts';
import { bad } from './argument-rules.ts';
import type { ToolRoom } from './definition.ts';
import { cutToBudget } from './page.ts';
import { pathOf } from './resource-path.ts';
import type { ToolAnswer, ToolPart } from './tool.ts';
import { inToolWords } from './words.ts';

/** The most files of one call: with more, a budget holds little beside their names. */
export const MAX_PATHS = 50;

/** The files at `paths`; one that fails says so below its heading. @throws {ReaderError} BAD_INPUT for a cursor */
export async function readSeveral(
  paths: readonly string[],
  request: ReadRequest & { readonly maxTokens: Tokens },
  { reader, count }: ToolRoom,
): Promise<ToolAnswer> {
  if (request.cursor !== undefined)
    throw bad(
      'A cursor continues one file, and there are several paths.',
      'Give the `path` of that file alone.',
    );
  const given = paths.map(pathOf);
  const results = await reader.readMany(given, request);
  const texts = results.map((result, at) => textOf(result, given[at] ?? ''));
  const parts: ToolPart[] = [];
  let left = request.maxTokens;
  for (const [at, result] of results.entries()) {
    const text = cutToBudget(texts[at] ?? '', left, count);
    left -= count(text);
    parts.push({ kind: 'text', text }, ...mediaOf(result));
  }
  return { isError: results.every(({ success }) => !success), parts: joined(parts) };
}

function textOf(result: FileExtractionResult, path: string): string {
  if (result.success)
    return result.text.endsWith('\n') || result.text === '' ? result.text : `${result.text}\n`;
  const { code, message, hint } = result.error;
  return `${headingOf(path)}Error ${code}: ${inToolWords(`${message} ${hint}`)}\n`;
}

/** What is to be seen or heard of a file, as it is. */
export function mediaOf(result: FileExtractionResult): ToolPart[] {
  if (!result.success) return [];
  return result.content.flatMap((part): ToolPart[] =>
    part.kind === 'binary'
      ? [{ kind: 'media', data: part.data, mimeType: part.mimeType, name: result.metadata.name }]
      : [],
  );
}

/** Texts that follow each other as one. */
function joined(parts: readonly ToolPart[]): ToolPart[] {
  const all: ToolPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = { kind: 'text', text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
