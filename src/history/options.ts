// What a compactor is made with, checked once and filled up with what serves by default.

import {
  checkOptions,
  type HistoryLimits,
  type OptionNames,
  quoted,
  ReaderError,
  type Tokens,
} from '../contract/index.ts';
import { givenHistoryLimits, HISTORY_LIMIT_DEFINITIONS, resolveHistoryLimits } from '../limits/index.ts';
import { modelFacts, PROFILES, type ProfileName } from '../models/index.ts';
import { isConversationId } from './archive/conversation-id.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './archive/storage.ts';
import type { Codec, CodecName } from './codecs/codec.ts';
import type { HistoryState } from './ledger/state.ts';
import { checkPolicy, checkPolicyNames } from './policy/check-policy.ts';
import type { Policy, PresetName } from './policy/policy.ts';
import { PRESET_NAMES, presetOf } from './policy/presets.ts';
import { WRITE_TOOLS } from './policy/tiers/pointers.ts';
import type { HistoryRecall } from './recall.ts';
import type { Report } from './report.ts';
import type { Summarizer } from './summary/summarizer.ts';

/** Everything optional; `window` or `model` should be given. */
export interface HistoryOptions<M = unknown> {
  /** Tokens the model takes. Default: by `model`; 128 000 for none. */
  readonly window?: Tokens;
  /** Name of the model: its window, and how its provider counts. */
  readonly model?: string;
  /** Tokens of the prompt after a compaction, at most. Default: the preset's low-water mark. */
  readonly target?: Tokens;
  /** Default `lectern`. */
  readonly preset?: PresetName;
  /** Over the preset. */
  readonly policy?: Partial<Policy>;
  /** Over the defaults and the environment. */
  readonly limits?: Partial<HistoryLimits>;
  /** Default: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Format of the messages. Default: found by the messages themselves. */
  readonly format?: CodecName;
  /** A codec of one's own, or `createLangChainCodec` with its classes; in place of `format`. */
  readonly codec?: Codec<M>;
  /** How tokens are estimated. Default: by `model`, else `conservative`. */
  readonly profile?: ProfileName;
  /** Tokens kept free for the answer. Default: a tenth of the window, at most 8192. */
  readonly reserve?: Tokens;
  /** Where originals go. Default: memory of this process; placeholders then name no file. */
  readonly storage?: HistoryStorage;
  /** Milliseconds for one operation of it; the storage counts as failed then. Default 30 000. */
  readonly storageTimeoutMs?: number;
  /**
   * Names the folders of this conversation's originals in the storage: 1 to 40 of `a-z`, `0-9` and `-`. Never the same for
   * two conversations: each prunes what it does not name itself. Default: the one of `state`, else a random one.
   */
  readonly conversationId?: string;
  /** Makes summaries. Without one a digest is extracted. */
  readonly summarizer?: Summarizer;
  /** Milliseconds for one call of it. Default 60 000. */
  readonly summarizerTimeoutMs?: number;
  /**
   * What all is for: it begins every notice of what was left out. A function is asked at each compaction, such as
   * `() => plan.compactContext()`.
   */
  readonly goal?: string | (() => string);
  /** Gets the text of what is replaced, to be found again; the notices then name the tool `recall`. */
  readonly recall?: HistoryRecall;
  /** Messages that must stay, besides instructions and the first and the newest message of the user. */
  readonly isPinned?: (message: M) => boolean;
  /** Tools whose results never give way. */
  readonly keepTools?: readonly string[];
  /** Tools whose results are files already: cut, never offloaded. Default: lectern's own readers. */
  readonly readTools?: readonly string[];
  /** Tools that write files, and the arguments that hold content. Default: the usual ones by name. */
  readonly writeTools?: Readonly<Record<string, readonly string[]>>;
  /**
   * From `compactor.state()`, as JSON gave it back. For one compactor at a time: give a second one that goes on from the same
   * state a `conversationId` of its own.
   */
  readonly state?: HistoryState;
  /** Called after every compaction. What it throws is the caller's. */
  readonly onCompaction?: (report: Report) => void;
}

