// Styles of a Word document (ECMA-376 part 1, 17.7), with inheritance along `basedOn`. Keeps only what Markdown can
// express.

import type { XmlElement } from '../../../src/package/index.ts';

/** The look of a run; an absent property is unspecified. */
export interface RunLook {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly vertical?: 'superscript' | 'subscript' | 'baseline';
  readonly hidden?: boolean;
  /** Font name of Latin text. */
  readonly font?: string;
  /** Code, by the name of its style. */
  readonly code?: boolean;
  /** White text; and whether its background is coloured. */
  readonly white?: boolean;
  readonly shaded?: boolean;
}

/** What a paragraph style means. */
export interface ParagraphLook {
  /** 1 to 9; 0 for body text. */
  readonly heading: number;
  readonly kind: 'text' | 'title' | 'code' | 'quote' | 'contents' | 'bullet' | 'numbered';
  /** 0-based level of a table of contents entry, or of a list by style name. */
  readonly level: number;
  readonly numId: string | undefined;
  readonly listLevel: string | undefined;
  readonly look: RunLook;
  /** True if the paragraph has a coloured background. */
  readonly shaded: boolean;
}

interface Style {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly paragraph: XmlElement | undefined;
  readonly run: RunLook;
}

const MAX_STYLES = 20_000;
const MAX_ANCESTORS = 32;
const MAX_KNOWN = 5000;

/**
 * Built-in names are English in the file regardless of Word's language; other writers and very old files translate
 * them.
 */
const HEADING_NAME =
  /^(?:heading|überschrift|titre|título|titolo|titulo|encabezado|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|başlık|заголовок|заглавие|标题|標題|見出し|제목|כותרת)\s*([1-9])$/iu;
const TITLE_NAME = /^(?:title|titel|titre|título|titolo|название|标题|標題|表題|제목)$/iu;
/** Names of styles for code. */
export const CODE_NAME: RegExp =
  /^(?:source ?code|html (?:preformatted|code|sample|keyboard)|code(?: ?block| ?sample| ?text)?|preformatted(?: text)?|verbatim(?: ?char)?|inline ?code|code ?char|macro text|program ?listing|source ?text)$/i;
const QUOTE_NAME = /^(?:(?:intense )?quote|block ?quote|block text|quotations?|zitat|citation|cita)$/i;
const CONTENTS_NAME = /^(?:toc|contents|verzeichnis|inhaltsverzeichnis|tm)\s*([1-9])$/i;
const LIST_NAME = /^list (bullet|number)(?: ([2-9]))?$/i;

/** Body text. */
export const PLAIN: ParagraphLook = {
  heading: 0,
  kind: 'text',
  level: 0,
  numId: undefined,
  listLevel: undefined,
  look: {},
  shaded: false,
};

/** All styles of a document. */
export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #paragraphs = new Map<string, ParagraphLook>();
  readonly #runs = new Map<string, RunLook>();
  #default: string | undefined;

  /** `root` is the root element of the styles part; without it, style ids are used as names. */
  constructor(root: XmlElement | undefined) {
    for (const element of root?.elements('style') ?? []) {
      if (this.#styles.size >= MAX_STYLES) break;
      const id = element.get('styleId');
      if (id === undefined || this.#styles.has(id)) continue;
      const type = element.get('type') ?? 'paragraph';
      const name = (element.child('name')?.get('val') ?? id).split(',', 1)[0]?.trim() ?? id;
      const code = type === 'character' && CODE_NAME.test(name);
      this.#styles.set(id, {
        id,
        type,
        name,
        basedOn: element.child('basedOn')?.get('val'),
        paragraph: element.child('pPr'),
        run: { ...lookOf(element.child('rPr')), ...(code && { code }) },
      });
      const main = element.get('default');
      if (type === 'paragraph' && main !== undefined && isOn(main)) this.#default ??= id;
    }
  }

  /** The meaning of a paragraph style; that of the default style without an id. */
  paragraph(id: string | undefined): ParagraphLook {
    const key = id !== undefined && this.#styles.get(id)?.type === 'paragraph' ? id : undefined;
    if (id !== undefined && key === undefined) return byName(id, PLAIN);
    const wanted = key ?? this.#default;
    if (wanted === undefined) return PLAIN;
    const known = this.#paragraphs.get(wanted);
    if (known) return known;
    const look = this.#resolved(wanted);
    if (this.#paragraphs.size < MAX_KNOWN) this.#paragraphs.set(wanted, look);
    return look;
  }

  /** The look of a character style. */
  character(id: string | undefined): RunLook {
    if (id === undefined) return {};
    const known = this.#runs.get(id);
    if (known) return known;
    let look: RunLook = {};
    for (const style of this.#line(id).reverse()) look = { ...look, ...style.run };
    if (this.#runs.size < MAX_KNOWN) this.#runs.set(id, look);
    return look;
  }

  /** The `numId` of a numbering style, which a list definition may refer to. */
  numbering(id: string): string | undefined {
    return this.#styles.get(id)?.paragraph?.at('numPr', 'numId')?.get('val');
  }

  /** The style and its ancestors, itself first; stops at a cycle. */
  #line(id: string): Style[] {
    const line: Style[] = [];
    let style = this.#styles.get(id);
    while (style && line.length < MAX_ANCESTORS && !line.includes(style)) {
      line.push(style);
      style = style.basedOn === undefined ? undefined : this.#styles.get(style.basedOn);
    }
    return line;
  }

  #resolved(id: string): ParagraphLook {
    const line = this.#line(id);
    let look: RunLook = {};
    let outline: string | undefined;
    let numId: string | undefined;
    let listLevel: string | undefined;
    let ground: XmlElement | undefined;
    for (const { paragraph, run } of line) {
      ground ??= paragraph?.child('shd');
      look = { ...run, ...look };
      outline ??= paragraph?.child('outlineLvl')?.get('val');
      const number = paragraph?.child('numPr');
      numId ??= number?.child('numId')?.get('val');
      listLevel ??= number?.child('ilvl')?.get('val');
    }
    // If neither the style nor its outline level decides, the nearest ancestor with a meaningful name does.
    let named = PLAIN;
    for (const { name } of line) {
      named = byName(name, PLAIN);
      if (named !== PLAIN) break;
    }
    const level = outline === undefined ? undefined : Number(outline);
    const heading =
      level === undefined
        ? named.heading
        : Number.isInteger(level) && level >= 0 && level < 9
          ? level + 1
          : 0;
    return {
      ...named,
      heading: named.kind === 'title' ? 0 : heading,
      numId,
      listLevel,
      look,
      shaded: isGround(ground),
    };
  }
}

