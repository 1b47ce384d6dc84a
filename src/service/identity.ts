// Who a request comes from, as its key says. Nothing in a request itself can name another user.

/** What a key may be used for. */
export type Scope = 'read' | 'files' | 'jobs' | 'mcp';

export const SCOPES: readonly Scope[] = ['read', 'files', 'jobs', 'mcp'];

/** The owner of everything a request touches. */
export interface Identity {
  /** Names workspaces and jobs; as `checkId` accepts it. */
  readonly user: string;
  readonly scopes: readonly Scope[];
  /** Of the key that was shown; null where none is needed. */
  readonly keyId: string | null;
}

/** Who calls a service on loopback that has no keys. */
export const LOCAL: Identity = { user: 'local', scopes: SCOPES, keyId: null };
