// The content of a Word paragraph: runs of text in one style, links, fields, notes, pictures and formulas. Content
// anchored to it (text boxes, charts) is returned separately.

import { spaced } from '../../../src/contract/index.ts';
import { imageMark, noteMark, type Run, verbatim } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { equationText } from '../ooxml/equation.ts';
import type { Relationship } from '../ooxml/package.ts';
import { isSymbolFont, symbolChar } from '../ooxml/symbol.ts';
import type { Piece } from '../piece.ts';
import { words } from '../words.ts';
import type { Attachments, WordDocument } from './document.ts';
import { Fields, linkOf } from './field.ts';
import type { RemarkKind } from './remarks.ts';
import { isOn, lookOf, type RunLook } from './styles.ts';

/** A run of a paragraph; `picture` is set for pictures, which float beside the text or stand in its line. */
export interface ParagraphRun extends Run {
  readonly picture?: 'floating' | 'inline';
}

/** A paragraph's content while it is collected. */
export interface Gathered {
  readonly runs: ParagraphRun[];
  /** Text boxes, charts and diagrams anchored in it. */
  readonly beside: Piece[];
  /** Number of characters, and how many of them are monospaced. */
  letters: number;
  monospaced: number;
}

/** The context of a run. */
interface Around {
  readonly into: Gathered;
  readonly look: RunLook;
  readonly href: string | undefined;
  /** Inside a tracked deletion that is to be marked. */
  readonly deleted: boolean;
  /** Inside a drawing that is anchored rather than placed in the line. */
  readonly floating?: boolean;
  /** True if white text is invisible here. */
  readonly white: boolean;
}

type Read = (element: XmlElement, around: Around) => unknown;

/** Page and column breaks are layout. */
const isLineBreak = (element: XmlElement): boolean =>
  (element.get('type') ?? 'textWrapping') === 'textWrapping';

const symbolOf = (element: XmlElement): string =>
  symbolChar(element.get('font') ?? '', Number.parseInt(element.get('char') ?? '', 16) || 0xfffd);

/** Elements without document text. */
const SILENT: ReadonlySet<string> = new Set(
  words(
    'rPr pPr sdtPr sdtEndPr smartTagPr customXmlPr fldData ffData proofErr bookmarkStart bookmarkEnd ' +
      'permStart permEnd lastRenderedPageBreak annotationRef footnoteRef endnoteRef separator ' +
      'continuationSeparator softHyphen pgNum control tblPr tblGrid trPr tcPr sectPr',
  ),
);

const MONOSPACED =
  /\b(?:courier|consolas|mono|monaco|menlo|lucida console|lucida sans typewriter|andale|inconsolata|fixedsys|terminal|source code|fira code|cascadia|typewriter)\b|mono\b/i;

/** Collects the content of a story's paragraphs, in order. */
export class InlineReader {
  readonly fields: Fields = new Fields();
  readonly #document: WordDocument;
  readonly #relations: ReadonlyMap<string, Relationship>;
  readonly #attachments: Attachments;
  readonly #box: (content: XmlElement) => Piece[];

  /** `box` reads the blocks of a text box. */
  constructor(
    document: WordDocument,
    relations: ReadonlyMap<string, Relationship>,
    attachments: Attachments,
    box: (content: XmlElement) => Piece[],
  ) {
    this.#document = document;
    this.#relations = relations;
    this.#attachments = attachments;
    this.#box = box;
  }

  /**
   * Adds the content of `paragraph`, whose style gives runs the base look `look`, to `into`. On a `white` background
   * white text is hidden.
   */
  read(paragraph: XmlElement, look: RunLook, white: boolean, into: Gathered): void {
    // Bold and italic of a whole paragraph are its style, not emphasis.
    const base: RunLook = {
      ...(look.hidden !== undefined && { hidden: look.hidden }),
      ...(look.font !== undefined && { font: look.font }),
      ...(look.strike !== undefined && { strike: look.strike }),
      ...(look.white !== undefined && { white: look.white }),
      ...(look.shaded !== undefined && { shaded: look.shaded }),
    };
    this.#document.remarks.words.add(' ');
    this.#all(paragraph, { into, look: base, href: undefined, deleted: false, white });
  }

