// Whole sessions in object storage.

import type { Blobs } from '../../blobs/index.ts';
import { sessionPrefix, WORKSPACES_PREFIX } from './layout.ts';
import { inParallel } from './parallel.ts';

/** False if it held nothing. Files written during the call may stay. */
export async function removeStoredSession(storage: Blobs, user: string, session: string): Promise<boolean> {
  let removed = false;
  await inParallel(storage.list(sessionPrefix(user, session)), async ({ key }) => {
    removed = (await storage.remove(key)) || removed;
    return undefined;
  });
  return removed;
}

/** Sessions in which nothing was written since `before`. Lists every file once. */
export async function* idleStoredSessions(
  storage: Blobs,
  before: number,
  isId: (kind: 'user' | 'session', name: string) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly user: string; readonly session: string }> {
  let current: { readonly user: string; readonly session: string; newest: number } | undefined;
  for await (const { key, modified } of storage.list(WORKSPACES_PREFIX, signal && { signal })) {
    const [user = '', session = '', ...path] = key.slice(WORKSPACES_PREFIX.length).split('/');
    if (path.length === 0 || !isId('user', user) || !isId('session', session)) continue;
    if (current?.user !== user || current.session !== session) {
      if (current && current.newest < before) yield current;
      current = { user, session, newest: Number.NEGATIVE_INFINITY };
    }
    current.newest = Math.max(current.newest, modified.getTime());
  }
  if (current && current.newest < before) yield current;
}
