// The sender of a request, according to its key. Nothing in a request itself can name another user.

/** What a key may be used for. */
export type Scope = 'read' | 'files' | 'jobs' | 'mcp';

export const SCOPES: readonly Scope[] = ['read', 'files', 'jobs', 'mcp'];

/** The owner of everything a request touches. */
export interface Identity {
  /** Identifies workspaces and jobs; accepted by `checkId`. */
  readonly user: string;
  readonly scopes: readonly Scope[];
  /** Id of the key used; null if none is needed. */
  readonly keyId: string | null;
}

/** The caller of a service on loopback without keys. */
export const LOCAL: Identity = { user: 'local', scopes: SCOPES, keyId: null };
