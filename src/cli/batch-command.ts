// `lectern batch`: reads every document of a folder or a bucket, here or by workers, and keeps texts and outcomes.

import { readFile, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type BatchOptions,
  type BatchSource,
  type BatchSummary,
  checkAbsolute,
  LIST,
  listSource,
  MAX_SHARD_DOCUMENTS,
  openShardQueue,
  openSource,
  planBatch,
  queueBatch,
  runBatch,
  runShard,
  SHARD_DOCUMENTS,
  shardFrom,
  storedShard,
  Tally,
} from '../batch/index.ts';
import { type Blobs, openBlobs } from '../blobs/index.ts';
import { plural, quoted, settingOf, shortName, systemError } from '../contract/index.ts';
import { createReadPool, ReaderError, type ReadRequest } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { integerFrom, isolationLimitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, ISOLATION_LIMIT_OPTIONS, type Option, type Values } from './options.ts';
import { asJson } from './read-command.ts';
import { sizeText } from './sizes.ts';
import type { Terminal } from './terminal.ts';

const BATCH_OPTIONS: readonly Option[] = [
  { name: 'max-tokens', value: 'N', help: 'tokens of each text (default: the whole converted document)' },
  {
    name: 'format',
    value: 'FORM',
    choices: ['text', 'markdown', 'json'],
    help: 'what is stored of each document: text (default), text with tables in Markdown, or the result as `read --json` prints it',
  },
  {
    name: 'shard-size',
    value: 'N',
    help: `the least documents of a shard, and half of the most (default: ${SHARD_DOCUMENTS})`,
  },
  { name: 'plan', help: 'only write the manifests of unfinished shards to DEST/shards, and print their ids' },
  {
    name: 'manifest',
    value: 'SHARD',
    help: 'work on one shard only: its id, for a manifest in DEST/shards, or a file',
  },
  {
    name: 'queue',
    value: 'URL',
    help: 'queue the shards for workers: redis://..., rediss://... or postgres://... (default: LECTERN_QUEUE_URL)',
  },
  { name: 'detach', help: 'with `--queue`, return once everything is queued' },
];

export const batch: Command = {
  options: [...BATCH_OPTIONS, ...ISOLATION_LIMIT_OPTIONS, ...COMMON_OPTIONS],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    const [from, to] = words;
    if (from === undefined || to === undefined || words.length > 2)
      throw new ReaderError(
        'BAD_INPUT',
        'A batch needs a source and a destination.',
        'Example: `lectern batch ./documents s3://bucket/texts`.',
      );
    const { environment, signal } = terminal;
    const queueUrl = queueUrlFrom(values, environment);
    const destination = await openBlobs(to, { environment });
    const { source, location } = await sourceFrom(from, to, queueUrl !== undefined, terminal);
    try {
      const started = performance.now();
      const options = optionsFrom(values, { source, destination }, terminal);
      if (values['plan'] === true) return await plan(options, terminal);
      const summary =
        queueUrl === undefined
          ? await here(options, values, terminal)
          : await queued(options, { source: location, destination: to }, queueUrl, values);
      terminal.done();
      if (summary === undefined) {
        terminal.err(
          'lectern batch: queued. Run the same command without `--detach` to wait for the outcomes.\n',
        );
        return 0;
      }
      const seconds = (performance.now() - started) / 1000;
      await terminal.out(values['json'] === true ? asJson(summary) : textOf(summary, to, seconds));
      return 0;
    } catch (error) {
      if (signal.aborted)
        terminal.err('lectern batch: stopped. Run the same command again to continue where it stopped.\n');
      throw error;
    } finally {
      await source.close();
      await destination.close();
    }
  },
};

/** A manifest is one shard, which is worked on here. */
function queueUrlFrom(values: Values, environment: Terminal['environment']): string | undefined {
  if (typeof values['queue'] === 'string') {
    const other = ['manifest', 'plan'].find((name) => values[name] !== undefined);
    if (other === undefined) return values['queue'];
    throw new ReaderError(
      'BAD_INPUT',
      `\`--queue\` and \`--${other}\` cannot be combined.`,
      'Omit one of them.',
    );
  }
  if (values['manifest'] !== undefined || values['plan'] === true) return undefined;
  return settingOf(environment, { variable: 'LECTERN_QUEUE_URL' });
}

