// Options of a compactor, validated once and completed with defaults.

import { checkOptions, ReaderError, type Tokens } from '../contract/index.ts';
import { givenHistoryLimits, HISTORY_LIMIT_DEFINITIONS, resolveHistoryLimits } from '../limits/index.ts';
import { modelFacts, namedModel, type ProfileName } from '../models/index.ts';
import { isConversationId } from './archive/conversation-id.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './archive/storage.ts';
import type { Codec, CodecName } from './codecs/codec.ts';
import type { HistoryState } from './ledger/state.ts';
import {
  ANYTHING,
  checkKinds,
  FLAG,
  FUNCTION,
  has,
  isFunction,
  isRecord,
  isText,
  type Kinds,
  maybe,
  oneOf,
  refuse,
  share,
  shownKind,
  TEXT,
  WINDOW,
  whole,
} from './option-kinds.ts';
import type { Importance } from './policy/importance.ts';
import type { Policy, PresetName } from './policy/policy.ts';
import { PRESET_NAMES, type Preset, presetOf } from './policy/presets.ts';
import { checkThreshold, type Threshold, tokensAt } from './policy/threshold.ts';
import type { Shorten } from './policy/tiers/mask.ts';
import { isRole, ROLES, type ToolRole, ToolRoles } from './policy/tool-roles.ts';
import type { HistoryRecall } from './recall.ts';
import type { Report } from './report.ts';
import type { Summarizer } from './summary/summarizer.ts';

/** Set `window` or `model`; all other options are optional. */
export interface HistoryOptions<M = object> {
  /** Model name. Determines the window and how tokens are estimated. */
  readonly model?: string;
  /**
   * Context window of the model in tokens. Default: of `model`. For an unknown model, 128 000 is assumed, with a warning
   * and `report.windowAssumed`.
   */
  readonly window?: Tokens;
  /**
   * When compaction starts (`at`) and how far it reduces the history (`to`). Default: the environment, then the preset.
   * `at` applies to every tier, and `to` then scales with it as in the preset. An explicit `to` is reached, or
   * `report.problem` says why not.
   */
  readonly threshold?: Partial<Threshold>;
  /** Default `lectern`. */
  readonly preset?: PresetName;
  /** Overrides individual strategies of the preset. */
  readonly policy?: Partial<Policy>;
  /** Message format, or a codec such as `createLangChainCodec` returns. Default: detected from the messages. */
  readonly format?: CodecName | Codec<M>;
  /** Role of each tool by name. Overrides the built-in roles of common tools. */
  readonly tools?: Readonly<Record<string, ToolRole>>;
  /** Messages that must stay. Instructions and the user's first and newest message always stay. */
  readonly isPinned?: (message: M) => boolean;
  /** Where originals are stored. Default: process memory; placeholders then name no file. */
  readonly storage?: HistoryStorage;
  /**
   * Folder name for this conversation's originals in the storage: 1 to 40 of `a-z`, `0-9` and `-`. Default: from `state`,
   * or random.
   */
  readonly conversationId?: string;
  /**
   * From `compactor.state()`, after a JSON round trip. For one compactor at a time: a second one that continues from
   * the same state needs its own `conversationId`.
   */
  readonly state?: HistoryState;
  /** Generates summaries. Without it, a digest is extracted. */
  readonly summarizer?: Summarizer;
  /** Scores what may be removed; the lowest score leaves first. Default: the policy's order. */
  readonly importance?: Importance;
  /** Shortens results, for example repeated ones, before turns are removed. */
  readonly shorten?: Shorten;
  /**
   * What the conversation is for, stated at the start of every notice. A function is called at each compaction, for example `() => plan.compactContext()`.
   */
  readonly goal?: string | (() => string);
  /** Indexes the text of what is replaced; notices then mention the tool `recall`. */
  readonly recall?: HistoryRecall;
  /**
   * Timeout in milliseconds for each storage operation, each `recall.add` and each summarizer call. Default 60 000.
   */
  readonly timeoutMs?: number;
  /** Called after every compaction. Its errors propagate to the caller. */
  readonly onCompaction?: (report: Report) => void;
}

