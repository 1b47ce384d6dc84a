// Finds the elements and attributes that a pointer names: one, or with wildcards every one, in document order.

import { type Bytes, quoted, ReaderError } from '../../../src/contract/index.ts';
import type { Subject, XmlDocument } from './document.ts';
import { extendPath, stepOf } from './node-test.ts';
import type { Attribute, OpenToken } from './token-kinds.ts';

const MAX_SEGMENTS = 1000;
const MAX_NEAR_NAMES = 10;
/** Maximum attributes searched for a name. */
const MAX_ATTRIBUTES = 10_000;
/** Children up to this number are counted by name on the way; later ones are located with the scanner. */
const STEPPED_CHILDREN = 64;

const POINTER_HINT =
  'Write `/root/child[2]/name` (the second `child`), `/root/3` (the third child element), `/root/@id` (an attribute), or `*` for all: `/root/*`, `/root/child[*]/@id`.';

/** An attribute found by pointer. */
export interface FoundAttribute {
  readonly attribute: Attribute;
  readonly path: string;
}

export type Found = Subject | FoundAttribute;

/** What a segment stands for: `*` is `{}`, `name[*]` has a name alone, and `name` the number 1. */
interface Step {
  readonly name?: string;
  readonly number?: number;
  /** `*` for all. */
  readonly attribute?: string;
}

/** True if a segment of `pointer` stands for several elements or attributes. */
export const isPattern = (pointer: string | undefined): pointer is string =>
  pointer !== undefined && /\/(?:@?\*|[^/]+\[\*\])(?:\/|$)/.test(pointer);

