// The RTF state machine: groups, destinations, character and paragraph properties. Returns flows of paragraphs, facts
// and hidden text; `flow.ts` turns them into blocks.

import { imageMark, noteMark, type Run, verbatim } from '../../../src/document/index.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import { isSymbolFont, symbolChar } from '../ooxml/symbol.ts';
import { pairs, words } from '../words.ts';
import { charsetOfCodePage, charsetOfFont } from './charset.ts';
import type { CellShape, Flow } from './flow.ts';
import { RtfTokens } from './token.ts';
import { CHARACTERS, INFO, KEPT, SKIPPED, SYMBOLS } from './vocabulary.ts';

/** The destination of text. */
type Destination =
  | 'flow'
  | 'skip'
  | 'font'
  | 'style'
  | 'info'
  | 'instruction'
  | 'marker'
  | 'author'
  | 'picture'
  | 'alternative';

interface Font {
  readonly name: string;
  readonly charset: string | undefined;
}

interface Style {
  readonly name: string;
  /** 0 to 8; -1 without one. */
  readonly outline: number;
}

/** The tracked change that text is part of. */
type Change = 'none' | 'inserted' | 'deleted';

/** The state a group inherits and restores. Never modified in place while a group may return to it. */
interface State {
  destination: Destination;
  /** The destination before `upr` gave two versions of the text. */
  replaced: Destination;
  flow: Open;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  superscript: boolean;
  subscript: boolean;
  hidden: boolean;
  change: Change;
  font: number;
  /** Number of fallback bytes after a `\u`. */
  fallback: number;
  href: string | undefined;
  inTable: boolean;
  /** Number of tables around the paragraph, as far as stated. */
  nesting: number;
  level: number;
  /** Left indent in twips. */
  indent: number;
  outline: number;
  style: number;
  /** Runs when the group that set the destination closes. */
  ends: (() => void) | undefined;
}

/** A flow and its current paragraph. */
interface Open {
  readonly flow: Flow;
  runs: Run[];
  marker: string | undefined;
  /** The change that is being marked. */
  change: Change;
}

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

