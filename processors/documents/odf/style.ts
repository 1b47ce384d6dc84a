// Resolves styles of an OpenDocument (ODF 1.3 part 3, 16) with inheritance, for text, paragraphs, lists and slides.
// Keeps only what Markdown can express.

import type { XmlElement } from '../../../src/package/index.ts';

/** The look of text. An absent property is inherited from the surrounding text. */
export interface TextLook {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly mono?: boolean;
  readonly superscript?: boolean;
  readonly subscript?: boolean;
  readonly hidden?: boolean;
}

/** One level of a list. */
export interface ListLevel {
  readonly kind: 'bullet' | 'number' | 'none';
  readonly start: number;
  /** Number format: `1`, `a`, `A`, `i`, `I`. */
  readonly format: string;
  /**
   * Label pattern with `%1%` for the number of level 1, as written by LibreOffice since 7.2; takes precedence over
   * `prefix` and `suffix`.
   */
  readonly pattern: string | undefined;
  readonly prefix: string;
  readonly suffix: string;
  /** Number of levels whose numbers are shown, this one included. */
  readonly shown: number;
}

interface Style {
  readonly parent: string | undefined;
  readonly look: TextLook;
  readonly list: string | undefined;
  /** See `headingOf`. */
  readonly heading: number | undefined;
  readonly hiddenPage: boolean;
}

interface ParagraphStyle {
  readonly list: string | undefined;
  /** The level as a heading: 1 and 2 for the title and subtitle of the document. */
  readonly heading: number | undefined;
}

const NO_STYLE: ParagraphStyle = { list: undefined, heading: undefined };
const MAX_STYLES = 200_000;
/** Maximum length of an inheritance chain; also ends cycles. */
const MAX_PARENTS = 64;
const MONO =
  /\b(?:mono|courier|consolas|menlo|monaco|typewriter|fixedsys|terminal|inconsolata|source code|fira code|lucida console|andale)/i;

/** All styles visible to one part. */
export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #lists = new Map<string, readonly (ListLevel | undefined)[]>();
  readonly #looks = new Map<string, TextLook>();
  readonly #paragraphs = new Map<string, ParagraphStyle>();
  readonly #monoFonts = new Set<string>();
  #outline: readonly (ListLevel | undefined)[] = [];

  /** Adds a child of `styles`, `automatic-styles` or `font-face-decls`; a later one with the same name wins. */
  add(element: XmlElement): void {
    const name = element.get('style:name') ?? element.get('name');
    if (element.name === 'outline-style') this.#outline = levelsOf(element);
    if (name === undefined || this.#styles.size + this.#lists.size >= MAX_STYLES) return;
    if (element.name === 'font-face') {
      if (element.get('font-pitch') === 'fixed') this.#monoFonts.add(name);
    } else if (element.name === 'list-style') this.#lists.set(name, levelsOf(element));
    else if (element.name === 'style') {
      const key = `${element.get('family') ?? ''} ${name}`;
      this.#styles.set(key, {
        parent: element.get('parent-style-name'),
        look: this.#lookOf(element.child('text-properties')),
        list: element.get('list-style-name'),
        heading: headingOf(element.get('display-name') ?? name, element.get('default-outline-level')),
        hiddenPage: element.child('drawing-page-properties')?.get('visibility') === 'hidden',
      });
      this.#looks.clear();
      this.#paragraphs.clear();
    }
  }

  /** The look of a text style, including inherited properties. */
  look(family: 'text' | 'paragraph', name: string | undefined): TextLook {
    if (name === undefined) return PLAIN;
    const key = `${family} ${name}`;
    const known = this.#looks.get(key);
    if (known) return known;
    let look: TextLook = PLAIN;
    for (const style of this.#chain(family, name)) look = { ...style.look, ...look };
    this.#looks.set(key, look);
    return look;
  }

  /** The list whose items paragraphs of a style are, if any. `''` means explicitly none. */
  listOf(paragraph: string | undefined): string | undefined {
    return this.#paragraph(paragraph).list;
  }

  /** The level of a paragraph whose style is that of a heading, or derived from one. */
  headingOf(paragraph: string | undefined): number | undefined {
    return this.#paragraph(paragraph).heading;
  }

  #paragraph(name: string | undefined): ParagraphStyle {
    if (name === undefined) return NO_STYLE;
    const known = this.#paragraphs.get(name);
    if (known) return known;
    let list: string | undefined;
    let heading: number | undefined;
    for (const style of this.#chain('paragraph', name)) {
      list ??= style.list;
      heading ??= style.heading;
    }
    const found = { list, heading: heading === 0 ? undefined : heading };
    this.#paragraphs.set(name, found);
    return found;
  }

  /** True if the page style excludes the page from the slide show. */
  hidesPage(name: string | undefined): boolean {
    return name !== undefined && this.#styles.get(`drawing-page ${name}`)?.hiddenPage === true;
  }

  /** Level `level` (0-based) of a list style; a bullet by default. */
  level(list: string | undefined, level: number): ListLevel {
    const levels = list === undefined ? undefined : this.#lists.get(list);
    return levels?.[level] ?? BULLET;
  }

  /** The numbering of headings at outline level `level` (0-based). */
  outline(level: number): ListLevel {
    return this.#outline[level] ?? NONE;
  }

  *#chain(family: string, name: string): Generator<Style, void, undefined> {
    let at: string | undefined = name;
    for (let count = 0; at !== undefined && count < MAX_PARENTS; count += 1) {
      const style: Style | undefined = this.#styles.get(`${family} ${at}`);
      if (!style) return;
      yield style;
      at = style.parent;
    }
  }

  #lookOf(properties: XmlElement | undefined): TextLook {
    if (!properties) return PLAIN;
    const weight = properties.get('fo:font-weight') ?? properties.get('font-weight');
    const slant = properties.get('fo:font-style') ?? properties.get('font-style');
    const through = properties.get('text-line-through-style') ?? properties.get('text-line-through-type');
    const font = properties.get('style:font-name') ?? properties.get('fo:font-family');
    const position = properties.get('text-position');
    const display = properties.get('text:display') ?? properties.get('display');
    return {
      ...(weight !== undefined && { bold: weight === 'bold' || Number(weight) >= 600 }),
      ...(slant !== undefined && { italic: slant === 'italic' || slant === 'oblique' }),
      ...(through !== undefined && { strike: through !== 'none' }),
      ...(font !== undefined && { mono: MONO.test(font) || this.#monoFonts.has(font) }),
      ...(position !== undefined && positionOf(position)),
      ...(display !== undefined && { hidden: display === 'none' }),
    };
  }
}

