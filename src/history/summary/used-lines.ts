// Lines of results that later calls took a name from: a path, an id, a symbol. What was needed once is needed again, and a name
// means something only inside its line. What no call used is left to the archive.

import { OWN, oneLine } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';
import { argumentsOf, pathsOf } from '../policy/file-uses.ts';

/** A name that a call used, and the line it was taken from. As JSON: kept from one compaction to the next. */
export interface UsedLine {
  readonly name: string;
  readonly line: string;
  /** The path, or tool and first words, of the call whose result held it. */
  readonly source: string;
  /** The newest message whose call used it, counted over the whole conversation. */
  readonly last: number;
}

/** A call or result, in order. */
export interface Passage {
  readonly item: Item;
  readonly tool: string | null;
  /** Its message, counted from the start of the list. */
  readonly message: number;
  /** It goes, or a line stands for it from now on. */
  readonly leaves: boolean;
}

const MAX_LENGTH = 120;
const MAX_LINE = 200;
const LINES_KEPT = 150;
const MAX_SOURCE = 60;
/** Characters of a result that are looked at. */
const MAX_TEXT = 400_000;
const RUN = /[A-Za-z0-9_/.\-:@#]{8,}/g;
const MIN_LENGTH = 8;
/** Something that a plain word does not have, after its first character. */
const TELLING = /^.+[/._\-:\dA-Z]/;
const OUTER = new Set('_/.-:@#');
/** Files of the archive: pointers tell those. */
const OWN_FILE = /(?:^|\/)(?:conversation_history|tool_outputs)\//;
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
    if (TELLING.test(name) && !OWN_FILE.test(name)) names.push(name);
  }
  return names;
}

/** Names in the texts of items, while somebody holds the item: a batch asks for them again. */
const found = new WeakMap<Item, readonly string[]>();

/** Every name in `item`, once. Of a call those in its values, unescaped: the names of arguments are the tool's. */
function namesOf(item: Item): readonly string[] {
  const known = found.get(item);
  if (known) return known;
  const args = item.kind === 'call' ? argumentsOf(item) : null;
  const names = args === null ? namesIn(item.text.slice(0, MAX_TEXT)) : namesInValue(args, MAX_DEPTH);
  const once = [...new Set(names)];
  found.set(item, once);
  return once;
}

function namesInValue(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return namesIn(value.slice(0, MAX_TEXT));
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((one) => namesInValue(one, depth - 1));
}

/**
 * `earlier` and the lines of results that leave: for each name that a call used after it the line of the newest such result,
 * unless a result that stays shows the name. The latest use last; bounded; takes time linear in the text.
 */
export function mergeUsed(
  earlier: readonly UsedLine[],
  passages: readonly Passage[],
  counted: number,
): readonly UsedLine[] {
  const uses = new Map<string, number>();
  for (const { item, message } of passages)
    if (item.kind === 'call') for (const name of namesOf(item)) uses.set(name, counted + message);
  const lines = new Map(
    earlier.map((line) => [line.name, { ...line, last: uses.get(line.name) ?? line.last }]),
  );
  const sources = new Map<string, string>();
  for (const { item, tool, message, leaves } of passages) {
    if (item.kind === 'call' && item.callId !== null) sources.set(item.callId, sourceOf(item, tool));
    if (item.kind !== 'result' || item.text.startsWith(OWN.history)) continue;
    for (const name of namesOf(item)) {
      const last = uses.get(name);
      if (last === undefined || (last <= counted + message && !lines.has(name))) continue;
      if (!leaves) lines.delete(name);
      else {
        const source = sources.get(item.callId ?? '') ?? tool ?? 'tool';
        lines.set(name, { name, line: lineOf(item.text, name), source, last });
      }
    }
  }
  return [...lines.values()].sort((a, b) => a.last - b.last).slice(-LINES_KEPT);
}

/** The line of `text` that holds `name`; of a long one what stands around the name. */
function lineOf(text: string, name: string): string {
  const at = text.indexOf(name);
  const from = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(from, end < 0 ? text.length : end);
  if (line.length <= MAX_LINE) return line.trim();
  const start = Math.max(0, at - from - Math.floor((MAX_LINE - name.length) / 2));
  return oneLine(`${start > 0 ? '...' : ''}${line.slice(start, start + MAX_LINE)}...`);
}

function sourceOf(call: Item, tool: string | null): string {
  const args = argumentsOf(call);
  const path = args === null ? undefined : pathsOf(args)[0];
  if (path !== undefined) return path.slice(-MAX_SOURCE * 2);
  const command = COMMANDS.map((key) => args?.[key]).find((value) => typeof value === 'string');
  // Found by being one.
  const first =
    typeof command === 'string' ? (/^[^\r\n]{1,60}/.exec(command.slice(0, 200).trim())?.[0] ?? '') : '';
  return oneLine(`${(tool ?? 'tool').slice(0, MAX_SOURCE)} ${first}`).trim();
}
