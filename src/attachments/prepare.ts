// Files made into the content of one message: what each becomes under the target's limits and one budget, and a list that
// says so. What is done with one file is in `give.ts`.

import { quoted, ReaderError, type Tokens, throwIfAborted } from '../contract/index.ts';
import type { Input } from '../reader/open.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Allowance, type Held } from './allowance.ts';
import { type Content, toContent, wireBytes } from './content.ts';
import { give } from './give.ts';
import { imageTokens } from './image-tokens.ts';
import type { Limits, LimitValues, Target } from './limit.ts';
import { attachmentLimits } from './limits.ts';
import { leastListing, writeListing } from './listing.ts';
import { type Look, lookAt } from './look.ts';
import { type AttachmentTools, left, type Outcome, type Turn } from './outcome.ts';
import type { AttachedFile, AttachmentPart } from './part.ts';

/** What attachments are prepared for. */
export interface AttachmentOptions<T extends Target = Target> {
  readonly target: T;
  /** Narrows the limits to its family: `claude-sonnet-4-6`. With `ai-sdk` it also tells the provider. */
  readonly model?: string;
  /** Tokens of everything together: texts as the reader counts, media by the provider's rule. Default: limit `tokens`. */
  readonly budget?: Tokens;
  /** Over the table: `{ images: 600, pdfPages: 600 }`. */
  readonly limits?: Partial<LimitValues>;
  /** What the conversation holds already: limits are of the whole request. */
  readonly held?: Held;
  /** Paths are paths inside it. The reader must be made with it. */
  readonly workspace?: Pick<Workspace, 'mount'>;
  /** The tool that reads the workspace. Default `read_file` with a workspace; `false` when the model has none. */
  readonly tool?: string | false;
  readonly signal?: AbortSignal;
  /** Called before each file is opened, and before each is read. */
  readonly onProgress?: (progress: {
    readonly step: 'look' | 'read';
    readonly file: number;
    readonly of: number;
  }) => void;
}

/** Attachments, ready to send. */
export interface PreparedAttachments<T extends Target = Target> {
  /** In the order given, every one. */
  readonly files: readonly AttachedFile[];
  /** The text of the first part. */
  readonly listing: string;
  readonly parts: readonly AttachmentPart[];
  /** What the target's user message takes as its content. */
  readonly content: Content[T][];
  /** Of all parts: at most the budget, unless that does not even hold the names of the files. */
  readonly tokens: Tokens;
  /** Of `content` in a request's body. */
  readonly requestBytes: number;
}

const MAX_FILES = 1000;
/** Kept for a file's line in the list: what was given, what was left out, and the call that shows it. */
const LINE_TOKENS: Tokens = 60;
const CALL_TOKENS: Tokens = 110;
const LINE_BYTES = 2048;

/**
 * Prepares `files` for one message. A file that is missing, damaged or of no use is listed with the reason and fails
 * nothing else.
 * @throws {ReaderError} BAD_INPUT (options; more than 1000 files), ABORTED
 */
export async function prepare<T extends Target>(
  files: readonly Input[],
  options: AttachmentOptions<T>,
  tools: AttachmentTools,
): Promise<PreparedAttachments<T>> {
  const limits = attachmentLimits(options.target, options.model, options.limits);
  const budget = options.budget ?? limits.tokens.value;
  check(files, budget);
  const signal = options.signal ?? new AbortController().signal;
  const mount = options.workspace?.mount;
  const tool =
    options.tool === false ? undefined : (options.tool ?? (mount === undefined ? undefined : 'read_file'));
  const closers: (() => Promise<void>)[] = [];
  try {
    const looking = { reader: tools.reader, open: tools.open, mount, limits, signal, closers };
    const looks: Look[] = [];
    for (const [index, file] of files.entries()) {
      options.onProgress?.({ step: 'look', file: index + 1, of: files.length });
      looks.push(await lookAt(file, index, looking));
    }
    const least = leastListing(
      looks.map(({ name }) => name),
      tools.count,
    );
    const full = least + files.length * (LINE_TOKENS + (tool === undefined ? 0 : CALL_TOKENS));
    const reserve = Math.max(least, Math.min(Math.floor(budget / 2), full));
    const allowance = new Allowance(limits, Math.max(0, budget - reserve), options.held ?? {});
    allowance.takeBytes(files.length * LINE_BYTES);
    const outcomes = await giveAll(looks, { tools, allowance, tool, signal }, options);
    return assemble(options.target, looks, outcomes, budget, tools);
  } finally {
    for (const close of closers) await close();
  }
}

