// Placeholders: what a shape on a slide takes from its layout and its master (ECMA-376 part 1, 19.3.1.36): its kind, its
// place, and how its paragraphs are listed.

import type { XmlElement } from '../../../src/package/index.ts';
import type { Box } from '../slide-order.ts';
import { boxOf } from './box.ts';

/** The shape of a layout or master that a placeholder takes after. */
interface Pattern {
  readonly type: string;
  readonly idx: string | undefined;
  readonly shape: XmlElement;
}

/** What a placeholder has come to be, after its layout and master were asked. */
export interface Placeholder {
  /** `title`, `body`, `dt`, `ftr`, `sldNum`, `pic`, ...; `obj` where nobody says. */
  readonly type: string;
  readonly box: Box | undefined;
  /** List styles from the nearest (the layout's) to the farthest (the master's text style). */
  readonly styles: readonly XmlElement[];
}

/** Shapes of one layout or master that placeholders take after. */
const MAX_PATTERNS = 1000;

/** A layout with its master. */
export class Layout {
  readonly #layout: readonly Pattern[];
  readonly #master: readonly Pattern[];
  readonly #textStyles: XmlElement | undefined;
  readonly #default: readonly XmlElement[];

  /** Roots of the parts, where they are there; `defaults` is the presentation's own text style. */
  constructor(
    layout: XmlElement | undefined,
    master: XmlElement | undefined,
    defaults: XmlElement | undefined,
  ) {
    this.#layout = patternsOf(layout);
    this.#master = patternsOf(master);
    this.#textStyles = master?.child('txStyles');
    this.#default = defaults ? [defaults] : [];
  }

  /** List styles of a shape that is no placeholder. */
  get plainStyles(): readonly XmlElement[] {
    return this.#default;
  }

  /** What the shape with this `ph` element is. */
  placeholder(ph: XmlElement): Placeholder {
    const type = ph.get('type');
    const idx = ph.get('idx');
    const layout =
      (idx === undefined ? undefined : this.#layout.find((pattern) => pattern.idx === idx)) ??
      this.#layout.find((pattern) => kindOf(pattern.type) === kindOf(type ?? 'obj'));
    const kind = kindOf(type ?? layout?.type ?? 'obj');
    const master = this.#master.find((pattern) => kindOf(pattern.type) === kind);
    const patterns = [layout, master].filter((pattern) => pattern !== undefined);
    const styles = patterns.flatMap(({ shape }) => shape.at('txBody', 'lstStyle') ?? []);
    const textStyle = this.#textStyles?.child(
      kind === 'title' ? 'titleStyle' : kind === 'body' ? 'bodyStyle' : 'otherStyle',
    );
    if (textStyle) styles.push(textStyle);
    let box: Box | undefined;
    for (const { shape } of patterns) box ??= boxOf(shape.at('spPr', 'xfrm'));
    return {
      type: type ?? layout?.type ?? 'obj',
      box,
      styles: [...styles, ...this.#default],
    };
  }
}

/** Kinds that are styled alike: all that hold content take after the master's body. */
function kindOf(type: string): string {
  switch (type) {
    case 'ctrTitle':
    case 'title':
      return 'title';
    case 'dt':
    case 'ftr':
    case 'sldNum':
    case 'hdr':
      return type;
    default:
      return 'body';
  }
}

function patternsOf(root: XmlElement | undefined): Pattern[] {
  const patterns: Pattern[] = [];
  for (const shape of root?.at('cSld', 'spTree')?.elements() ?? []) {
    const ph = shape.children
      .find((node): node is XmlElement => typeof node !== 'string' && node.name.startsWith('nv'))
      ?.at('nvPr', 'ph');
    if (!ph) continue;
    if (patterns.length >= MAX_PATTERNS) break;
    patterns.push({ type: ph.get('type') ?? 'obj', idx: ph.get('idx'), shape });
  }
  return patterns;
}
