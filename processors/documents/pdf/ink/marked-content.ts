// Marked content during a walk over a page's operators (ISO 32000-2, 14.6): its structure element, whether it is an
// artifact, whether its layer is shown, and the text stated for it.

import type { StructureNode } from './ink.ts';

/** The properties of everything painted inside. */
export interface Mark {
  /** Id in the structure tree; -1 outside of it. */
  readonly mcid: number;
  readonly artifact: boolean;
  /** On a hidden layer. */
  readonly hidden: boolean;
  /** The text the file states for what is painted inside. */
  readonly actual?: ActualText;
}

/** One replacement text; what shares it is one span. */
export interface ActualText {
  readonly text: string;
}

/** The optional content of a document. */
export interface Layers {
  isVisible(group: unknown): boolean;
}

const UNMARKED: Mark = { mcid: -1, artifact: false, hidden: false };
/** Later replacement texts are ignored: the page shows what is drawn. */
const MOST_TEXTS = 50_000;
/** Deeper marks are counted, not stored. */
const MOST_MARKS = 500;

/** The open marks, of which the innermost applies. */
export class MarkedContent {
  readonly #layers: Layers;
  readonly #open: Mark[] = [];
  #now: Mark = UNMARKED;
  #unkept = 0;
  /** In the order they begin. */
  readonly texts: ActualText[] = [];

  constructor(layers: Layers) {
    this.#layers = layers;
  }

  get now(): Mark {
    return this.#now;
  }

  begin([tag, props, text]: readonly unknown[]): void {
    if (this.#open.length >= MOST_MARKS) {
      this.#unkept += 1;
      return;
    }
    const name = typeof tag === 'string' ? tag : nameOf(tag);
    const outer = this.#now;
    this.#open.push(outer);
    const actual = outer.actual ?? this.#actual(text);
    this.#now = {
      mcid: name !== 'OC' && typeof props === 'number' ? props : outer.mcid,
      artifact: outer.artifact || name === 'Artifact',
      hidden: outer.hidden || (name === 'OC' && !this.#isVisible(props)),
      ...(actual && { actual }),
    };
  }

  end(): void {
    if (this.#unkept > 0) this.#unkept -= 1;
    else this.#now = this.#open.pop() ?? UNMARKED;
  }

  #actual(text: unknown): ActualText | undefined {
    if (typeof text !== 'string' || text === '' || this.texts.length >= MOST_TEXTS) return undefined;
    const actual = { text };
    this.texts.push(actual);
    return actual;
  }

  #isVisible(group: unknown): boolean {
    try {
      return this.#layers.isVisible(group);
    } catch {
      return true;
    }
  }
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
    ? value.name
    : '';
}

/** What the structure says of each marked content: `of` an element and what is said of the one around it. */
export function saidOf<T>(
  root: StructureNode | undefined,
  of: (node: StructureNode, around: T | undefined) => T | undefined,
): Map<number, T> {
  const said = new Map<number, T>();
  const walk = (node: StructureNode, around: T | undefined): void => {
    const own = of(node, around);
    for (const child of node.children)
      if (typeof child !== 'number') walk(child, own);
      else if (own !== undefined) said.set(child, own);
  };
  if (root) walk(root, undefined);
  return said;
}
