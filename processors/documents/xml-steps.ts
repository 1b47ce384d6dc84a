// Splits the XML of a document into a sequence of small trees, so that a long document is never one tree in memory and
// its reader can pause between them.

import { ReaderError } from '../../src/contract/index.ts';
import { XmlElement, XmlWalk } from '../../src/package/index.ts';

/** A step of the walk: a whole element, or the start or end of a container. */
export interface XmlStep {
  readonly kind: 'element' | 'open' | 'close' | 'pause';
  /** Without children for `open` and `close`; the current element for `pause`, which occurs inside a large element. */
  readonly element: XmlElement;
}

/** Why part of a document was not read: elements nested too deep, or a truncated end. */
export type Trouble = 'deep' | 'cut';

export interface XmlStepOptions {
  /** Elements that are walked into; any other element is yielded as a tree. Default: none. */
  readonly containers?: ReadonlySet<string>;
  /** Elements around trees that are not yielded, at any depth. Default: none. */
  readonly transparent?: ReadonlySet<string>;
  /** True for an empty element that is not needed. */
  passesOver?(walk: XmlWalk): boolean;
  /** Called if content more than 256 levels deep was left out, or the file is truncated. */
  tell(trouble: Trouble): void;
}

/** Maximum nested containers. Deeper ones are yielded as trees. */
const MAX_CONTAINERS = 64;
const MAX_DEPTH = 256;
/** A few milliseconds of work. */
const NODES_A_TURN = 4000;
const MAX_NODES = 4_000_000;
const NONE: ReadonlySet<string> = new Set();

/** The pieces of `xml` in order. @throws {ReaderError} LIMIT_EXCEEDED for a tree of more than 4 000 000 elements */
export function* stepsOf(
  xml: string,
  { containers = NONE, transparent = NONE, passesOver, tell }: XmlStepOptions,
): Generator<XmlStep, void, undefined> {
  const walk = new XmlWalk(xml);
  const around: XmlElement[] = [];
  const open: XmlElement[] = [];
  let nodes = 0;
  let skipping = 0;
  while (walk.next()) {
    const parent = open.at(-1);
    if (walk.kind === 'text') {
      if (skipping === 0 && parent && parent.name !== 'binary-data') addText(parent, walk.text);
      continue;
    }
    if (walk.kind === 'close') {
      if (skipping > 0) skipping -= 1;
      else if (open.length > 0) {
        const at = lastNamed(open, walk.name);
        const [top] = at < 0 ? [] : open;
        if (at >= 0) open.length = at;
        if (at === 0 && top) yield { kind: 'element', element: top };
      } else {
        const at = lastNamed(around, walk.name);
        for (const element of around.splice(at < 0 ? around.length : at).reverse())
          yield { kind: 'close', element };
      }
      continue;
    }
    if (skipping > 0 || open.length + around.length >= MAX_DEPTH) {
      if (skipping === 0) tell('deep');
      if (!walk.empty) skipping += 1;
      continue;
    }
    if ((walk.empty && passesOver?.(walk)) || (!parent && transparent.has(walk.name))) continue;
    nodes = parent ? nodes + 1 : 1;
    if (nodes > MAX_NODES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `One block of the document has more than ${MAX_NODES} XML elements.`,
        'Split the oversized table or text box.',
      );
    if (nodes % NODES_A_TURN === 0 && open[0]) yield { kind: 'pause', element: open[0] };
    const element = new XmlElement(walk.name, walk.written);
    if (!parent && containers.has(walk.name) && around.length < MAX_CONTAINERS) {
      yield { kind: 'open', element };
      if (walk.empty) yield { kind: 'close', element };
      else around.push(element);
      continue;
    }
    parent?.children.push(element);
    if (!walk.empty) open.push(element);
    else if (!parent) yield { kind: 'element', element };
  }
  if (open.length + around.length > 0) tell('cut');
  const [cut] = open;
  if (cut) yield { kind: 'element', element: cut };
}

function addText({ children }: XmlElement, text: string): void {
  const before = children.at(-1);
  if (typeof before === 'string') children[children.length - 1] = before + text;
  else if (text !== '') children.push(text);
}

/** Its index, -1 if it is not open. */
function lastNamed(open: readonly XmlElement[], name: string): number {
  for (let at = open.length - 1; at >= 0; at -= 1) if (open[at]?.name === name) return at;
  return -1;
}
