// Parses pointers into an archive, given by a model or caller, to a file and a place in it.

import { quoted, ReaderError } from '../../contract/index.ts';
import { CONVERSATION_ID_PATTERN } from './conversation-id.ts';
import { CONVERSATION_FOLDER } from './segment.ts';

/** Folder for single tool results in a storage. */
export const OUTPUT_FOLDER = 'tool_outputs';
/** Maximum length: a path, a place in the file, and any prefix from the storage's `shownAs`. */
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
/** Matches paths that an archive gives its files, after any prefix. */
const OURS_AT_END = new RegExp(`${NAME}$`);
const PLACE = /(?:#(?<message>[1-9]\d{0,8})|(?::| lines? )(?<first>[1-9]\d{0,9})-(?<last>[1-9]\d{0,9}))$/;

/** Null if the place is not valid for the kind of file. */
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

/** The folder of a conversation's files within `folder`; `folder` itself without an owner. */
export function folderOf(folder: string, owner: string | null): string {
  return owner === null ? folder : `${folder}/${owner}`;
}

/** A path without its extension; both files of a segment have the same stem. */
export const stemOf = (path: string): string => path.slice(0, path.lastIndexOf('.'));
/** The JSON file next to another. */
export const besideOf = (path: string): string => `${stemOf(path)}.json`;

/**
 * Resolves a pointer, whose path is as in the storage or as `shownAs` gives it to the model.
 * @throws {ReaderError} BAD_INPUT for an invalid pointer; see `CheckedStorage.shown`
 */
export function parsePointer(pointer: unknown, shownAs: (path: string) => string): Target {
  const target = typeof pointer === 'string' ? findPointer(pointer, shownAs) : null;
  if (target) return target;
  throw new ReaderError(
    'BAD_INPUT',
    `${typeof pointer === 'string' ? quoted(pointer) : `\`${typeof pointer}\``} is not a pointer; expected one like \`${CONVERSATION_FOLDER}/3f9a1c2b7d0e4a55.md lines 120-420\`.`,
    'Copy the pointer exactly from the placeholder or report.',
  );
}

function findPointer(given: string, shownAs: (path: string) => string): Target | null {
  if (given.length > MAX_POINTER) return null;
  const pointer = given.trim();
  const place = PLACE.exec(pointer);
  const name = place ? pointer.slice(0, place.index) : pointer;
  const path = OURS_AT_END.exec(name)?.[0];
  const isOurs = path !== undefined && (name === path || name === `./${path}` || name === shownAs(path));
  return isOurs ? targetOf(path, place) : null;
}
