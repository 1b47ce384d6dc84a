// Invariants of every compaction, on random histories in every format, with random windows and presets.

import { createHash } from 'node:crypto';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  codecOf,
  compact,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
  type HistoryOptions,
  PRESET_NAMES,
  type Report,
} from '../../src/history/index.ts';
import { draws } from '../support/draws.ts';
import {
  HISTORY_FORMATS,
  type History,
  type HistoryFormat,
  hostileHistory,
  interruptedHistory,
  legalHistory,
  repairableHistory,
} from '../support/histories.ts';
import { charactersWhole, compared, JUDGES, sealedIntact } from '../support/history-rules/index.ts';

// Runs many cases.
vi.setConfig({ testTimeout: process.env['HISTORY_RUNS'] ? 86_400_000 : 180_000 });

/** `npm run histories` sets both to run more cases. */
const RUNS = Number(process.env['HISTORY_RUNS'] ?? draws(25, 4));
const SEED = Number(process.env['HISTORY_SEED'] ?? 4);

interface Setting {
  readonly window: number;
  readonly preset: (typeof PRESET_NAMES)[number];
  readonly target: boolean;
  readonly stored: boolean;
  readonly over: number;
}

const settings: fc.Arbitrary<Setting> = fc.record({
  window: fc.integer({ min: 1500, max: 60_000 }),
  preset: fc.constantFrom(...PRESET_NAMES),
  target: fc.boolean(),
  stored: fc.boolean(),
  over: fc.integer({ min: 300, max: 20_000 }),
});

function optionsOf(
  { format }: History,
  { window, preset, target, stored, over }: Setting,
): HistoryOptions<unknown> {
  return {
    window,
    preset,
    format: codecFor(format),
    ...(preset === 'lectern' && { threshold: { at: over } }),
    ...(preset === 'aixtools' && { threshold: { at: over, to: over >> 1 } }),
    ...(target && { threshold: { to: 0.4 } }),
    // With random ids, file names would differ between two compactors.
    ...(stored && { storage: createMemoryStorage(), conversationId: 'one' }),
  };
}

/** Removes nothing because of its size. */
const WHOLE: HistoryOptions<unknown>['policy'] = {
  offload: false,
  truncate: false,
  pointers: false,
  drop: false,
};

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const callOf = ({ system }: History) => (system === null ? {} : { system });
const bytes = (history: History, messages: readonly unknown[]): string =>
  JSON.stringify(messages.map((message) => codecFor(history.format).encode(message)));
const textsOf = (history: History, messages: readonly unknown[], kind: string): string[] =>
  messages.flatMap((message) =>
    codecFor(history.format)
      .view(message)
      .items.filter((item) => item.kind === kind && !item.text.startsWith('[history: '))
      .map(({ text }) => text),
  );

function holds(history: History, messages: readonly unknown[], report: Report): void {
  const { format } = history;
  expect(sealedIntact(history.messages, messages)).toEqual([]);
  expect(charactersWhole(history.messages, messages)).toEqual([]);
  expect(compared(format, history.messages, messages)).toEqual([]);
  // An unedited message is the same object.
  const codec = codecFor(format);
  const same = new Map(history.messages.map((message) => [JSON.stringify(codec.encode(message)), message]));
  for (const message of messages) {
    const original = same.get(JSON.stringify(codec.encode(message)));
    if (original !== undefined) expect(history.messages.includes(message)).toBe(true);
  }
  if (report.fits) expect(report.problem).toBe(null);
  else expect(report.problem?.code).toBe('OVER_BUDGET');
  if (report.repairs.length === 0) expect(report.after.tokens).toBeLessThanOrEqual(report.before.tokens);
  // Instructions stay verbatim; the user's first and newest message stay, truncated at worst.
  expect(textsOf(history, messages, 'system')).toEqual(textsOf(history, history.messages, 'system'));
  const asked = textsOf(history, history.messages, 'user').filter((text) => text.trim() !== '');
  const cut = messages.some((message) =>
    codec.view(message).items.some(({ kind, text }) => kind === 'user' && text.startsWith('[history: cut')),
  );
  const left = textsOf(history, messages, 'user');
  // Where content is one text, what stands for an image follows the user's words.
  const isLeft = (text: string): boolean =>
    left.includes(text) || (format === 'ollama' && left.some((one) => one.startsWith(`${text}\n[history: `)));
  for (const text of [asked[0], asked.at(-1)])
    if (text !== undefined && !text.startsWith('[history: ')) expect(cut || isLeft(text)).toBe(true);
}

