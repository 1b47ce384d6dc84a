// What a compactor is made with, checked once and filled up with defaults.

import { checkOptions, type OptionNames, quoted, ReaderError, type Tokens } from '../contract/index.ts';
import { givenHistoryLimits, HISTORY_LIMIT_DEFINITIONS, resolveHistoryLimits } from '../limits/index.ts';
import { modelFacts, type ProfileName } from '../models/index.ts';
import { isConversationId } from './archive/conversation-id.ts';
import { type HistoryStorage, STORAGE_TIMEOUT_MS } from './archive/storage.ts';
import type { Codec, CodecName } from './codecs/codec.ts';
import type { HistoryState } from './ledger/state.ts';
import { checkKinds, has, isFunction, isText, type Kind, ROLES, shownKind, WINDOW } from './option-kinds.ts';
import { checkPolicy, checkPolicyNames } from './policy/check-policy.ts';
import type { Importance } from './policy/importance.ts';
import type { Policy, PresetName } from './policy/policy.ts';
import { PRESET_NAMES, type Preset, presetOf } from './policy/presets.ts';
import { checkThreshold, type Threshold, tokensAt } from './policy/threshold.ts';
import { areRoles, type ToolRole, ToolRoles } from './policy/tool-roles.ts';
import type { HistoryRecall } from './recall.ts';
import { refuseReplaced } from './replaced-options.ts';
import type { Report } from './report.ts';
import type { Summarizer } from './summary/summarizer.ts';

/** Everything optional; `window` or `model` should be given. */
export interface HistoryOptions<M = unknown> {
  /** Name of the model: its window, and how its provider counts. */
  readonly model?: string;
  /** Tokens the model takes. Default: by `model`; 128 000 without one. */
  readonly window?: Tokens;
  /**
   * Where compaction begins and how far down it goes. Default: the environment, else the preset. An `at` holds for every tier,
   * and `to` follows it in the preset's proportion; a `to` that is given is reached, or `report.problem` says why not.
   */
  readonly threshold?: Partial<Threshold>;
  /** Default `lectern`. */
  readonly preset?: PresetName;
  /** Over the preset's: strategies composed by the caller. */
  readonly policy?: Partial<Policy>;
  /** Format of the messages, or a codec such as `createLangChainCodec` makes. Default: found by the messages themselves. */
  readonly format?: CodecName | Codec<M>;
  /** What tools do, by name, over what is known of the usual ones. */
  readonly tools?: Readonly<Record<string, ToolRole>>;
  /** Messages that must stay, besides instructions and the first and the newest message of the user. */
  readonly isPinned?: (message: M) => boolean;
  /** Where originals go. Default: memory of this process; placeholders then name no file. */
  readonly storage?: HistoryStorage;
  /**
   * Names the folders of this conversation's originals in the storage: 1 to 40 of `a-z`, `0-9` and `-`. Never the same for
   * two conversations: each prunes what it does not name itself. Default: the one of `state`, else a random one.
   */
  readonly conversationId?: string;
  /**
   * From `compactor.state()`, as JSON gave it back. For one compactor at a time: give a second one that goes on from the same
   * state a `conversationId` of its own.
   */
  readonly state?: HistoryState;
  /** Makes summaries. Without one a digest is extracted. */
  readonly summarizer?: Summarizer;
  /** Scores what may leave, where the policy leaves out what is least important. Default: a heuristic. */
  readonly importance?: Importance;
  /**
   * What the conversation is for: every compacted prompt says it, at the start of the notice or in a note. A function is asked at each compaction, such as
   * `() => plan.compactContext()`.
   */
  readonly goal?: string | (() => string);
  /** Gets the text of what is replaced, to be found again; the notices then name the tool `recall`. */
  readonly recall?: HistoryRecall;
  /**
   * Milliseconds for one operation of the storage, for one `recall.add` and for one call of a model, which count as failed
   * then. Default 60 000.
   */
  readonly timeoutMs?: number;
  /** Called after every compaction. What it throws is the caller's. */
  readonly onCompaction?: (report: Report) => void;
}

/** Options with nothing left open. */
export interface Resolved<M> {
  readonly preset: PresetName;
  readonly policy: Policy;
  readonly threshold: Threshold;
  /** `threshold.to` was named, by an option or the environment. */
  readonly mustReach: boolean;
  readonly window: Tokens;
  readonly profile: ProfileName;
  /** Empty where nobody names it. */
  readonly model: string;
  readonly format: Codec<M> | CodecName | null;
  readonly storage: HistoryStorage | null;
  readonly conversationId: string | null;
  readonly summarizer: Summarizer | null;
  readonly importance: Importance | null;
  /** Tokens of a transcript that it is given at most. */
  readonly summarizerInput: Tokens;
  readonly timeoutMs: number;
  /** Of now. */
  readonly goal: string | null;
  readonly recall: HistoryRecall | null;
  readonly isPinned: (message: M) => boolean;
  readonly tools: ToolRoles;
  readonly state: HistoryState | null;
  readonly onCompaction: (report: Report) => void;
}

const OPTION_NAMES: OptionNames<HistoryOptions> = {
  model: true,
  window: true,
  threshold: true,
  preset: true,
  policy: true,
  format: true,
  tools: true,
  isPinned: true,
  storage: true,
  conversationId: true,
  state: true,
  summarizer: true,
  importance: true,
  goal: true,
  recall: true,
  timeoutMs: true,
  onCompaction: true,
};

