// Workspace quotas. Usage is counted by walking the folder and cached briefly; writes add to the cached count. It is
// recounted before a write is refused. Without a ledger, processes do not know of the writes of each other until they
// recount.

import type { BigIntStats } from 'node:fs';
import {
  type Bytes,
  errnoOf,
  quoted,
  ReaderError,
  throwIfAborted,
  type WorkspaceLimits,
} from '../contract/index.ts';
import { type Directory, isReserved } from '../disk/index.ts';
import { tour } from './find/unordered-walk.ts';
import { type FullFolder, type QuotaLedger, sharedQuota } from './quota-ledger.ts';
import type { Usage } from './workspace.ts';

/** What one write adds; `bytes` may be negative. `files` counts files and folders. */
export type Growth = Usage;

/** Space reserved for one write until it is settled or released. */
export interface Claim {
  /** The write has grown to `growth` in total. @throws {ReaderError} QUOTA_EXCEEDED */
  take(growth: Growth): Promise<void>;
  /** The write succeeded with this growth. */
  settle(growth: Growth): Promise<void>;
  /** The write failed. Does nothing after `settle`. */
  release(): Promise<void>;
}

/** Reserves space for writes. */
export interface Quota {
  claim(path: string): Claim;
  /** Something was removed: recount before refusing a write. */
  shrunk(): void;
}

/** A count is cached this long, or twenty times as long as it took. */
const KEPT_MS = 5000;
const KEPT_TIMES = 20;

/** A write is never refused by an older count, because someone may have removed files since. */
const TRUSTED_MS = 500;

/** Files up to this size count with their length; larger ones, which may be sparse, with their allocated blocks. */
const WHOLE_BYTES = 1024 * 1024;

const BLOCK_BYTES = 512n;

/** Disk space taken by a file. */
export function storedBytes({ size, blocks }: BigIntStats): Bytes {
  const stored = blocks * BLOCK_BYTES;
  return Number(size > WHOLE_BYTES && stored < size ? stored : size);
}

/** Counts everything below `directory`, and closes it. Looks at no more than `most` entries. */
export async function countBelow(directory: Directory, most: number, signal?: AbortSignal): Promise<Usage> {
  let bytes = 0;
  let files = 0;
  try {
    for await (const stop of tour(directory)) {
      if (signal) throwIfAborted(signal);
      const found = stop.entries.filter(({ name }) => !isReserved(name));
      files += found.length;
      const sizes = await Promise.all(
        found.map(({ name, kind }) => (kind === 'file' ? sizeOf(stop.directory, name) : 0)),
      );
      for (const size of sizes) bytes += size;
      if (files >= most) break;
    }
    return { bytes, files };
  } finally {
    directory.close();
  }
}