/** What one call knows besides the messages. */
export interface CallOptions {
  /** System prompt given beside the messages. */
  readonly system?: string;
  /** Tool definitions, in any form. */
  readonly tools?: unknown;
  /** Window of this call's model, where it differs. */
  readonly window?: Tokens;
  /** Compact now, even below the trigger, down to the low-water mark: a provider has refused the prompt, or the caller wants room. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** Options with nothing left open. */
export interface Resolved<M> {
  readonly preset: PresetName;
  readonly policy: Policy;
  readonly limits: HistoryLimits;
  readonly window: Tokens;
  readonly target: Tokens | null;
  readonly reserve: Tokens | null;
  readonly profile: ProfileName;
  /** Empty where nobody names it. */
  readonly model: string;
  readonly codec: Codec<M> | CodecName | null;
  readonly storage: HistoryStorage | null;
  readonly storageTimeoutMs: number;
  readonly conversationId: string | null;
  readonly summarizer: Summarizer | null;
  readonly summarizerTimeoutMs: number;
  /** Of now. */
  readonly goal: string | null;
  readonly recall: HistoryRecall | null;
  readonly isPinned: (message: M) => boolean;
  readonly keepTools: ReadonlySet<string>;
  readonly readTools: ReadonlySet<string>;
  readonly writeTools: Readonly<Record<string, readonly string[]>>;
  readonly state: HistoryState | null;
  readonly onCompaction: (report: Report) => void;
}

const OPTION_NAMES: OptionNames<HistoryOptions> = {
  window: true,
  model: true,
  target: true,
  preset: true,
  policy: true,
  limits: true,
  environment: true,
  format: true,
  codec: true,
  profile: true,
  reserve: true,
  storage: true,
  storageTimeoutMs: true,
  conversationId: true,
  summarizer: true,
  summarizerTimeoutMs: true,
  goal: true,
  recall: true,
  isPinned: true,
  keepTools: true,
  readTools: true,
  writeTools: true,
  state: true,
  onCompaction: true,
};

/** Below this no conversation fits; above, no model is. */
const LEAST_WINDOW = 256;
const MOST_WINDOW = 100_000_000;

/** lectern's own: what they answer with lies in files, within a budget of its own. */
export const READ_TOOLS: readonly string[] = [
  'read_file',
  'list_files',
  'find_files',
  'search_files',
  'file_info',
];

const DEFAULT_TIMEOUT_MS = 60_000;
/** The longest a timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function tokens(what: string, value: unknown, least: number): Tokens {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MOST_WINDOW)
    return value;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${what}\` is ${quoted(String(value))}; expected a whole number of tokens, ${least} to ${MOST_WINDOW}.`,
    what === 'window'
      ? 'Give the window of the model, such as 200000.'
      : `Give \`${what}\` in tokens, or leave it out.`,
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT_MS;

/** What each option must be, where no check of its own says so. */
const KINDS: readonly (readonly [keyof HistoryOptions, (value: unknown) => boolean, string])[] = [
  ['model', isText, 'the name of a model'],
  ['profile', (value) => PROFILES.some((name) => name === value), PROFILES.join(', ')],
  ['codec', (value) => isObject(value) && isFunction((value as Partial<Codec>).view), 'a codec'],
  ['summarizer', isFunction, 'a function'],
  ['summarizerTimeoutMs', isTimeout, 'milliseconds above 0'],
  ['storageTimeoutMs', isTimeout, 'milliseconds above 0'],
  ['conversationId', isConversationId, 'a letter or digit, then up to 39 of `a-z`, `0-9` and `-`'],
  ['goal', (value) => isText(value) || isFunction(value), 'a text, or a function that gives one'],
  [
    'recall',
    (value) => isObject(value) && isFunction((value as Partial<HistoryRecall>).add),
    'an object with `add`',
  ],
  ['isPinned', isFunction, 'a function'],
  ['keepTools', isTexts, 'a list of names'],
  ['readTools', isTexts, 'a list of names'],
  [
    'writeTools',
    (value) => isObject(value) && Object.values(value as object).every(isTexts),
    'lists of names by tool',
  ],
  ['onCompaction', isFunction, 'a function'],
];

function checkKinds(options: Readonly<Record<string, unknown>>): void {
  for (const [name, is, expected] of KINDS) {
    const value = options[name];
    if (value === undefined || is(value)) continue;
    throw new ReaderError(
      'BAD_INPUT',
      `\`${name}\` is ${isText(value) ? quoted(String(value)) : `\`${value === null ? 'null' : typeof value}\``}; expected ${expected}.`,
      `Give \`${name}\` as its documentation says, or leave it out.`,
    );
  }
}

