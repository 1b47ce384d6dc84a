// Shards: lists of documents that are read as one unit of work. A shard is named by its content, so that the same work
// is found again by every process, and repeating it changes nothing.

import { createHash } from 'node:crypto';
import type { ReadRequest } from '../index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { BatchDocument } from './document.ts';
import type { BatchSource } from './source.ts';

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

/** The least of a shard. More make large outcomes, fewer make more work for the queue and the store. */
export const SHARD_DOCUMENTS = 500;
/** The most that may be set as the least. */
export const MAX_SHARD_DOCUMENTS = 5000;

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

/**
 * The documents of `source` in the order of their keys, `least` to twice `least` at a time. Where a shard ends depends on
 * the keys in it, not on their position: a new document changes its own shard and a few after it, not all of them.
 */
export async function* shardsOf(
  source: Pick<BatchSource, 'documents'>,
  plan: ShardPlan,
  { size: least, signal }: { readonly size: number; readonly signal: AbortSignal },
): AsyncGenerator<Shard> {
  let documents: BatchDocument[] = [];
  for await (const document of source.documents(signal)) {
    documents.push(document);
    if (documents.length < least || (documents.length < least * 2 && !endsShard(document.key, least)))
      continue;
    yield shardOf(documents, plan);
    documents = [];
  }
  if (documents.length > 0) yield shardOf(documents, plan);
}

/** True for two of `least` keys on average, so that shards of two listings soon end at the same keys again. */
const endsShard = (key: string, least: number): boolean =>
  createHash('sha256').update(key).digest().readUInt32BE() < (2 / least) * 2 ** 32;

const sorted = (fields: ReadRequest): [string, unknown][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
