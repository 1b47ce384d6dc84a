// `lectern batch`: reads every document of a folder or a bucket, here or by workers, and keeps texts and outcomes.

import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type BatchOptions,
  type BatchSource,
  type BatchSummary,
  checkAbsolute,
  checkStores,
  LAYOUT,
  LIST,
  listSource,
  MAX_SHARD_DOCUMENTS,
  openShardQueue,
  openSource,
  planBatch,
  queueBatch,
  reopen,
  runBatch,
  runShard,
  SHARD_DOCUMENTS,
  SOURCE_DIGITS,
  shardFrom,
  storedShard,
  Tally,
} from '../batch/index.ts';
import { type Blobs, openBlobs, type SkipReason } from '../blobs/index.ts';
import { errnoOf, plural, quoted, settingOf, shortName, systemError, withoutEnd } from '../contract/index.ts';
import { createReadPool, ReaderError, type ReadRequest } from '../index.ts';
import { givenLimits, LIMIT_DEFINITIONS, resolveIsolationLimits } from '../limits/index.ts';
import type { Command } from './command.ts';
import { integerFrom, isolationLimitsFrom } from './limit-flags.ts';
import {
  COMMON_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  type Option,
  REDACT_OPTIONS,
  redactFrom,
  type Values,
} from './options.ts';
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
    help: `a shard has at least so many documents, and at most twice as many (default: ${SHARD_DOCUMENTS})`,
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
  { name: 'retry', help: 'read the documents again that failed or are dead' },
];

/** Options without effect beside `--manifest`, whose file has their values, and beside `--plan`. */
const UNUSED = {
  manifest: ['plan', 'queue', 'detach', 'max-tokens', 'format', 'redact', 'shard-size', 'max-read-ms'],
  plan: ['queue', 'detach'],
} as const;

/** Skipped names that are printed. */
const MOST_NAMED = 10;
/** Between two notices that something does not answer. */
const NOTICE_MS = 30_000;