/** The steps of a pointer. @throws {ReaderError} BAD_INPUT */
function stepsOf(pointer: string): Step[] {
  if (!pointer.startsWith('/'))
    throw new ReaderError(
      'BAD_INPUT',
      `\`pointer\` is ${quoted(pointer)}; expected it to start with \`/\`.`,
      POINTER_HINT,
    );
  const segments = pointer.slice(1).split('/');
  if (segments.length > MAX_SEGMENTS)
    throw new ReaderError('BAD_INPUT', `\`pointer\` has more than ${MAX_SEGMENTS} segments.`, POINTER_HINT);
  return segments.map((segment) => stepIn(segment.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function stepIn(segment: string): Step {
  if (segment === '*') return {};
  if (segment.startsWith('@')) return { attribute: segment.slice(1) };
  if (/^\d{1,15}$/.test(segment)) return { number: Number(segment) };
  const [, name = segment, number = '1'] = /^(.+)\[(\d{1,15}|\*)\]$/s.exec(segment) ?? [];
  return number === '*' ? { name } : { name, number: Number(number) };
}

const isNamed = (found: string, wanted: string): boolean =>
  found === wanted || (!wanted.includes(':') && found.slice(found.indexOf(':') + 1) === wanted);

/**
 * The first thing that `pointer` names: RFC 6901 over elements. The first segment is the root element. A segment is an
 * element name (the first such child; if no name is equal, one without a prefix matches any prefix), a name with a
 * number `name[3]`, or a plain number (the n-th child element, from 1); a last segment `@name` is an attribute. `''` is
 * the whole document.
 * @throws {ReaderError} BAD_INPUT with the deepest element found and similar names
 */
export async function findXml(document: XmlDocument, root: Subject, pointer: string): Promise<Found> {
  if (pointer === '' || pointer === '/') return root;
  let result: Found | undefined;
  const search = new Search(document, pointer, (found) => {
    result = found;
    return true;
  });
  await search.run(root);
  if (!result) throw search.notFound();
  const last = result.path.lastIndexOf('/');
  return { ...result, path: extendPath(result.path.slice(0, last), result.path.slice(last + 1)) };
}

/**
 * Calls `take` with everything that `pointer` names, until it returns true.
 * @throws {ReaderError} BAD_INPUT for another root
 */
export async function searchXml(
  document: XmlDocument,
  root: Subject,
  pointer: string,
  take: (found: Found) => boolean,
): Promise<void> {
  const search = new Search(document, pointer, take);
  if (!(await search.run(root))) throw search.notFound();
}

/** An element on the way. */
interface Child {
  readonly open: OpenToken;
  readonly path: string;
}

class Search {
  readonly #document: XmlDocument;
  readonly #pointer: string;
  readonly #steps: readonly Step[];
  readonly #take: (found: Found) => boolean;
  #done = false;
  /** The element reached last, and what was seen in it. */
  #deepest = '';
  #names = new Set<string>();
  /** Of its elements; undefined if an attribute was sought. */
  #count: number | undefined = 1;

  constructor(document: XmlDocument, pointer: string, take: (found: Found) => boolean) {
    this.#document = document;
    this.#pointer = pointer;
    this.#steps = stepsOf(pointer);
    this.#take = take;
  }

  /** @returns false if the first step does not name the root element */
  async run({ open }: Subject): Promise<boolean> {
    const name = await this.#document.reader.name(open);
    this.#names.add(name);
    const [first = {}] = this.#steps;
    if (first.attribute !== undefined || (first.number ?? 1) !== 1 || !isNamed(name, first.name ?? name))
      return false;
    await this.#below({ open, path: `/${name}` }, 1);
    return true;
  }

  /** Takes what the steps from number `at` on lead to from an element. */
  async #below({ open, path }: Child, at: number): Promise<void> {
    const step = this.#steps[at];
    const content = await this.#document.contents.of(open);
    if (!step) {
      this.#done = this.#take({ open, content, path, start: open.start, end: content.end });
      return;
    }
    this.#deepest = path;
    this.#names = new Set();
    this.#count = step.attribute === undefined ? content.children : undefined;
    if (step.attribute === undefined) await this.#children({ open, path }, content.close, step, at);
    else if (at === this.#steps.length - 1) await this.#attributes(open, path, step.attribute);
  }

  async #children({ open, path }: Child, close: Bytes, step: Step, at: number): Promise<void> {
    const { reader, contents } = this.#document;
    const { name: wanted, number } = step;
    if (wanted === undefined && number !== undefined && number > STEPPED_CHILDREN) {
      if (number > (this.#count ?? 0)) return;
      const found = await reader.at(await contents.child(open, number));
      if (found.kind === 'open') await this.#below({ open: found, path: `${path}/${number}` }, at + 1);
      return;
    }
    const names = new Map<string, number>();
    let seen = 0;
    let alike: Child[] = [];
    for (let position = open.end; position < close && !this.#done; ) {
      const token = await reader.at(position);
      position = token.end;
      if (token.kind === 'end' || token.kind === 'close') break;
      if (token.kind !== 'open') continue;
      const name = await reader.name(token);
      const child = { open: token, path: `${path}/${stepOf(name, names)}` };
      position = (await contents.of(token)).end;
      if (this.#deepest === path && this.#names.size < MAX_NEAR_NAMES) this.#names.add(name);
      if (name === (wanted ?? name)) {
        alike = [];
        seen += 1;
        if (seen === (number ?? seen)) await this.#below(child, at + 1);
        if (seen === number) return;
      } else if (
        seen === 0 &&
        alike.length < (number ?? Number.POSITIVE_INFINITY) &&
        isNamed(name, wanted ?? '')
      )
        alike.push(child);
    }
    for (const child of alike.slice((number ?? 1) - 1)) if (!this.#done) await this.#below(child, at + 1);
  }

  async #attributes(open: OpenToken, path: string, wanted: string): Promise<void> {
    const { reader, window } = this.#document;
    const token = await reader.at(open.start, MAX_ATTRIBUTES);
    for (const attribute of token.kind === 'open' ? token.attributes : []) {
      const { start, nameEnd } = attribute;
      const name = await window.text(start, Math.min(nameEnd, start + 1024));
      if (wanted === '*' || isNamed(name, wanted))
        this.#done = this.#take({ attribute, path: `${path}/@${name}` });
      if (this.#done) return;
      if (this.#names.size < MAX_NEAR_NAMES) this.#names.add(`@${name}`);
    }
  }

  /** Names the deepest element found, and what it has. */
  notFound(): ReaderError {
    const names = [...this.#names].map(quoted).join(', ');
    const inside = this.#deepest === '' ? 'the document' : quoted(this.#deepest);
    const holds =
      this.#count === undefined ? 'attributes' : this.#count === 1 ? '1 element' : `${this.#count} elements`;
    return new ReaderError(
      'BAD_INPUT',
      `\`pointer\` ${quoted(this.#pointer)} was not found: ${inside} has ${holds}${names === '' ? '' : `, among them ${names}`}.`,
      POINTER_HINT,
    );
  }
}
