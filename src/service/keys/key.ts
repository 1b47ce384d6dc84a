// An API key: creation, parsing and comparison. The secret itself is never stored.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What is stored of a key. */
export interface KeyRecord {
  /** Identifies the key in lists and logs. Not secret. */
  readonly id: string;
  readonly user: string;
  readonly scopes: readonly string[];
  /** Its purpose, as described by whoever created it. */
  readonly label: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** SHA-256 of the whole key, in hex. A key has 256 random bits, so no salt or slow hash is needed. */
  readonly hash: string;
}

const FORM = /^lk_([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/;
const ID_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Compared if no key has the id, to take the same time. */
const NO_KEY = Buffer.alloc(32);

/** A new key. Store only `hash`; show `key` once. */
export function makeKey(): { readonly key: string; readonly id: string; readonly hash: string } {
  const id = Array.from(randomBytes(12), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('');
  const key = `lk_${id}_${randomBytes(32).toString('base64url')}`;
  return { key, id, hash: hashOf(key).toString('hex') };
}

/** The id in `given`; undefined for what is not a key. */
export function keyIdOf(given: string): string | undefined {
  return FORM.exec(given)?.[1];
}

/** True if `given` is the key of `record`, and it is valid at `now`. Takes the same time for any key. */
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
