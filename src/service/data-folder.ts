// Creates the folders of the service, and rejects paths that cannot hold files before anything is written.

import { access, constants, stat } from 'node:fs/promises';
import { errnoOf, quoted } from '../contract/index.ts';
import { makeFolder } from '../disk/index.ts';
import { ReaderError } from '../index.ts';

const NO_FOLDER = new Set(['ENOTDIR', 'EEXIST']);

/**
 * Creates `path` and its parents, accessible only to this system user.
 * @param named the path as it was given
 * @throws {ReaderError} NOT_A_FOLDER, ACCESS_DENIED
 */
export async function dataFolder(path: string, named: string = path): Promise<void> {
  try {
    await makeFolder(path, 0o700);
    if (!(await stat(path)).isDirectory()) throw notAFolder(named);
    await access(path, constants.W_OK);
  } catch (cause) {
    if (cause instanceof ReaderError) throw cause;
    const code = errnoOf(cause);
    if (code !== undefined && NO_FOLDER.has(code)) throw notAFolder(named, cause);
    throw new ReaderError(
      'ACCESS_DENIED',
      `The data directory ${quoted(named)} cannot be written: ${code ?? 'it failed'}.`,
      'Choose another with `--data-dir`, or give the user of the service write permission there.',
      cause,
    );
  }
}

function notAFolder(named: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'NOT_A_FOLDER',
    `The data directory is ${quoted(named)}, which is not a folder, or a parent in its path is not.`,
    'Choose another with `--data-dir`; a missing one is created.',
    cause,
  );
}
