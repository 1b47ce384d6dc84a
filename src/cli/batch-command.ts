// `lectern batch`: reads every document of a folder or a bucket, here or by workers, and keeps texts and outcomes.

import { readFile } from 'node:fs/promises';
import {
  type BatchSummary,
  openShardQueue,
  queueBatch,
  runBatch,
  runShard,
  SHARD_DOCUMENTS,
  shardFrom,
  Tally,
} from '../batch/index.ts';
import { type Blobs, openBlobs } from '../blobs/index.ts';
import { plural, quoted, settingOf } from '../contract/index.ts';
import { createReadPool, ReaderError, type ReadRequest } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { isolationLimitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, ISOLATION_LIMIT_OPTIONS, type Option, type Values } from './options.ts';
import { asJson } from './read-command.ts';
import { sizeOf, sizeText } from './sizes.ts';
import type { Terminal } from './terminal.ts';

const BATCH_OPTIONS: readonly Option[] = [
  { name: 'max-tokens', value: 'N', help: 'tokens of each text (default: the whole converted document)' },
  {
    name: 'format',
    value: 'FORM',
    choices: ['text', 'json'],
    help: 'what is stored of each document: text (default), or the result as `read --json` prints it',
  },
  { name: 'shard-size', value: 'N', help: `documents of one unit of work (default: ${SHARD_DOCUMENTS})` },
  { name: 'manifest', value: 'FILE', help: 'work on this shard only, as written to DEST/shards' },
  {
    name: 'queue',
    value: 'URL',
    help: 'queue the shards for workers: redis://..., rediss://... or postgres://... (default: LECTERN_QUEUE_URL)',
  },
  { name: 'detach', help: 'with `--queue`, return once everything is queued' },
];

/** The most documents of a shard; a manifest holds no more. */
const MAX_SHARD = 10_000;

export const batch: Command = {
  options: [...BATCH_OPTIONS, ...ISOLATION_LIMIT_OPTIONS, ...COMMON_OPTIONS],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    const [source, destination] = words;
    if (source === undefined || destination === undefined || words.length > 2)
      throw new ReaderError(
        'BAD_INPUT',
        'A batch needs a source and a destination.',
        'Example: `lectern batch ./documents s3://bucket/texts`.',
      );
    const { environment, signal } = terminal;
    const stores = [
      await openBlobs(source, { environment }),
      await openBlobs(destination, { environment }),
    ] as const;
    try {
      const started = performance.now();
      const summary = await summaryOf({ source, destination }, stores, values, terminal);
      terminal.done();
      if (summary === undefined) {
        terminal.err(
          'lectern batch: queued. Run the same command without `--detach` to wait for the outcomes.\n',
        );
        return 0;
      }
      const seconds = (performance.now() - started) / 1000;
      await terminal.out(values['json'] === true ? asJson(summary) : textOf(summary, destination, seconds));
      return 0;
    } catch (error) {
      if (signal.aborted)
        terminal.err('lectern batch: stopped. Run the same command again to continue where it stopped.\n');
      throw error;
    } finally {
      for (const store of stores) await store.close();
    }
  },
};

async function summaryOf(
  places: { readonly source: string; readonly destination: string },
  [source, destination]: readonly [Blobs, Blobs],
  values: Values,
  terminal: Terminal,
): Promise<BatchSummary | undefined> {
  const { environment, signal } = terminal;
  const options = {
    source,
    destination,
    request: requestFrom(values),
    form: values['format'] === 'json' ? ('json' as const) : ('text' as const),
    shardSize: numberFrom(values, 'shard-size', MAX_SHARD) ?? SHARD_DOCUMENTS,
    signal,
    onProgress: ({ documents, of }: { readonly documents: number; readonly of?: number }) =>
      terminal.progress({ name: plural(documents, 'document'), bytes: documents, of: of ?? 0 }),
  };
  const queueUrl =
    typeof values['queue'] === 'string'
      ? values['queue']
      : settingOf(environment, { variable: 'LECTERN_QUEUE_URL' });
  if (queueUrl !== undefined && values['manifest'] === undefined) {
    checkShared(places);
    const queue = await openShardQueue(queueUrl);
    try {
      return await queueBatch({ ...options, queue, places, isDetached: values['detach'] === true });
    } finally {
      await queue.close();
    }
  }
  const pool = createReadPool({ environment, limits: isolationLimitsFrom(values) });
  try {
    const work = { ...options, pool, environment };
    if (typeof values['manifest'] !== 'string') return await runBatch(work);
    const tally = new Tally();
    const shard = shardFrom(await textFile(values['manifest']));
    for (const outcome of await runShard(shard, work)) tally.add(outcome);
    return tally.summary();
  } finally {
    await pool.close();
  }
}

/** Workers on other machines do not see a folder of this one under the same relative path. */
function checkShared(places: { readonly source: string; readonly destination: string }): void {
  for (const place of Object.values(places))
    if (!place.includes('://') && !place.startsWith('/'))
      throw new ReaderError(
        'BAD_INPUT',
        `${quoted(place)} is a relative path, which other workers cannot resolve.`,
        'Use `s3://bucket/prefix`, or the absolute path of a folder that every worker has.',
      );
}

function requestFrom(values: Values): ReadRequest {
  const maxTokens = numberFrom(values, 'max-tokens', Number.MAX_SAFE_INTEGER);
  return maxTokens === undefined ? { all: true } : { maxTokens };
}

function numberFrom(values: Values, name: string, most: number): number | undefined {
  const value = values[name];
  if (typeof value !== 'string') return undefined;
  const number = sizeOf(value);
  if (number !== null && number >= 1 && number <= most) return number;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${name}\` is ${quoted(value)}; expected an integer from 1 to ${most}.`,
    `Example: \`--${name} 1000\`.`,
  );
}

async function textFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ReaderError(
      'FILE_NOT_FOUND',
      `The manifest ${quoted(path)} cannot be read.`,
      'Give the path of a file of DEST/shards.',
      cause,
    );
  }
}

function textOf(summary: BatchSummary, destination: string, seconds: number): string {
  const { documents, succeeded, failed, dead, bytes, formats, errors } = summary;
  const speed = seconds > 0 ? `, ${(documents / seconds).toFixed(1)} documents/s` : '';
  const listed = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${plural(documents, 'document')}: ${succeeded} succeeded, ${failed} failed, ${dead} dead.`,
    `${sizeText(bytes)} in ${seconds.toFixed(1)} s${speed}.`,
    ...(documents > 0 ? [`Formats: ${listed(formats)}.`] : []),
    ...(failed + dead > 0 ? [`Errors: ${listed(errors)}.`] : []),
    `Texts in ${destination}/outputs, one line for each document in ${destination}/outcomes.`,
    '',
  ].join('\n');
}
