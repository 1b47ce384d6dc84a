// Contents of a file, and lines found in it: places that a click shows.

import { batch, effect, type Signal, signal } from '@preact/signals';
import { ApiError, contentsOf, search } from './api.ts';
import { announcement, current, type Entry, withPassword, work } from './session.ts';
import type { Contents, Found } from './wire.ts';

/** A line of the list of contents; `place` is what a click shows, `level` how deep it is, 0 or more. */
export interface Item {
  readonly place: string | null;
  readonly level: number;
  readonly text: string;
}

/** What was found in which file. */
export interface Finding extends Found {
  readonly entry: number;
  readonly query: string;
}

const lists: Signal<ReadonlyMap<number, Contents | null>> = signal(new Map());
export const finding: Signal<Finding | null> = signal(null);

/** Tokens of the list of contents. */
const BUDGET = 4000;
const PLACE = /^\s*(#\S+): (.*)$/;

/** A list of contents has one line for each item, with its address first where it has one. */
export function itemsOf({ text }: Contents): readonly Item[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, place = null, rest = line] = PLACE.exec(line) ?? [];
      const [marks = '', hashes = ''] = (place !== null && /^(#+) /.exec(rest)) || [];
      return { place, level: Math.max(0, hashes.length - 1), text: rest.slice(marks.length) };
    });
}

export const contentsFor = ({ id }: Entry): Contents | null => lists.value.get(id) ?? null;

/** Loads the contents of a file once it could be read, when it is first shown. */
effect(() => {
  const entry = current.value;
  if (!entry?.parts[0]?.result.success || lists.peek().has(entry.id)) return;
  void load(entry);
});

async function load(entry: Entry): Promise<void> {
  const keep = (contents: Contents | null): void => {
    lists.value = new Map([...lists.peek(), [entry.id, contents]]);
  };
  keep(null);
  try {
    keep(await contentsOf(entry.file, withPassword({ maxTokens: BUDGET })));
  } catch (error) {
    // The answer stands without the list; what is wrong with the file is said there.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Finds the lines of a file that hold `query`; an empty one forgets what was found. */
export async function find(entry: Entry, query: string): Promise<void> {
  if (query.trim() === '') {
    finding.value = null;
    return;
  }
  await work(async (signal) => {
    try {
      const found = await search(entry.file, query, signal);
      batch(() => {
        finding.value = { ...found, entry: entry.id, query };
        const { matches } = found.total;
        announcement.value = matches === 1 ? '1 line found.' : `${matches.toLocaleString('en')} lines found.`;
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      finding.value = null;
      announcement.value = `${error.message} ${error.hint}`;
    }
  });
}

/** `text` in pieces, every second of which holds what was looked for. */
export function piecesOf(text: string, query: string): readonly string[] {
  if (query === '') return [text];
  const literal = query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return text.split(new RegExp(`(${literal})`, 'gi'));
}
