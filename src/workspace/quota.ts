// How much a workspace may hold. What it holds is counted by looking, kept for a short while, and corrected by what is
// written and removed meanwhile.

import type { BigIntStats } from 'node:fs';
import {
  type Bytes,
  errnoOf,
  quoted,
  ReaderError,
  throwIfAborted,
  type WorkspaceLimits,
} from '../contract/index.ts';
import type { Directory } from './directory.ts';
import { isReserved } from './names.ts';
import { tour } from './tour.ts';
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
  /** So much is there more, or less, than before. */
  changed(growth: Growth): void;
  /** Nobody knows how much is there now. */
  forget(): void;
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
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** What is known of one folder by every workspace of this process. */
class Ledger {
  readonly claims = new Set<Growth>();
  #counted: Usage = { bytes: 0, files: 0 };
  #changes: Usage = { bytes: 0, files: 0 };
  #at = Number.NEGATIVE_INFINITY;
  #keptMs = KEPT_MS;
  #counting: Promise<void> | undefined;

  get age(): number {
    return performance.now() - this.#at;
  }

  get isOld(): boolean {
    return this.age > this.#keptMs;
  }

  get usage(): Usage {
    return sum(this.#counted, this.#changes);
  }

  changed(growth: Growth): void {
    this.#changes = sum(this.#changes, growth);
  }

  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  count(open: OpenCounted, most: number): Promise<void> {
    this.#counting ??= this.#count(open, most).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(open: OpenCounted, most: number): Promise<void> {
    const started = performance.now();
    // What changes while it is counted may be counted twice, until the next count.
    this.#changes = { bytes: 0, files: 0 };
    const directory = await open();
    this.#counted = directory ? await countBelow(directory, most) : { bytes: 0, files: 0 };
    this.#at = performance.now();
    this.#keptMs = Math.max(KEPT_MS, KEPT_TIMES * (this.#at - started));
  }
}

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
      let mine: Growth = { bytes: 0, files: 0 };
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
        },
        settle: (growth) => {
          replace(undefined);
          for (const ledger of all()) ledger.changed(growth);
        },
        release: () => replace(undefined),
      };
    },
    changed: (growth) => {
      for (const ledger of all()) ledger.changed(growth);
    },
    forget: () => {
      for (const ledger of all()) ledger.forget();
    },
  };
}

async function check(folder: Counted, growth: Growth, path: string, most: number): Promise<void> {
  if (growth.bytes <= 0 && growth.files <= 0) return;
  const ledger = ledgerOf(folder.key);
  if (ledger.isOld) await ledger.count(folder.open, most);
  let refusal = refusalOf(folder, ledger, growth, path);
  if (refusal && ledger.age > TRUSTED_MS) {
    await ledger.count(folder.open, most);
    refusal = refusalOf(folder, ledger, growth, path);
  }
  if (refusal) throw refusal;
}

function refusalOf(folder: Counted, ledger: Ledger, growth: Growth, path: string): ReaderError | undefined {
  const { usage } = ledger;
  let { bytes, files } = usage;
  for (const claim of ledger.claims) {
    bytes += Math.max(0, claim.bytes);
    files += Math.max(0, claim.files);
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
