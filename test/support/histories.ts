// Conversations in every message format, made by chance or by rule from one script each: the same cases for all formats.

import type * as fc from 'fast-check';
import {
  type Flaw,
  hostileScript,
  interruptedScript,
  legalScript,
  repairableScript,
  type Script,
  type Turn,
  textOf,
} from './history-script.ts';
import { type HistoryFormat, write } from './history-writers.ts';

export type { Flaw, Script } from './history-script.ts';
export { HISTORY_FORMATS, type HistoryFormat } from './history-writers.ts';

export interface History {
  readonly format: HistoryFormat;
  readonly messages: readonly unknown[];
  /** What is told beside the messages in formats that have no system message; null where it is one, or there is none. */
  readonly system: string | null;
  readonly script: Script;
  /** What is wrong with it; nothing in a legal one. */
  readonly flaws: readonly Flaw[];
}

const BESIDE: ReadonlySet<HistoryFormat> = new Set(['anthropic', 'bedrock', 'gemini']);

/** The history of `script` in `format`. */
export function historyOf(format: HistoryFormat, script: Script, flaws: readonly Flaw[] = []): History {
  const system = script.turns.find((turn) => turn.kind === 'system');
  return {
    format,
    messages: write(format, script),
    system: BESIDE.has(format) && system?.kind === 'system' ? system.text : null,
    script,
    flaws,
  };
}

/** Histories of 1 to 80 messages (as chat messages) that every judge of `format` takes; they end with the user or results. */
export function legalHistory(format: HistoryFormat): fc.Arbitrary<History> {
  return legalScript.map((script) => historyOf(format, script));
}

/** Histories with one to four flaws. Formats that cannot have a flaw, or have a place for it, may still be legal. */
export function hostileHistory(format: HistoryFormat): fc.Arbitrary<History> {
  return hostileScript.map(({ script, flaws }) => historyOf(format, script, flaws));
}

/** Histories whose flaws can all be repaired without loss. */
export function repairableHistory(format: HistoryFormat): fc.Arbitrary<History> {
  return repairableScript.map(({ script, flaws }) => historyOf(format, script, flaws));
}

/** Histories whose only flaw is calls without results, followed by something else or partly answered at the end. */
export function interruptedHistory(format: HistoryFormat): fc.Arbitrary<History> {
  return interruptedScript.map(({ script, flaws }) => historyOf(format, script, flaws));
}

const LOOP_CALLS = ['read', 'bash', 'write_file', 'grep'] as const;

/**
 * One user's goal and `steps` steps of an agent toward it, the same for the same arguments: every result has about
 * `resultSize` characters, is unlike the others, and begins with the name `needle-<step>` of its own. Every fourth step
 * writes a file of `resultSize` characters; its result is short. `thinking` signs every step.
 */
export function loop(
  format: HistoryFormat,
  steps: number,
  resultSize: number,
  options: { readonly thinking?: boolean } = {},
): History {
  const turns: Turn[] = [
    { kind: 'system', text: 'You are a careful engineer. Answer in English.' },
    { kind: 'user', text: 'Find out why the nightly build of part-3 fails, and repair it.', media: null },
  ];
  for (let step = 1; step <= steps; step += 1) {
    const name = LOOP_CALLS[step % LOOP_CALLS.length] ?? 'read';
    const path = `src/part-${step % 7}/file-${step}.ts`;
    const body = textOf(step % 3 === 0 ? 'log' : 'code', resultSize, step);
    const writes = name === 'write_file';
    const text = `needle-${step} ${writes ? `wrote ${path}` : body}`;
    turns.push({
      kind: 'assistant',
      thinking: options.thinking
        ? {
            text: `Step ${step}: look at ${path}.`,
            signature: Buffer.from(`sign-${step}`).toString('base64'),
            redacted: false,
          }
        : null,
      text: step % 2 === 0 ? `Next I look at ${path}.` : '',
      hosted: '',
      calls: [
        {
          id: `call_${step}`,
          name,
          args: writes ? { path, content: body } : { path, note: `step ${step}` },
          result: { text, json: false, isError: false, media: null },
          approved: false,
        },
      ],
    });
  }
  return historyOf(format, { turns, bareIds: false });
}