function check(files: readonly Input[], budget: number): void {
  if (!Array.isArray(files))
    throw new ReaderError('BAD_INPUT', 'The attachments are no list.', 'Pass the files as an array.');
  if (files.length > MAX_FILES)
    throw new ReaderError(
      'BAD_INPUT',
      `There are ${files.length} attachments; at most ${MAX_FILES} are prepared at once.`,
      'Attach fewer files, or name their folder.',
    );
  if (!(Number.isSafeInteger(budget) && budget >= 0))
    throw new ReaderError(
      'BAD_INPUT',
      `\`budget\` is ${quoted(String(budget))}; expected a whole number of 0 or more.`,
      'Set `budget` to a number of tokens, or leave it out for the default.',
    );
}

/**
 * Each file has a fair share of tokens and bytes; those that need less hand the rest on, so the small come first. Places
 * for pictures are given in the order of the files.
 */
async function giveAll(
  looks: readonly Look[],
  all: Omit<Turn, 'share' | 'byteShare'>,
  { onProgress }: AttachmentOptions,
): Promise<Outcome[]> {
  const { allowance, signal } = all;
  const { limits } = allowance;
  const pictures = looks.filter(({ kind }) => kind === 'image');
  const placed = new Set(pictures.slice(0, allowance.images));
  const documents = looks.filter(({ kind }) => kind === 'pdf' || kind === 'text');
  allowance.expect(placed.size, documents.length);
  const order = [...looks].sort((a, b) => needOf(a, limits) - needOf(b, limits) || a.index - b.index);
  let contenders = order.filter(({ kind }) => kind !== 'failed' && kind !== 'empty').length;
  let media = order.filter(({ kind }) => kind === 'image' || kind === 'pdf' || kind === 'audio').length;
  const outcomes: Outcome[] = [];
  for (const [turn, look] of order.entries()) {
    throwIfAborted(signal);
    onProgress?.({ step: 'read', file: turn + 1, of: order.length });
    const shares = {
      ...all,
      share: Math.floor(allowance.tokens / Math.max(1, contenders)),
      byteShare: Math.floor(allowance.bytes / Math.max(1, media)),
    };
    outcomes[look.index] =
      look.kind === 'image' && !look.drawn && !placed.has(look)
        ? left(look, `the request takes at most ${limits.images.value} pictures`, shares)
        : await giveSafely(look, shares);
    if (look.kind !== 'failed' && look.kind !== 'empty') contenders -= 1;
    if (look.kind === 'image' || look.kind === 'pdf' || look.kind === 'audio') media -= 1;
  }
  return outcomes;
}

/** One file's trouble is told of that file. */
async function giveSafely(look: Look, turn: Turn): Promise<Outcome> {
  try {
    return await give(look, turn);
  } catch (error) {
    if (turn.signal.aborted) throw error;
    const { code, message, hint } =
      error instanceof ReaderError
        ? error
        : new ReaderError(
            'INTERNAL',
            'The file could not be prepared because of a fault in lectern.',
            'Please report it, with the first bytes of the file.',
            error,
          );
    return {
      given: look.path === undefined ? 'nothing' : 'reference',
      tokens: 0,
      note: `Not given: ${message}`,
      error: { code, message, hint },
      parts: [],
    };
  }
}

/** About what a file would take if it could: decides whose turn comes first. */
function needOf(look: Look, limits: Limits): Tokens {
  switch (look.kind) {
    case 'failed':
    case 'empty':
      return 0;
    case 'image':
      return imageTokens(limits.imageTokens.value, look);
    case 'pdf':
      return look.refused === undefined ? look.pages * limits.pdfTokensPerPage.value : look.bytes / 3;
    case 'audio':
      return limits.audioTypes.value.includes(look.mimeType)
        ? (look.seconds ?? 0) * limits.audioTokensPerSecond.value
        : 0;
    case 'text':
      return look.bytes / 3;
  }
}

function assemble<T extends Target>(
  target: T,
  looks: readonly Look[],
  outcomes: readonly Outcome[],
  budget: Tokens,
  { count }: AttachmentTools,
): PreparedAttachments<T> {
  const files: AttachedFile[] = [];
  const given: AttachmentPart[] = [];
  for (const look of looks) {
    const outcome = outcomes[look.index];
    if (!outcome) continue;
    const { parts, ...told } = outcome;
    given.push(...parts);
    files.push({
      name: look.name,
      ...(look.path !== undefined && { path: look.path }),
      ...(look.bytes !== undefined && { bytes: look.bytes }),
      ...told,
    });
  }
  const used = files.reduce((sum, { tokens }) => sum + tokens, 0);
  const listing = writeListing(files, budget - used, count);
  const parts: AttachmentPart[] = [{ kind: 'listing', text: listing }, ...given];
  const content = toContent(target, parts);
  return { files, listing, parts, content, tokens: used + count(listing), requestBytes: wireBytes(content) };
}