async function restores(
  history: History,
  pointers: readonly string[],
  restore: (pointer: string) => Promise<{ text: string; sha256: string; kind: string }>,
): Promise<void> {
  const codec = codecFor(history.format);
  const natives = new Set(history.messages.map((message) => JSON.stringify(codec.encode(message))));
  const results = new Set(textsOf(history, history.messages, 'result'));
  for (const pointer of pointers) {
    const { text, sha256, kind } = await restore(pointer);
    if (kind === 'text' && !/\p{Surrogate}/u.test(text))
      expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
    if (kind === 'text') expect(results.has(text)).toBe(true);
    else if (!text.includes('[history: ')) expect(natives.has(text)).toBe(true);
  }
}

/** The formats whose rules differ the most. */
const UNLIKE: readonly HistoryFormat[] = ['openai-chat', 'anthropic', 'gemini', 'ai-sdk'];

describe.each(PRESET_NAMES)('the preset %s', (preset) => {
  test.each(UNLIKE)('keeps every invariant in %s, also when repeated', async (format) => {
    const judge = JUDGES[format];
    await fc.assert(
      fc.asyncProperty(legalHistory(format), settings, async (history, drawn) => {
        const options = optionsOf(history, { ...drawn, preset });
        const done = await compact(history.messages, options, callOf(history));
        expect(judge(done.messages)).toEqual([]);
        holds(history, done.messages, done.report);
        await restores(history, done.report.pointers, (pointer) => done.restore(pointer));
        const again = await compact(done.messages, optionsOf(history, { ...drawn, preset }), callOf(history));
        expect(bytes(history, again.messages)).toBe(bytes(history, done.messages));
      }),
      { numRuns: Math.ceil(RUNS / 3), seed: SEED },
    );
  });
});

