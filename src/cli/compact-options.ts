// What `lectern compact` takes on its command line, and what its words say to the history.

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
    help: 'tokens the model takes (of `--model` or the file, where they name one)',
  },
  { name: 'target', value: 'N', help: 'tokens of the prompt to come down to, at most (of the preset)' },
  {
    name: 'preset',
    value: 'NAME',
    help: 'lectern (default), lean, valis, duragent, aixtools, sliding-window, summary-chain, importance or combination',
  },
  { name: 'format', value: 'NAME', help: 'format of the messages, when the one found is wrong' },
  { name: 'model', value: 'NAME', help: 'the model: its window, and how its tokens are estimated' },
  { name: 'goal', value: 'TEXT', help: 'what the conversation is for; said wherever messages are left out' },
  {
    name: 'archive',
    value: 'DIR',
    help: 'a workspace where originals are kept as files; made if missing, in a folder that exists',
  },
  { name: 'explain', help: 'say what each tier did, why each message stayed or went, and what comes next' },
  { name: 'force', help: 'compact even below the trigger' },
];

/** Here they serve every preset: what is named on a command line is meant. */
const LIMIT_HELP: Readonly<Record<string, string>> = {
  'history-max-tokens': "history above which it is compacted (the preset's own; 120000 tokens in aixtools)",
  'history-target-tokens': "history to go down to (the preset's own; 40000 tokens in aixtools)",
};
export const LIMIT_OPTIONS: readonly Option[] = HISTORY_LIMIT_OPTIONS.flatMap((option) => {
  const help = LIMIT_HELP[option.name];
  return help === undefined ? [] : [{ ...option, help }];
});

/** What the options say; values that only the history can judge are left to it. */
export interface Given {
  readonly window: Tokens | undefined;
  readonly preset: PresetName | undefined;
  readonly format: CodecName | undefined;
  readonly goal: string | undefined;
}

export function optionsFrom(values: Values): Given {
  return {
    window: tokensOf(values, 'window'),
    // Names that are none are refused by the history, which names those that are.
    preset: textOf(values, 'preset') as PresetName | undefined,
    format: textOf(values, 'format') as CodecName | undefined,
    goal: textOf(values, 'goal'),
  };
}

/** A target is of the whole prompt, and goes over the bounds on the history, of which flags go over the environment. */
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
        'Give a number of tokens, or leave it out.',
      );
  const { historyMaxTokens: at, historyTargetTokens: to } = givenHistoryLimits(flags, environment);
  const target = tokensOf(values, 'target');
  if (target !== undefined && target >= window)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--target\` is ${target} tokens and the window ${window}; expected less than the window.`,
      'Give a target of about half of the window, or leave it out.',
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
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${name}\` is empty.`,
    `Give \`--${name}\` a value, or leave it out.`,
  );
}

function tokensOf(values: Values, name: 'window' | 'target'): Tokens | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const size = sizeOf(text);
  if (size !== null && size < 1e9) return size;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${name}\` is ${quoted(text)}; expected a whole number of tokens.`,
    `Write it as in \`--${name} ${name === 'window' ? 128_000 : 40_000}\`.`,
  );
}