/** The look that a style's name implies; `plain` if the name has no meaning. */
export function byName(name: string, plain: ParagraphLook): ParagraphLook {
  const heading = HEADING_NAME.exec(name)?.[1];
  if (heading !== undefined) return { ...plain, heading: Number(heading) };
  if (TITLE_NAME.test(name)) return { ...plain, kind: 'title' };
  if (CODE_NAME.test(name)) return { ...plain, kind: 'code' };
  if (QUOTE_NAME.test(name)) return { ...plain, kind: 'quote' };
  const contents = CONTENTS_NAME.exec(name)?.[1];
  if (contents !== undefined) return { ...plain, kind: 'contents', level: Number(contents) - 1 };
  const list = LIST_NAME.exec(name);
  if (list)
    return {
      ...plain,
      kind: list[1]?.toLowerCase() === 'bullet' ? 'bullet' : 'numbered',
      level: Number(list[2] ?? '1') - 1,
    };
  return plain;
}

/** The look specified by run properties (`rPr`). */
export function lookOf(properties: XmlElement | undefined): RunLook {
  if (!properties) return NOTHING;
  const look: { -readonly [Key in keyof RunLook]: RunLook[Key] } = {};
  for (const node of properties.children) {
    if (typeof node === 'string') continue;
    switch (node.name) {
      case 'b':
        look.bold = isOn(node.get('val'));
        break;
      case 'i':
        look.italic = isOn(node.get('val'));
        break;
      case 'strike':
      case 'dstrike':
        look.strike = isOn(node.get('val'));
        break;
      case 'vanish':
        look.hidden = isOn(node.get('val'));
        break;
      case 'vertAlign': {
        const value = node.get('val');
        look.vertical = value === 'superscript' || value === 'subscript' ? value : 'baseline';
        break;
      }
      case 'rFonts': {
        const font = node.get('ascii') ?? node.get('hAnsi') ?? node.get('cs');
        if (font !== undefined) look.font = font;
        break;
      }
      case 'color':
        look.white = /^f{6}$/i.test(node.get('val') ?? '');
        break;
      case 'highlight':
        look.shaded = node.get('val') !== 'none' && node.get('val') !== 'white';
        break;
      case 'shd':
        look.shaded = isGround(node);
        break;
      case 'sz': {
        // Text of one point or less is unreadable: it is meant for machines.
        const size = Number(node.get('val'));
        if (size > 0 && size <= 2) look.hidden = true;
        break;
      }
    }
  }
  return look;
}

const NOTHING: RunLook = {};

/** True for a shading (`shd`) that makes white text visible. */
export function isGround(shading: XmlElement | undefined): boolean {
  if (!shading) return false;
  const plain = /^(?:auto|f{6})?$/i;
  const pattern = shading.get('val') ?? 'clear';
  return (
    !plain.test(shading.get('fill') ?? '') ||
    shading.get('themeFill') !== undefined ||
    !/^(?:clear|nil)$/.test(pattern)
  );
}

/** The value of an on/off property (ECMA-376 part 1, 22.9.2.7); on if it has no value. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|off|false|no)$/i.test(value);
}
