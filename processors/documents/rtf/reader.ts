// The RTF state machine: groups, destinations, character and paragraph properties. Returns flows of paragraphs, facts
// and hidden text; `flow.ts` turns them into blocks.

import { imageMark, noteMark, verbatim } from '../../../src/document/index.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import { isSymbolFont, symbolChar } from '../ooxml/symbol.ts';
import { pairs, words } from '../words.ts';
import { charsetOfCodePage, charsetOfFont } from './charset.ts';
import type { CellShape, Flow } from './flow.ts';
import { RtfHeader } from './header.ts';
import { type Destination, END, NO_PARAGRAPH, openFlow, PLAIN, START, type State } from './state.ts';
import { RtfTokens } from './token.ts';
import { CHARACTERS, INFO, KEPT, SKIPPED, SYMBOLS } from './vocabulary.ts';

/** A note or comment: the flow of its text. */
export interface Note {
  readonly flow: Flow;
  readonly author?: string;
}

/** The content of an RTF file. */
export interface RtfContent {
  readonly body: Flow;
  readonly headers: readonly Flow[];
  readonly footers: readonly Flow[];
  readonly notes: readonly Note[];
  readonly comments: readonly Note[];
  readonly info: ReadonlyMap<string, string>;
  readonly left: LeftOut;
  /** True if groups were left open: the file is truncated. */
  readonly cutOff: boolean;
  readonly pictures: number;
}

/** What words define, whatever group they are in: parts of what is being read. */
interface Definitions {
  shapes: CellShape[];
  shape: CellShape;
  author: string;
  /** The ending of a picture's name. */
  picture: string;
}

/** What a word with that number does. */
type Act = (value: number | undefined) => unknown;

/** `charset` is undefined if the file states none. */
type Decode = (bytes: Uint8Array, charset: string | undefined) => string;

const NO_SHAPE: CellShape = { mergedLeft: false, mergedUp: false };
const PICTURES = [...pairs('pngblip png jpegblip jpg emfblip emf wmetafile wmf dibitmap bmp wbitmap bmp')];

const each = (list: string, act: Act): [string, Act][] => words(list).map((word) => [word, act]);

/** More open groups than any writer produces; deeper ones count as part of the deepest. */
const MAX_DEPTH = 4000;
const MAX_NOTES = 10_000;
const TOKENS_AT_A_TIME = 20_000;

