// Elements of XML as JSON records, in one pass: attributes and child elements are members, what repeats is an array.

import { quoted, ReaderError } from '../contract/index.ts';

type Value = string | readonly Value[] | { readonly [name: string]: Value };

/** An element that is open. */
interface Open {
  readonly name: string;
  readonly path: string;
  readonly counts: Map<string, number>;
  readonly members: Map<string, Value[]> | undefined;
  text: string;
}

/** Deeper elements would be JSON that DuckDB refuses. */
const MAX_DEPTH = 500;
/** Without a path: the elements below the root. */
const DEFAULT_PATH = '/*/*';

/**
 * A line of JSON for each element at `path`, such as `/catalog/group/item`; `*` stands for any name. A record has the
 * pointer to its element. @throws {ReaderError} BAD_INPUT if there is none
 */
export async function* xmlRecords(pieces: AsyncIterable<string>, path: string): AsyncGenerator<string> {
  const { SaxesParser } = await import('saxes');
  const steps = decodeURIComponent(path || DEFAULT_PATH)
    .split('/')
    .slice(1);
  const root: Open = { name: '', path: '', counts: new Map(), members: undefined, text: '' };
  const stack: Open[] = [root];
  const found: string[] = [];
  let total = 0;
  const parser = new SaxesParser();
  // The reader has checked what it read.
  parser.on('error', () => undefined);
  parser.on('opentag', ({ name, attributes }) => {
    if (stack.length > MAX_DEPTH) throw tooDeep();
    const above = stack.at(-1) ?? root;
    const count = (above.counts.get(name) ?? 0) + 1;
    above.counts.set(name, count);
    const isHere =
      stack.length === steps.length && matches([...stack.slice(1).map(stepOf), `${name}[${count}]`], steps);
    const members = above.members || isHere ? new Map<string, Value[]>() : undefined;
    for (const [key, value] of Object.entries(attributes)) members?.set(`@${key}`, [value]);
    stack.push({ name, path: `${above.path}/${name}[${count}]`, counts: new Map(), members, text: '' });
  });
  const addText = (text: string): void => {
    const open = stack.at(-1);
    if (open?.members) open.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const open = stack.pop();
    const above = stack.at(-1);
    if (!open?.members) return;
    if (above?.members) {
      const values = above.members.get(open.name);
      if (values) values.push(recordValue(open));
      else above.members.set(open.name, [recordValue(open)]);
      return;
    }
    const value = recordValue(open);
    const members = typeof value === 'string' ? { value } : value;
    found.push(`${JSON.stringify({ pointer: open.path, ...members })}\n`);
    total += 1;
  });
  for await (const piece of pieces) {
    parser.write(piece);
    yield* found.splice(0);
  }
  if (total === 0)
    throw new ReaderError(
      'BAD_INPUT',
      `No element is at ${quoted(`/${steps.join('/')}`)}.`,
      'Write the names of the elements from the root down, with `*` for any name.',
    );
}

/** Paths listed of a document, and distinguished while it is read. */
const MAX_LISTED = 10;
const MAX_PATHS = 1000;

interface RepeatedPaths {
  /** Without the numbers of elements, in order; those with the most elements, with their number. */
  readonly paths: readonly { readonly path: string; readonly count: number }[];
  /** Number of all. */
  readonly of: number;
}

/** The paths of elements that repeat beside one another. */
export async function repeatedPaths(pieces: AsyncIterable<string>): Promise<RepeatedPaths> {
  const { SaxesParser } = await import('saxes');
  const stack: { readonly path: string; readonly names: Set<string> }[] = [{ path: '', names: new Set() }];
  const counts = new Map<string, { count: number; repeats: boolean }>();
  const parser = new SaxesParser();
  // The reader has checked what it read.
  parser.on('error', () => undefined);
  parser.on('opentag', ({ name }) => {
    if (stack.length > MAX_DEPTH) throw tooDeep();
    const above = stack.at(-1);
    const path = `${above?.path ?? ''}/${name}`;
    stack.push({ path, names: new Set() });
    const known = counts.get(path);
    const repeats = above?.names.has(name) === true;
    above?.names.add(name);
    if (known) {
      known.count += 1;
      known.repeats ||= repeats;
    } else if (counts.size < MAX_PATHS) counts.set(path, { count: 1, repeats });
  });
  parser.on('closetag', () => void stack.pop());
  for await (const piece of pieces) parser.write(piece);
  const found = [...counts].filter(([, { repeats }]) => repeats);
  const most = new Set([...found].sort(([, a], [, b]) => b.count - a.count).slice(0, MAX_LISTED));
  return {
    paths: found.filter((one) => most.has(one)).map(([path, { count }]) => ({ path, count })),
    of: found.length,
  };
}

const tooDeep = (): ReaderError =>
  new ReaderError(
    'LIMIT_EXCEEDED',
    `The document nests elements more than ${MAX_DEPTH} deep.`,
    'Read the file instead.',
  );

const stepOf = ({ path }: Open): string => path.slice(path.lastIndexOf('/') + 1);

/** True if `elements` (`name[n]`) are those that `steps` name, each by name, with or without its number, or by `*`. */
const matches = (elements: readonly string[], steps: readonly string[]): boolean =>
  elements.every((element, at) => {
    const step = steps[at];
    return step === '*' || step === element || step === element.slice(0, element.lastIndexOf('['));
  });

/** The text of an element, or its members. */
function recordValue({ members, text }: Open): Value {
  const own = text.trim();
  if (!members || members.size === 0) return own;
  return Object.fromEntries([
    ...[...members].map(([name, values]): [string, Value] => [name, only(values)]),
    ...(own === '' ? [] : [['text', own] as const]),
  ]);
}

const only = (values: readonly Value[]): Value => (values.length === 1 ? (values[0] ?? '') : values);