describe.each(HISTORY_FORMATS)('%s', (format: HistoryFormat) => {
  const judge = JUDGES[format];

  test('a valid history stays valid, with sealed parts unchanged, within its window or reported, and restorable', async () => {
    await fc.assert(
      fc.asyncProperty(legalHistory(format), settings, async (history, setting) => {
        expect(judge(history.messages)).toEqual([]);
        const options = optionsOf(history, setting);
        const done = await compact(history.messages, options, callOf(history));
        expect(judge(done.messages)).toEqual([]);
        holds(history, done.messages, done.report);
        await restores(history, done.report.pointers, (pointer) => done.restore(pointer));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('the output does not change again, in this or another compactor, and both produce the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(legalHistory(format), settings, async (history, setting) => {
        const call = callOf(history);
        const one = createCompactor<unknown>(optionsOf(history, setting));
        const first = await one.compact(history.messages, call);
        const given = bytes(history, first.messages);
        const twin = createCompactor<unknown>(optionsOf(history, setting));
        expect(bytes(history, (await twin.compact(history.messages, call)).messages)).toBe(given);
        // The same list again, our own output, our output given to another compactor, and after a restart.
        expect(bytes(history, (await one.compact(history.messages, call)).messages)).toBe(given);
        expect(bytes(history, (await one.compact(first.messages, call)).messages)).toBe(given);
        const other = await compact(first.messages, optionsOf(history, setting), call);
        expect(bytes(history, other.messages)).toBe(given);
        const state = JSON.parse(JSON.stringify(one.state()));
        const again = createCompactor<unknown>({ ...optionsOf(history, setting), state });
        expect(bytes(history, (await again.compact(history.messages, call)).messages)).toBe(given);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('the start of the prompt is stable from call to call, from originals and from output', async () => {
    await fc.assert(
      fc.asyncProperty(legalHistory(format), settings, async (history, setting) => {
        const call = callOf(history);
        const kept = createCompactor<unknown>(optionsOf(history, setting));
        const carried = createCompactor<unknown>(optionsOf(history, setting));
        let before: readonly unknown[] = [];
        let own: readonly unknown[] = [];
        const pointers: string[] = [];
        let seen = 0;
        for (let end = 1; end <= history.messages.length; end += 1) {
          const prefix = history.messages.slice(0, end);
          if (judge(prefix).length > 0) continue;
          const { messages, report } = await kept.compact(prefix, call);
          expect(judge(messages)).toEqual([]);
          pointers.push(...report.pointers);
          if (report.action === 'none') expect(messages.slice(0, before.length)).toEqual(before);
          own = (await carried.compact([...own, ...history.messages.slice(seen, end)], call)).messages;
          expect(bytes(history, own)).toBe(bytes(history, messages));
          before = messages;
          seen = end;
        }
        await restores(history, pointers, (pointer) => kept.restore(pointer));
      }),
      { numRuns: Math.ceil(RUNS / 3), seed: SEED },
    );
  });

  test('no call is left open, at the end or before a system message, and every existing result stays', async () => {
    // Some formats allow instructions only at the front; violating that is the caller's error.
    const judged = (messages: readonly unknown[]): string[] =>
      judge(messages).filter((finding) => !finding.endsWith('a system message behind others'));
    await fc.assert(
      fc.asyncProperty(interruptedHistory(format), settings, async (history, setting) => {
        const { messages: came } = history;
        const sides = came.map((message) => codecFor(format).view(message).role);
        fc.pre(sides.at(-1) !== 'assistant');
        // If results must be in the very next message, providers join consecutive responses.
        if (codecFor(format).rules.results === 'next')
          fc.pre(sides.every((side, at) => side !== 'assistant' || sides[at + 1] !== side));
        const done = await compact(came, optionsOf(history, setting), callOf(history));
        expect(judged(done.messages)).toEqual([]);
        expect(sealedIntact(came, done.messages)).toEqual([]);
        const again = await compact(done.messages, optionsOf(history, setting), callOf(history));
        expect(bytes(history, again.messages)).toBe(bytes(history, done.messages));
        const wide = await compact(came, { format: codecFor(format), window: 10_000_000, policy: WHOLE });
        expect(judged(wide.messages)).toEqual([]);
        expect(textsOf(history, wide.messages, 'result')).toEqual(textsOf(history, came, 'result'));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('what a tool said stays, wherever its result is, and the list becomes valid', async () => {
    await fc.assert(
      fc.asyncProperty(repairableHistory(format), settings, async (history, setting) => {
        const { messages: came } = history;
        const sides = came.map((message) => codecFor(format).view(message).role);
        // If results must be in the very next message, providers join consecutive responses.
        if (codecFor(format).rules.results === 'next')
          fc.pre(sides.every((side, at) => side !== 'assistant' || sides[at + 1] !== side));
        const wide = { format: codecFor(format), window: 10_000_000, policy: WHOLE };
        const { messages } = await compact(came, wide, callOf(history));
        // Neighbours of one side, and an answer or a pending call at the end, came so from the caller.
        const found = judge(messages).filter(
          (finding) =>
            !/^end: |one of its own side|ends with|system message behind|does not begin/.test(finding),
        );
        expect(found).toEqual([]);
        const said = textsOf(history, messages, 'result').join('\n');
        for (const text of textsOf(history, came, 'result')) expect(said).toContain(text);
        expect(bytes(history, (await compact(messages, wide, callOf(history))).messages)).toBe(
          bytes(history, messages),
        );
        const small = await compact(came, optionsOf(history, setting), callOf(history));
        expect(sealedIntact(came, small.messages)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  test('a hostile history throws nothing, loses nothing sealed, and does not change twice', async () => {
    await fc.assert(
      fc.asyncProperty(hostileHistory(format), settings, async (history, setting) => {
        const options = optionsOf(history, setting);
        const done = await compact(history.messages, options, callOf(history));
        expect(sealedIntact(history.messages, done.messages)).toEqual([]);
        const again = await compact(done.messages, optionsOf(history, setting), callOf(history));
        expect(bytes(history, again.messages)).toBe(bytes(history, done.messages));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
