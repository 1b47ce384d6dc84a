// How much a workspace may hold. What it holds is counted by looking and kept for a short while; what is written meanwhile
// is added, and it is counted anew before a write is refused.

import type { BigIntStats } from 'node:fs';
import {
  type Bytes,
  errnoOf,
  quoted,
  ReaderError,
  throwIfAborted,
  type WorkspaceLimits,
} from '../contract/index.ts';
import { tour } from './find/unordered-walk.ts';
import type { Directory } from './paths/directory.ts';
import { isReserved } from './paths/names.ts';
import type { Usage } from './workspace.ts';

/** What one write adds; `bytes` may be less than none. `files` are files and folders. */
export type Growth = Usage;

/** Room taken by one write, until it is settled or given back. */
export interface Claim {
  /** The write has grown to `growth` in all. @throws {ReaderError} QUOTA_EXCEEDED */
  take(growth: Growth): Promise<void>;
  /** It is there, and this large. */
  settle(growth: Growth): void;
  /** It came to nothing. */
  release(): void;
}

/** What may still be written. */
export interface Quota {
  claim(path: string): Claim;
  /** There is less than before: nothing is refused any more by what was counted until now. */
  shrunk(): void;
}

/** Opens what is counted; undefined when it is not there. */
export type OpenCounted = () => Promise<Directory | undefined>;

/** A count is kept for so long, or for twenty times as long as it took. */
const KEPT_MS = 5000;
const KEPT_TIMES = 20;

/** Nothing is refused by a count that is older, because others may have removed something. */
const TRUSTED_MS = 500;

/** Files this small take about their size; of a larger one with holes only what is stored counts. */
const WHOLE_BYTES = 1024 * 1024;

const BLOCK_BYTES = 512n;

/** What a file takes on its disk. */
export function storedBytes({ size, blocks }: BigIntStats): Bytes {
  const stored = blocks * BLOCK_BYTES;
  return Number(size > WHOLE_BYTES && stored < size ? stored : size);
}

/** Everything below `directory`, which it closes; at most `most` entries are looked at. */
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
    // Gone, or in a folder whose names may be read and not what they name: as one that may not be entered, it counts nothing.
    if (['ENOENT', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return 0;
    throw error;
  }
}

/** What is known of one folder by every workspace of this process. */
class Ledger {
  readonly claims = new Set<Growth>();
  #counted: Usage = NOTHING;
  #changes: Usage = NOTHING;
  /** Changes since the count under way began. */
  #meanwhile: Usage = NOTHING;
  #at = Number.NEGATIVE_INFINITY;
  #isSure = true;
  #keptMs = KEPT_MS;
  #counting: Promise<void> | undefined;

  /** Enough to refuse a write by. */
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
   * `since`: a time before it grew. What a count since then may have seen is added all the same. Nothing is ever
   * subtracted, because it may not have been counted: when that matters it is counted anew.
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

  count(open: OpenCounted, most: number): Promise<void> {
    this.#counting ??= this.#count(open, most).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(open: OpenCounted, most: number): Promise<void> {
    const started = performance.now();
    this.#meanwhile = NOTHING;
    this.#isSure = true;
    const directory = await open();
    this.#counted = directory ? await countBelow(directory, most) : NOTHING;
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

/** One folder under a quota. */
export interface Counted {
  /** The same for the same folder. */
  readonly key: string;
  readonly open: OpenCounted;
  /** As a message calls it. */
  readonly called: string;
  /** 0 for no quota. */
  readonly maxBytes: Bytes;
  readonly maxFiles: number;
  /** Limits to raise, as a hint names them. */
  readonly limits: string;
}

/** A quota over folders that contain what is written; undefined when none of them has one. */
export function createQuota(
  folders: readonly Counted[],
  { maxWalkedEntries }: Pick<WorkspaceLimits, 'maxWalkedEntries'>,
): Quota | undefined {
  const counted = folders.filter(({ maxBytes, maxFiles }) => maxBytes > 0 || maxFiles > 0);
  if (counted.length === 0) return undefined;
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
          for (const folder of counted) await check(folder, growth, path, maxWalkedEntries);
          taken = performance.now();
        },
        settle: (growth) => {
          replace(undefined);
          for (const ledger of all()) ledger.grew(growth, taken);
        },
        release: () => replace(undefined),
      };
    },
    shrunk: () => {
      for (const ledger of all()) ledger.shrunk();
    },
  };
}

async function check(folder: Counted, growth: Growth, path: string, most: number): Promise<void> {
  if (growth.bytes <= 0 && growth.files <= 0) return;
  const ledger = ledgerOf(folder.key);
  if (ledger.isOld) await ledger.count(folder.open, most);
  let refusal = refusalOf(folder, ledger, growth, path);
  if (refusal && !ledger.isTrusted) {
    await ledger.count(folder.open, most);
    refusal = refusalOf(folder, ledger, growth, path);
  }
  if (refusal) throw refusal;
}

function refusalOf(folder: Counted, ledger: Ledger, growth: Growth, path: string): ReaderError | undefined {
  const { usage } = ledger;
  let { bytes, files } = usage;
  // Those that came first go first: of any two claims the later one counts the earlier, so that all that are let in fit.
  for (const claim of ledger.claims) {
    bytes += Math.max(0, claim.bytes);
    files += Math.max(0, claim.files);
    if (claim === growth) break;
  }
  const { called, maxBytes, maxFiles, limits } = folder;
  const found =
    maxBytes > 0 && growth.bytes > 0 && bytes > maxBytes
      ? `the quota of ${maxBytes} bytes: ${usage.bytes} are used, and the write adds ${growth.bytes} or more`
      : maxFiles > 0 && growth.files > 0 && files > maxFiles
        ? `the quota of ${maxFiles} files and folders: there are ${usage.files}, and the write adds ${growth.files}`
        : undefined;
  if (found === undefined) return undefined;
  return new ReaderError(
    'QUOTA_EXCEEDED',
    `${quoted(path)} would bring ${called} over ${found}.`,
    `Remove files that are no longer needed, or raise ${limits}.`,
  );
}