async function sizeOf(directory: Directory, name: Buffer): Promise<Bytes> {
  try {
    return storedBytes(await directory.stat(name));
  } catch (error) {
    // Gone, or in a folder that can be listed but not entered: counts as nothing.
    if (['ENOENT', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return 0;
    throw error;
  }
}

/** Usage of one folder, shared by all workspaces of this process. */
class Ledger {
  readonly claims = new Set<Growth>();
  #counted: Usage = NOTHING;
  #changes: Usage = NOTHING;
  /** Changes since the current count began. */
  #meanwhile: Usage = NOTHING;
  #at = Number.NEGATIVE_INFINITY;
  #isSure = true;
  #keptMs = KEPT_MS;
  #counting: Promise<void> | undefined;

  /** Recent enough to refuse a write. */
  get isTrusted(): boolean {
    return this.#isSure && this.#age <= TRUSTED_MS;
  }

  get isOld(): boolean {
    return this.#age > this.#keptMs;
  }

  get #age(): number {
    return performance.now() - this.#at;
  }

  get usage(): Usage {
    return sum(this.#counted, this.#changes);
  }

  /**
   * `since`: a time before the growth. The growth is added even if a count started since may already include it.
   * Nothing is ever subtracted, because it may not have been counted; a recount settles it when it matters.
   */
  grew(growth: Growth, since: number): void {
    if (this.#counting || this.#at > since || growth.bytes < 0 || growth.files < 0) this.shrunk();
    const more = { bytes: Math.max(0, growth.bytes), files: Math.max(0, growth.files) };
    this.#changes = sum(this.#changes, more);
    this.#meanwhile = sum(this.#meanwhile, more);
  }

  shrunk(): void {
    this.#isSure = false;
  }

  count(counts: Counted['count'], most: number): Promise<void> {
    this.#counting ??= this.#count(counts, most).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(counts: Counted['count'], most: number): Promise<void> {
    const started = performance.now();
    this.#meanwhile = NOTHING;
    this.#isSure = true;
    this.#counted = await counts(most);
    this.#changes = this.#meanwhile;
    this.#at = performance.now();
    this.#keptMs = Math.max(KEPT_MS, KEPT_TIMES * (this.#at - started));
  }
}

const NOTHING: Usage = { bytes: 0, files: 0 };
const sum = (a: Usage, b: Usage): Usage => ({ bytes: a.bytes + b.bytes, files: a.files + b.files });

const ledgers = new Map<string, Ledger>();
const MAX_LEDGERS = 1000;

function ledgerOf(key: string): Ledger {
  const known = ledgers.get(key);
  if (known) return known;
  if (ledgers.size >= MAX_LEDGERS)
    for (const [other, { claims }] of ledgers) if (claims.size === 0) ledgers.delete(other);
  const made = new Ledger();
  ledgers.set(key, made);
  return made;
}

/** A folder with a quota. */
export interface Counted {
  /** Equal for the same folder. */
  readonly key: string;
  /** Counts what it holds; it may stop at `most` entries. */
  readonly count: (most: number) => Promise<Usage>;
  /** Its name in messages. */
  readonly called: string;
  /** 0: unlimited. */
  readonly maxBytes: Bytes;
  readonly maxFiles: number;
  /** The limits to raise, for the hint. */
  readonly limits: string;
  /** Its key in a ledger. */
  readonly ledgerKey: string;
}

/** A ledger of all processes, and the user whose folders it counts. */
export interface SharedLedger {
  readonly ledger: QuotaLedger;
  readonly user: string;
}

/** A quota over the folders that contain a write; undefined when none of them has one. */
export function createQuota(
  folders: readonly Counted[],
  { maxWalkedEntries }: Pick<WorkspaceLimits, 'maxWalkedEntries'>,
  shared?: SharedLedger,
): Quota | undefined {
  const counted = folders.filter(({ maxBytes, maxFiles }) => maxBytes > 0 || maxFiles > 0);
  if (counted.length === 0) return undefined;
  if (shared) return overLedger(shared, counted, maxWalkedEntries);
  const all = (): Ledger[] => counted.map(({ key }) => ledgerOf(key));
  return {
    claim: (path) => {
      let mine: Growth = NOTHING;
      let taken = performance.now();
      const replace = (growth: Growth | undefined): void => {
        for (const { claims } of all()) {
          claims.delete(mine);
          if (growth) claims.add(growth);
        }
        mine = growth ?? mine;
      };
      return {
        take: async (growth) => {
          replace(growth);
          try {
            for (const folder of counted) await check(folder, growth, path, maxWalkedEntries);
          } catch (error) {
            // A refused write must not stand before others while it cleans up.
            replace(undefined);
            throw error;
          }
          taken = performance.now();
        },
        settle: (growth) => {
          replace(undefined);
          for (const ledger of all()) ledger.grew(growth, taken);
          return Promise.resolve();
        },
        release: () => {
          replace(undefined);
          return Promise.resolve();
        },
      };
    },
    shrunk: () => {
      for (const ledger of all()) ledger.shrunk();
    },
  };
}

function overLedger({ ledger, user }: SharedLedger, counted: readonly Counted[], most: number): Quota {
  const folders = counted.map((folder) => ({
    key: folder.ledgerKey,
    maxBytes: folder.maxBytes,
    maxFiles: folder.maxFiles,
    count: () => folder.count(most),
  }));
  return sharedQuota(ledger, user, folders, (path, growth, { index, ...found }) => {
    const folder = counted[index];
    if (folder === undefined) throw new TypeError('The ledger named a folder that it was not asked about.');
    return quotaError(folder, found, growth, path);
  });
}

async function check(folder: Counted, growth: Growth, path: string, most: number): Promise<void> {
  if (growth.bytes <= 0 && growth.files <= 0) return;
  const ledger = ledgerOf(folder.key);
  if (ledger.isOld) await ledger.count(folder.count, most);
  let refusal = refusalOf(folder, ledger, growth, path);
  if (refusal && !ledger.isTrusted) {
    await ledger.count(folder.count, most);
    refusal = refusalOf(folder, ledger, growth, path);
  }
  if (refusal) throw refusal;
}

function refusalOf(folder: Counted, ledger: Ledger, growth: Growth, path: string): ReaderError | undefined {
  const { usage } = ledger;
  let { bytes, files } = usage;
  // Earlier claims come first: of any two claims the later one counts the earlier, so all admitted claims fit.
  for (const claim of ledger.claims) {
    bytes += Math.max(0, claim.bytes);
    files += Math.max(0, claim.files);
    if (claim === growth) break;
  }
  const { maxBytes, maxFiles } = folder;
  const isFullOfBytes = maxBytes > 0 && growth.bytes > 0 && bytes > maxBytes;
  if (!isFullOfBytes && !(maxFiles > 0 && growth.files > 0 && files > maxFiles)) return undefined;
  const reserved = {
    bytes: bytes - usage.bytes - Math.max(0, growth.bytes),
    files: files - usage.files - Math.max(0, growth.files),
  };
  return quotaError(folder, { usage, reserved, full: isFullOfBytes ? 'bytes' : 'files' }, growth, path);
}

function quotaError(
  { called, maxBytes, maxFiles, limits }: Counted,
  { usage, reserved, full }: Omit<FullFolder, 'index'>,
  growth: Growth,
  path: string,
): ReaderError {
  const others = reserved[full] > 0 ? `other writes have reserved ${reserved[full]}, ` : '';
  const found =
    full === 'bytes'
      ? `the quota of ${maxBytes} bytes: ${usage.bytes} are used, ${others}and the write adds ${growth.bytes} or more`
      : `the quota of ${maxFiles} files and folders: ${usage.files} exist, ${others}and the write adds ${growth.files}`;
  return new ReaderError(
    'QUOTA_EXCEEDED',
    `Writing ${quoted(path)} would exceed ${found} in ${called}.`,
    `Remove files that are no longer needed, or raise ${limits}.`,
  );
}