export const batch: Command = {
  options: [...BATCH_OPTIONS, ...REDACT_OPTIONS, ...ISOLATION_LIMIT_OPTIONS, ...COMMON_OPTIONS],
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
    refuseUnused(values);
    const queueUrl = queueUrlFrom(values, environment);
    const destination = await openBlobs(to, { environment });
    const { source, location } = await sourceFrom(from, to, queueUrl !== undefined, terminal);
    try {
      const started = performance.now();
      const skipped = new SkippedNames(terminal);
      const options = optionsFrom(values, { source, destination }, skipped, terminal);
      if (values['plan'] === true) return await plan(options, skipped, terminal);
      const summary =
        queueUrl === undefined
          ? await here(options, values, terminal)
          : await queued(options, { source: location, destination: to }, queueUrl, values);
      terminal.done();
      skipped.end();
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

/** @throws {ReaderError} BAD_INPUT */
function refuseUnused(values: Values): void {
  const given = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  for (const [name, unused] of Object.entries(UNUSED)) {
    const other = given(name) ? unused.find(given) : undefined;
    if (other !== undefined)
      throw new ReaderError(
        'BAD_INPUT',
        `\`--${other}\` and \`--${name}\` cannot be combined.`,
        'Omit one of them.',
      );
  }
}

/** A manifest is one shard, which is worked on here. @throws {ReaderError} BAD_INPUT */
function queueUrlFrom(values: Values, environment: Terminal['environment']): string | undefined {
  if (typeof values['queue'] === 'string') return values['queue'];
  if (values['manifest'] !== undefined || values['plan'] === true) return undefined;
  const url = settingOf(environment, { variable: 'LECTERN_QUEUE_URL' });
  if (url !== undefined || values['detach'] !== true) return url;
  throw new ReaderError('BAD_INPUT', '`--detach` needs a queue.', 'Add `--queue URL`, or omit `--detach`.');
}

/** Names of skipped documents and folders: the first ones when they are found, and how many more there were. */
class SkippedNames {
  readonly #terminal: Terminal;
  #count = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  add(name: string, reason: SkipReason): void {
    this.#count += 1;
    if (this.#count > MOST_NAMED) return;
    const why = reason === 'name' ? 'its name cannot be a key' : 'access to the folder is denied';
    this.#terminal.err(`lectern batch: skipped ${quoted(name)}: ${why}\n`);
  }

  end(): void {
    if (this.#count > MOST_NAMED)
      this.#terminal.err(`lectern batch: skipped ${this.#count - MOST_NAMED} more\n`);
  }
}

function optionsFrom(
  values: Values,
  stores: { readonly source: BatchSource; readonly destination: Blobs },
  skipped: SkippedNames,
  { signal, progress, environment, err }: Terminal,
): BatchOptions {
  let noticed = Number.NEGATIVE_INFINITY;
  return {
    ...stores,
    limits: givenLimits({}, environment),
    maxReadMilliseconds: resolveIsolationLimits(isolationLimitsFrom(values), environment).maxReadMilliseconds,
    isRetry: values['retry'] === true,
    onSkipped: (name, reason) => skipped.add(name, reason),
    onWait: (error) => {
      if (performance.now() - noticed < NOTICE_MS) return;
      noticed = performance.now();
      const why = error instanceof ReaderError ? ` (${error.message})` : '';
      err(`lectern batch: waiting for the source, the destination or the queue to answer${why}\n`);
    },
    request: requestFrom(values),
    ...redactFrom(values),
    form: values['format'] === 'json' ? 'json' : 'text',
    shardSize: integerFrom(values, 'shard-size', { least: 1, most: MAX_SHARD_DOCUMENTS }) ?? SHARD_DOCUMENTS,
    signal,
    onProgress: ({ documents, of }) =>
      progress({ name: plural(documents, 'document'), bytes: documents, of: of ?? 0 }),
  };
}

async function plan(options: BatchOptions, skipped: SkippedNames, terminal: Terminal): Promise<number> {
  for await (const id of planBatch(options)) await terminal.out(`${id}\n`);
  skipped.end();
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
    const work = { ...options, pool };
    if (typeof manifest !== 'string') return await runBatch(work);
    await checkStores(work);
    const tally = new Tally();
    const shard = SHARD_ID.test(manifest)
      ? await storedShard(manifest, options.destination, options.signal)
      : shardFrom(await textFile(manifest, 'manifest'));
    if (options.isRetry) await reopen(shard, work);
    tally.add(shard.id, await runShard(shard, work));
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
  if ((await realPlace(to)).startsWith(await realPlace(from)))
    throw new ReaderError(
      'BAD_INPUT',
      'The destination is inside the source, so its texts would become documents.',
      'Choose a destination outside the source.',
    );
  if (!from.includes('://')) await checkFolder(from);
  return { source: await openSource(from, environment), location: from };
}

/** An address or a path without links, with a separator at its end. The last parts of a path need not exist. */
async function realPlace(place: string): Promise<string> {
  if (place.includes('://')) return `${withoutEnd(place, '/')}/`;
  const real = async (path: string): Promise<string> => {
    try {
      return await realpath(path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || path === dirname(path)) return path;
      return join(await real(dirname(path)), basename(path));
    }
  };
  return `${await real(resolve(place))}${sep}`;
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
  const { documents, succeeded, failed, dead, skipped, bytes, formats, errors, shards } = summary;
  const speed = seconds > 0 ? `, ${(documents / seconds).toFixed(1)} documents/s` : '';
  const listed = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${plural(documents, 'document')}: ${succeeded} succeeded, ${failed} failed, ${dead} dead${skipped > 0 ? `, ${skipped} skipped` : ''}.`,
    `${sizeText(bytes)} in ${seconds.toFixed(1)} s${speed}.`,
    ...(documents > 0 ? [`Formats: ${listed(formats)}.`] : []),
    ...(failed + dead > 0 ? [`Errors: ${listed(errors)}.`] : []),
    `Texts in ${destination}/outputs, one line for each document in ${destination}/${namesOf(shards)}.`,
    '',
  ].join('\n');
}

/** Of the outcomes of a run: one shard, or those of its source. */
function namesOf([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'outcomes';
  return LAYOUT.outcomes(others.length === 0 ? first : `${first.slice(0, SOURCE_DIGITS)}*`);
}
