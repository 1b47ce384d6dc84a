// The options of `lectern compact`, and their translation to options of the history.

import { quoted } from '../contract/index.ts';
import type { CodecName, PresetName, Threshold } from '../history/index.ts';
import { ReaderError, type Tokens } from '../index.ts';
import { givenHistoryLimits } from '../limits/index.ts';
import { historyLimitsFrom } from './limit-flags.ts';
import { HISTORY_LIMIT_OPTIONS, type Option, type Values } from './options.ts';
import { sizeOf } from './sizes.ts';
import type { Terminal } from './terminal.ts';

export const COMPACT_OPTIONS: readonly Option[] = [
  {
    name: 'window',
    value: 'N',
    help: 'context window in tokens (default: of `--model`, or of the model in the file)',
  },
  { name: 'target', value: 'N', help: 'maximum tokens of the compacted prompt (default: of the preset)' },
  {
    name: 'preset',
    value: 'NAME',
    choices: async () => (await import('../history/index.ts')).PRESET_NAMES,
    help: 'lectern (default), valis, duragent or aixtools',
  },
  {
    name: 'format',
    value: 'NAME',
    choices: async () => (await import('../history/index.ts')).CODECS.map(({ name }) => name),
    help: 'format of the messages, if detected wrongly',
  },
  { name: 'model', value: 'NAME', help: 'model, for its window and token estimates' },
  { name: 'goal', value: 'TEXT', help: 'goal of the conversation, repeated where messages are left out' },
  {
    name: 'archive',
    value: 'DIR',
    help: 'workspace that keeps the originals as files; created if missing, in an existing folder',
  },
  { name: 'force', help: 'compact even below the trigger' },
];

/** On the command line these limits apply to every preset, because they were set on purpose. */
const LIMIT_HELP: Readonly<Record<string, string>> = {
  'history-max-tokens':
    'history size that triggers compaction (default: of the preset; 120000 tokens in aixtools)',
  'history-target-tokens': 'history size to compact to (default: of the preset; 40000 tokens in aixtools)',
};
export const LIMIT_OPTIONS: readonly Option[] = HISTORY_LIMIT_OPTIONS.flatMap((option) => {
  const help = LIMIT_HELP[option.name];
  return help === undefined ? [] : [{ ...option, help }];
});

/** Parses the options. The history validates the rest. */
export interface Given {
  readonly window: Tokens | undefined;
  readonly preset: PresetName | undefined;
  readonly format: CodecName | undefined;
  readonly goal: string | undefined;
}

export function optionsFrom(values: Values): Given {
  return {
    window: tokensOf(values, 'window'),
    // The history rejects unknown names and lists the known ones.
    preset: textOf(values, 'preset') as PresetName | undefined,
    format: textOf(values, 'format') as CodecName | undefined,
    goal: textOf(values, 'goal'),
  };
}

/** A target covers the whole prompt, and takes precedence over limits on the history; flags precede the environment. */
export function thresholdFrom(
  values: Values,
  window: Tokens,
  environment: Terminal['environment'],
): Partial<Threshold> {
  const flags = historyLimitsFrom(values);
  for (const option of LIMIT_OPTIONS)
    if (values[option.name] === '0')
      throw new ReaderError(
        'BAD_INPUT',
        `\`--${option.name}\` is 0; expected 1 token or more.`,
        'Set a number of tokens, or omit it.',
      );
  const { historyMaxTokens: at, historyTargetTokens: to } = givenHistoryLimits(flags, environment);
  const target = tokensOf(values, 'target');
  if (target !== undefined && target >= window)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--target\` is ${target} tokens and the window is ${window}; expected less than the window.`,
      'Set it to about half the window, or omit it.',
    );
  return {
    ...(at !== undefined && { at }),
    ...(target !== undefined ? { to: target / window } : to !== undefined && { to: Math.min(to, at ?? to) }),
  };
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() !== '') return value;
  throw new ReaderError('BAD_INPUT', `\`--${name}\` is empty.`, `Set \`--${name}\` to a value, or omit it.`);
}

function tokensOf(values: Values, name: 'window' | 'target'): Tokens | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const size = sizeOf(text);
  if (size !== null && size < 1e9) return size;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${name}\` is ${quoted(text)}; expected a whole number of tokens.`,
    `Example: \`--${name} ${name === 'window' ? 128_000 : 40_000}\`.`,
  );
}