/** What words of the file define, whatever group they are in: parts of what is being read. */
interface Definitions {
  charset: string | undefined;
  defaultFont: number;
  font: { readonly number: number; readonly charset: string | undefined };
  style: { readonly number: number; readonly outline: number };
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
const PLAIN = {
  bold: false,
  italic: false,
  strike: false,
  superscript: false,
  subscript: false,
  hidden: false,
  change: 'none',
} as const;
const NO_PARAGRAPH = { inTable: false, nesting: 0, level: 0, indent: 0, outline: -1, style: -1 };
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
  readonly #fonts = new Map<number, Font>();
  readonly #styles = new Map<number, Style>();
  readonly #defined: Definitions = {
    charset: undefined,
    defaultFont: 0,
    font: { number: 0, charset: undefined },
    style: { number: 0, outline: -1 },
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
    ['fonttbl', () => this.#collect('font', () => this.#endFont())],
    ['stylesheet', () => this.#collect('style', () => this.#endStyle())],
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
    ['plain', () => this.#set({ ...PLAIN, font: this.#defined.defaultFont })],
    ['f', (value = 0) => this.#setFont(value)],
    ['uc', (value = 1) => this.#set({ fallback: Math.min(8, Math.max(0, value)) })],
    ['tab', () => this.#append(this.#isMonospace() ? '\t' : ' ')],
    ['par', () => this.#par()],
    ...each('sect page column', () => this.#state.flow.runs.length > 0 && this.#breakParagraph()),
    ['pard', () => this.#set(NO_PARAGRAPH)],
    ['intbl', (value) => this.#set({ inTable: value !== 0 })],
    ['itap', (value = 1) => this.#set({ nesting: Math.max(0, value) })],
    ['li', (value = 0) => this.#set({ indent: Math.max(0, value) })],
    ['ilvl', (value = 0) => this.#set({ level: Math.min(8, Math.max(0, value)) })],
    ['outlinelevel', (value = 0) => this.#setOutline(value)],
    ['s', (value = 0) => this.#setStyle(value)],
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
    ['ansicpg', (value = 0) => value > 0 && this.#define({ charset: charsetOfCodePage(value) })],
    ['mac', () => this.#define({ charset: 'macroman' })],
    ['pc', () => this.#define({ charset: 'cp437' })],
    ['pca', () => this.#define({ charset: 'cp850' })],
    ['deff', (value = 0) => this.#define({ defaultFont: value })],
    ['fcharset', (value = 0) => this.#setFontCharset(charsetOfFont(value))],
    ['cpg', (value = 0) => value !== 0 && this.#setCodePage(value)],
    ...PICTURES.map(([word, picture]): [string, Act] => [word, () => this.#define({ picture })]),
  ]);

  #setFont(value: number): void {
    if (this.#state.destination === 'font') this.#define({ font: { number: value, charset: undefined } });
    else this.#set({ font: value });
  }

  #setFontCharset(charset: string | undefined): void {
    this.#define({ font: { ...this.#defined.font, charset } });
  }

  #setCodePage(value: number): void {
    if (this.#state.destination === 'font') this.#setFontCharset(charsetOfCodePage(value));
  }

  #setStyle(value: number): void {
    if (this.#state.destination === 'style') this.#define({ style: { number: value, outline: -1 } });
    else this.#set({ style: value });
  }

  #setOutline(outline: number): void {
    if (this.#state.destination === 'style') this.#define({ style: { ...this.#defined.style, outline } });
    else this.#set({ outline });
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
    const { name = '' } = this.#font() ?? {};
    const known = code >= 0 && code <= 0x10ffff;
    if (known) this.#append(isSymbolFont(name) ? symbolChar(name, code) : fromCode(code));
    this.#skipping = this.#state.fallback;
  }

  #flush(): void {
    this.#flushBytes();
    const { destination } = this.#state;
    // The tables have one entry per group, or entries that end in a semicolon.
    if (destination === 'font' && this.#text.includes(';')) this.#endFont();
    else if (destination === 'style' && this.#text.includes(';')) this.#endStyle();
  }

  #flushBytes(): void {
    if (this.#pending.length === 0) return;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    const font = this.#font();
    if (font && isSymbolFont(font.name)) {
      this.#append(Array.from(bytes, (byte) => symbolChar(font.name, byte)).join(''));
      return;
    }
    const own = this.#state.destination === 'font' ? this.#defined.font.charset : font?.charset;
    this.#append(this.#decode(bytes, own ?? this.#defined.charset));
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
      code: this.#isMonospace(),
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

  #font(): Font | undefined {
    return this.#fonts.get(this.#state.font < 0 ? this.#defined.defaultFont : this.#state.font);
  }

  #isMonospace(): boolean {
    const plain = this.#fonts.get(this.#defined.defaultFont)?.name ?? '';
    const own = this.#font()?.name ?? plain;
    return isTypewriter(own) && !isTypewriter(plain);
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
      heading: this.#headingOf(outline, style),
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

  #headingOf(outline: number, style: number): number {
    const known = this.#styles.get(style);
    const level = outline >= 0 ? outline : (known?.outline ?? -1);
    if (level >= 0 && level <= 8) return level + 1;
    const named = /^heading (\d)$/i.exec(known?.name ?? '')?.[1];
    if (named !== undefined) return Number(named);
    return /^title$/i.test(known?.name ?? '') ? 1 : 0;
  }

  #endFont(): void {
    const name = this.#text.split(';', 1)[0]?.trim() ?? '';
    const { number, charset } = this.#defined.font;
    if (name !== '' && this.#fonts.size < 5000) this.#fonts.set(number, { name, charset });
    this.#text = '';
  }

  #endStyle(): void {
    const name = this.#text.split(';', 1)[0]?.trim() ?? '';
    const { number, outline } = this.#defined.style;
    if (name !== '' && this.#styles.size < 5000) this.#styles.set(number, { name, outline });
    this.#define({ style: { number: 0, outline: -1 } });
    this.#text = '';
  }

  #endMarker(): void {
    this.#state.flow.marker = this.#text.replace(/[\t\s]+/g, ' ').trim();
  }

  #endInstruction(): void {
    const target = /^\s*HYPERLINK\s+(?:\\[mnot]\s+)*"([^"]{1,4000})"/i.exec(this.#text)?.[1];
    if (this.#hrefs.length > 0) this.#hrefs[this.#hrefs.length - 1] = target;
  }
}

/** How tracked changes are marked, as in a Word document. */
const START: Readonly<Record<Change, string>> = { none: '', inserted: '{++', deleted: '{--' };
const END: Readonly<Record<Change, string>> = { none: '', inserted: '++}', deleted: '--}' };

const openFlow = (flow: Flow): Open => ({ flow, runs: [], marker: undefined, change: 'none' });

const isTypewriter = (name: string): boolean =>
  /courier|consolas|monospace|lucida console|menlo|monaco|\bmono\b/i.test(name);

/** The halves of a surrogate pair come one by one, and are joined with the surrounding text. */
function fromCode(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