function optionsFrom(
  values: Values,
  stores: { readonly source: BatchSource; readonly destination: Blobs },
  { signal, progress }: Terminal,
): BatchOptions {
  return {
    ...stores,
    request: requestFrom(values),
    form: values['format'] === 'json' ? 'json' : 'text',
    shardSize: integerFrom(values, 'shard-size', { least: 1, most: MAX_SHARD_DOCUMENTS }) ?? SHARD_DOCUMENTS,
    signal,
    onProgress: ({ documents, of }) =>
      progress({ name: plural(documents, 'document'), bytes: documents, of: of ?? 0 }),
  };
}

async function plan(options: BatchOptions, terminal: Terminal): Promise<number> {
  for await (const id of planBatch(options)) await terminal.out(`${id}\n`);
  return 0;
}

async function queued(
  options: BatchOptions,
  places: { readonly source: string; readonly destination: string },
  url: string,
  values: Values,
): Promise<BatchSummary | undefined> {
  checkAbsolute(places.destination);
  const queue = await openShardQueue(url);
  try {
    return await queueBatch({ ...options, queue, places, isDetached: values['detach'] === true });
  } finally {
    await queue.close();
  }
}

async function here(options: BatchOptions, values: Values, terminal: Terminal): Promise<BatchSummary> {
  const { environment } = terminal;
  const { manifest } = values;
  const pool = createReadPool({ environment, limits: isolationLimitsFrom(values) });
  try {
    const work = { ...options, pool, environment };
    if (typeof manifest !== 'string') return await runBatch(work);
    const tally = new Tally();
    const shard = SHARD_ID.test(manifest)
      ? await storedShard(manifest, options.destination, options.signal)
      : shardFrom(await textFile(manifest, 'manifest'));
    for (const outcome of await runShard(shard, work)) tally.add(outcome);
    return tally.summary();
  } finally {
    await pool.close();
  }
}

const SHARD_ID = /^[0-9a-f]{64}$/;

/** The source, and its location as workers open it. @throws {ReaderError} */
async function sourceFrom(
  from: string,
  to: string,
  isQueued: boolean,
  { environment, stdin }: Terminal,
): Promise<{ readonly source: BatchSource; readonly location: string }> {
  if (from === '-' || from.startsWith('@')) {
    const lines = (from === '-' ? await text(stdin) : await textFile(from.slice(1), 'list')).split(/\r?\n/);
    if (isQueued) for (const line of lines) if (line !== '') checkAbsolute(line);
    return { source: listSource(lines, environment), location: LIST };
  }
  if (isQueued) checkAbsolute(from);
  if (isInside(to, from))
    throw new ReaderError(
      'BAD_INPUT',
      'The destination is inside the source, so its texts would become documents.',
      'Choose a destination outside the source.',
    );
  if (!from.includes('://')) await checkFolder(from);
  return { source: await openSource(from, environment), location: from };
}

function isInside(inner: string, outer: string): boolean {
  const [a, b] = [inner, outer].map((place) =>
    place.includes('://') ? place.replace(/\/*$/, '/') : `${resolve(place)}${sep}`,
  );
  return a !== undefined && b !== undefined && a.startsWith(b);
}

/** An empty batch would hide a wrong name. */
async function checkFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw systemError(error, shortName(path), 'enter');
  });
  if (found.isDirectory()) return;
  throw new ReaderError(
    'NOT_A_FOLDER',
    `${quoted(path)} is a file; expected a folder.`,
    'Give the folder of the documents, or `@FILE` for a list of documents.',
  );
}

function requestFrom(values: Values): ReadRequest {
  const { format } = values;
  if (format !== undefined && format !== 'text' && format !== 'markdown' && format !== 'json')
    throw new ReaderError(
      'BAD_INPUT',
      `\`--format\` is ${quoted(String(format))}; expected \`text\`, \`markdown\` or \`json\`.`,
      'Use one of these, or omit `--format`.',
    );
  const maxTokens = integerFrom(values, 'max-tokens', { least: 1, most: Number.MAX_SAFE_INTEGER });
  return {
    ...(maxTokens === undefined ? { all: true } : { maxTokens }),
    ...(format === 'markdown' && { format }),
  };
}

async function textFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ReaderError(
      'FILE_NOT_FOUND',
      `The ${what} ${quoted(path)} cannot be read.`,
      what === 'list'
        ? 'Give the path of a file after `@`.'
        : 'Give the id of a shard, or the path of a manifest.',
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