/** Options with all defaults applied. */
export interface Resolved<M> {
  readonly preset: PresetName;
  readonly policy: Policy;
  readonly threshold: Threshold;
  /** `threshold.to` was set explicitly, by an option or the environment. */
  readonly mustReach: boolean;
  readonly window: Tokens;
  /** The window is given, or that of a known model. Otherwise it only scales the preset. */
  readonly isWindowKnown: boolean;
  readonly profile: ProfileName;
  /** Empty if not specified. */
  readonly model: string;
  readonly format: Codec<M> | CodecName | null;
  readonly storage: HistoryStorage | null;
  readonly conversationId: string | null;
  readonly summarizer: Summarizer | null;
  readonly importance: Importance | null;
  readonly shorten: Shorten | null;
  /** Maximum tokens of transcript passed to the summarizer. */
  readonly summarizerInput: Tokens;
  readonly timeoutMs: number;
  /** Current value; calls the goal function. */
  readonly goal: string | null;
  readonly recall: HistoryRecall | null;
  readonly isPinned: (message: M) => boolean;
  readonly tools: ToolRoles;
  readonly state: HistoryState | null;
  readonly onCompaction: (report: Report) => void;
}

/** Longest delay `setTimeout` accepts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT_MS;

const KINDS: Kinds<HistoryOptions> = {
  model: TEXT,
  window: WINDOW,
  threshold: ANYTHING,
  preset: oneOf(...PRESET_NAMES),
  policy: [isRecord, 'an object'],
  format: [(value) => isText(value) || has(value, 'view', 'edit'), 'a format name or a codec'],
  tools: [isRecord, `an object that maps each tool name to a role: ${ROLES}`],
  isPinned: FUNCTION,
  storage: [(value) => has(value, 'write', 'read'), 'an object with `write` and `read`'],
  conversationId: [isConversationId, 'a letter or digit, then up to 39 of `a-z`, `0-9` and `-`'],
  state: ANYTHING,
  summarizer: FUNCTION,
  importance: FUNCTION,
  shorten: FUNCTION,
  goal: [(value) => isText(value) || isFunction(value), 'a string, or a function that returns one'],
  recall: [(value) => has(value, 'add'), 'an object with `add`'],
  timeoutMs: [isTimeout, 'milliseconds above 0'],
  onCompaction: FUNCTION,
};

/** A size from which a tier acts. */
const TRIGGER = maybe([
  (value) => share('', 1)[0](value) || whole(1)[0](value),
  'a fraction of the window, 0 to 1, or a whole number of tokens',
]);

const POLICY: Kinds<Policy> = {
  offload: { over: whole(1), lines: whole(0), unlessFits: maybe(FLAG) },
  truncate: { over: whole(1), keep: oneOf('head', 'tail', 'both'), unlessFits: maybe(FLAG) },
  mask: { keepFirst: whole(0), keepLast: whole(0), at: TRIGGER, atLeast: maybe(share('the window', 1)) },
  pointers: { at: TRIGGER, preview: maybe(whole(0)), results: maybe(whole(0)) },
  drop: {
    notice: share('`to` of the threshold', 1),
    at: TRIGGER,
    without: maybe(oneOf('digest', 'ends')),
  },
  messages: { at: whole(1), to: whole(0) },
  workingSet: FLAG,
  keepRecent: share('the window', 1),
  margin: share('the window', 0.5),
  reserve: maybe(whole(0)),
};

/** @throws {ReaderError} BAD_INPUT for an invalid value */
function checkPolicy(policy: Policy): void {
  checkKinds('policy', policy, POLICY, 'policy.');
  const { messages } = policy;
  if (messages && messages.to >= messages.at)
    refuse('policy', 'policy.messages.to', messages.to, `less than \`at\`, which is ${messages.at}`);
}

/** @throws {ReaderError} BAD_INPUT for a tool without a valid role */
function checkRoles(what: string, tools: Readonly<Record<string, unknown>> = {}): void {
  for (const [tool, role] of Object.entries(tools))
    if (!isRole(role)) refuse(what, `tools[${JSON.stringify(tool)}]`, role, ROLES);
}

/** Thresholds set by environment variables. @throws {ReaderError} BAD_INPUT for 0 */
function environmentThreshold(): Partial<Threshold> {
  const limits = givenHistoryLimits({}, process.env);
  for (const { key, variable, default: usual } of HISTORY_LIMIT_DEFINITIONS)
    if (limits[key] === 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`${variable}\` is 0; expected 1 token or more.`,
        `Set it to the default ${usual}, or unset it.`,
      );
  const { historyMaxTokens: at, historyTargetTokens: to } = limits;
  return { ...(at !== undefined && { at }), ...(to !== undefined && { to }) };
}

