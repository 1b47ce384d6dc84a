// Creates a workspace from its place: its store, its limits and its quotas.

import type { WorkspaceLimits } from '../contract/index.ts';
import { checkId } from '../contract/index.ts';
import { givenWorkspaceLimits, resolveWorkspaceLimits } from '../limits/index.ts';
import { type ReaderMeans, workspaceOver } from './assemble.ts';
import { folderStore } from './folder-store.ts';
import { checkMount, checkPlace } from './option-names.ts';
import { dataDirectory, hostFolder, sessionRoot, userRoot } from './paths/layout.ts';
import { Root } from './paths/root.ts';
import { type Counted, countBelow, createQuota, type Quota, type SharedLedger } from './quota.ts';
import type { QuotaLedger } from './quota-ledger.ts';
import type { Store } from './store.ts';
import { BlobStore } from './stored/blob-store.ts';
import { countKeys, sessionPrefix, userPrefix } from './stored/layout.ts';
import type { Usage, Workspace, WorkspacePlace } from './workspace.ts';

/** Options of a workspace besides its place. All are optional. */
export interface WorkspaceOptions extends ReaderMeans {
  /** Override the environment and the defaults. A plain root has no quota unless one is set in either. */
  readonly limits?: Partial<WorkspaceLimits>;
  /** Environment variables for limits and the data directory. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
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
 * A workspace at `place`. Touches nothing before first use.
 * @throws {ReaderError} BAD_INPUT for an invalid id, limit or place
 */
export function createWorkspaceOf(place: WorkspacePlace, options: WorkspaceOptions = {}): Workspace {
  checkPlace(place);
  checkMount(options.mount);
  const limits = limitsOf(place, options);
  return workspaceOver(storeOf(place, limits, options), limits, options);
}

function storeOf(place: WorkspacePlace, limits: WorkspaceLimits, options: WorkspaceOptions): Store {
  if ('storage' in place) return storedOf(place, limits, options);
  return folderStore(rootOf(place, limits, options));
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

function rootOf(
  place: Exclude<WorkspacePlace, StoredPlace>,
  limits: WorkspaceLimits,
  options: WorkspaceOptions,
): Root {
  const { mount, raceSafe, ledger, environment = {} } = options;
  const same = { ...(mount !== undefined && { mount }), ...(raceSafe !== undefined && { raceSafe }) };
  const under = (folders: readonly Counted[], shared?: SharedLedger): { readonly quota?: Quota } => {
    const quota = createQuota(folders, limits, shared);
    return quota ? { quota } : {};
  };
  if ('root' in place) {
    const base = hostFolder('root', place.root);
    return new Root({
      base,
      ...same,
      ...under([ofSession(base, countRoot(new Root({ base, ...same })), limits)]),
    });
  }
  const user = checkId('user', place.user);
  const session = checkId('session', place.session);
  const base = dataDirectory(place.dataDir, environment);
  const folders = [
    ofSession(
      `${base}\0${user}\0${session}`,
      countRoot(sessionRoot(base, user, session, same)),
      limits,
      `${user}/${session}`,
    ),
    ofUser(`${base}\0${user}`, countRoot(userRoot(base, user, same)), limits, user),
  ];
  const quota = under(folders, ledger && { ledger, user });
  return sessionRoot(base, user, session, { ...same, ...quota });
}

/** A session in object storage. */
function storedOf(
  { storage, user, session }: StoredPlace,
  limits: WorkspaceLimits,
  { mount, ledger }: WorkspaceOptions,
): Store {
  checkId('user', user);
  checkId('session', session);
  const prefix = sessionPrefix(user, session);
  const all = userPrefix(user);
  const folders = [
    ofSession(`${storage.name}\0${prefix}`, countKeys(storage, prefix), limits, `${user}/${session}`),
    ofUser(`${storage.name}\0${all}`, countKeys(storage, all), limits, user),
  ];
  const quota = createQuota(folders, limits, ledger && { ledger, user });
  return new BlobStore({
    blobs: storage,
    prefix,
    ...(mount !== undefined && { mount }),
    ...(quota && { quota }),
  });
}

type StoredPlace = Extract<WorkspacePlace, { readonly storage: unknown }>;

/** Counts the files below a folder of this host. */
function countRoot(root: Root): (most: number) => Promise<Usage> {
  return async (most) => {
    const directory = await root.open();
    return directory ? await countBelow(directory, most) : { bytes: 0, files: 0 };
  };
}

function ofSession(key: string, count: Counted['count'], limits: WorkspaceLimits, ledgerKey = ''): Counted {
  return {
    key,
    ledgerKey,
    count,
    called: 'the workspace',
    maxBytes: limits.maxWorkspaceBytes,
    maxFiles: limits.maxWorkspaceFiles,
    limits:
      '`maxWorkspaceBytes` (LECTERN_WORKSPACE_MAX_BYTES) or `maxWorkspaceFiles` (LECTERN_WORKSPACE_MAX_FILES)',
  };
}

function ofUser(key: string, count: Counted['count'], limits: WorkspaceLimits, ledgerKey: string): Counted {
  return {
    key,
    ledgerKey,
    count,
    called: 'the workspaces of the user',
    maxBytes: limits.maxUserBytes,
    maxFiles: 0,
    limits: '`maxUserBytes` (LECTERN_USER_MAX_BYTES)',
  };
}
