// The manifest of a shard: everything that a worker needs to know of it, as JSON Lines.

import { z } from 'zod';
import type { Blobs } from '../blobs/index.ts';
import { ReaderError } from '../index.ts';
import { LAYOUT } from './layout.ts';
import { MAX_SHARD_DOCUMENTS, type Shard, shardOf } from './shard.ts';

const HEADER = z.strictObject({
  lectern: z.literal('shard'),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  request: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  form: z.enum(['text', 'json']),
  location: z.string(),
  limits: z.record(z.string(), z.int().min(0)),
  maxReadMilliseconds: z.int().min(0),
  redact: z.literal(true).exactOptional(),
});
const DOCUMENT = z.strictObject({ key: z.string(), bytes: z.int().min(0), version: z.string() });

/** The manifest of a shard as JSON Lines: what it is, then its documents. */
export function manifestOf({ documents, ...header }: Shard): string {
  const lines: readonly object[] = [{ lectern: 'shard', ...header }, ...documents];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** @throws {ReaderError} BAD_INPUT for anything else than a manifest of this version */
export function shardFrom(manifest: string): Shard {
  const [first = '', ...lines] = manifest.split('\n').filter((line) => line !== '');
  const most = MAX_SHARD_DOCUMENTS * 2;
  if (lines.length > most) throw noManifest(`has more than ${most} documents`);
  const header = HEADER.safeParse(parsed(first));
  if (!header.success) throw noManifest('does not begin with the line of a shard');
  const documents = lines.map((line, index) => {
    const document = DOCUMENT.safeParse(parsed(line));
    if (!document.success) throw noManifest(`has no document in line ${index + 2}`);
    return document.data;
  });
  const { id, location, ...plan } = header.data;
  const shard = shardOf({ location, documents }, plan);
  if (shard.id === id) return shard;
  throw noManifest('was changed, or was written by another version of lectern');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const noManifest = (why: string): ReaderError =>
  new ReaderError(
    'BAD_INPUT',
    `The manifest ${why}.`,
    'Run `lectern batch SOURCE DEST` again to write new ones.',
  );

/** The shard whose manifest is in `destination`. @throws {ReaderError} BAD_INPUT; errors of the store */
export async function storedShard(id: string, destination: Blobs, signal: AbortSignal): Promise<Shard> {
  const text = Buffer.from(await destination.read(LAYOUT.shard(id), { signal })).toString('utf8');
  const shard = shardFrom(text);
  if (shard.id === id) return shard;
  throw noManifest('is of another shard');
}

/** Writes the manifest of `shard`. */
export async function storeShard(shard: Shard, destination: Blobs, signal: AbortSignal): Promise<void> {
  await destination.put(LAYOUT.shard(shard.id), Buffer.from(manifestOf(shard)), { signal });
}
