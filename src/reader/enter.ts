// Resolves the opened file to the requested one: along `archive.zip!/inner.tar!/file.csv`, and through compression
// (`data.csv.gz`). Everything inside is held in memory; nothing is written to disk.

import { addressCuts } from '../address/index.ts';
import {
  type Bytes,
  type Entry,
  type EntryContext,
  type FormatFacts,
  type Limits,
  oneLine,
  type Processor,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  type Warning,
} from '../contract/index.ts';
import { type Detected, detect } from './detect.ts';
import type { Password } from './password.ts';
import type { Registry } from './registry.ts';
import { extensionOf } from './source/input.ts';
import { MemorySource } from './source/memory.ts';
import { type Opened, twoPlaces } from './source/open.ts';

/** What an answer says of the file to read, also where another process has its bytes. */
export interface Named {
  readonly source: Pick<Source, 'name' | 'size' | 'identity'>;
  /** Name given by the caller, and size; for `data.csv.gz`, those of the compressed file. */
  readonly name: string;
  readonly bytes: Bytes;
  readonly modified: Date | undefined;
  /** The place that the address names, percent-encoded. */
  readonly fragment?: string;
}

/** The file to read, and the limits that remain after extracting it. */
export interface Entered extends Named {
  readonly source: Source;
  readonly limits: Limits;
  readonly facts: FormatFacts;
  readonly warnings: readonly Warning[];
  readonly password: Password;
  /** Number of files it is inside of. */
  readonly depth: number;
  /** Set when the path names a folder; `lister` lists it. */
  readonly listed?: { readonly folder: string; readonly lister: Processor };
}

/** Maximum nesting of files inside files. */
export const MAX_DEPTH = 3;
const MAX_PATH_LENGTH = 70_000;
/** Bytes needed to recognise a compressed or encrypted file. */
const MAGIC_BYTES = 512;

/** @throws {ReaderError} BAD_INPUT for a path into a file that holds no files, and errors from the way there */
export async function enter(
  opened: Opened,
  source: Source,
  registry: Registry,
  limits: Limits,
  signal: AbortSignal,
  password: Password,
): Promise<Entered> {
  const at: Entered = {
    source,
    name: source.name,
    bytes: source.size,
    modified: opened.modified,
    limits,
    facts: {},
    warnings: [],
    password,
    depth: 0,
  };
  return await followed(at, opened, registry, signal);
}

/** A file inside `outer`, at the end of `path`. @throws {ReaderError} */
export async function enterFile(
  outer: Entered,
  path: string,
  entry: Entry,
  registry: Registry,
  signal: AbortSignal,
): Promise<Entered> {
  const { source, limits } = inside(outer, path, entry, outer.limits);
  const { modified, facts = {} } = entry;
  const { name, size: bytes } = source;
  const { listed: _folder, ...way } = outer;
  const at = { ...way, source, name, bytes, modified, limits, facts, warnings: [], depth: outer.depth + 1 };
  return await followed(at, {}, registry, signal);
}

async function followed(
  start: Entered,
  way: Pick<Opened, 'entry' | 'fragment'>,
  registry: Registry,
  signal: AbortSignal,
): Promise<Entered> {
  const { password } = start;
  const warnings: Warning[] = [];
  let at: Entered = { ...start, warnings };
  let { entry: path, fragment } = way;
  for (let { depth } = start; ; depth += 1) {
    throwIfAborted(signal);
    const context: EntryContext = {
      limits: at.limits,
      signal,
      warn: (warning) => warnings.push(warning),
      password: () => password.take(),
    };
    at = await decrypted(at, registry, context);
    const packed = depth < MAX_DEPTH ? await unwrapped(at, registry, context, path) : undefined;
    if (packed && path?.startsWith(`${packed.entryName}#`)) {
      fragment = path.slice(packed.entryName.length + 1);
      path = packed.entryName;
    }
    if (packed && path !== packed.entryName) {
      at = packed.entered;
      // The path may include the compressed file's inner name, as in the addresses this reader returns.
      if (path?.startsWith(`${packed.entryName}!/`)) path = path.slice(packed.entryName.length + 2);
      continue;
    }
    if (path === undefined) return fragment === undefined ? at : { ...at, fragment };
    if (depth >= MAX_DEPTH) throw tooDeep();
    const found = packed
      ? { entered: packed.entered, rest: undefined, fragment: undefined }
      : await step(at, path, registry, context);
    if (found.entered.listed) return found.entered;
    at = { ...found.entered, name: found.entered.source.name, bytes: found.entered.source.size };
    path = found.rest;
    if (found.fragment !== undefined && fragment !== undefined) throw twoPlaces();
    fragment = found.fragment ?? fragment;
  }
}

function tooDeep(): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `The path leads through more than ${MAX_DEPTH} nested files.`,
    'Extract the inner archive, and read that.',
  );
}

