// Keeps lines of results from which later calls took a name: a path, an id, a symbol. A name used once is likely needed
// again, and is only meaningful within its line. Unused lines remain in the archive only.

import { OWN, oneLine } from '../../contract/index.ts';
import { unmarked } from '../archive/placeholder.ts';
import type { Item, MessageView } from '../codecs/message.ts';
import { argumentsOf } from '../codecs/native.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { pathsOf, subjectOf } from '../policy/file-uses.ts';
import { boundedRuns, MAX_NAME, namesIn } from './names.ts';

/** A name that a call used, and the line it came from. JSON, passed from one compaction to the next. */
export interface UsedLine {
  readonly name: string;
  readonly line: string;
  /** The path, or tool and first words, of the call whose result contained it. */
  readonly source: string;
  /** The newest message whose call used it, numbered over the whole conversation. */
  readonly last: number;
}

const MAX_LINE = MAX_NAME;
const LINES_KEPT = 150;
const MAX_SOURCE = 60;
/** Maximum characters of a result that are examined. */
const MAX_TEXT = 400_000;
/** Files of the archive, which pointers name already. */
const OWN_FILE = /(?:^|\/)(?:conversation_history|tool_outputs)\//;
/** A bare number identifies nothing: it may be a count or a line number. */
const NUMBER = /^\d+$/;
/** Maximum nesting depth examined in call arguments. */
const MAX_DEPTH = 8;

/** Names in calls, cached while the call is alive. */
const found = new WeakMap<Item, readonly string[]>();

/** Distinct names in a call's argument values, unescaped. Argument names belong to the tool and are skipped. */
function namesOf(call: Item): readonly string[] {
  const known = found.get(call);
  if (known) return known;
  const args = call.args && argumentsOf(call.text);
  const names = args === null ? namesIn(call.text.slice(0, MAX_TEXT)) : namesInValue(args, MAX_DEPTH);
  const once = [...new Set(names)].filter((name) => !OWN_FILE.test(name) && !NUMBER.test(name));
  found.set(call, once);
  return once;
}

function namesInValue(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return namesIn(value.slice(0, MAX_TEXT));
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((one) => namesInValue(one, depth - 1));
}

/** A call, and the name of its tool. */
interface Calling {
  readonly item: Item;
  readonly tool: string | null;
}

/** A result, and the distinct names in it that calls use. */
interface Holding extends Calling {
  readonly place: ItemPosition;
  readonly names: readonly string[];
  /** The newest earlier call with its id. */
  readonly call: Calling | undefined;
}

/** A name and the result that contains it. Its line is extracted only if it is kept. */
interface Found {
  readonly name: string;
  readonly of: Holding;
  readonly last: number;
}

/** Names that the calls of a list use, and the results that contain them. Built in time linear in the text. */
export class Uses {
  /** The newest message whose call uses each name. */
  readonly #newest = new Map<string, number>();
  readonly #results: readonly Holding[];

  constructor(views: readonly MessageView[], nameOf: (place: ItemPosition) => string | null) {
    const results: Omit<Holding, 'names'>[] = [];
    const calls = new Map<string, Calling>();
    for (const [message, { items }] of views.entries())
      for (const [index, item] of items.entries()) {
        if (item.kind !== 'call' && item.kind !== 'result') continue;
        const place = { message, item: index };
        const tool = nameOf(place);
        if (item.kind === 'call') {
          for (const name of namesOf(item)) this.#newest.set(name, message);
          if (item.callId !== null) calls.set(item.callId, { item, tool });
        } else if (!item.text.startsWith(OWN.history))
          results.push({ item, tool, place, call: calls.get(item.callId ?? '') });
      }
    this.#results = results.map((result) => ({
      ...result,
      names: this.#namesIn(unmarked(result.item.text)),
    }));
  }

  #namesIn(text: string): readonly string[] {
    const names = new Set<string>();
    for (const name of boundedRuns(text.slice(0, MAX_TEXT))) if (this.#newest.has(name)) names.add(name);
    return [...names];
  }

  /**
   * Adds the lines of removed results to `earlier`: for each name that a later call used, the line of the newest such
   * result, unless a remaining result contains the name. Latest use last; bounded. `counted` messages precede these.
   */
  merge(
    earlier: readonly UsedLine[],
    counted: number,
    leaves: (place: ItemPosition) => boolean,
  ): readonly UsedLine[] {
    const lines = new Map<string, UsedLine | Found>();
    for (const line of earlier) {
      const used = this.#newest.get(line.name);
      lines.set(line.name, used === undefined ? line : { ...line, last: counted + used });
    }
    for (const of of this.#results) {
      const isLeaving = of.names.length > 0 && leaves(of.place);
      for (const name of of.names) {
        const used = this.#newest.get(name) ?? 0;
        if (used <= of.place.message && !lines.has(name)) continue;
        if (isLeaving) lines.set(name, { name, of, last: counted + used });
        else lines.delete(name);
      }
    }
    return [...lines.values()]
      .sort((a, b) => a.last - b.last)
      .slice(-LINES_KEPT)
      .map((line) => ('of' in line ? lineFrom(line) : line));
  }
}

function lineFrom({ name, of: { item, tool, call }, last }: Found): UsedLine {
  const source = call ? sourceOf(call) : (tool ?? 'tool');
  return { name, line: lineOf(item.text, name), source, last };
}

/** The line of `text` that contains `name`; of a long line, the part around it. */
function lineOf(text: string, name: string): string {
  const at = text.indexOf(name);
  const from = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(from, end < 0 ? text.length : end);
  if (line.length <= MAX_LINE) return line.trim();
  const start = Math.max(0, at - from - Math.floor((MAX_LINE - name.length) / 2));
  return oneLine(`${start > 0 ? '...' : ''}${line.slice(start, start + MAX_LINE)}...`);
}

function sourceOf({ item, tool }: Calling): string {
  const [path] = pathsOf(item);
  if (path !== undefined) return path.slice(-MAX_SOURCE * 2);
  return `${oneLine((tool ?? 'tool').slice(0, MAX_SOURCE))} ${subjectOf(item).slice(0, MAX_SOURCE)}`.trim();
}
