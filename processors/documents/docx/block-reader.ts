// Reads the children of a story's root as trees, one at a time, so that a long document is never held as one tree.
// Wrappers that only contain blocks (content controls, custom XML, accepted insertions) are transparent at any depth.

import { ReaderError } from '../../../src/contract/index.ts';
import { XmlElement, XmlWalk } from '../../../src/package/index.ts';
import { words } from '../words.ts';

const MAX_DEPTH = 256;
const MAX_NODES = 4_000_000;

/** Elements around blocks without meaning for the text. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  words('document body sdt sdtContent customXml smartTag ins moveTo'),
);

/** Empty elements for layout and bookkeeping: half of a document's tags, and irrelevant for Markdown. */
const PASSED_OVER: ReadonlySet<string> = new Set(
  words(
    'proofErr bookmarkStart bookmarkEnd lastRenderedPageBreak noProof lang szCs bCs iCs kern spacing ' +
      'ind jc keepNext keepLines widowControl tcW tblW vAlign gridCol top left bottom right',
  ),
);

/** Reads blocks from the XML of a part. */
export class BlockReader {
  /** True if the last call of `next` stopped because its share was used up, not at a block. */
  busy = false;
  readonly #walk: XmlWalk;
  readonly #deep: () => void;
  readonly #open: XmlElement[] = [];
  #skipping = 0;
  #nodes = 0;

  /** `deep` is called if elements more than 256 levels inside a block are left out. */
  constructor(xml: string, deep: () => void) {
    this.#walk = new XmlWalk(xml);
    this.#deep = deep;
  }

  /**
   * The next block; undefined at the end, or with `busy` after `share` tags, in which case the caller should call
   * again.
   * @throws {ReaderError} LIMIT_EXCEEDED for a block of more than 4 000 000 elements
   */
  next(share: number): XmlElement | undefined {
    this.busy = false;
    const walk = this.#walk;
    const open = this.#open;
    for (let left = share; left > 0; left -= 1) {
      if (!walk.next()) {
        const cutOff = open[0];
        open.length = 0;
        return cutOff;
      }
      const innermost = open.at(-1);
      if (walk.kind === 'text') {
        if (innermost && this.#skipping === 0) addText(innermost, walk.text);
        continue;
      }
      if (walk.kind === 'close') {
        const block = this.#close(walk.name);
        if (block) return block;
        continue;
      }
      if (this.#skipping > 0 || open.length > MAX_DEPTH) {
        if (this.#skipping === 0) this.#deep();
        if (!walk.empty) this.#skipping += 1;
        continue;
      }
      if (walk.empty && (PASSED_OVER.has(walk.name) || isUsualColor(walk))) continue;
      if (!innermost) {
        if (TRANSPARENT.has(walk.name)) continue;
        this.#nodes = 0;
      }
      this.#nodes += 1;
      if (this.#nodes > MAX_NODES)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `One block of the document has more than ${MAX_NODES} XML elements.`,
          'Split the oversized table or text box.',
        );
      const element = new XmlElement(walk.name, walk.written);
      innermost?.children.push(element);
      if (!walk.empty) open.push(element);
      else if (!innermost) return element;
    }
    this.busy = true;
    return undefined;
  }

  /** Closes up to the nearest open element of that name; returns the block if it was the outermost. */
  #close(name: string): XmlElement | undefined {
    if (this.#skipping > 0) {
      this.#skipping -= 1;
      return undefined;
    }
    const open = this.#open;
    for (let at = open.length - 1; at >= 0; at -= 1) {
      if (open[at]?.name !== name) continue;
      const block = at === 0 ? open[0] : undefined;
      open.length = at;
      return block;
    }
    return undefined;
  }
}

/** Text colour is irrelevant, except white, which may be meant to hide text. */
function isUsualColor(walk: XmlWalk): boolean {
  return walk.name === 'color' && !/f{6}/i.test(walk.written);
}

function addText(parent: XmlElement, text: string): void {
  if (text === '') return;
  const { children } = parent;
  const before = children.at(-1);
  if (typeof before === 'string') children[children.length - 1] = before + text;
  else children.push(text);
}