/** Reads one file; see `read`. */
export class RtfReader {
  readonly #bytes: Uint8Array;
  readonly #tokens: RtfTokens;
  readonly #decode: Decode;
  readonly #newFlow: () => Flow;
  readonly #changes: TrackedChanges;
  readonly #stack: State[] = [];
  #state: State;
  #deeper = 0;
  #ignorable = false;
  /** Text bytes waiting to be decoded together. */
  #pending: number[] = [];
  #skipping = 0;
  #text = '';
  readonly #header = new RtfHeader();
  readonly #defined: Definitions = {
    shapes: [],
    shape: NO_SHAPE,
    author: '',
    picture: 'bin',
  };
  readonly #hrefs: (string | undefined)[] = [];
  #pictures = 0;
  readonly #body: Flow;
  readonly #headers: Flow[] = [];
  readonly #footers: Flow[] = [];
  readonly #notes: Note[] = [];
  readonly #comments: Note[] = [];
  readonly #info = new Map<string, string>();
  readonly #left = new LeftOut();
  #inDeletion = false;

  constructor(bytes: Uint8Array, decode: Decode, newFlow: () => Flow, changes: TrackedChanges) {
    this.#bytes = bytes;
    this.#tokens = new RtfTokens(bytes);
    this.#decode = decode;
    this.#newFlow = newFlow;
    this.#changes = changes;
    this.#body = newFlow();
    this.#state = {
      destination: 'flow',
      replaced: 'flow',
      flow: openFlow(this.#body),
      ...PLAIN,
      ...NO_PARAGRAPH,
      font: -1,
      fallback: 1,
      href: undefined,
      ends: undefined,
    };
  }

  /** Reads the whole file. Calls `rest` periodically to yield to other tasks. */
  async read(rest: () => Promise<void>): Promise<RtfContent> {
    const tokens = this.#tokens;
    for (let count = 1; tokens.next(); count += 1) {
      if (count % TOKENS_AT_A_TIME === 0) await rest();
      this.#token(tokens);
      // Anything after the outermost group is not part of the document.
      if (tokens.kind === 'close' && this.#stack.length === 0) break;
    }
    this.#flush();
    const cutOff = this.#stack.length > 0;
    while (this.#stack.length > 0) this.#close();
    this.#endParagraph();
    return {
      body: this.#body,
      headers: this.#headers,
      footers: this.#footers,
      notes: this.#notes,
      comments: this.#comments,
      info: this.#info,
      left: this.#left,
      cutOff,
      pictures: this.#pictures,
    };
  }

  #token(tokens: RtfTokens): void {
    const { kind } = tokens;
    if (kind === 'text') {
      this.#plain(tokens.from, tokens.to);
      return;
    }
    if (kind === 'byte') {
      if (this.#skipping > 0) this.#skipping -= 1;
      else this.#pending.push(tokens.byte);
      return;
    }
    if (kind === 'open') this.#open();
    else if (kind === 'close') this.#close();
    else if (this.#skipping > 0) this.#skipping -= 1;
    else if (kind === 'symbol') this.#symbol(tokens.word);
    else this.#word(tokens.word, tokens.value);
  }

  #plain(start: number, to: number): void {
    let from = start;
    const skipped = Math.min(this.#skipping, to - from);
    this.#skipping -= skipped;
    from += skipped;
    if (this.#state.destination === 'skip' || this.#state.destination === 'picture') return;
    for (let at = from; at < to; at += 1) this.#pending.push(this.#bytes[at] ?? 0);
  }

  #open(): void {
    this.#flush();
    this.#skipping = 0;
    if (this.#stack.length >= MAX_DEPTH) {
      this.#deeper += 1;
      return;
    }
    this.#stack.push(this.#state);
    this.#state = { ...this.#state, ends: undefined };
    this.#ignorable = false;
  }

  #close(): void {
    this.#flush();
    this.#skipping = 0;
    if (this.#deeper > 0) {
      this.#deeper -= 1;
      return;
    }
    const before = this.#stack.pop();
    if (!before) return;
    const { ends } = this.#state;
    ends?.();
    this.#state = before;
    this.#ignorable = false;
  }

  #symbol(symbol: string): void {
    if (symbol === '*') {
      this.#ignorable = true;
      return;
    }
    if (symbol === '\n' || symbol === '\r') this.#word('par', undefined);
    else if (symbol === '\t') this.#word('tab', undefined);
    else {
      const text = SYMBOLS.get(symbol);
      if (text !== undefined) this.#append(text);
    }
  }

  #word(word: string, value: number | undefined): void {
    const ignorable = this.#ignorable;
    this.#ignorable = false;
    if (word === 'u') {
      this.#unicode(value ?? 0);
      return;
    }
    this.#flush();
    const { destination } = this.#state;
    if (destination === 'skip') return;
    const enter = this.#destinations.get(word);
    const act = this.#words.get(word);
    const text = CHARACTERS.get(word);
    if (destination === 'info' && INFO.includes(word))
      this.#collect('info', () => this.#info.set(word, this.#text.trim()));
    else if (enter) enter(value);
    else if (SKIPPED.has(word) || (ignorable && !KEPT.has(word))) this.#set({ destination: 'skip' });
    else if (act) act(value);
    else if (text !== undefined) this.#append(text);
  }

  #set(change: Partial<State>): void {
    Object.assign(this.#state, change);
  }

  #define(change: Partial<Definitions>): void {
    Object.assign(this.#defined, change);
  }

  /** Words that set the destination of the group's text. */
  readonly #destinations: ReadonlyMap<string, Act> = new Map<string, Act>([
    ['fonttbl', () => this.#collect('font', () => this.#endEntry('font'))],
    ['stylesheet', () => this.#collect('style', () => this.#endEntry('style'))],
    ['info', () => this.#set({ destination: 'info' })],
    ['fldinst', () => this.#collect('instruction', () => this.#endInstruction())],
    ...each('listtext pntext', () => this.#collect('marker', () => this.#endMarker())),
    ['atnauthor', () => this.#collect('author', () => this.#define({ author: this.#text.trim() }))],
    ['pict', () => this.#picture()],
    ['nesttableprops', () => this.#nestedRow()],
    ['footnote', () => this.#note(this.#notes, '', {})],
    ['annotation', () => this.#note(this.#comments, 'c', { author: this.#defined.author })],
    ...each('header headerl headerr headerf', () => this.#into(this.#headers)),
    ...each('footer footerl footerr footerf', () => this.#into(this.#footers)),
    ['upr', () => this.#set({ replaced: this.#state.destination, destination: 'alternative' })],
    ['ud', () => this.#set({ destination: this.#state.replaced })],
  ]);

  /** What the other words change. */
  readonly #words: ReadonlyMap<string, Act> = new Map<string, Act>([
    ['b', (value) => this.#set({ bold: value !== 0 })],
    ['i', (value) => this.#set({ italic: value !== 0 })],
    ...each('strike striked', (value) => this.#set({ strike: value !== 0 })),
    ...each('super up', (value) => this.#set({ superscript: value !== 0, subscript: false })),
    ...each('sub dn', (value) => this.#set({ superscript: false, subscript: value !== 0 })),
    ['nosupersub', () => this.#set({ superscript: false, subscript: false })],
    ['v', (value) => this.#set({ hidden: value !== 0 })],
    ['deleted', (value) => this.#set({ change: value === 0 ? 'none' : 'deleted' })],
    ['revised', (value) => this.#set({ change: value === 0 ? 'none' : 'inserted' })],
    ['plain', () => this.#set({ ...PLAIN, font: this.#header.defaultFont })],
    ['f', (value = 0) => (this.#isIn('font') ? this.#header.beginFont(value) : this.#set({ font: value }))],
    ['uc', (value = 1) => this.#set({ fallback: Math.min(8, Math.max(0, value)) })],
    ['tab', () => this.#append(this.#header.isMonospace(this.#state.font) ? '\t' : ' ')],
    ['par', () => this.#par()],
    ...each('sect page column', () => this.#state.flow.runs.length > 0 && this.#breakParagraph()),
    ['pard', () => this.#set(NO_PARAGRAPH)],
    ['intbl', (value) => this.#set({ inTable: value !== 0 })],
    ['itap', (value = 1) => this.#set({ nesting: Math.max(0, value) })],
    ['li', (value = 0) => this.#set({ indent: Math.max(0, value) })],
    ['ilvl', (value = 0) => this.#set({ level: Math.min(8, Math.max(0, value)) })],
    [
      'outlinelevel',
      (value = 0) =>
        this.#isIn('style') ? this.#header.setStyleOutline(value) : this.#set({ outline: value }),
    ],
    [
      's',
      (value = 0) => (this.#isIn('style') ? this.#header.beginStyle(value) : this.#set({ style: value })),
    ],
    ['field', () => this.#openField()],
    ['fldrslt', () => this.#set({ href: this.#hrefs.at(-1) })],
    ['cell', () => this.#endCell(1)],
    ['nestcell', () => this.#endCell(this.#inner)],
    ['row', () => this.#state.flow.flow.row(1, this.#defined.shapes)],
    ['nestrow', () => this.#state.flow.flow.row(this.#inner, this.#defined.shapes)],
    ['trowd', () => this.#define({ shapes: [], shape: NO_SHAPE })],
    ['clmrg', () => this.#define({ shape: { ...this.#defined.shape, mergedLeft: true } })],
    ['clvmrg', () => this.#define({ shape: { ...this.#defined.shape, mergedUp: true } })],
    ['cellx', () => this.#endShape()],
    ['ansicpg', (value = 0) => value > 0 && this.#setCharset(charsetOfCodePage(value))],
    ['mac', () => this.#setCharset('macroman')],
    ['pc', () => this.#setCharset('cp437')],
    ['pca', () => this.#setCharset('cp850')],
    ['deff', (value = 0) => this.#setDefaultFont(value)],
    ['fcharset', (value = 0) => this.#header.setFontCharset(charsetOfFont(value))],
    ['cpg', (value = 0) => this.#isIn('font') && value !== 0 && this.#header.setFontCodePage(value)],
    ...PICTURES.map(([word, picture]): [string, Act] => [word, () => this.#define({ picture })]),
  ]);

  #isIn(destination: Destination): boolean {
    return this.#state.destination === destination;
  }

  #setCharset(charset: string | undefined): void {
    this.#header.charset = charset;
  }

  #setDefaultFont(number: number): void {
    this.#header.defaultFont = number;
  }

  /** Ends the entry of the font or style that is being defined. */
  #endEntry(kind: 'font' | 'style'): void {
    if (kind === 'font') this.#header.endFont(this.#text);
    else this.#header.endStyle(this.#text);
    this.#text = '';
  }

  /** A deleted end of a paragraph joins it with the next. */
  #par(): void {
    if (this.#state.change !== 'deleted' || this.#changes !== 'accept') this.#breakParagraph();
  }

  #breakParagraph(): void {
    if (this.#state.destination === 'flow') this.#endParagraph();
  }

  #openField(): void {
    this.#hrefs.push(undefined);
    this.#state.ends = () => this.#hrefs.pop();
  }

  /** Number of the table that rows and cells of inner tables belong to. */
  get #inner(): number {
    return Math.max(2, this.#state.nesting);
  }

  #endCell(table: number): void {
    this.#endParagraph(table);
    this.#state.flow.flow.cell(table);
  }

  #endShape(): void {
    const { shapes, shape } = this.#defined;
    this.#define({ shape: NO_SHAPE });
    if (shapes.length < 1000) shapes.push(shape);
  }

  /** The row of the outer table may have been defined before. */
  #nestedRow(): void {
    const { shapes } = this.#defined;
    this.#state.ends = () => this.#define({ shapes });
  }

  #collect(destination: Destination, ends: () => void): void {
    this.#text = '';
    this.#state.destination = destination;
    this.#state.ends = ends;
  }

  #picture(): void {
    const { flow } = this.#state;
    const isShown = this.#showsChange();
    this.#state.destination = 'picture';
    this.#define({ picture: 'bin' });
    this.#state.ends = () => {
      this.#pictures += 1;
      if (!isShown) return;
      flow.runs.push({
        text: imageMark(`picture-${this.#pictures}.${this.#defined.picture}`, ''),
        raw: true,
      });
    };
  }

  #note(list: Note[], mark: string, more: { readonly author?: string }): void {
    const isShown = this.#showsChange();
    if (list.length >= MAX_NOTES || !isShown) {
      if (isShown) this.#left.lose(`after the first ${MAX_NOTES}`, 'note');
      this.#state.destination = 'skip';
      return;
    }
    const outer = this.#state.flow;
    const flow = this.#newFlow();
    list.push({ flow, ...more });
    outer.runs.push({ text: noteMark(`${mark}${list.length}`), raw: true });
    this.#begin(flow);
  }

  #into(list: Flow[]): void {
    const flow = this.#newFlow();
    list.push(flow);
    this.#begin(flow);
  }

  /** Treats the rest of the group as a separate text. */
  #begin(flow: Flow): void {
    this.#set({ destination: 'flow', flow: openFlow(flow), superscript: false, change: 'none' });
    this.#set({ inTable: false, nesting: 0, href: undefined, ends: () => this.#endParagraph() });
  }

  #unicode(value: number): void {
    this.#flushBytes();
    const code = value < 0 ? value + 0x1_0000 : value;
    const { name = '' } = this.#header.font(this.#state.font) ?? {};
    const known = code >= 0 && code <= 0x10ffff;
    if (known) this.#append(isSymbolFont(name) ? symbolChar(name, code) : fromCode(code));
    this.#skipping = this.#state.fallback;
  }

  #flush(): void {
    this.#flushBytes();
    // The tables have one entry per group, or entries that end in a semicolon.
    const { destination } = this.#state;
    if ((destination === 'font' || destination === 'style') && this.#text.includes(';'))
      this.#endEntry(destination);
  }

  #flushBytes(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    const font = this.#header.font(this.#state.font);
    if (font && isSymbolFont(font.name)) {
      this.#append(Array.from(bytes, (byte) => symbolChar(font.name, byte)).join(''));
      return;
    }
    const own = this.#isIn('font') ? this.#header.fontCharset : font?.charset;
    this.#append(this.#decode(bytes, own ?? this.#header.charset));
  }

  #append(text: string): void {
    const state = this.#state;
    switch (state.destination) {
      case 'skip':
      case 'picture':
      case 'alternative':
        return;
      case 'flow':
        break;
      default:
        if (this.#text.length < 10_000) this.#text += text;
        return;
    }
    if (!this.#showsChange()) return;
    if (state.hidden) {
      this.#left.hide(text);
      return;
    }
    state.flow.runs.push({
      text,
      bold: state.bold,
      italic: state.italic,
      strike: state.strike,
      superscript: state.superscript,
      subscript: state.subscript,
      code: this.#header.isMonospace(this.#state.font),
      ...(state.href !== undefined && { href: state.href }),
    });
  }

  /** Marks where a tracked change starts and ends; false for a deletion that is not shown, which is counted. */
  #showsChange(): boolean {
    const { change, flow } = this.#state;
    if (this.#changes === 'mark') {
      if (change !== flow.change) {
        flow.runs.push({ text: verbatim(`${END[flow.change]}${START[change]}`), raw: true });
        flow.change = change;
      }
      return true;
    }
    const isDeleted = change === 'deleted';
    if (isDeleted && !this.#inDeletion) this.#left.delete();
    this.#inDeletion = isDeleted;
    return !isDeleted;
  }

  #endParagraph(tables: number = this.#tables()): void {
    const { flow, outline, style, level, indent } = this.#state;
    if (flow.change !== 'none') flow.runs.push({ text: verbatim(END[flow.change]), raw: true });
    const { runs, marker } = flow;
    flow.runs = [];
    flow.marker = undefined;
    flow.change = 'none';
    if (runs.length === 0 && tables === 0) return;
    flow.flow.paragraph({
      runs,
      heading: this.#header.headingOf(outline, style),
      level,
      indent,
      tables,
      ...(marker !== undefined && marker !== '' && { marker }),
    });
  }

  /** Number of tables around the current paragraph. */
  #tables(): number {
    const { inTable, nesting } = this.#state;
    return inTable ? Math.max(1, nesting) : nesting;
  }

  #endMarker(): void {
    this.#state.flow.marker = this.#text.replace(/[\t\s]+/g, ' ').trim();
  }

  #endInstruction(): void {
    const target = /^\s*HYPERLINK\s+(?:\\[mnot]\s+)*"([^"]{1,4000})"/i.exec(this.#text)?.[1];
    if (this.#hrefs.length > 0) this.#hrefs[this.#hrefs.length - 1] = target;
  }
}

/** The halves of a surrogate pair come one by one, and are joined with the surrounding text. */
function fromCode(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
