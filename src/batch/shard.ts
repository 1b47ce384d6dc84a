// Shards: lists of documents that are read as one unit of work. A shard is named by its content, so that the same work
// is found again by every process, and repeating it changes nothing.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Blobs } from '../blobs/index.ts';
import { ReaderError, type ReadRequest } from '../index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { BatchDocument } from './document.ts';
import { patientList } from './patience.ts';

/** How the documents of a batch are written. */
export type OutputForm = 'text' | 'json';

export interface ShardPlan {
  /** Request fields, the same for every document. */
  readonly request: ReadRequest;
  readonly form: OutputForm;
}

export interface Shard extends ShardPlan {
  /** SHA-256 of everything that decides its outcomes, in hex. */
  readonly id: string;
  readonly documents: readonly BatchDocument[];
}

/** At least one; more make large outcomes, fewer make more work for the queue and the store. */
export const SHARD_DOCUMENTS = 500;
const MAX_DOCUMENTS = 10_000;

export function shardOf(documents: readonly BatchDocument[], { request, form }: ShardPlan): Shard {
  const content = [
    PACKAGE_VERSION,
    sorted(request),
    form,
    documents.map(({ key, version }) => [key, version]),
  ];
  const id = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { id, request, form, documents };
}

/** The documents of `source` below `prefix`, `size` at a time, in the order of their keys. */
export async function* shardsOf(
  source: Blobs,
  plan: ShardPlan,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
): AsyncGenerator<Shard> {
  let documents: BatchDocument[] = [];
  for await (const { key, bytes, version } of patientList(source, '', signal)) {
    documents.push({ key, bytes, version });
    if (documents.length < size) continue;
    yield shardOf(documents, plan);
    documents = [];
  }
  if (documents.length > 0) yield shardOf(documents, plan);
}

const HEADER = z.strictObject({
  lectern: z.literal('shard'),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  request: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  form: z.enum(['text', 'json']),
});
const DOCUMENT = z.strictObject({ key: z.string(), bytes: z.int().min(0), version: z.string() });

/** The manifest of a shard as JSON Lines: what it is, then its documents. */
export function manifestOf({ id, request, form, documents }: Shard): string {
  const lines: readonly object[] = [{ lectern: 'shard', id, request, form }, ...documents];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** @throws {ReaderError} BAD_INPUT for anything else than a manifest of this version */
export function shardFrom(manifest: string): Shard {
  const [first = '', ...lines] = manifest.split('\n').filter((line) => line !== '');
  if (lines.length > MAX_DOCUMENTS) throw noManifest(`has more than ${MAX_DOCUMENTS} documents`);
  const header = HEADER.safeParse(parsed(first));
  if (!header.success) throw noManifest('does not begin with the line of a shard');
  const documents = lines.map((line, index) => {
    const document = DOCUMENT.safeParse(parsed(line));
    if (!document.success) throw noManifest(`has no document in line ${index + 2}`);
    return document.data;
  });
  const { id, request, form } = header.data;
  const shard = shardOf(documents, { request, form });
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

const sorted = (fields: ReadRequest): [string, unknown][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
