// An XML part as a tree in memory, for formats whose meaning lies in the nesting. Bounded in depth and nodes; names lose
// their namespace prefix, so that strict and transitional OOXML, and any prefix, read alike.

import { ReaderError } from '../contract/index.ts';
import { attributesOf, XmlWalk } from './xml.ts';

/** An element or its character data, references resolved. */
export type XmlNode = XmlElement | string;

const MAX_DEPTH = 256;
const MAX_NODES = 4_000_000;

/** One element. Attributes are looked up by local name, the one without a prefix first. */
export class XmlElement {
  /** Local name. */
  readonly name: string;
  readonly children: XmlNode[] = [];
  /** As written until one is asked for: most attributes of office files never are. */
  #written: string;
  #attributes: ReadonlyMap<string, string> | undefined;

  /** `attributes`: by name, or the inside of the tag after its name as written. */
  constructor(name: string, attributes: ReadonlyMap<string, string> | string | undefined) {
    this.name = name;
    this.#written = typeof attributes === 'string' ? attributes : '';
    this.#attributes = typeof attributes === 'string' ? undefined : attributes;
  }

  /** The attribute's value; `name` is local (`val`), or with its prefix as written (`r:id`). */
  get(name: string): string | undefined {
    return this.attributes.get(name);
  }

  /** All attributes, each under its name as written and under its local name. */
  get attributes(): ReadonlyMap<string, string> {
    if (this.#written !== '') {
      this.#attributes = attributesOf(this.#written);
      this.#written = '';
    }
    return this.#attributes ?? NONE;
  }

  /** The first child element of that name. */
  child(name: string): XmlElement | undefined {
    for (const node of this.children) if (typeof node !== 'string' && node.name === name) return node;
    return undefined;
  }

  /** The element reached by taking the first child of each name in turn. */
  at(...path: readonly string[]): XmlElement | undefined {
    let element: XmlElement | undefined = this;
    for (const name of path) element = element?.child(name);
    return element;
  }

  /** Child elements, of one name if given. */
  elements(name?: string): XmlElement[] {
    return this.children.filter(
      (node): node is XmlElement => typeof node !== 'string' && (name === undefined || node.name === name),
    );
  }

  /** Elements of that name at any depth, in document order. */
  *descendants(name: string): Generator<XmlElement, void, undefined> {
    for (const node of this.children) {
      if (typeof node === 'string') continue;
      if (node.name === name) yield node;
      yield* node.descendants(name);
    }
  }

  /** All character data inside, in document order. */
  text(): string {
    let text = '';
    for (const node of this.children) text += typeof node === 'string' ? node : node.text();
    return text;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * The root element. Elements deeper than 256 levels are left out with what is in them, and `deep` is called once; a
 * document cut off in the middle gives what came before.
 * @throws {ReaderError} LIMIT_EXCEEDED above 4 000 000 nodes, CORRUPT_FILE without any element
 */
export function readXml(xml: string, deep: () => void = () => undefined): XmlElement {
  const walk = new XmlWalk(xml);
  const top = new XmlElement('', undefined);
  const open: XmlElement[] = [top];
  let nodes = 0;
  let skipping = 0;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (skipping === 0) addText(open.at(-1), walk.text);
      continue;
    }
    if (walk.kind === 'close') {
      if (skipping > 0) skipping -= 1;
      else close(open, walk.name);
      continue;
    }
    if (skipping > 0 || open.length > MAX_DEPTH) {
      if (skipping === 0) deep();
      if (!walk.empty) skipping += 1;
      continue;
    }
    nodes += 1;
    if (nodes > MAX_NODES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `A part of the file has more than ${MAX_NODES} XML elements.`,
        'Split the document, or convert it to text.',
      );
    const element = new XmlElement(walk.name, walk.written);
    open.at(-1)?.children.push(element);
    if (!walk.empty) open.push(element);
  }
  const root = top.elements()[0];
  if (root) return root;
  throw new ReaderError(
    'CORRUPT_FILE',
    'A part of the file that should be XML holds no element.',
    'Open the file in the program that made it and save it again.',
  );
}

function addText(parent: XmlElement | undefined, text: string): void {
  if (!parent || text === '') return;
  const { children } = parent;
  const before = children.at(-1);
  if (typeof before === 'string') children[children.length - 1] = before + text;
  else children.push(text);
}

/** Closes up to the nearest open element of that name; a tag that closes nothing is passed over. */
function close(open: XmlElement[], name: string): void {
  for (let at = open.length - 1; at > 0; at--) {
    if (open[at]?.name !== name) continue;
    open.length = at;
    return;
  }
}
