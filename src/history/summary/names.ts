// Names that calls and results brought into a conversation: paths, ids, symbols. What an agent needs again later is mostly such
// a name, exact to the letter, and so they are the first thing to keep of messages that go.

import { oneLine, type Tokens } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { Item } from '../codecs/message.ts';
import { argumentsOf, pathsOf } from '../policy/file-uses.ts';

/** A name and where it was met. */
export interface MetName {
  readonly name: string;
  /** Calls and results that held it. */
  readonly messages: number;
  /** One of the conversation's first two results held it. */
  readonly early: boolean;
  /** The newest message that held it, counted from 0. */
  readonly last: number;
  /** The path, or tool and first words, of the call whose arguments or result held it last. */
  readonly source: string;
}

/** Names by worth, the most worth keeping first; what it leaves out is not told. */
export type RankNames = (names: readonly MetName[], count: (text: string) => Tokens) => readonly MetName[];

/** Names met so far, as JSON: small, for there are many. */
export interface NamesData {
  /** Messages and results that went in. */
  readonly messages: number;
  readonly results: number;
  readonly sources: readonly string[];
  readonly names: readonly (readonly [
    name: string,
    messages: number,
    early: 0 | 1,
    last: number,
    source: number,
  ])[];
}

/** Names told apart in one merge, and kept of it: about five times what a digest of 6000 tokens shows. */
const MAX_NAMES = 100_000;
const NAMES_KEPT = 2_000;
const MIN_LENGTH = 8;
const MAX_LENGTH = 120;
const MAX_SOURCE = 60;
const RUN = /[A-Za-z0-9_/.\-:@#]{8,}/g;
/** Something that a plain word does not have, after its first character. */
const TELLING = /^.+[/._\-:\dA-Z]/;
const OUTER = new Set('_/.-:@#');
/** Files of the archive: pointers tell those. */
const OWN = /(?:^|\/)(?:conversation_history|tool_outputs)\//;
const EARLY_RESULTS = 2;
/** Worth of standing in one of the first two results: the first big reads are what is needed longest (measured by replay). */
const EARLY_WORTH = 3;
/** Names of one source that differ in digits alone, kept where each was met once. */
const MOST_ALIKE = 12;
/** Levels of a call's arguments that are looked at. */
const MAX_DEPTH = 8;
const COMMANDS = ['command', 'cmd', 'query', 'pattern', 'url', 'script', 'code'];

/** Every name in `text`, with repeats: 8 to 120 characters, without outer punctuation. */
export function namesIn(text: string): string[] {
  const names: string[] = [];
  for (const run of text.match(RUN) ?? []) {
    if (run.length > MAX_LENGTH * 2) continue;
    let from = 0;
    let to = run.length;
    while (from < to && OUTER.has(run.charAt(from)) && run.charAt(from) !== '/') from += 1;
    while (to > from && OUTER.has(run.charAt(to - 1))) to -= 1;
    if (to - from < MIN_LENGTH || to - from > MAX_LENGTH) continue;
    const name = run.slice(from, to);
    if (TELLING.test(name) && !OWN.test(name)) names.push(name);
  }
  return names;
}

/** Names in the texts of items, while somebody holds the item: a batch asks for them again with other bounds. */
const found = new WeakMap<Item, readonly string[]>();

/** Every name in the text of `item`, once. */
function namesInItem(item: Item): readonly string[] {
  const known = found.get(item);
  if (known) return known;
  const names = [...new Set(namesIn(item.text))];
  found.set(item, names);
  return names;
}

/** The names that `messages` show: in a digest beside them, those need no room. */
export function visibleNames(messages: readonly TranscriptMessage[]): Set<string> {
  const names = new Set<string>();
  for (const { view } of messages)
    for (const item of view.items) for (const name of namesInItem(item)) names.add(name);
  return names;
}

/**
 * Names worth keeping of one result in at most `maxTokens`, the best first: those it holds often for what they cost, and none
 * of `visible`.
 */
export function namesOfResult(
  text: string,
  maxTokens: Tokens,
  count: (text: string) => Tokens,
  visible: ReadonlySet<string> = new Set(),
): string[] {
  const times = new Map<string, number>();
  for (const name of namesIn(text)) {
    const known = times.get(name);
    if (known !== undefined) times.set(name, known + 1);
    else if (times.size < MAX_NAMES && !visible.has(name)) times.set(name, 1);
  }
  const best = [...times]
    .sort(([a, timesA], [b, timesB]) => timesB / b.length - timesA / a.length || (a < b ? -1 : 1))
    .slice(0, NAMES_KEPT);
  const names: string[] = [];
  let room = maxTokens;
  for (const [name] of best) {
    if (room < 2) break;
    const cost = count(`, ${name}`);
    if (cost > room) continue;
    names.push(name);
    room -= cost;
  }
  return names;
}

/** `earlier` and the names in calls and results of `messages`. Bounded; takes time linear in their text. */
export function mergeNames(earlier: NamesData | null, messages: readonly TranscriptMessage[]): NamesData {
  const met = new Map<string, { messages: number; early: boolean; last: number; source: string }>();
  for (const [name, times, early, last, source] of earlier?.names ?? [])
    met.set(name, { messages: times, early: early === 1, last, source: earlier?.sources[source] ?? '' });
  const calls = new Map<string, string>();
  let at = earlier?.messages ?? 0;
  let results = earlier?.results ?? 0;
  for (const { view, names } of messages) {
    for (const [index, item] of view.items.entries()) {
      if (item.kind !== 'call' && item.kind !== 'result') continue;
      const tool = names[index] ?? item.toolName;
      const known = item.callId === null ? undefined : calls.get(item.callId);
      const args = item.kind === 'call' ? argumentsOf(item) : null;
      const source = known !== undefined && item.kind === 'result' ? known : sourceOf(args, tool);
      if (item.kind === 'call' && item.callId !== null) calls.set(item.callId, source);
      const early = item.kind === 'result' && results < EARLY_RESULTS;
      if (item.kind === 'result') results += 1;
      for (const name of namesOfItem(item, args)) {
        const one = met.get(name);
        if (one) {
          one.messages += 1;
          one.early ||= early;
          one.last = at;
          one.source = source;
        } else if (met.size < MAX_NAMES) met.set(name, { messages: 1, early, last: at, source });
      }
    }
    at += 1;
  }
  // Without the caller's count: names of code are about three characters a token.
  const best = rankByWorth(
    [...met].map(([name, facts]) => ({ name, ...facts })),
    (name) => name.length / 3,
  ).slice(0, NAMES_KEPT);
  const sources = [...new Set(best.map(({ source }) => source))];
  const numbers = new Map(sources.map((source, number) => [source, number]));
  return {
    messages: at,
    results,
    sources,
    names: best.map(({ name, messages: times, early, last, source }) => [
      name,
      times,
      early ? 1 : 0,
      last,
      numbers.get(source) ?? 0,
    ]),
  };
}

/** The names of `data`, best first. */
export function namesOf({ names, sources }: NamesData): MetName[] {
  return names.map(([name, messages, early, last, source]) => ({
    name,
    messages,
    early: early === 1,
    last,
    source: sources[source] ?? '',
  }));
}

/**
 * How often a name was met, more for the first results, by what it costs; the newest first among equals. Of the orders tried
 * this keeps most of the names that real sessions needed later. Of names that a table counts through, alike but for their
 * digits and each met once, the first stand for all.
 */
export function rankByWorth(names: readonly MetName[], count: (text: string) => Tokens): MetName[] {
  const bySource = new Map<string, Map<string, number>>();
  return names
    .filter(({ name, messages, source }) => {
      if (messages > 1 || !/\d/.test(name)) return true;
      const alike = bySource.get(source) ?? new Map<string, number>();
      bySource.set(source, alike);
      const shape = name.replace(/\d+/g, '0');
      const before = alike.get(shape) ?? 0;
      alike.set(shape, before + 1);
      return before < MOST_ALIKE;
    })
    .map((met) => ({
      met,
      worth: (met.messages + (met.early ? EARLY_WORTH : 0)) / Math.max(1, count(met.name)),
    }))
    .sort((a, b) => b.worth - a.worth || b.met.last - a.met.last || (a.met.name < b.met.name ? -1 : 1))
    .map(({ met }) => met);
}

/** Names, each once. Of a call those in its values, unescaped: the names of arguments are the tool's. */
function namesOfItem(item: Item, args: ReturnType<typeof argumentsOf>): Iterable<string> {
  if (args === null) return namesInItem(item);
  return new Set(Object.values(args).flatMap((value) => namesOfValue(value, MAX_DEPTH)));
}

function namesOfValue(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return namesIn(value);
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((one) => namesOfValue(one, depth - 1));
}

function sourceOf(args: ReturnType<typeof argumentsOf>, tool: string | null): string {
  const path = args === null ? undefined : pathsOf(args)[0];
  if (path !== undefined) return path.slice(-MAX_SOURCE * 2);
  const name = tool ?? 'tool';
  const command = COMMANDS.map((key) => args?.[key]).find((value) => typeof value === 'string');
  // Found by being one.
  const first =
    typeof command === 'string' ? (/^[^\r\n]{1,60}/.exec(command.slice(0, 200).trim())?.[0] ?? '') : '';
  return oneLine(`${name.slice(0, MAX_SOURCE)} ${first}`).trim();
}
