// An API key: how one is made, taken apart and compared. The secret itself is never stored.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is stored of a key. */
export interface KeyRecord {
  /** Names the key in lists and logs. Not secret. */
  readonly id: string;
  readonly user: string;
  readonly scopes: readonly string[];
  /** What it is for, in the words of who made it. */
  readonly label: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** SHA-256 of the whole key, hex. A key has 256 random bits, so that no salt or slow hash is needed. */
  readonly hash: string;
}

const FORM = /^lk_([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/;
const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Compared where no key has the id, so that the answer takes as long. */
const NO_KEY = Buffer.alloc(32);

/** A new key. Only `hash` is to be kept; `key` is shown once. */
export function makeKey(): { readonly key: string; readonly id: string; readonly hash: string } {
  const id = Array.from(randomBytes(12), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('');
  const key = `lk_${id}_${randomBytes(32).toString('base64url')}`;
  return { key, id, hash: hashOf(key).toString('hex') };
}

/** The id in `given`; undefined for what is not a key. */
export function keyIdOf(given: string): string | undefined {
  return FORM.exec(given)?.[1];
}

/** True when `given` is the key of `record`, and it may still be used at `now`. Takes the same time for any key. */
export function opens(record: KeyRecord | undefined, given: string, now: Date): boolean {
  const stored = record ? Buffer.from(record.hash, 'hex') : NO_KEY;
  const same = timingSafeEqual(hashOf(given), stored.length === 32 ? stored : NO_KEY);
  return same && record !== undefined && isActive(record, now);
}

/** Neither revoked nor expired. */
export function isActive({ revokedAt, expiresAt }: KeyRecord, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || new Date(expiresAt) > now);
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
