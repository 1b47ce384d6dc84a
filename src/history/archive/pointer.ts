// Pointers into an archive: read from what a model or a caller gives, to the file and the place in it that they name.

import { quoted, ReaderError } from '../../contract/index.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { CONVERSATION_ID_PATTERN } from './conversation-id.ts';
import { CONVERSATION_FOLDER } from './segment.ts';

/** Folder of single tool results in a storage. */
export const OUTPUT_FOLDER = 'tool_outputs';
/** A pointer is a path of ours, a place in it, and what a storage's `shownAs` puts before it. */
const MAX_POINTER = 4096;

/** What a pointer names. */
export interface Target {
  readonly path: string;
  readonly folder: string;
  /** From 1. */
  readonly message: number | null;
  readonly lines: readonly [first: number, last: number] | null;
}

const OWNER = `(?:${CONVERSATION_ID_PATTERN}/)?`;
const NAME = String.raw`(?:tool_outputs/${OWNER}[a-z0-9-]{1,40}-[0-9a-f]{16}\.(?:txt|json)|conversation_history/${OWNER}[0-9a-f]{16}\.(?:json|md))`;
/** A path that an archive gives a file. */
export const OURS: RegExp = new RegExp(`^${NAME}$`);
const OURS_AT_END = new RegExp(`${NAME}$`);
const PLACE = /(?:#(?<message>[1-9]\d{0,8})|(?::| lines? )(?<first>[1-9]\d{0,9})-(?<last>[1-9]\d{0,9}))$/;

/** Null where the place is none of that kind of file. */
function targetOf(path: string, place: RegExpExecArray | null): Target | null {
  const folder = path.slice(0, path.indexOf('/'));
  const { message, first, last } = place?.groups ?? {};
  if (message !== undefined && (folder !== CONVERSATION_FOLDER || !path.endsWith('.json'))) return null;
  if (first !== undefined && !path.endsWith('.md')) return null;
  return {
    path,
    folder,
    message: message === undefined ? null : Number(message),
    lines: first === undefined || last === undefined ? null : [Number(first), Number(last)],
  };
}

/** The folder of a conversation's own files in `folder`; `folder` itself where nobody owns them. */
export function folderOf(folder: string, owner: string | null): string {
  return owner === null ? folder : `${folder}/${owner}`;
}

/** A path without its ending: of a segment both files have the same. */
export const stemOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
/** The JSON file beside another. */
export const besideOf = (path: string): string => `${stemOf(path)}.json`;

/**
 * Where a pointer leads; `owner` is the conversation whose folders are searched where a storage renames its paths.
 * @throws {ReaderError} BAD_INPUT for what is no pointer; as `CheckedStorage.list`
 */
export async function parsePointer(
  pointer: unknown,
  storage: CheckedStorage,
  owner: string | null,
  signal: AbortSignal | undefined,
): Promise<Target> {
  const target = typeof pointer === 'string' ? await findPointer(pointer, storage, owner, signal) : null;
  if (target) return target;
  throw new ReaderError(
    'BAD_INPUT',
    `${typeof pointer === 'string' ? quoted(pointer) : `\`${typeof pointer}\``} is no pointer; expected one like \`${CONVERSATION_FOLDER}/3f9a1c2b7d0e4a55.md lines 120-420\`.`,
    'Copy the pointer as the placeholder or the report has it.',
  );
}

/** As `parsePointer`; null for what is no pointer. */
export async function findPointer(
  given: string,
  storage: CheckedStorage,
  owner: string | null,
  signal: AbortSignal | undefined,
): Promise<Target | null> {
  if (given.length > MAX_POINTER) return null;
  const pointer = given.trim();
  const place = PLACE.exec(pointer);
  const name = place ? pointer.slice(0, place.index) : pointer;
  const path = OURS_AT_END.exec(name)?.[0];
  if (path !== undefined && (name === path || name === `./${path}` || name === storage.shown(path)))
    return targetOf(path, place);
  if (!storage.isRenaming) return null;
  const folders = new Set([OUTPUT_FOLDER, CONVERSATION_FOLDER].flatMap((one) => [one, folderOf(one, owner)]));
  for (const folder of folders)
    for (const one of await storage.list(folder, signal))
      if (OURS.test(one) && storage.shown(one) === name) return targetOf(one, place);
  return null;
}
