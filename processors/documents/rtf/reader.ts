// The RTF state machine: groups, destinations, character and paragraph properties. Returns flows of paragraphs, facts
// and hidden text; `flow.ts` turns them into blocks.

import { imageMark, type Run } from '../../../src/document/index.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import { isSymbolFont, symbolChar } from '../ooxml/symbol.ts';
import { charsetOfCodePage, charsetOfFont } from './charset.ts';
import type { CellShape, Flow } from './flow.ts';
import { RtfTokens } from './token.ts';
import { CHARACTERS, FOOTER, HEADER, INFO, KEPT, SKIPPED, SYMBOLS } from './vocabulary.ts';

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

/** `charset` is undefined if the file states none. */
type Decode = (bytes: Uint8Array, charset: string | undefined) => string;

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
  #charset: string | undefined;
  /** Text bytes waiting to be decoded together. */
  #pending: number[] = [];
  #skipping = 0;
  #text = '';
  readonly #fonts = new Map<number, Font>();
  readonly #styles = new Map<number, Style>();
  #fontUnderWay = { number: 0, charset: undefined as string | undefined };
  #styleUnderWay = { number: 0, outline: -1 };
  #defaultFont = 0;
  readonly #hrefs: (string | undefined)[] = [];
  #shapes: CellShape[] = [];
  #shape = { mergedLeft: false, mergedUp: false };
  #author = '';
  #pictures = 0;
  #pictureEnding = 'bin';
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
      bold: false,
      italic: false,
      strike: false,
      superscript: false,
      subscript: false,
      hidden: false,
      change: 'none',
      font: -1,
      fallback: 1,
      href: undefined,
      inTable: false,
      nesting: 0,
      level: 0,
      indent: 0,
      outline: -1,
      style: -1,
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
      const text = SYMBOLS[symbol];
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
    if (this.#state.destination === 'skip') return;
    if (this.#destination(word)) return;
    if (ignorable && !KEPT.has(word)) {
      this.#state.destination = 'skip';
      return;
    }
    if (this.#character(word, value) || this.#paragraph(word, value) || this.#table(word)) return;
    this.#definition(word, value);
  }

  /** Words that set the destination of the group's text. */
  #destination(word: string): boolean {
    const state = this.#state;
    if (SKIPPED.has(word)) state.destination = 'skip';
    else if (word === 'fonttbl') this.#collect('font', () => this.#endFont());
    else if (word === 'stylesheet') this.#collect('style', () => this.#endStyle());
    else if (word === 'info') state.destination = 'info';
    else if (state.destination === 'info' && INFO.includes(word)) {
      this.#text = '';
      state.ends = () => this.#info.set(word, this.#text.trim());
    } else if (word === 'fldinst') this.#collect('instruction', () => this.#endInstruction());
    else if (word === 'listtext' || word === 'pntext')
      this.#collect('marker', () => {
        this.#state.flow.marker = this.#text.replace(/[\t\s]+/g, ' ').trim();
      });
    else if (word === 'atnauthor')
      this.#collect('author', () => {
        this.#author = this.#text.trim();
      });
    else if (word === 'pict') this.#picture();
    else if (word === 'nesttableprops') {
      // The row of the outer table may have been defined before.
      const shapes = this.#shapes;
      state.ends = () => {
        this.#shapes = shapes;
      };
    } else if (word === 'footnote') this.#note(this.#notes, '', {});
    else if (word === 'annotation') this.#note(this.#comments, 'c', { author: this.#author });
    else if (HEADER.has(word)) this.#into(this.#headers);
    else if (FOOTER.has(word)) this.#into(this.#footers);
    else if (word === 'upr') {
      state.replaced = state.destination;
      state.destination = 'alternative';
    } else if (word === 'ud') state.destination = state.replaced;
    else return false;
    return true;
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
    this.#pictureEnding = 'bin';
    this.#state.ends = () => {
      this.#pictures += 1;
      if (!isShown) return;
      flow.runs.push({ text: imageMark(`picture-${this.#pictures}.${this.#pictureEnding}`, ''), raw: true });
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
    outer.runs.push({ text: `[^${mark}${list.length}]`, raw: true });
    this.#begin(flow);
  }

  #into(list: Flow[]): void {
    const flow = this.#newFlow();
    list.push(flow);
    this.#begin(flow);
  }

  /** Treats the rest of the group as a separate text. */
  #begin(flow: Flow): void {
    const state = this.#state;
    state.destination = 'flow';
    state.flow = openFlow(flow);
    state.superscript = false;
    state.inTable = false;
    state.nesting = 0;
    state.change = 'none';
    state.href = undefined;
    state.ends = () => this.#endParagraph();
  }

  #character(word: string, value: number | undefined): boolean {
    const state = this.#state;
    const on = value !== 0;
    switch (word) {
      case 'b':
        state.bold = on;
        return true;
      case 'i':
        state.italic = on;
        return true;
      case 'strike':
      case 'striked':
        state.strike = on;
        return true;
      case 'super':
      case 'sub':
        state.superscript = on && word === 'super';
        state.subscript = on && word === 'sub';
        return true;
      case 'nosupersub':
        state.superscript = false;
        state.subscript = false;
        return true;
      case 'v':
        state.hidden = on;
        return true;
      case 'up':
      case 'dn':
        state.superscript = on && word === 'up';
        state.subscript = on && word === 'dn';
        return true;
      case 'deleted':
      case 'revised':
        state.change = !on ? 'none' : word === 'deleted' ? 'deleted' : 'inserted';
        return true;
      case 'plain':
        Object.assign(state, { bold: false, italic: false, strike: false, superscript: false });
        Object.assign(state, { subscript: false, hidden: false, change: 'none', font: this.#defaultFont });
        return true;
      case 'f':
        if (state.destination === 'font') this.#fontUnderWay = { number: value ?? 0, charset: undefined };
        else state.font = value ?? 0;
        return true;
      case 'uc':
        state.fallback = Math.min(8, Math.max(0, value ?? 1));
        return true;
      case 'tab':
        this.#append(this.#isMonospace() ? '\t' : ' ');
        return true;
      default: {
        const text = CHARACTERS[word];
        if (text !== undefined) this.#append(text);
        return text !== undefined;
      }
    }
  }

  /** Words that end a paragraph, or set its position. */
  #paragraph(word: string, value: number | undefined): boolean {
    const state = this.#state;
    switch (word) {
      case 'par':
      case 'sect':
      case 'page':
      case 'column':
        // A deleted end of a paragraph joins it with the next.
        if (word === 'par' && state.change === 'deleted' && this.#changes === 'accept') return true;
        if (state.destination === 'flow' && (word === 'par' || state.flow.runs.length > 0))
          this.#endParagraph();
        return true;
      case 'pard':
        Object.assign(state, { inTable: false, nesting: 0, level: 0, indent: 0, outline: -1, style: -1 });
        return true;
      case 'intbl':
        state.inTable = value !== 0;
        return true;
      case 'itap':
        state.nesting = Math.max(0, value ?? 1);
        return true;
      case 'li':
        state.indent = Math.max(0, value ?? 0);
        return true;
      case 'ilvl':
        state.level = Math.min(8, Math.max(0, value ?? 0));
        return true;
      case 'outlinelevel':
        if (state.destination === 'style') this.#styleUnderWay.outline = value ?? 0;
        else state.outline = value ?? 0;
        return true;
      case 's':
        if (state.destination === 'style') this.#styleUnderWay = { number: value ?? 0, outline: -1 };
        else state.style = value ?? 0;
        return true;
      case 'field':
        this.#hrefs.push(undefined);
        state.ends = () => this.#hrefs.pop();
        return true;
      case 'fldrslt':
        state.href = this.#hrefs.at(-1);
        return true;
      default:
        return false;
    }
  }

  /** Words that end cells and rows, or define their shape. */
  #table(word: string): boolean {
    const { flow } = this.#state.flow;
    const inner = Math.max(2, this.#state.nesting);
    switch (word) {
      case 'cell':
        this.#endParagraph(1);
        flow.cell(1);
        return true;
      case 'nestcell':
        this.#endParagraph(inner);
        flow.cell(inner);
        return true;
      case 'nestrow':
        flow.row(inner, this.#shapes);
        return true;
      case 'row':
        flow.row(1, this.#shapes);
        return true;
      case 'trowd':
        this.#shapes = [];
        this.#shape = { mergedLeft: false, mergedUp: false };
        return true;
      case 'clmrg':
        this.#shape.mergedLeft = true;
        return true;
      case 'clvmrg':
        this.#shape.mergedUp = true;
        return true;
      case 'cellx':
        if (this.#shapes.length < 1000) this.#shapes.push(this.#shape);
        this.#shape = { mergedLeft: false, mergedUp: false };
        return true;
      default:
        return false;
    }
  }

  /** Header words: code page, fonts and their character sets, picture types. */
  #definition(word: string, value: number | undefined): void {
    if (word === 'ansicpg' && value !== undefined && value > 0) this.#charset = charsetOfCodePage(value);
    else if (word === 'mac') this.#charset = 'macroman';
    else if (word === 'pc') this.#charset = 'cp437';
    else if (word === 'pca') this.#charset = 'cp850';
    else if (word === 'deff') this.#defaultFont = value ?? 0;
    else if (word === 'fcharset') this.#fontUnderWay.charset = charsetOfFont(value ?? 0);
    else if (word === 'cpg' && this.#state.destination === 'font' && value)
      this.#fontUnderWay.charset = charsetOfCodePage(value);
    else if (word === 'pngblip') this.#pictureEnding = 'png';
    else if (word === 'jpegblip') this.#pictureEnding = 'jpg';
    else if (word === 'emfblip') this.#pictureEnding = 'emf';
    else if (word === 'wmetafile') this.#pictureEnding = 'wmf';
    else if (word === 'dibitmap' || word === 'wbitmap') this.#pictureEnding = 'bmp';
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
    const own = this.#state.destination === 'font' ? this.#fontUnderWay.charset : font?.charset;
    this.#append(this.#decode(bytes, own ?? this.#charset));
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
        flow.runs.push({ text: `${END[flow.change]}${START[change]}`, raw: true });
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
    return this.#fonts.get(this.#state.font < 0 ? this.#defaultFont : this.#state.font);
  }

  #isMonospace(): boolean {
    const plain = this.#fonts.get(this.#defaultFont)?.name ?? '';
    const own = this.#font()?.name ?? plain;
    return isTypewriter(own) && !isTypewriter(plain);
  }

  #endParagraph(tables: number = this.#tables()): void {
    const { flow, outline, style, level, indent } = this.#state;
    if (flow.change !== 'none') flow.runs.push({ text: END[flow.change], raw: true });
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
    const { number, charset } = this.#fontUnderWay;
    if (name !== '' && this.#fonts.size < 5000) this.#fonts.set(number, { name, charset });
    this.#text = '';
  }

  #endStyle(): void {
    const name = this.#text.split(';', 1)[0]?.trim() ?? '';
    const { number, outline } = this.#styleUnderWay;
    if (name !== '' && this.#styles.size < 5000) this.#styles.set(number, { name, outline });
    this.#styleUnderWay = { number: 0, outline: -1 };
    this.#text = '';
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
