// Walks a document once, start to end, and writes it as blocks. Without recursion, so that nesting costs no stack.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../../src/contract/index.ts';
import type { Block } from '../document.ts';
import {
  cleanText,
  codeBlock,
  codeSpan,
  imageMark,
  linkTo,
  type Run,
  safeUrl,
  tableBlock,
} from '../markdown/index.ts';
import { BLOCK, HEADING } from './elements.ts';
import { type Formula, formulaOf, tidyTex } from './mathml.ts';
import { type Notes, notesOf } from './notes.ts';
import { addDefinition, cellText, listPieces, type Piece, quotePiece, Sink, type SinkKind } from './sink.ts';
import type { Survey } from './survey.ts';
import { type Cell, gridOf, isDataTable, isGutter, spanOf } from './table.ts';
import type { HtmlNode } from './tree.ts';
import { codeOf, drawingMark, fieldText, isSpacer, pictureName, plainText } from './verbatim.ts';
import { styleOf } from './visibility.ts';

/** What a caller may decide about a document's pictures. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  /** The name to show for a picture's address, `''` for none. */
  readonly picture?: (address: string) => string;
  /** The target to show for a link's address, `''` for none. */
  readonly link?: (address: string) => string;
}

/** Lists and quotes nested deeper are written at this depth. */
const MAX_NESTING = 12;
/** Nodes between two turns for other work: a few milliseconds. */
const NODES_A_TURN = 8192;

type Flag = 'bold' | 'italic' | 'strike' | 'code' | 'superscript' | 'subscript';

const FLAGS: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ['b', 'bold'],
  ['strong', 'bold'],
  ['i', 'italic'],
  ['em', 'italic'],
  ['dfn', 'italic'],
  ['var', 'italic'],
  ['s', 'strike'],
  ['strike', 'strike'],
  ['del', 'strike'],
  ['code', 'code'],
  ['kbd', 'code'],
  ['samp', 'code'],
  ['tt', 'code'],
  ['sup', 'superscript'],
  ['sub', 'subscript'],
]);

interface OpenTable {
  readonly rows: Cell[][];
  row: Cell[] | undefined;
}

/** The blocks of a surveyed document. @throws {ReaderError} ABORTED */
export async function blocksOf(survey: Survey, options: WalkOptions): Promise<Block[]> {
  const walk = new Walk(survey, options);
  const { root } = survey.tree;
  let node: HtmlNode | undefined = root.first;
  for (let count = 1; node; count += 1) {
    if (count % NODES_A_TURN === 0) {
      throwIfAborted(options.signal);
      await nextTurn();
    }
    if (walk.enter(node)) {
      if (node.first) {
        node = node.first;
        continue;
      }
      walk.leave(node);
    }
    while (node && !node.next) {
      node = node.parent;
      if (!node || node === root) break;
      walk.leave(node);
    }
    node = node === root ? undefined : node?.next;
  }
  return walk.finish();
}

