// Assembles a workspace from its root, its quotas and its operations. Operations are loaded on first use.

import type { Tokens, WorkspaceLimits } from '../contract/index.ts';
import { checkId } from '../contract/index.ts';
import { kindOf } from '../disk/index.ts';
import { givenWorkspaceLimits, resolveWorkspaceLimits } from '../limits/index.ts';
import { piecesOf } from './files/content.ts';
import type { TextOf } from './find/searched-text.ts';
import { checkMount, checkPlace, optionsOf } from './option-names.ts';
import { dataDirectory, hostFolder, sessionRoot, userRoot } from './paths/layout.ts';
import { Root } from './paths/root.ts';
import { pathError } from './paths/walk.ts';
import { type Counted, countBelow, createQuota, type Quota, type SharedLedger } from './quota.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import { Remarks } from './results/encodable.ts';
import type {
  FileContent,
  FileFacts,
  Workspace,
  WorkspacePlace,
  WriteOptions,
  Written,
} from './workspace.ts';

/** Options of a workspace besides its place. All are optional. */
export interface WorkspaceOptions {
  /** Override the environment and the defaults. A plain root has no quota unless one is set in either. */
  readonly limits?: Partial<WorkspaceLimits>;
  /** Environment variables for limits and the data directory. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Returns what a read of the file shows within this many tokens. Without it, saved results have no preview. */
  readonly preview?: (workspace: Workspace, path: string, tokens: Tokens) => Promise<string>;
  /** Text of documents converted by earlier reads. Without it, search skips documents. */
  readonly textOf?: TextOf;
  /**
   * Called before any operation that may need `preview` or `textOf`. If it throws, the operation fails with that error
   * and does nothing.
   */
  readonly ready?: () => void;
  /** Counts the writes of all processes against the quotas. Default: each process counts alone. Not for a plain root. */
  readonly ledger?: QuotaLedger;
  /** The path at which sandboxes see it. Default `/workspace`. */
  readonly mount?: string;
  /**
   * `false`: behave as on a system that cannot open files relative to a folder, and refuse links. Default: detected.
   */
  readonly raceSafe?: boolean;
}

/**
 * A workspace at `place`. Touches nothing on disk until first use.
 * @throws {ReaderError} BAD_INPUT for an invalid id, limit or place
 */
export function createWorkspaceOf(place: WorkspacePlace, options: WorkspaceOptions = {}): Workspace {
  const { preview, textOf, ready } = options;
  checkPlace(place);
  checkMount(options.mount);
  const limits = limitsOf(place, options);
  const root = rootOf(place, limits, options);
  const workspace: Workspace = {
    mount: root.mount,
    raceSafe: root.raceSafe,
    limits,
    open: (path) => root.openFile(path),
    kind: async (path) => {
      try {
        const { stats } = await root.stat(path);
        const kind = stats ? kindOf(stats) : 'directory';
        return kind === 'link' ? 'other' : kind;
      } catch {
        return undefined; // opening it reports the reason
      }
    },
    stat: (path) => statOf(root, path),
    list: async (path = '', given) =>
      (await import('./find/listing.ts')).listFolder(root, path, optionsOf('list', given), limits),
    glob: async (pattern, given) =>
      (await import('./find/listing.ts')).globFiles(root, pattern, optionsOf('glob', given), limits),
    search: async (query, given) => {
      const searchOptions = optionsOf('search', given);
      ready?.();
      const { searchFiles } = await import('./find/search.ts');
      return searchFiles(root, query, searchOptions, { limits, ...(textOf && { textOf }) });
    },
    write: async (path, content, given) => write(root, path, content, optionsOf('write', given)),
    remove: async (path, given) =>
      (await import('./files/remove.ts')).remove(
        root,
        path,
        optionsOf('remove', given),
        limits.maxWalkedEntries,
      ),
    move: async (from, to, given) =>
      (await import('./files/move.ts')).move(root, from, to, optionsOf('move', given)),
    saveResult: async (input, given) => {
      const saveOptions = optionsOf('saveResult', given);
      ready?.();
      const { saveResult } = await import('./results/save/save.ts');
      return saveResult(root, input, saveOptions, {
        limits,
        preview: (path, tokens) => preview?.(workspace, path, tokens) ?? Promise.resolve(''),
      });
    },
    usage: async (signal) => {
      const directory = await root.open();
      if (!directory) return { bytes: 0, files: 0 };
      try {
        return await countBelow(directory, Number.POSITIVE_INFINITY, signal);
      } catch (error) {
        throw pathError(error, root.mount, 'enter');
      }
    },
    prune: async () => (await import('./retention.ts')).pruneResults(root, limits),
  };
  return workspace;
}