/** The preset's policy with the caller's overrides. An explicit `at` replaces the triggers of the preset's tiers. */
function policyOf(preset: Preset, own: Partial<Policy> | undefined, isNamed: boolean): Policy {
  const { policy } = preset;
  if (!isNamed) return { ...policy, ...own };
  const moved = (['pointers', 'drop'] as const).map((name) => {
    const tier = policy[name];
    if (!tier) return [name, tier] as const;
    const { at: _, ...rest } = tier;
    return [name, rest] as const;
  });
  return { ...policy, ...Object.fromEntries(moved), ...own };
}

/** The effective threshold: the caller's, else the environment's, else the preset's scaled in proportion. */
function thresholdOf(
  preset: Threshold,
  given: Partial<Threshold>,
  set: Partial<Threshold>,
  window: Tokens,
): Threshold {
  const at = given.at ?? set.at ?? preset.at;
  const to = given.to ?? set.to;
  // An environment target above the trigger could never be reached.
  if (to !== undefined)
    return { at, to: given.to ?? (tokensAt(to, window) < tokensAt(at, window) ? to : at) };
  return { at, to: (at * tokensAt(preset.to, window)) / tokensAt(preset.at, window) };
}

/** Wraps `isPinned` so that its failure throws: a message it would have pinned must not be removed. */
function checkedPins<M>(isPinned: (message: M) => boolean): (message: M) => boolean {
  return (message) => {
    try {
      return isPinned(message);
    } catch (cause) {
      throw new ReaderError(
        'BAD_INPUT',
        '`isPinned` threw an error; no message was replaced.',
        'Make it return `true` or `false` for every message.',
        cause,
      );
    }
  };
}

/** The current goal. @throws {ReaderError} BAD_INPUT if the function throws or does not return a string */
function goalOf(goal: HistoryOptions['goal']): string | null {
  if (typeof goal !== 'function') return goal ?? null;
  const refused = (did: string, cause?: unknown): ReaderError =>
    new ReaderError('BAD_INPUT', `\`goal\` ${did}.`, 'Make it return a string synchronously.', cause);
  let text: unknown;
  try {
    text = goal();
  } catch (cause) {
    throw refused('threw an error', cause);
  }
  if (text === undefined || text === null) return null;
  if (typeof text !== 'string') throw refused(`returned ${shownKind(text)}; expected a string`);
  return text;
}

/** @throws {ReaderError} BAD_INPUT for an unknown option or an invalid value */
export function resolveHistory<M>(what: string, options: HistoryOptions<M>): Resolved<M> {
  checkKinds(what, options, KINDS);
  checkRoles(what, options.tools);
  checkOptions(`${what}.policy`, options.policy, POLICY);
  const name = options.preset ?? 'lectern';
  const facts = modelFacts(options.model ?? '');
  const window = options.window ?? facts.window;
  const given = options.threshold ?? {};
  checkThreshold('threshold', given, window);
  const set = environmentThreshold();
  const preset = presetOf(name, window);
  const policy = policyOf(preset, options.policy, (given.at ?? set.at) !== undefined);
  checkPolicy(policy);
  return {
    preset: name,
    policy,
    threshold: thresholdOf(preset.threshold, given, set, window),
    mustReach: (given.to ?? set.to) !== undefined,
    window,
    isWindowKnown: options.window !== undefined || namedModel(options.model ?? '') !== undefined,
    profile: facts.profile,
    model: options.model ?? '',
    format: options.format ?? null,
    storage: options.storage ?? null,
    conversationId: options.conversationId ?? null,
    summarizer: options.summarizer ?? null,
    importance: options.importance ?? null,
    shorten: options.shorten ?? null,
    summarizerInput: resolveHistoryLimits({}, process.env).summarizerInputMaxTokens,
    timeoutMs: options.timeoutMs ?? STORAGE_TIMEOUT_MS,
    get goal() {
      return goalOf(options.goal);
    },
    recall: options.recall ?? null,
    isPinned: options.isPinned ? checkedPins(options.isPinned) : () => false,
    tools: new ToolRoles(options.tools),
    state: options.state ?? null,
    onCompaction: options.onCompaction ?? (() => undefined),
  };
}
