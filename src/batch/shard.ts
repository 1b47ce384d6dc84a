// Shards: lists of documents that are read as one unit of work. A shard is named by its content, so that the same work
// is found again by every process, and repeating it changes nothing.

import { createHash } from 'node:crypto';
import type { Limits, ReadRequest } from '../index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { BatchDocument } from './document.ts';
import type { BatchSource, Listing } from './source.ts';

/** How the documents of a batch are written. */
export type OutputForm = 'text' | 'json';

export interface ShardPlan {
  /** Request fields, the same for every document. */
  readonly request: ReadRequest;
  readonly form: OutputForm;
  /** Those that were set where the batch was planned; workers have no others. */
  readonly limits: Partial<Limits>;
  /** Time for one document. */
  readonly maxReadMilliseconds: number;
  /** Replace secrets, as `createReader({ redact })` does; equal secrets look equal in what one worker reads. */
  readonly redact?: true;
}

export interface Shard extends ShardPlan {
  /** 64 hex digits: the first 16 name its source, the others everything that decides its outcomes. */
  readonly id: string;
  /** Of its source. */
  readonly location: string;
  readonly documents: readonly BatchDocument[];
}

/** The least of a shard. More make large outcomes, fewer make more work for the queue and the store. */
export const SHARD_DOCUMENTS = 500;
/** The most that may be set as the least. */
export const MAX_SHARD_DOCUMENTS = 5000;

export function shardOf(
  { location, documents }: Pick<Shard, 'location' | 'documents'>,
  { request, form, limits, maxReadMilliseconds, redact }: ShardPlan,
): Shard {
  const content = [
    PACKAGE_VERSION,
    sorted(request),
    form,
    sorted(limits),
    maxReadMilliseconds,
    documents.map(({ key, version }) => [key, version]),
    ...(redact ? ['redact'] : []),
  ];
  const id = `${sourceDigits(location)}${sha256(JSON.stringify(content)).slice(SOURCE_DIGITS)}`;
  return { id, location, request, form, limits, maxReadMilliseconds, ...(redact && { redact }), documents };
}

/** Digits at the start of a shard id that depend only on its source. */
export const SOURCE_DIGITS = 16;

export const sourceDigits = (location: string): string => sha256(location).slice(0, SOURCE_DIGITS);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The documents of `source` in the order of their keys, `least` to twice `least` at a time. Where a shard ends depends on
 * the keys in it, not on their position: a new document changes its own shard and a few after it, not all of them.
 */
export async function* shardsOf(
  source: Pick<BatchSource, 'location' | 'documents'>,
  plan: ShardPlan & Listing & { readonly shardSize: number },
): AsyncGenerator<Shard> {
  const { location } = source;
  const { shardSize: least } = plan;
  let documents: BatchDocument[] = [];
  for await (const document of source.documents(plan)) {
    documents.push(document);
    if (documents.length < least || (documents.length < least * 2 && !endsShard(document.key, least)))
      continue;
    yield shardOf({ location, documents }, plan);
    documents = [];
  }
  if (documents.length > 0) yield shardOf({ location, documents }, plan);
}

/** True for two of `least` keys on average, so that shards of two listings soon end at the same keys again. */
const endsShard = (key: string, least: number): boolean =>
  createHash('sha256').update(key).digest().readUInt32BE() < (2 / least) * 2 ** 32;

const sorted = (fields: ReadRequest | Partial<Limits>): [string, unknown][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
