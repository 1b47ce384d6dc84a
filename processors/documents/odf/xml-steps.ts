// Splits an OpenDocument's XML into a sequence of small trees, so that a long document is never one tree in memory and
// the walk can pause between them.

import { ReaderError } from '../../../src/contract/index.ts';
import { XmlElement, XmlWalk } from '../../../src/package/index.ts';
import { words } from '../words.ts';

/** A step of the walk: a whole element, or the start or end of a container. */
export interface XmlStep {
  readonly kind: 'element' | 'open' | 'close' | 'pause';
  /** Without children for `open` and `close`; the current element for `pause`, which occurs inside a large element. */
  readonly element: XmlElement;
}

/** Why part of a document was not read: elements nested too deep, or a truncated end. */
export type Trouble = 'deep' | 'cut';

/** Elements that are walked into; any other element is yielded as a tree. */
const CONTAINERS: ReadonlySet<string> = new Set(
  words(
    'document document-content document-styles styles automatic-styles master-styles font-face-decls ' +
      'body text presentation section table-of-content index-body',
  ),
);
/** Maximum nested containers. Deeper ones are yielded as trees. */
const MAX_CONTAINERS = 64;
const MAX_DEPTH = 256;
/** A few milliseconds of work. */
const NODES_A_TURN = 10_000;
const MAX_NODES = 4_000_000;

/**
 * The pieces of `xml` in order. Content nested more than 256 levels deep is left out, and a truncated file may end
 * early: `tell` is called for each.
 * @throws {ReaderError} LIMIT_EXCEEDED above 4 000 000 nodes
 */
export function* piecesOf(
  xml: string,
  tell: (trouble: Trouble) => void,
): Generator<XmlStep, void, undefined> {
  const walk = new XmlWalk(xml);
  const containers: XmlElement[] = [];
  const open: XmlElement[] = [];
  let nodes = 0;
  let skipping = 0;
  while (walk.next()) {
    const parent = open.at(-1);
    if (walk.kind === 'text') {
      if (skipping === 0 && parent && walk.text !== '' && parent.name !== 'binary-data')
        parent.children.push(walk.text);
      continue;
    }
    if (walk.kind === 'close') {
      if (skipping > 0) skipping -= 1;
      else if (open.length > 0) {
        const at = lastNamed(open, walk.name);
        if (at < 0) continue;
        const [top] = open;
        open.length = at;
        if (at === 0 && top) yield { kind: 'element', element: top };
      } else
        for (const element of containers.splice(lastNamedOrEnd(containers, walk.name)).reverse())
          yield { kind: 'close', element };
      continue;
    }
    if (skipping > 0 || open.length + containers.length >= MAX_DEPTH) {
      if (skipping === 0) tell('deep');
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
    if (nodes % NODES_A_TURN === 0 && open[0]) yield { kind: 'pause', element: open[0] };
    const element = new XmlElement(walk.name, walk.attributes());
    if (!parent && CONTAINERS.has(walk.name) && containers.length < MAX_CONTAINERS) {
      yield { kind: 'open', element };
      if (walk.empty) yield { kind: 'close', element };
      else containers.push(element);
      continue;
    }
    parent?.children.push(element);
    if (!walk.empty) open.push(element);
    else if (!parent) yield { kind: 'element', element };
  }
  if (open.length + containers.length > 0) tell('cut');
  const [cut] = open;
  if (cut) yield { kind: 'element', element: cut };
}

/** Its index, or the end if it is not open. */
function lastNamedOrEnd(open: readonly XmlElement[], name: string): number {
  const at = lastNamed(open, name);
  return at < 0 ? open.length : at;
}

function lastNamed(open: readonly XmlElement[], name: string): number {
  for (let at = open.length - 1; at >= 0; at -= 1) if (open[at]?.name === name) return at;
  return -1;
}