function refuseZero(limits: HistoryLimits): void {
  for (const { key, flag, variable, default: usual } of HISTORY_LIMIT_DEFINITIONS)
    if (limits[key] === 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`${key}\` (\`--${flag}\`, \`${variable}\`) is 0; expected 1 token or more.`,
        `Write ${usual}, which is usual, or leave it out.`,
      );
}

/** @throws {ReaderError} BAD_INPUT for an unknown option or a value that is none */
export function resolveHistory<M>(what: string, options: HistoryOptions<M>): Resolved<M> {
  checkOptions(what, options, OPTION_NAMES);
  checkKinds({ ...options });
  const preset = options.preset ?? 'lectern';
  if (!PRESET_NAMES.includes(preset))
    throw new ReaderError(
      'BAD_INPUT',
      `There is no preset ${quoted(String(preset))}.`,
      `The presets are ${PRESET_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
    );
  checkPolicyNames(`${what}.policy`, options.policy);
  const environment = options.environment ?? process.env;
  const limits = resolveHistoryLimits(options.limits, environment);
  refuseZero(limits);
  const facts = modelFacts(options.model ?? '');
  const window = tokens('window', options.window ?? facts.window, LEAST_WINDOW);
  const policy: Policy = {
    ...presetOf(preset, window, givenHistoryLimits(options.limits, environment)),
    ...options.policy,
  };
  checkPolicy(policy);
  const target = options.target === undefined ? null : tokens('target', options.target, 1);
  if (target !== null && target >= window)
    throw new ReaderError(
      'BAD_INPUT',
      `\`target\` is ${target} tokens and the window ${window}; expected less than the window.`,
      'Give a target of about half of the window, or leave it out.',
    );
  const { storage } = options;
  if (storage !== undefined && (typeof storage?.write !== 'function' || typeof storage.read !== 'function'))
    throw new ReaderError(
      'BAD_INPUT',
      '`storage` has no `write` and `read`.',
      'Give an object with `write`, `read`, `list` and `remove`, such as `workspaceStorage(workspace)`.',
    );
  return {
    preset,
    policy,
    limits,
    window,
    target,
    reserve: options.reserve === undefined ? null : tokens('reserve', options.reserve, 0),
    profile: options.profile ?? facts.profile,
    model: options.model ?? '',
    codec: options.codec ?? options.format ?? null,
    storage: storage ?? null,
    storageTimeoutMs: options.storageTimeoutMs ?? STORAGE_TIMEOUT_MS,
    conversationId: options.conversationId ?? null,
    summarizer: options.summarizer ?? null,
    summarizerTimeoutMs: options.summarizerTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    get goal() {
      const { goal } = options;
      return (typeof goal === 'function' ? goal() : goal) ?? null;
    },
    recall: options.recall ?? null,
    isPinned: options.isPinned ?? (() => false),
    keepTools: new Set(options.keepTools),
    readTools: new Set(options.readTools ?? READ_TOOLS),
    writeTools: options.writeTools ?? WRITE_TOOLS,
    state: options.state ?? null,
    onCompaction: options.onCompaction ?? (() => undefined),
  };
}
