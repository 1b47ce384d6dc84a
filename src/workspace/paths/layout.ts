// Layout of a data directory: workspaces by user and session, plus shared folders that belong to no user. Shared
// folders start with `_`, which no id can.

import { resolve } from 'node:path';
import { DATA_DIRECTORY, type Environment, ReaderError, settingOf } from '../../contract/index.ts';
import type { Quota } from '../quota.ts';
import { Root } from './root.ts';

const WORKSPACES = 'workspaces';
const STAGING = '_staging';
const PRIVATE_DATA = '_private-data';

/** Options that distinguish the roots of one data directory. */
export interface LayoutOptions {
  readonly mount?: string;
  readonly raceSafe?: boolean;
  readonly quota?: Quota;
}

/** One session; its files are staged outside it. */
export function sessionRoot(base: string, user: string, session: string, options: LayoutOptions = {}): Root {
  const below = [WORKSPACES, user, session];
  return new Root({ base, below, staging: [WORKSPACES, STAGING, user, session], ...options });
}

/** All sessions of one user. */
export function userRoot(base: string, user: string, options: LayoutOptions = {}): Root {
  return new Root({ base, below: [WORKSPACES, user], ...options });
}

/** All users, and the shared folders. */
export function workspacesRoot(base: string, options: LayoutOptions = {}): Root {
  return new Root({ base, below: [WORKSPACES], ...options });
}

/** Staging folder of one user's sessions. */
export function stagingRoot(base: string, user: string, options: LayoutOptions = {}): Root {
  return new Root({ base, below: [WORKSPACES, STAGING, user], ...options });
}

/** Private data of one user's sessions. */
export function privateDataRoot(base: string, user: string, options: LayoutOptions = {}): Root {
  return new Root({ base, below: [WORKSPACES, PRIVATE_DATA, user], ...options });
}

/** `path`, an absolute folder path on this host. @throws {ReaderError} BAD_INPUT */
export function hostFolder(name: string, path: unknown): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return resolve(path);
  throw new ReaderError(
    'BAD_INPUT',
    `\`${name}\` is empty or not a path; expected a folder on this host.`,
    `Pass the folder as \`${name}\`.`,
  );
}

/** The data directory set in the environment, else `./data`. */
export function dataDirectory(given: string | undefined, environment: Environment): string {
  return hostFolder('dataDir', given ?? settingOf(environment, DATA_DIRECTORY) ?? './data');
}
