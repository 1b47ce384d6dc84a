// Option names of each operation, so that a misspelled option is reported instead of ignored.

import { isAbsolute } from 'node:path';
import { checkOptions, type OptionNames, quoted, ReaderError } from '../contract/index.ts';
import type { ListOptions, SaveOptions, SearchOptions, WorkspacePlace, WriteOptions } from './workspace.ts';

const GLOB: OptionNames<Omit<ListOptions, 'depth'>> = {
  ignore: true,
  limit: true,
  cursor: true,
  signal: true,
};
const LIST: OptionNames<ListOptions> = { ...GLOB, depth: true };
const SEARCH: OptionNames<SearchOptions> = {
  regex: true,
  multiline: true,
  formulas: true,
  exclude: true,
  caseSensitive: true,
  redactor: true,
  path: true,
  glob: true,
  context: true,
  count: true,
  ignore: true,
  limit: true,
  cursor: true,
  signal: true,
  onProgress: true,
};
const WRITE: OptionNames<WriteOptions> = {
  overwrite: true,
  ifSha256: true,
  bytes: true,
  signal: true,
};
const SAVE: OptionNames<SaveOptions> = {
  name: true,
  format: true,
  columns: true,
  overwrite: true,
  previewTokens: true,
  signal: true,
  onProgress: true,
};
type Operation = 'list' | 'glob' | 'search' | 'write' | 'remove' | 'move' | 'saveResult';

const OPERATIONS: Readonly<Record<Operation, Readonly<Record<string, true>>>> = {
  list: LIST,
  glob: GLOB,
  search: SEARCH,
  write: WRITE,
  remove: { recursive: true, ifSha256: true },
  move: { overwrite: true },
  saveResult: SAVE,
};

/** `options` of the operation, or an empty object. @throws {ReaderError} BAD_INPUT for an unknown option */
export function optionsOf<T extends object>(operation: Operation, options: T | undefined): T {
  checkOptions(operation, options, OPERATIONS[operation]);
  // Every option is optional.
  return options ?? ({} as T);
}

/** @throws {ReaderError} BAD_INPUT unless the place is either a folder or a user's session */
export function checkPlace(place: WorkspacePlace): void {
  const given: unknown = place;
  if (typeof given !== 'object' || given === null)
    throw new ReaderError(
      'BAD_INPUT',
      `The place of the workspace is ${given === null ? '`null`' : `a value of type ${quoted(typeof given)}`}; expected an object.`,
      'Pass `{ user, session }`, or `{ root }` for a plain folder.',
    );
  checkOptions('createWorkspace', given, {
    root: true,
    dataDir: true,
    storage: true,
    user: true,
    session: true,
  });
  const stored = ['dataDir', 'storage', 'user', 'session'].find((name) => name in given);
  if ('root' in given && stored !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`root\` was passed together with \`${stored}\`; expected either a plain folder or a user's session.`,
      `Omit \`root\` or \`${stored}\`.`,
    );
  if ('storage' in given) checkStorage(given.storage, 'dataDir' in given);
}

function checkStorage(storage: unknown, hasFolder: boolean): void {
  if (hasFolder)
    throw new ReaderError(
      'BAD_INPUT',
      '`storage` was passed together with `dataDir`; expected one of them.',
      'Omit `dataDir`.',
    );
  if (typeof storage === 'object' && storage !== null && 'stream' in storage && 'put' in storage) return;
  throw new ReaderError(
    'BAD_INPUT',
    '`storage` is not a store of `openBlobs`.',
    "Pass `storage: await openBlobs('s3://bucket/prefix')`.",
  );
}

/** @throws {ReaderError} BAD_INPUT unless `bytes` is a length */
export function checkBytes(bytes: unknown): void {
  if (bytes === undefined || (Number.isSafeInteger(bytes) && Number(bytes) >= 0)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`bytes\` is ${typeof bytes === 'number' ? bytes : `a value of type ${quoted(typeof bytes)}`}; expected the length of the content.`,
    'Pass the number of bytes, or omit it.',
  );
}

/** @throws {ReaderError} BAD_INPUT unless `mount` is an absolute path */
export function checkMount(mount: unknown): void {
  if (mount === undefined || (typeof mount === 'string' && isAbsolute(mount))) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`mount\` is ${typeof mount === 'string' ? quoted(mount) : `a value of type ${quoted(typeof mount)}`}; expected an absolute path.`,
    'Pass a path such as `/workspace`, or omit it.',
  );
}
