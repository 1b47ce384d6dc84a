// The readers and workspaces of the service: one each per user and session, created on first use.

import type { Blobs } from '../blobs/index.ts';
import { BoundedMap, checkId, type Files } from '../contract/index.ts';
import {
  type ConversionCache,
  createReader,
  createWorkspace,
  type Limits,
  type Ocr,
  type Pool,
  type QuotaLedger,
  type Reader,
  removeWorkspace,
  type Workspace,
} from '../index.ts';

export interface Readers {
  /** The reading processes, for other work too. */
  readonly pool: Pool;
  /** Without a session, reads uploads; with one, paths of its workspace. @throws {ReaderError} BAD_INPUT */
  of(user: string, session?: string): Reader;
  /** Like `of`, with its own limits; not cached. */
  with(user: string, session: string, limits: Partial<Limits>): Reader;
  /** Reads paths of `files`; not cached. */
  over(user: string, files: Files): Reader;
  /** @throws {ReaderError} BAD_INPUT for an id that is not valid */
  workspace(user: string, session: string): Workspace;
  /** The files of a folder of the host, for one request; not cached. */
  folder(user: string, root: string): Workspace;
  /** Removes a whole session; false if it did not exist. @throws {ReaderError} BAD_INPUT, ACCESS_DENIED */
  removeWorkspace(user: string, session: string): Promise<boolean>;
}

export interface ReadersOptions {
  readonly dataDir: string;
  /** Holds the workspaces instead of the data folder. */
  readonly storage: Blobs | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cache: ConversionCache | false;
  /** Where every file is read. */
  readonly pool: Pool;
  readonly ocr: Ocr | undefined;
  /** Replace secrets in every answer. */
  readonly redact: boolean;
  /** Counts the writes of all processes against the quotas. */
  readonly ledger: QuotaLedger;
}

/** Memory of an answer with `all`, unless set in the environment: many are held at the same time. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** Both are cheap to create again: they hold no files open. */
const MAX_KEPT = 1000;

export function createReaders(options: ReadersOptions): Readers {
  const { dataDir, storage, environment, cache, pool, ocr, redact, ledger } = options;
  const place = storage ? { storage } : { dataDir };
  const kept = new BoundedMap<string, { readonly reader: Reader; readonly workspace: Workspace | undefined }>(
    { most: MAX_KEPT },
  );
  const bounded = { LECTERN_MAX_ANSWER_BYTES: String(ANSWER_BYTES), ...environment };
  const optionsOf = (user: string) => ({
    environment: bounded,
    cache,
    isolation: pool,
    user,
    ...(ocr && { ocr }),
    ...(redact && { redact }),
  });
  const make = (user: string, session: string | undefined) => {
    if (session === undefined) return { workspace: undefined, reader: createReader(optionsOf(user)) };
    const workspace: Workspace = createWorkspace(
      { ...place, user, session },
      { environment: bounded, reader: () => reader, ledger },
    );
    const reader = createReader({ ...optionsOf(user), workspace });
    return { workspace, reader };
  };
  const pair = (user: string, session: string | undefined) => {
    const key = `${user}\u0000${session ?? ''}`;
    const known = kept.get(key);
    if (known) return known;
    const made = make(user, session);
    kept.set(key, made);
    return made;
  };
  const workspaceOf = (user: string, session: string): Workspace => {
    checkId('session', session);
    const { workspace } = pair(user, session);
    if (!workspace) throw new TypeError('A session has a workspace.');
    return workspace;
  };
  return {
    pool,
    of: (user, session) => {
      if (session !== undefined) checkId('session', session);
      return pair(user, session).reader;
    },
    with: (user, session, limits) =>
      createReader({ ...optionsOf(user), limits, workspace: workspaceOf(user, session) }),
    over: (user, files) => createReader({ ...optionsOf(user), workspace: files }),
    workspace: workspaceOf,
    folder: (user, root) => {
      const workspace: Workspace = createWorkspace({ root }, { environment: bounded, reader: () => reader });
      const reader = createReader({ ...optionsOf(user), workspace });
      return workspace;
    },
    removeWorkspace: (user, session) =>
      removeWorkspace({ ...(storage && { storage }), dataDir, user, session }),
  };
}
