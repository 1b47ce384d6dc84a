// Placeholders: what a shape inherits from its layout and master (ECMA-376 part 1, 19.3.1.36): kind, position, and list
// styles.

import type { XmlElement } from '../../../src/package/index.ts';
import type { Box } from '../slide-order.ts';
import { boxOf } from './box.ts';

/** The shape of a layout or master that a placeholder inherits from. */
interface Pattern {
  readonly type: string;
  readonly idx: string | undefined;
  readonly shape: XmlElement;
}

/** A resolved placeholder. */
export interface Placeholder {
  /** `title`, `body`, `dt`, `ftr`, `sldNum`, `pic`, ...; `obj` by default. */
  readonly type: string;
  readonly box: Box | undefined;
  /** List styles from the nearest (the layout's) to the farthest (the master's text style). */
  readonly styles: readonly XmlElement[];
}

/** Maximum placeholder shapes per layout or master. */
const MAX_PATTERNS = 1000;
const MAX_TEXTS = 100;

/** A layout with its master. */
export class Layout {
  readonly #layout: readonly Pattern[];
  readonly #master: readonly Pattern[];
  readonly #textStyles: XmlElement | undefined;
  readonly #default: readonly XmlElement[];
  /** What its own shapes say on every slide, and those of its master; placeholders say nothing themselves. */
  readonly texts: readonly string[];

  /** Root elements of the parts, if present; `defaults` is the presentation's own text style. */
  constructor(
    layout: XmlElement | undefined,
    master: XmlElement | undefined,
    defaults: XmlElement | undefined,
  ) {
    this.#layout = patternsOf(layout);
    this.#master = patternsOf(master);
    this.#textStyles = master?.child('txStyles');
    this.#default = defaults ? [defaults] : [];
    const shown = hidesMaster(layout) ? [layout] : [layout, master];
    this.texts = [...new Set(shown.flatMap(ownTexts))].slice(0, MAX_TEXTS);
  }

  /** List styles of a shape that is not a placeholder. */
  get plainStyles(): readonly XmlElement[] {
    return this.#default;
  }

  /** Resolves the placeholder of the shape with this `ph` element. */
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

/** Kinds with shared styles: all content kinds inherit from the master's body. */
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
    const ph = propertiesOf(shape)?.at('nvPr', 'ph');
    if (!ph) continue;
    if (patterns.length >= MAX_PATTERNS) break;
    patterns.push({ type: ph.get('type') ?? 'obj', idx: ph.get('idx'), shape });
  }
  return patterns;
}

/** True for a slide or layout that does not show the shapes of its master (ECMA-376 part 1, 19.3.1.38). */
export function hidesMaster(root: XmlElement | undefined): boolean {
  const shows = root?.get('showMasterSp');
  return shows === '0' || shows === 'false';
}

/** The texts of shapes that are not placeholders. */
function ownTexts(root: XmlElement | undefined): string[] {
  const shapes = [...(root?.at('cSld', 'spTree')?.descendants('sp') ?? [])];
  return shapes
    .filter((shape) => !shape.at('nvSpPr', 'nvPr', 'ph'))
    .map((shape) => {
      const paragraphs = shape.child('txBody')?.elements('p') ?? [];
      const lines = paragraphs.map((line) => [...line.descendants('t')].map((run) => run.text()).join(''));
      return lines.join(' ').replace(/\s+/g, ' ').trim();
    })
    .filter((text) => text !== '');
}

/** The non-visual properties of a shape: `nvSpPr`, `nvPicPr`, ... */
export function propertiesOf(shape: XmlElement): XmlElement | undefined {
  for (const node of shape.children) if (typeof node !== 'string' && /^nv\w+Pr$/.test(node.name)) return node;
  return undefined;
}
