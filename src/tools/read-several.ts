// Several files in one answer of `read_file`: each under its own heading, all within one budget.

import { headingOf, type Tokens } from '../contract/index.ts';
import type { FileExtractionResult, ReadRequest } from '../reader/index.ts';
import { bad } from './argument-rules.ts';
import type { ToolRoom } from './definition.ts';
import { folderTree, listsFor } from './folder-tree.ts';
import { cutToBudget } from './page.ts';
import { pathOf } from './resource-path.ts';
import type { ToolAnswer, ToolPart } from './tool.ts';
import { inToolWords } from './words.ts';

/** Maximum files per call; with more, a budget holds little besides their names. */
export const MAX_PATHS = 50;

/**
 * The files and folders at `paths`; errors appear under the file's heading. @throws {ReaderError} BAD_INPUT for a
 * cursor
 */
export async function readSeveral(
  paths: readonly string[],
  request: ReadRequest & { readonly maxTokens: Tokens },
  room: ToolRoom,
): Promise<ToolAnswer> {
  if (request.cursor !== undefined)
    throw bad(
      'A cursor continues one file, but several paths are given.',
      'Pass only the `path` of that file.',
    );
  const { reader, count } = room;
  const { signal = new AbortController().signal } = request;
  const given = paths.map(pathOf);
  const trees = await treesIn(given, request, room);
  const files = given.filter((_, at) => !trees.has(at));
  let left = [...trees.values()].reduce((sum, text) => sum - count(text), request.maxTokens);
  const rest = { ...request, maxTokens: Math.max(0, left) };
  for (const path of files) await room.seen?.look(room.workspace, path, signal);
  const results = files.length === 1 ? await alone(files, rest, room) : await reader.readMany(files, rest);
  left = request.maxTokens;
  let next = 0;
  const parts = given.flatMap((path, at): ToolPart[] => {
    const result = trees.has(at) ? undefined : results[next++];
    const text = cutToBudget(trees.get(at) ?? (result ? textOf(result, path) : ''), left, count);
    left -= count(text);
    return [{ kind: 'text', text }, ...(result ? mediaOf(result) : [])];
  });
  const failed = trees.size === 0 && results.every(({ success }) => !success);
  return { isError: failed, parts: joined(parts) };
}

/** The trees of the folders among `paths`, each within a fair share, by index. */
async function treesIn(
  paths: readonly string[],
  { maxTokens, signal }: ReadRequest & { readonly maxTokens: Tokens },
  room: ToolRoom,
): Promise<Map<number, string>> {
  const { workspace, reader, count } = room;
  const trees = new Map<number, string>();
  for (const [at, path] of paths.entries()) {
    if ((await workspace.kind(path)) !== 'directory') continue;
    const heading = headingOf(path);
    const share = Math.max(0, Math.floor(maxTokens / paths.length) - count(heading));
    const lists = listsFor(room);
    const options = { workspace, reader, maxTokens: share, lists, ...(signal && { signal }) };
    trees.set(at, heading + (await folderTree(path, options)));
  }
  return trees;
}

/** A single file next to folders also has a heading. */
async function alone(
  [path = '']: readonly string[],
  request: ReadRequest & { readonly maxTokens: Tokens },
  { reader, count }: ToolRoom,
): Promise<FileExtractionResult[]> {
  const heading = headingOf(path);
  const maxTokens = Math.max(0, request.maxTokens - count(heading));
  const result = await reader.read(path, { ...request, maxTokens });
  return [result.success ? { ...result, text: heading + result.text } : result];
}

function textOf(result: FileExtractionResult, path: string): string {
  if (result.success)
    return result.text.endsWith('\n') || result.text === '' ? result.text : `${result.text}\n`;
  const { code, message, hint } = result.error;
  return `${headingOf(path)}Error ${code}: ${inToolWords(`${message} ${hint}`)}\n`;
}

/** The media of a file, unchanged. */
export function mediaOf(result: FileExtractionResult): ToolPart[] {
  if (!result.success) return [];
  return result.content.flatMap((part): ToolPart[] =>
    part.kind === 'binary'
      ? [{ kind: 'media', data: part.data, mimeType: part.mimeType, name: result.metadata.name }]
      : [],
  );
}

/** Joins consecutive texts. */
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