  #all(element: XmlElement, around: Around): void {
    for (const node of element.children) if (typeof node !== 'string') this.#one(node, around);
  }

  #one(element: XmlElement, around: Around): void {
    const read = this.#elements.get(element.name);
    if (read) read(element, around);
    else if (!SILENT.has(element.name)) this.#all(element, around);
  }

  readonly #elements: ReadonlyMap<string, Read> = new Map<string, Read>([
    ['t', (element, around) => this.#text(element.text(), around)],
    ['tab', (_, around) => this.#text('\t', around)],
    ['ptab', (_, around) => this.#text('\t', around)],
    ['br', (element, around) => isLineBreak(element) && this.#push('\n', around)],
    ['cr', (_, around) => this.#push('\n', around)],
    ['noBreakHyphen', (_, around) => this.#text('-', around)],
    ['sym', (element, around) => this.#push(symbolOf(element), around)],
    ['delText', (element, around) => around.deleted && this.#text(element.text(), around)],
    ['instrText', (element) => this.fields.code(element.text())],
    ['delInstrText', () => undefined],
    ['fldChar', (element, around) => this.#text(this.fields.mark(element), around)],
    ['fldSimple', (element, around) => this.#linked(element, linkOf(element.get('instr') ?? ''), around)],
    ['hyperlink', (element, around) => this.#linked(element, this.#target(element), around)],
    ['footnoteReference', (element, around) => this.#reference('footnote', element, around)],
    ['endnoteReference', (element, around) => this.#reference('endnote', element, around)],
    ['commentReference', (element, around) => this.#reference('comment', element, around)],
    ['commentRangeStart', (element) => this.#document.remarks.words.begin(element.get('id') ?? '')],
    ['commentRangeEnd', (element) => this.#document.remarks.words.end(element.get('id') ?? '')],
    ['r', (element, around) => this.#run(element, around)],
    ['oMath', (element, around) => this.#formula(element, around)],
    ['oMathPara', (element, around) => this.#formula(element, around)],
    ['ins', (element, around) => this.#changed(element, around, '{++', '++}')],
    ['moveTo', (element, around) => this.#changed(element, around, '{++', '++}')],
    ['del', (element, around) => this.#deleted(element, around)],
    ['moveFrom', (element, around) => this.#deleted(element, around)],
    ['ruby', (element, around) => this.#ruby(element, around)],
    ['AlternateContent', (element, around) => this.#alternate(element, around)],
    ['drawing', (element, around) => this.#drawing(element, around)],
    ['pict', (element, around) => this.#picture(element, around)],
    ['object', (element, around) => this.#picture(element, around)],
  ]);

  #linked(element: XmlElement, href: string | undefined, around: Around): void {
    this.#all(element, { ...around, href: href ?? around.href });
  }

  #deleted(element: XmlElement, around: Around): void {
    if (this.#document.changes === 'mark') this.#changed(element, { ...around, deleted: true }, '{--', '--}');
    else if (element.name === 'del') this.#document.left.delete();
  }

  #reference(kind: RemarkKind, element: XmlElement, around: Around): void {
    if (this.fields.inCode || isHidden(around)) return;
    this.#raw(noteMark(this.#document.remarks.refer(kind, element.get('id'))), around);
  }

  #run(element: XmlElement, around: Around): void {
    const properties = element.child('rPr');
    if (!properties) {
      this.#all(element, around);
      return;
    }
    const style = properties.child('rStyle')?.get('val');
    const look = {
      ...around.look,
      ...(style !== undefined && this.#document.styles.character(style)),
      ...lookOf(properties),
    };
    this.#all(element, { ...around, look });
  }

  #text(text: string, around: Around): void {
    if (text === '' || this.fields.inCode) return;
    const { font } = around.look;
    const shown = shownText(spaced(text, '\n'), font);
    countLetters(shown, font, around.into);
    this.#push(shown, around);
  }

  #push(text: string, around: Around): void {
    if (this.fields.inCode) return;
    const { look, href } = around;
    if (isHidden(around)) {
      this.#document.left.hide(text);
      return;
    }
    around.into.runs.push(styledRun(text, look, href ?? this.fields.link));
    this.#document.remarks.words.add(text);
  }

  #raw(
    text: string,
    { href, into }: Pick<Around, 'href' | 'into'>,
    picture?: NonNullable<ParagraphRun['picture']>,
  ): void {
    const target = href ?? this.fields.link;
    if (text !== '')
      into.runs.push({
        text,
        raw: true,
        ...(target !== undefined && { href: target }),
        ...(picture !== undefined && { picture }),
      });
  }

  #formula(element: XmlElement, around: Around): void {
    const only = element.text().trim();
    // A single symbol set as a formula is just that symbol.
    const sign = [...only].length === 1 && !/[\p{L}\p{N}]/u.test(only);
    const text = sign ? only : equationText(element);
    if (text === '' || this.fields.inCode) return;
    if (sign) {
      this.#push(only, around);
      return;
    }
    if (isHidden(around)) {
      this.#document.left.hide(text);
      return;
    }
    this.#raw(text, { href: undefined, into: around.into });
  }

  #changed(element: XmlElement, around: Around, open: string, close: string): void {
    const before = around.into.runs.length;
    this.#all(element, around);
    if (this.#document.changes !== 'mark' || around.into.runs.length === before) return;
    around.into.runs.splice(before, 0, { text: verbatim(open), raw: true });
    around.into.runs.push({ text: verbatim(close), raw: true });
  }

  #ruby(element: XmlElement, around: Around): void {
    const base = element.child('rubyBase');
    const reading = element.child('rt');
    if (base) this.#all(base, around);
    if (!reading || reading.text().trim() === '') return;
    this.#text('(', around);
    this.#all(reading, around);
    this.#text(')', around);
  }

  /** Of alternative representations, the first that yields content; the newest comes first. */
  #alternate(element: XmlElement, around: Around): void {
    for (const choice of element.elements()) {
      const { length } = around.into.runs;
      const beside = around.into.beside.length;
      this.#all(choice, around);
      if (around.into.runs.length > length || around.into.beside.length > beside) return;
    }
  }

  #target(link: XmlElement): string | undefined {
    const relation = this.#relations.get(link.get('r:id') ?? link.get('id') ?? '');
    // A link inside the document has no target in its text.
    if (!relation?.external) return undefined;
    const anchor = link.get('anchor');
    return anchor === undefined || relation.target.includes('#')
      ? relation.target
      : `${relation.target}#${anchor}`;
  }

  /** DrawingML: pictures, charts, diagrams and shapes with text, single or grouped. */
  #drawing(element: XmlElement, around: Around): void {
    if (this.fields.inCode) return;
    for (const frame of element.elements()) {
      const about = frame.child('docPr');
      if (about?.get('hidden') !== undefined && isOn(about.get('hidden'))) continue;
      const alt = about?.get('descr') || about?.get('title') || '';
      const graphic = frame.child('graphic');
      if (graphic) this.#graphic(graphic, alt, { ...around, floating: frame.name === 'anchor' });
    }
  }

  #graphic(element: XmlElement, alt: string, around: Around): void {
    for (const node of element.children) {
      if (typeof node === 'string') continue;
      switch (node.name) {
        case 'pic': {
          const own = node.at('nvPicPr', 'cNvPr');
          const blip = node.at('blipFill', 'blip');
          this.#image(
            alt || own?.get('descr') || own?.get('title') || '',
            blip?.get('embed') ?? blip?.get('link'),
            around,
          );
          break;
        }
        case 'chart':
          this.#attach(node.get('id'), around);
          break;
        case 'relIds':
          this.#attach(node.get('dm'), around);
          break;
        case 'txbxContent':
          for (const block of this.#box(node)) around.into.beside.push(block);
          break;
        case 'AlternateContent': {
          const { length } = around.into.runs;
          const beside = around.into.beside.length;
          for (const choice of node.elements()) {
            this.#graphic(choice, alt, around);
            if (around.into.runs.length > length || around.into.beside.length > beside) break;
          }
          break;
        }
        case 'spPr':
        case 'style':
          break;
        default:
          this.#graphic(node, alt, around);
      }
    }
  }

  /** VML, and the picture of an embedded object. */
  #picture(element: XmlElement, around: Around): void {
    if (this.fields.inCode) return;
    const object = element.name === 'object' ? element.child('OLEObject')?.get('ProgID') : undefined;
    const visit = (parent: XmlElement, alt: string): void => {
      for (const node of parent.children) {
        if (typeof node === 'string') continue;
        const label = node.get('alt') || alt;
        if (node.name === 'imagedata')
          this.#image(
            label || node.get('title') || object || '',
            node.get('r:id') ?? node.get('relid') ?? node.get('id') ?? node.get('href'),
            around,
          );
        else if (node.name === 'txbxContent')
          for (const block of this.#box(node)) around.into.beside.push(block);
        else if (node.name === 'textpath') this.#text(node.get('string') ?? '', around);
        else if (node.name === 'drawing') this.#drawing(node, around);
        else if (node.name !== 'shapetype') visit(node, label);
      }
    };
    visit(element, '');
  }

  #image(alt: string, id: string | undefined, around: Around): void {
    if (isHidden(around)) return;
    const relation = this.#relations.get(id ?? '');
    const target = relation?.external ? relation.target : this.#document.member(relation?.target ?? '');
    this.#raw(imageMark(alt, target), around, around.floating === true ? 'floating' : 'inline');
  }

  #attach(id: string | undefined, { into }: Around): void {
    for (const block of this.#attachments.get(id ?? '') ?? []) into.beside.push({ kind: 'block', block });
  }
}

/** `text` in this look; `href` is the target of the link it is part of. */
export function styledRun(text: string, look: RunLook, href: string | undefined): Run {
  return {
    text,
    ...(look.bold === true && { bold: true }),
    ...(look.italic === true && { italic: true }),
    ...(look.strike === true && { strike: true }),
    ...(look.code === true && { code: true }),
    ...(look.vertical === 'superscript' && { superscript: true }),
    ...(look.vertical === 'subscript' && { subscript: true }),
    ...(href !== undefined && { href }),
  };
}

/** `text` with the characters of symbol fonts as Unicode. */
export function shownText(text: string, font: string | undefined): string {
  const symbols = isSymbolFont(font);
  if (!symbols && !/[\uf000-\uf0ff]/.test(text)) return text;
  return text.replace(symbols ? /[!-\u00ff\uf000-\uf0ff]/g : /[\uf000-\uf0ff]/g, (char) =>
    symbolChar(font !== undefined && symbols ? font : 'Wingdings', char.charCodeAt(0)),
  );
}

/** Counts the characters of a paragraph, and those in a monospaced font. */
export function countLetters(text: string, font: string | undefined, into: Gathered): void {
  into.letters += text.length;
  if (font !== undefined && MONOSPACED.test(font)) into.monospaced += text.length;
}

function isHidden({ look, white }: Around): boolean {
  return look.hidden === true || (white && look.white === true && look.shaded !== true);
}