/**
 * The level of a style as a heading: its outline level (ODF 1.3 part 3, 19.471), else what LibreOffice's name for it
 * says. 0 if the style states that it has none; undefined if it does not say.
 */
function headingOf(name: string, outline: string | undefined): number | undefined {
  if (outline !== undefined) return Math.min(10, Math.max(0, Math.trunc(Number(outline)) || 0));
  if (name === 'Title') return 1;
  if (name === 'Subtitle') return 2;
  const level = /^Heading (10|[1-9])$/.exec(name)?.[1];
  return level === undefined ? undefined : Number(level);
}

const PLAIN: TextLook = {};
const BULLET: ListLevel = {
  kind: 'bullet',
  start: 1,
  format: '1',
  pattern: undefined,
  prefix: '',
  suffix: '.',
  shown: 1,
};
const NONE: ListLevel = { ...BULLET, kind: 'none' };
/** Longer text before or after a number is not a label. */
const MAX_AFFIX = 20;
const MAX_PATTERN = 80;

/** `super 58%`, `sub 58%`, `33% 58%`, `-33% 58%`; an offset of zero is neither. */
function positionOf(position: string): TextLook {
  const raise = position.trim().split(/\s+/, 1)[0] ?? '';
  const percent = Number(raise.replace('%', ''));
  return {
    superscript: raise === 'super' || percent > 0,
    subscript: raise === 'sub' || percent < 0,
  };
}

function levelsOf(list: XmlElement): (ListLevel | undefined)[] {
  const levels: (ListLevel | undefined)[] = [];
  for (const element of list.elements()) {
    const number = Number(element.get('level'));
    if (!Number.isInteger(number) || number < 1 || number > 32) continue;
    const start = Number(element.get('start-value') ?? 1);
    const format = element.get('num-format') ?? '';
    const pattern = element.get('num-list-format');
    const bullet = (element.get('bullet-char') ?? '-').trim();
    const numbered = element.name === 'list-level-style-number' || element.name === 'outline-level-style';
    levels[number - 1] = {
      kind: numbered ? (format === '' ? 'none' : 'number') : bullet === '' ? 'none' : 'bullet',
      start: Number.isSafeInteger(start) && start >= 0 ? start : 1,
      format,
      pattern: pattern?.includes('%') ? pattern.slice(0, MAX_PATTERN) : undefined,
      prefix: (element.get('num-prefix') ?? '').trim().slice(0, MAX_AFFIX),
      suffix: (element.get('num-suffix') ?? '').trim().slice(0, MAX_AFFIX),
      shown: Math.max(1, Math.min(number, Math.trunc(Number(element.get('display-levels') ?? 1)) || 1)),
    };
  }
  return levels;
}