/** The longest a timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const isTimeout = (value: unknown): boolean =>
  typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT_MS;

/** What each option must be, where no check of its own says so. */
const KINDS: readonly Kind[] = [
  ['model', isText, 'the name of a model'],
  WINDOW,
  ['format', (value) => isText(value) || has(value, 'view', 'edit'), 'the name of a format, or a codec'],
  ['tools', areRoles, `an object with a role by the name of each tool: ${ROLES}`],
  ['isPinned', isFunction, 'a function'],
  ['storage', (value) => has(value, 'write', 'read'), 'an object with `write`, `read`, `list` and `remove`'],
  ['conversationId', isConversationId, 'a letter or digit, then up to 39 of `a-z`, `0-9` and `-`'],
  ['summarizer', isFunction, 'a function'],
  ['importance', isFunction, 'a function'],
  ['goal', (value) => isText(value) || isFunction(value), 'a text, or a function that gives one'],
  ['recall', (value) => has(value, 'add'), 'an object with `add`'],
  ['timeoutMs', isTimeout, 'milliseconds above 0'],
  ['onCompaction', isFunction, 'a function'],
];

/** What the environment says of thresholds. @throws {ReaderError} BAD_INPUT for 0 */
function environmentThreshold(): Partial<Threshold> {
  const limits = givenHistoryLimits({}, process.env);
  for (const { key, variable, default: usual } of HISTORY_LIMIT_DEFINITIONS)
    if (limits[key] === 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`${variable}\` is 0; expected 1 token or more.`,
        `Set it to ${usual}, which is usual, or leave it out.`,
      );
  const { historyMaxTokens: at, historyTargetTokens: to } = limits;
  return { ...(at !== undefined && { at }), ...(to !== undefined && { to }) };
}

/** The preset's policy under the caller's; where `at` is named, it holds for every tier of the preset. */
function policyOf(preset: Preset, own: Partial<Policy> | undefined, isNamed: boolean): Policy {
  const { policy } = preset;
  if (!isNamed) return { ...policy, ...own };
  const moved = (['pointers', 'summarize'] as const).map((name) => {
    const tier = policy[name];
    if (!tier) return [name, tier] as const;
    const { at: _, ...rest } = tier;
    return [name, rest] as const;
  });
  return { ...policy, ...Object.fromEntries(moved), ...own };
}

/** The threshold that holds: the caller's, else the environment's, else the preset's in proportion. */
function thresholdOf(
  preset: Threshold,
  given: Partial<Threshold>,
  set: Partial<Threshold>,
  window: Tokens,
): Threshold {
  const at = given.at ?? set.at ?? preset.at;
  const to = given.to ?? set.to;
  // One of the environment above the trigger would never be met.
  if (to !== undefined)
    return { at, to: given.to ?? (tokensAt(to, window) < tokensAt(at, window) ? to : at) };
  return { at, to: (at * tokensAt(preset.to, window)) / tokensAt(preset.at, window) };
}

/** `isPinned`, whose failure is the caller's to mend: a message it would have kept must not leave. */
function checkedPins<M>(isPinned: (message: M) => boolean): (message: M) => boolean {
  return (message) => {
    try {
      return isPinned(message);
    } catch (cause) {
      throw new ReaderError(
        'BAD_INPUT',
        'The function `isPinned` failed; no message was replaced.',
        'Let it return `true` or `false` for every message.',
        cause,
      );
    }
  };
}

/** The goal of now. @throws {ReaderError} BAD_INPUT where a function fails, or gives no text */
function goalOf(goal: HistoryOptions['goal']): string | null {
  if (typeof goal !== 'function') return goal ?? null;
  const refused = (did: string, cause?: unknown): ReaderError =>
    new ReaderError('BAD_INPUT', `The function \`goal\` ${did}.`, 'Let it return a text at once.', cause);
  let told: unknown;
  try {
    told = goal();
  } catch (cause) {
    throw refused('failed', cause);
  }
  if (told === undefined || told === null) return null;
  if (typeof told !== 'string') throw refused(`gave ${shownKind(told)}; expected a text`);
  return told;
}

/** @throws {ReaderError} BAD_INPUT for an unknown option or an invalid value */
export function resolveHistory<M>(what: string, options: HistoryOptions<M>): Resolved<M> {
  refuseReplaced(what, options);
  checkOptions(what, options, OPTION_NAMES);
  checkKinds(what, { ...options }, KINDS);
  const name = options.preset ?? 'lectern';
  if (!PRESET_NAMES.includes(name))
    throw new ReaderError(
      'BAD_INPUT',
      `There is no preset ${quoted(String(name))}.`,
      `The presets are ${PRESET_NAMES.map((one) => `\`${one}\``).join(', ')}.`,
    );
  checkPolicyNames(`${what}.policy`, options.policy);
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
    profile: facts.profile,
    model: options.model ?? '',
    format: options.format ?? null,
    storage: options.storage ?? null,
    conversationId: options.conversationId ?? null,
    summarizer: options.summarizer ?? null,
    importance: options.importance ?? null,
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