/** `at` without its password protection, under the same name. */
async function decrypted(at: Entered, registry: Registry, context: EntryContext): Promise<Entered> {
  const head = await at.source.read(0, MAGIC_BYTES);
  for (const { decrypt } of registry.processors) {
    const bytes = await decrypt?.(at.source, head, context);
    if (!bytes) continue;
    const { name, extension, mimeType } = at.source;
    const { maxBytesInMemory } = context.limits;
    const source = new MemorySource({ name, extension, mimeType, maxBytesInMemory }, bytes);
    return { ...at, source, facts: { ...at.facts, encrypted: true } };
  }
  return at;
}

interface Unwrapped {
  readonly entryName: string;
  readonly entered: Entered;
}

async function unwrapped(
  at: Entered,
  registry: Registry,
  context: EntryContext,
  path: string | undefined,
): Promise<Unwrapped | undefined> {
  const head = await at.source.read(0, MAGIC_BYTES);
  const wrapper = registry.processors.find(({ unwrap, matches }) => unwrap && matches?.(head));
  if (path !== undefined && wrapper?.previews) return undefined;
  const entry = await wrapper?.unwrap?.(at.source, context);
  if (!entry) return undefined;
  const { source, limits } = inside(at, entry.name, entry, at.limits);
  return {
    entryName: entry.name,
    entered: { ...at, source, limits, facts: { ...at.facts, ...entry.facts } },
  };
}

/**
 * Resolves one `!/`. A name may itself contain `!/`: the shortest piece of the path that names an entry wins. It may also
 * contain `#`: only without an entry of that name, a place begins there.
 */
async function step(
  at: Entered,
  path: string,
  registry: Registry,
  context: EntryContext,
): Promise<{
  readonly entered: Entered;
  readonly rest: string | undefined;
  readonly fragment: string | undefined;
}> {
  if (path.length > MAX_PATH_LENGTH)
    throw new ReaderError('BAD_INPUT', 'The path into the file is too long.', 'Use a shorter path.');
  const container = await containerFor(at.source, registry);
  let missing: unknown;
  for (const cut of [...cutsOf(path), ...addressCuts(path)]) {
    const name = path.slice(0, cut);
    const fragment = path[cut] === '#' ? path.slice(cut + 1) : undefined;
    const rest = path[cut] === '!' ? path.slice(cut + 2) : undefined;
    try {
      const entry = await container.entry(at.source, name, context);
      if ('folder' in entry) {
        // A folder can only be the last step.
        if (rest !== undefined || fragment !== undefined) continue;
        const { folder } = entry;
        return { entered: { ...at, listed: { folder, lister: container.processor } }, rest, fragment };
      }
      const { source, limits } = inside(at, name, entry, at.limits);
      const entered = { ...at, source, limits, modified: entry.modified, facts: entry.facts ?? {} };
      return { entered, rest, fragment };
    } catch (error) {
      if (!(error instanceof ReaderError) || error.code !== 'FILE_NOT_FOUND') throw error;
      missing ??= error;
    }
  }
  throw missing;
}

/** Positions where the path may be split, the end last; few, because each is looked up. */
function cutsOf(path: string): number[] {
  const cuts: number[] = [];
  for (let at = path.indexOf('!/'); at >= 0 && cuts.length < MAX_DEPTH; at = path.indexOf('!/', at + 2))
    if (at > 0) cuts.push(at);
  return [...cuts, path.length];
}

interface Container {
  readonly processor: Processor;
  readonly entry: NonNullable<Processor['entry']>;
}

async function containerFor(source: Source, registry: Registry): Promise<Container> {
  const named = await detect(source, registry, {}).catch((error: unknown) => error);
  const processor = isDetected(named) ? named.processor : undefined;
  // An office file is also an archive whose members can be read by name, and so is an unsupported format based on zip.
  const archive = registry.byMagic(await source.read(0, MAGIC_BYTES), source.size)?.processor;
  for (const container of [processor, archive])
    if (container?.entry) return { processor: container, entry: container.entry.bind(container) };
  if (!processor) throw named;
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(source.name)} is read as ${processor.name}, which holds no files.`,
    'Omit `!/` and what follows it.',
  );
}

const isDetected = (value: unknown): value is Detected =>
  typeof value === 'object' && value !== null && 'processor' in value;

function inside(
  at: Entered,
  path: string,
  entry: {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly mimeType?: Source['mimeType'];
    readonly inflated?: Bytes;
  },
  limits: Limits,
): { readonly source: Source; readonly limits: Limits } {
  const source = new MemorySource(
    {
      name: `${at.source.name}!/${oneLine(path)}`,
      extension: extensionOf(entry.name),
      mimeType: entry.mimeType,
      maxBytesInMemory: limits.maxBytesInMemory,
    },
    entry.bytes,
  );
  const spent = Math.max(entry.inflated ?? 0, entry.bytes.length);
  return { source, limits: { ...limits, maxInflatedBytes: Math.max(0, limits.maxInflatedBytes - spent) } };
}
