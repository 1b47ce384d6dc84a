// Files uploaded with jobs, in object storage, where every node reads them.

import { randomBytes } from 'node:crypto';
import type { Blobs } from '../../blobs/index.ts';
import type { Files } from '../../contract/index.ts';
import { type BlobStore, MeasuredContent, notStored } from './blob-store.ts';

const PREFIX = 'jobs/';
const BLOB = /^[0-9a-f]{32}$/;

/** An upload ends sooner. A file that is older and belongs to no job was left by a crash. */
const ABANDONED_MS = 24 * 60 * 60_000;

/** Keeps blobs under `jobs/<user>/`. All nodes that share the storage must share the database too. */
export function createStoredBlobStore(storage: Blobs): BlobStore {
  const keyOf = (user: string, blob: string): string => {
    // Ids come from the database only; this keeps a changed one from naming another key.
    if (!BLOB.test(blob)) throw new TypeError('Not a blob id.');
    return `${PREFIX}${user}/${blob}`;
  };
  return {
    files: filesOf(storage),
    put: async (user, content, options) => {
      const blob = randomBytes(16).toString('hex');
      const measured = new MeasuredContent(content, options);
      await storage.put(keyOf(user, blob), measured.pieces(), { signal: options.signal });
      return { blob, ...measured.facts() };
    },
    path: async (user, blob) => keyOf(user, blob),
    remove: async (user, blob) => {
      await storage.remove(keyOf(user, blob));
    },
    sweep: async (refers, signal) => {
      let removed = 0;
      for await (const { key, modified } of storage.list(PREFIX, signal && { signal })) {
        const [user, blob, ...more] = key.slice(PREFIX.length).split('/');
        if (user === undefined || blob === undefined || more.length > 0 || !BLOB.test(blob)) continue;
        if (Date.now() - modified.getTime() <= ABANDONED_MS || (await refers(user, blob))) continue;
        if (await storage.remove(key)) removed += 1;
      }
      return removed;
    },
  };
}

function filesOf(storage: Blobs): Files {
  return {
    open: async (key) => {
      const facts = await storage.stat(key);
      if (!facts) throw notStored();
      const { bytes: size, modified, version } = facts;
      return {
        name: 'upload',
        remote: {
          size,
          modified,
          version,
          stream: (from, to, signal) => storage.stream(key, { from, to, version, ...(signal && { signal }) }),
        },
      };
    },
    kind: async (key) => {
      try {
        return (await storage.stat(key)) ? 'file' : undefined;
      } catch {
        return undefined; // opening it reports the reason
      }
    },
  };
}