class Walk {
  readonly #survey: Survey;
  readonly #options: WalkOptions;
  readonly #notes: Notes;
  readonly #sinks: Sink[] = [new Sink('flow', false)];
  readonly #tables: OpenTable[] = [];
  readonly #flags: Record<Flag, number> = {
    bold: 0,
    italic: 0,
    strike: 0,
    code: 0,
    superscript: 0,
    subscript: 0,
  };
  readonly #explained = new Set<string>();
  /** What is to be done when an element is left, innermost last. */
  readonly #closers: { readonly node: HtmlNode; readonly close: () => void }[] = [];
  #href: string | undefined;
  #preserved = 0;
  #nesting = 0;

  constructor(survey: Survey, options: WalkOptions) {
    this.#survey = survey;
    this.#options = options;
    this.#notes = notesOf(survey);
  }

  get #sink(): Sink {
    return this.#sinks.at(-1) ?? this.#push('flow');
  }

  finish(): Block[] {
    while (this.#closers.length > 0) this.#closers.pop()?.close();
    this.#sink.flush();
    return this.#sink.pieces.map((piece) => piece.text);
  }

  leave(node: HtmlNode): void {
    while (this.#closers.at(-1)?.node === node) this.#closers.pop()?.close();
  }

  /** True when the element's children are to be walked; `leave` is then called after them. */
  enter(node: HtmlNode): boolean {
    if (this.#survey.isSkipped(node)) return false;
    const { name } = node;
    if (name === '') {
      this.#text(node.text);
      return false;
    }
    const flag = FLAGS.get(name);
    if (flag !== undefined) return this.#enterFlag(node, flag);
    const level = HEADING.get(name);
    if (level !== undefined) return this.#enterHeading(node, level);
    if (node.attributes) {
      const note = this.#notes.notes.get(node);
      if (note !== undefined && name !== 'li') this.#enterNote(node, note);
    }
    switch (name) {
      case 'a':
        return this.#enterLink(node);
      case 'br':
        this.#lineBreak();
        return false;
      case 'hr':
        this.#block('text', '---\n');
        return false;
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return this.#enterList(node);
      case 'li':
        return this.#enterItem(node);
      case 'blockquote':
        return this.#enterQuote(node);
      case 'dt':
        return this.#enterTerm(node);
      case 'dd':
        return this.#enterDefinition(node);
      case 'pre':
      case 'listing':
      case 'xmp':
        return this.#pre(node);
      case 'table':
        return this.#enterTable(node);
      case 'tr':
        return this.#enterRow(node);
      case 'td':
      case 'th':
        return this.#enterCell(node);
      default:
        return this.#enterOther(node);
    }
  }

  #enterOther(node: HtmlNode): boolean {
    switch (node.name) {
      case 'img':
        this.#picture(node);
        return false;
      case 'svg':
        if (this.#href === undefined) this.#raw(drawingMark(node, this.#survey));
        return false;
      case 'math':
        this.#formula(formulaOf(node), this.#isDisplayed(node));
        return false;
      case 'script': {
        const tex = tidyTex(node.first?.text ?? '');
        if (tex !== '')
          this.#formula({ tex, display: /mode\s*=\s*display/.test(node.get('type') ?? '') }, false);
        return false;
      }
      case 'iframe':
      case 'embed':
        this.#frame(node);
        return false;
      case 'video':
      case 'audio':
        this.#media(node);
        return false;
      case 'object':
        if (!node.first) this.#frame(node);
        return true;
      case 'input':
      case 'select':
      case 'textarea':
        this.#field(node);
        return false;
      case 'button':
        this.#space();
        this.#closers.push({ node, close: () => this.#space() });
        return true;
      case 'q':
        this.#text('“');
        this.#closers.push({ node, close: () => this.#text('”') });
        return true;
      case 'rt':
        this.#text('(');
        this.#closers.push({ node, close: () => this.#text(')') });
        return true;
      case 'abbr':
        this.#explain(node);
        return true;
      default:
        this.#enterStyled(node);
        return true;
    }
  }

  /** Blocks end a paragraph before and after; `span` and its kin may be blocks, bold or preformatted by their style. */
  #enterStyled(node: HtmlNode): void {
    const { name } = node;
    if (node.get('style') !== undefined) {
      const space = styleOf(node, 'white-space');
      if (space?.startsWith('pre') === true) {
        this.#preserved += 1;
        this.#closers.push({
          node,
          close: () => {
            this.#preserved -= 1;
          },
        });
      }
      if (name === 'span' || name === 'font') this.#enterSpanStyle(node);
    }
    if (name === 'figcaption' || name === 'caption' || BLOCK.has(name) || this.#isBlock(node)) {
      this.#break();
      this.#closers.push({ node, close: () => this.#break() });
    }
  }

  #enterSpanStyle(node: HtmlNode): void {
    const weight = styleOf(node, 'font-weight');
    if (weight !== undefined && /^(?:bold|bolder|[6-9]00)$/.test(weight)) this.#enterFlag(node, 'bold');
    if (styleOf(node, 'font-style') === 'italic') this.#enterFlag(node, 'italic');
    if (styleOf(node, 'text-decoration')?.includes('line-through') === true) this.#enterFlag(node, 'strike');
  }

  #isBlock(node: HtmlNode): boolean {
    const display = styleOf(node, 'display');
    return display !== undefined && /^(?:block|flex|grid|list-item|table)/.test(display);
  }

  #enterFlag(node: HtmlNode, flag: Flag): boolean {
    if (flag === 'superscript' && this.#notes.marks.size > 0) {
      const label = this.#notes.marks.get(node);
      if (label !== undefined) {
        this.#raw(`[^${label}]`);
        return false;
      }
    }
    this.#flags[flag] += 1;
    this.#closers.push({
      node,
      close: () => {
        this.#flags[flag] -= 1;
      },
    });
    return true;
  }

  #enterHeading(node: HtmlNode, level: number): boolean {
    const sink = this.#sink;
    if (sink.heading > 0) return true;
    this.#break();
    sink.heading = level;
    this.#closers.push({
      node,
      close: () => {
        sink.flush();
        sink.heading = 0;
      },
    });
    return true;
  }

  #enterNote(node: HtmlNode, label: string): void {
    this.#break();
    const sink = this.#sink;
    sink.prefix = `[^${label}]: `;
    this.#closers.push({
      node,
      close: () => {
        sink.prefix = '';
      },
    });
  }

  #enterLink(node: HtmlNode): boolean {
    if (this.#notes.back.has(node)) return false;
    const label = this.#notes.marks.get(node);
    if (label !== undefined) {
      this.#raw(`[^${label}]`);
      return false;
    }
    const address = node.get('href');
    if (address === undefined) return true;
    const href = this.#options.link ? this.#options.link(address) : address;
    if (safeUrl(href) === undefined) return true;
    // A link to itself beside a heading.
    if (href.includes('#') && this.#survey.textOf(node) <= 2 && (this.#sink.heading > 0 || isSign(node)))
      return false;
    const own = ownAddress(node, href);
    if (own !== undefined) {
      this.#raw(own);
      return false;
    }
    // A picture that leads to itself, larger.
    if (this.#survey.textOf(node) === 0 && /\.(?:png|jpe?g|gif|webp|svg|avif)(?:[?#]|$)|\/File:/i.test(href))
      return true;
    const before = this.#href;
    if (this.#sink.runs.at(-1)?.href !== undefined) this.#space();
    this.#href = href;
    this.#closers.push({
      node,
      close: () => {
        this.#href = before;
      },
    });
    return true;
  }

  #enterList(node: HtmlNode): boolean {
    this.#break();
    if (this.#nesting >= MAX_NESTING) return true;
    this.#nesting += 1;
    const list = this.#push('list');
    list.ordered = node.name === 'ol';
    if (list.ordered) {
      const start = Number.parseInt(node.get('start') ?? '', 10);
      if (node.get('reversed') !== undefined) {
        list.step = -1;
        let items = 0;
        for (let child = node.first; child; child = child.next) if (child.name === 'li') items += 1;
        list.counter = items;
      }
      if (start >= 0 && start < 1e9) list.counter = start;
    }
    this.#closers.push({
      node,
      close: () => {
        this.#nesting -= 1;
        this.#pop();
        this.#sink.adopt(listPieces(list));
      },
    });
    return true;
  }

  #enterItem(node: HtmlNode): boolean {
    const list = this.#sink;
    if (list.kind !== 'list') {
      this.#break();
      this.#closers.push({ node, close: () => this.#break() });
      return true;
    }
    list.flush();
    const item = this.#push('item');
    const label = this.#notes.notes.get(node);
    const value = Number.parseInt(node.get('value') ?? '', 10);
    this.#closers.push({
      node,
      close: () => {
        this.#pop();
        const own = list.nextMarker(value >= 0 && value < 1e9 ? value : undefined);
        if (item.pieces.length > 0)
          list.items.push({ marker: label === undefined ? own : `[^${label}]:`, pieces: item.pieces });
      },
    });
    return true;
  }

  #enterQuote(node: HtmlNode): boolean {
    this.#break();
    if (this.#nesting >= MAX_NESTING || this.#sink.inCell) {
      this.#closers.push({ node, close: () => this.#break() });
      return true;
    }
    this.#nesting += 1;
    const quote = this.#push('quote');
    this.#closers.push({
      node,
      close: () => {
        this.#nesting -= 1;
        this.#pop();
        const piece = quotePiece(quote);
        if (piece.text !== '') this.#sink.adopt([piece]);
      },
    });
    return true;
  }

  #enterTerm(node: HtmlNode): boolean {
    this.#break();
    const term = this.#push('term');
    this.#flags.bold += 1;
    this.#closers.push({
      node,
      close: () => {
        this.#flags.bold -= 1;
        this.#pop();
        this.#sink.adopt(
          term.pieces.map(
            (piece): Piece => (piece.kind === 'text' ? { kind: 'term', text: piece.text } : piece),
          ),
        );
      },
    });
    return true;
  }

  #enterDefinition(node: HtmlNode): boolean {
    this.#break();
    const definition = this.#push('definition');
    this.#closers.push({
      node,
      close: () => {
        this.#pop();
        addDefinition(this.#sink, definition.pieces);
      },
    });
    return true;
  }

  #pre(node: HtmlNode): boolean {
    const { text, language } = codeOf(node, this.#survey);
    if (text.trim() === '') return false;
    const sink = this.#sink;
    this.#break();
    if (sink.inCell)
      sink.push(
        'code',
        `${text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line) => codeSpan(line))
          .join('\n')}\n`,
      );
    else this.#block('code', codeBlock(text, language));
    return false;
  }

  #enterTable(node: HtmlNode): boolean {
    this.#break();
    if (!isDataTable(node, this.#survey)) {
      this.#tables.push({ rows: [], row: undefined });
      const open = this.#tables.at(-1);
      this.#closers.push({
        node,
        close: () => {
          if (this.#tables.at(-1) === open) this.#tables.pop();
          this.#break();
        },
      });
      // Cells of a table that only lays out are found by the missing row.
      return true;
    }
    const table: OpenTable = { rows: [], row: [] };
    this.#tables.push(table);
    this.#closers.push({
      node,
      close: () => {
        this.#tables.pop();
        this.#break();
        const grid = gridOf(table.rows);
        const sink = this.#sink;
        if (sink.inCell) {
          const lines = grid.map((row) => row.join(' ').trim()).filter((line) => line !== '');
          if (lines.length > 0) sink.push('text', `${lines.join('\n')}\n`);
        } else this.#block('table', tableBlock(grid));
      },
    });
    return true;
  }

  #enterRow(node: HtmlNode): boolean {
    const table = this.#tables.at(-1);
    if (table?.row) {
      table.row = [];
      table.rows.push(table.row);
    } else {
      this.#break();
      this.#closers.push({ node, close: () => this.#break() });
    }
    return true;
  }

  #enterCell(node: HtmlNode): boolean {
    const table = this.#tables.at(-1);
    if (!table?.row) {
      if (isGutter(node)) return false;
      this.#break();
      this.#closers.push({ node, close: () => this.#break() });
      return true;
    }
    if (table.rows.length === 0) table.rows.push(table.row);
    const cell = this.#push('cell');
    const { row } = table;
    const href = this.#href;
    this.#href = undefined;
    this.#closers.push({
      node,
      close: () => {
        this.#href = href;
        this.#pop();
        row.push({ text: cellText(cell), columns: spanOf(node, 'colspan'), rows: spanOf(node, 'rowspan') });
      },
    });
    return true;
  }

  #push(kind: SinkKind): Sink {
    const sink = new Sink(kind, this.#sinks.at(-1)?.inCell === true);
    this.#sinks.push(sink);
    return sink;
  }

  #pop(): void {
    const sink = this.#sinks.pop();
    sink?.flush();
  }

  /** Ends the paragraph; inside of a heading, where only words may follow, a space. */
  #break(): void {
    const sink = this.#sink;
    if (sink.heading > 0) this.#space();
    else sink.flush();
  }

  #block(kind: Piece['kind'], text: Block): void {
    const sink = this.#sink;
    sink.flush();
    if (sink.kind === 'list') sink.adopt([{ kind, text }]);
    else sink.push(kind, text);
  }

  #space(): void {
    const sink = this.#sink;
    if (sink.atSpace || sink.runs.length === 0) return;
    sink.runs.push({ text: ' ', raw: true });
    sink.atSpace = true;
  }

  #lineBreak(): void {
    const sink = this.#sink;
    if (sink.heading > 0) {
      this.#space();
      return;
    }
    // Two in a row are how mail and old pages end a paragraph.
    if (sink.runs.at(-1)?.text === '\n') {
      sink.runs.pop();
      sink.flush();
    } else if (sink.runs.length > 0) {
      sink.runs.push({ text: '\n', raw: true });
      sink.atSpace = true;
    }
  }

  #text(given: string): void {
    if (this.#preserved > 0 && given.includes('\n')) {
      this.#preservedText(given);
      return;
    }
    const sink = this.#sink;
    let text = given.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
    if (sink.atSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    sink.atSpace = text.endsWith(' ');
    if (/[\u00ad\u200b\ufeff]/.test(text)) text = text.replace(/[\u00ad\u200b\ufeff]/g, '');
    if (text !== '') sink.runs.push(this.#run(text));
  }

  #preservedText(given: string): void {
    const lines = given.replace(/\r\n?/g, '\n').split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.#lineBreak();
      const text = cleanText(line).replaceAll('\u00a0', ' ').trimEnd();
      if (text === '') continue;
      this.#sink.runs.push(this.#run(text));
      this.#sink.atSpace = false;
    }
  }

  #run(text: string): Run {
    const flags = this.#flags;
    return {
      text,
      ...(flags.bold > 0 && this.#sink.heading === 0 && { bold: true }),
      ...(flags.italic > 0 && { italic: true }),
      ...(flags.strike > 0 && { strike: true }),
      ...(flags.code > 0 && { code: true }),
      ...(flags.superscript > 0 && { superscript: true }),
      ...(flags.subscript > 0 && { subscript: true }),
      ...(this.#href !== undefined && { href: this.#href }),
    };
  }

  /** Inline Markdown as it is, in the link that is open. */
  #raw(text: string): void {
    if (text === '') return;
    const sink = this.#sink;
    sink.runs.push({ text, raw: true, ...(this.#href !== undefined && { href: this.#href }) });
    sink.atSpace = false;
  }

  #picture(node: HtmlNode): void {
    if (isSpacer(node)) return;
    const alt = node.get('alt') ?? '';
    if (/(?:^|\s)latex(?:\s|$)/.test(node.get('class') ?? '') && alt !== '') {
      this.#formula({ tex: tidyTex(alt), display: false }, false);
      return;
    }
    const address = pictureName(node);
    const name = this.#options.picture ? this.#options.picture(address) : address;
    this.#raw(imageMark(alt, name));
  }

  #isDisplayed(math: HtmlNode): boolean {
    for (let at = math.parent, up = 0; at && up < 3; at = at.parent, up += 1)
      if (at.get('display') === 'true' || / (?:katex-display|mwe-math-element-block) /.test(at.classes))
        return true;
    return false;
  }

  #formula(formula: Formula | undefined, displayed: boolean): void {
    if (!formula) return;
    const sink = this.#sink;
    const display = (formula.display || displayed) && !sink.inCell && sink.heading === 0;
    if (display) {
      this.#break();
      this.#block('text', `$$\n${formula.tex}\n$$\n`);
    } else this.#raw(`$${formula.tex}$`);
  }

  #frame(node: HtmlNode): void {
    const address = node.get('src') ?? node.get('data-src') ?? node.get('data') ?? '';
    if (safeUrl(address) === undefined || /^about:/.test(address)) return;
    this.#break();
    this.#raw(linkTo(cleanText(node.get('title') ?? '').trim() || 'Embedded content', address));
    this.#break();
  }

  #media(node: HtmlNode): void {
    let address = node.get('src') ?? '';
    for (let child = node.first; child && address === ''; child = child.next)
      if (child.name === 'source') address = child.get('src') ?? '';
    const kind = node.name === 'video' ? 'Video' : 'Audio';
    const label = node.get('title') ?? node.get('aria-label') ?? '';
    this.#break();
    if (safeUrl(address) !== undefined)
      this.#raw(linkTo(label === '' ? kind : `${kind}: ${cleanText(label).trim()}`, address));
    this.#break();
  }

  #field(node: HtmlNode): void {
    const text = fieldText(node, this.#survey);
    const sink = this.#sink;
    const isBox = text === '[ ]' || text === '[x]';
    if (isBox && sink.kind === 'item' && sink.runs.length === 0 && sink.pieces.length === 0) {
      sink.prefix = `${text} `;
      return;
    }
    this.#space();
    if (isBox) this.#raw(text);
    else this.#text(text);
    this.#space();
  }

  /** An abbreviation's meaning, the first time it occurs. */
  #explain(node: HtmlNode): void {
    const title = cleanText(node.get('title') ?? '').trim();
    const short = plainText(node, this.#survey, 80);
    if (title === '' || title === short || title.length > 200 || this.#explained.has(short)) return;
    this.#explained.add(short);
    this.#closers.push({ node, close: () => this.#text(` (${title})`) });
  }
}

/** The text of a link that is only its address, which readers of Markdown link by themselves. */
function ownAddress(link: HtmlNode, href: string): string | undefined {
  const text = link.first?.name === '' && !link.first.next ? link.first.text.trim() : '';
  const same =
    (/^https?:\/\//i.test(text) && text === href) || (text.includes('@') && `mailto:${text}` === href);
  return same && !/[\s<>|]/.test(text) ? cleanText(text) : undefined;
}

/** `#`, `¶` and the like: a place to click, no word. */
function isSign(node: HtmlNode): boolean {
  const text = node.first?.name === '' && !node.first.next ? node.first.text.trim() : '';
  return text === '#' || text === '¶' || text === '§' || text === '🔗';
}
