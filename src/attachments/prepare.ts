// Prepares files as the content of one message, within the target's limits and one budget, with a list of how each was
// included. `share.ts` distributes the budget.

import { quoted, ReaderError, type Tokens, throwIfAborted, within } from '../contract/index.ts';
import type { LimitValues, Target } from '../models/index.ts';
import { attachmentLimits } from '../models/index.ts';
import type { Input } from '../reader/index.ts';
import type { Workspace } from '../workspace/index.ts';
import { Allowance, type Held } from './allowance.ts';
import { type ClassifiedFile, classify } from './classify.ts';
import { type Content, toContent, wireBytes } from './content.ts';
import { writeListing } from './listing.ts';
import type { AttachmentTools, Outcome } from './outcome.ts';
import type { AttachedFile, AttachmentPart } from './part.ts';
import { fileOf, Lines, Sharing } from './share.ts';
import { unlocking } from './unlocking.ts';

/** Options for preparing attachments. */
export interface AttachmentOptions<T extends Target = Target> {
  readonly target: T;
  /** Narrows the limits to a model family: `claude-sonnet-4-6`. With `ai-sdk` it also identifies the provider. */
  readonly model?: string;
  /** Total token budget: text as the reader counts it, media by the provider's rule. Default: limit `tokens`. */
  readonly budget?: Tokens;
  /** Override the table: `{ images: 600, pdfPages: 600 }`. */
  readonly limits?: Partial<LimitValues>;
  /** What the conversation already holds, because limits apply to the whole request. */
  readonly held?: Held;
  /** Resolves paths. The reader must have been created with it. */
  readonly workspace?: Pick<Workspace, 'mount'>;
  /** The tool that reads the workspace. Default `read_file` with a workspace; `false` if the model has none. */
  readonly tool?: string | false;
  /**
   * The form of a PDF that the target accepts: unchanged (`native`, the default), so that the model sees its pages, or as
   * text, which costs a tenth to a hundredth. Pages without text are included as pictures.
   */
  readonly prefer?: 'native' | 'text';
  /** Opens protected files; they are included as text or pictures, never unchanged. Default: none. */
  readonly password?: string;
  readonly signal?: AbortSignal;
  /** Called before each file is opened, and before each is read. */
  readonly onProgress?: (progress: {
    readonly step: 'look' | 'read';
    readonly file: number;
    readonly of: number;
  }) => void;
}

/** Attachments ready to send. */
export interface PreparedAttachments<T extends Target = Target> {
  /** All files, in the given order. */
  readonly files: readonly AttachedFile[];
  /** The text of the first part. */
  readonly listing: string;
  readonly parts: readonly AttachmentPart[];
  /** The content for the target's user message. */
  readonly content: Content[T][];
  /** Tokens of all parts: within the budget, unless it is too small even for the file names. */
  readonly tokens: Tokens;
  /** Bytes of `content` in a request body. */
  readonly requestBytes: number;
}

const MAX_FILES = 1000;
/** Reserved for a file's line in the list. */
const LINE_BYTES = 2048;

/**
 * Prepares `files` for one message. A missing, damaged or unusable file is listed with the reason and does not affect
 * the others.
 * @throws {ReaderError} BAD_INPUT (options; more than 1000 files), ABORTED
 */
export async function prepare<T extends Target>(
  files: readonly Input[],
  options: AttachmentOptions<T>,
  tools: AttachmentTools,
): Promise<PreparedAttachments<T>> {
  const signal = options.signal ?? new AbortController().signal;
  try {
    // A custom reader or workspace may never answer.
    const reader = unlocking(tools.reader, options.password);
    return await within(() => prepared(files, options, { ...tools, reader }, signal), { signal });
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

async function prepared<T extends Target>(
  files: readonly Input[],
  options: AttachmentOptions<T>,
  tools: AttachmentTools,
  signal: AbortSignal,
): Promise<PreparedAttachments<T>> {
  const limits = attachmentLimits(options.target, options.model, options.limits);
  const budget = options.budget ?? limits.tokens.value;
  check(files, budget, options.prefer);
  const mount = options.workspace?.mount;
  const tool =
    options.tool === false ? undefined : (options.tool ?? (mount === undefined ? undefined : 'read_file'));
  const { prefer = 'native' } = options;
  const closers: (() => Promise<void>)[] = [];
  try {
    const context = {
      reader: tools.reader,
      open: tools.open,
      signatures: tools.signatures,
      mount,
      limits,
      signal,
      closers,
    };
    const classified: ClassifiedFile[] = [];
    for (const [index, file] of files.entries()) {
      options.onProgress?.({ step: 'look', file: index + 1, of: files.length });
      classified.push(await classify(file, index, context));
    }
    const lines = new Lines(classified, budget, tool, tools.count);
    const allowance = new Allowance(limits, budget, options.held ?? {});
    allowance.takeBytes(files.length * LINE_BYTES);
    const sharing = new Sharing({ tools, allowance, tool, prefer, signal }, lines, (file, of) =>
      options.onProgress?.({ step: 'read', file, of }),
    );
    const outcomes = await sharing.give(classified);
    return assemble(options.target, classified, outcomes, budget, tools);
  } finally {
    for (const close of closers) await close();
  }
}

function check(files: readonly Input[], budget: number, prefer: unknown = 'native'): void {
  if (!Array.isArray(files))
    throw new ReaderError('BAD_INPUT', '`files` is not an array.', 'Pass the files as an array.');
  if (files.length > MAX_FILES)
    throw new ReaderError(
      'BAD_INPUT',
      `There are ${files.length} attachments; expected at most ${MAX_FILES}.`,
      'Attach fewer files, or name their folder.',
    );
  if (prefer !== 'native' && prefer !== 'text')
    throw new ReaderError(
      'BAD_INPUT',
      `\`prefer\` is ${quoted(String(prefer))}; expected \`native\` or \`text\`.`,
      'Use one of these, or omit `prefer`.',
    );
  if (!(Number.isSafeInteger(budget) && budget >= 0))
    throw new ReaderError(
      'BAD_INPUT',
      `\`budget\` is ${quoted(String(budget))}; expected an integer of 0 or more.`,
      'Set `budget` to a number of tokens, or omit it for the default.',
    );
}

function assemble<T extends Target>(
  target: T,
  classified: readonly ClassifiedFile[],
  outcomes: readonly Outcome[],
  budget: Tokens,
  { count }: AttachmentTools,
): PreparedAttachments<T> {
  const files: AttachedFile[] = [];
  const given: AttachmentPart[] = [];
  for (const known of classified) {
    const outcome = outcomes[known.index];
    if (!outcome) continue;
    const { parts, wants: _, ...answer } = outcome;
    given.push(...parts);
    files.push(fileOf(known, answer));
  }
  const used = files.reduce((sum, { tokens }) => sum + tokens, 0);
  const listing = writeListing(files, budget - used, count);
  const parts: AttachmentPart[] = [{ kind: 'listing', text: listing }, ...given];
  const content = toContent(target, parts);
  return { files, listing, parts, content, tokens: used + count(listing), requestBytes: wireBytes(content) };
}