/** A plain folder belongs to its owner: it has no quota unless one is set. */
function limitsOf(
  place: WorkspacePlace,
  { limits = {}, environment = {} }: WorkspaceOptions,
): WorkspaceLimits {
  const all = resolveWorkspaceLimits(limits, environment);
  if (!('root' in place)) return all;
  const quotas = { maxWorkspaceBytes: 0, maxWorkspaceFiles: 0 };
  return { ...all, ...quotas, ...givenWorkspaceLimits(limits, environment), maxUserBytes: 0 };
}

function rootOf(place: WorkspacePlace, limits: WorkspaceLimits, options: WorkspaceOptions): Root {
  const { mount, raceSafe, ledger, environment = {} } = options;
  const same = { ...(mount !== undefined && { mount }), ...(raceSafe !== undefined && { raceSafe }) };
  const under = (folders: readonly Counted[], shared?: SharedLedger): { readonly quota?: Quota } => {
    const quota = createQuota(folders, limits, shared);
    return quota ? { quota } : {};
  };
  if ('root' in place) {
    const base = hostFolder('root', place.root);
    return new Root({ base, ...same, ...under([ofSession(base, new Root({ base, ...same }), limits)]) });
  }
  const user = checkId('user', place.user);
  const session = checkId('session', place.session);
  const base = dataDirectory(place.dataDir, environment);
  const folders = [
    ofSession(
      `${base}\0${user}\0${session}`,
      sessionRoot(base, user, session, same),
      limits,
      `${user}/${session}`,
    ),
    ofUser(`${base}\0${user}`, userRoot(base, user, same), limits, user),
  ];
  const quota = under(folders, ledger && { ledger, user });
  return sessionRoot(base, user, session, { ...same, ...quota });
}

function ofSession(key: string, root: Root, limits: WorkspaceLimits, ledgerKey = ''): Counted {
  return {
    key,
    ledgerKey,
    open: () => root.open(),
    called: 'the workspace',
    maxBytes: limits.maxWorkspaceBytes,
    maxFiles: limits.maxWorkspaceFiles,
    limits:
      '`maxWorkspaceBytes` (LECTERN_WORKSPACE_MAX_BYTES) or `maxWorkspaceFiles` (LECTERN_WORKSPACE_MAX_FILES)',
  };
}

function ofUser(key: string, root: Root, limits: WorkspaceLimits, ledgerKey: string): Counted {
  return {
    key,
    ledgerKey,
    open: () => root.open(),
    called: 'the workspaces of the user',
    maxBytes: limits.maxUserBytes,
    maxFiles: 0,
    limits: '`maxUserBytes` (LECTERN_USER_MAX_BYTES)',
  };
}

async function statOf(root: Root, path: string): Promise<FileFacts> {
  const { stats, shown } = await root.stat(path);
  const place = { path: shown.join('/'), mounted: root.mounted(shown) };
  // Report it as the empty folder that a listing shows.
  if (!stats) return { ...place, kind: 'directory', names: 1 };
  const kind = kindOf(stats) ?? 'other';
  return {
    ...place,
    kind,
    ...(kind === 'file' && { bytes: Number(stats.size) }),
    ...isoDate(stats.mtimeMs),
    names: Number(stats.nlink),
  };
}

/** Omits a date outside the calendar's range. */
function isoDate(milliseconds: bigint): { readonly modified?: string } {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? {} : { modified: date.toISOString() };
}

async function write(
  root: Root,
  path: string,
  content: FileContent,
  options: WriteOptions,
): Promise<Written> {
  const file = await root.createFile(path, options);
  try {
    const remarks = new Remarks();
    for await (const piece of piecesOf(content, remarks, options.signal)) await file.write(piece);
    const written = await file.commit();
    const notes = remarks.notes();
    return notes.length > 0 ? { ...written, notes } : written;
  } finally {
    await file.discard();
  }
}
