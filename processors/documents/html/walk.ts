// Walks a document once from start to end and writes it as blocks. Not recursive, so that nesting uses no stack.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../../src/contract/index.ts';
import {
  type Block,
  cleanText,
  codeBlock,
  codeSpan,
  escapeText,
  imageMark,
  isEmpty,
  linesBlock,
  linkTo,
  quoteBlock,
  safeUrl,
  tableBlock,
  tableLines,
} from '../../../src/document/index.ts';
import { BLOCK, HEADING } from './elements.ts';
import { type Formula, formulaOf, isDisplayed, tidyTex } from './mathml.ts';
import type { HtmlNode } from './node.ts';
import { type Notes, notesOf, type PageOfMany } from './notes.ts';
import { type Flag, PageWriter } from './page-writer.ts';
import { addDefinition, cellText, termBlocks } from './sink.ts';
import { HOLDS_PICTURE, type Survey } from './survey.ts';
import { type Cell, gridOf, isDataTable, isGutter, spanOf } from './table.ts';
import { codeOf, drawingMark, fieldText, isSign, ownAddress, pictureName, plainText } from './verbatim.ts';
import { scriptOf, styleOf } from './visibility.ts';

/** Options for pictures and links. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  /** The name to show for a picture's address, `''` for none. */
  readonly picture?: (address: string) => string;
  /** The target to show for a link's address, `''` for none. */
  readonly link?: (address: string) => string;
  readonly page?: PageOfMany;
}

/** Deeper lists and quotes are written at this depth. */
const MAX_NESTING = 12;
/** Nodes processed before yielding to other tasks: a few milliseconds. */
const NODES_A_TURN = 8192;

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
  readonly #tables: OpenTable[] = [];
  readonly #out = new PageWriter();
  readonly #explained = new Set<string>();
  /** Actions to run when an element is left, innermost last. */
  readonly #closers: { readonly node: HtmlNode; readonly close: () => void }[] = [];
  #nesting = 0;

  constructor(survey: Survey, options: WalkOptions) {
    this.#survey = survey;
    this.#options = options;
    this.#notes = notesOf(survey, options.page);
  }

  finish(): Block[] {
    while (this.#closers.length > 0) this.#closers.pop()?.close();
    this.#out.sink.flush();
    return this.#out.sink.blocks;
  }

  leave(node: HtmlNode): void {
    while (this.#closers.at(-1)?.node === node) this.#closers.pop()?.close();
  }

  /** True if the element's children are to be walked; `leave` is called after them. */
  enter(node: HtmlNode): boolean {
    if (this.#survey.isSkipped(node)) return false;
    const { name } = node;
    if (name === '') {
      this.#out.text(node.text);
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
        this.#out.lineBreak();
        return false;
      case 'hr':
        this.#out.block({ kind: 'rule' });
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
        if (this.#out.href === undefined) this.#out.raw(drawingMark(node, this.#survey));
        else if (this.#isAlone(node)) this.#out.text(plainText(node, this.#survey, Number.POSITIVE_INFINITY));
        return false;
      case 'math':
        this.#formula(formulaOf(node), isDisplayed(node));
        return false;
      case 'script': {
        const tex = tidyTex(node.first?.text ?? '');
        if (tex !== '')
          this.#formula({ tex, display: /mode\s*=\s*display/.test(node.get('type') ?? '') }, false);
        return false;
      }
      case 'iframe':
        // The address is used only without a document of its own.
        if (node.get('srcdoc') === undefined) this.#frame(node);
        return this.#apart(node);
      case 'frame':
      case 'embed':
        this.#frame(node);
        return false;
      case 'area':
        this.#area(node);
        return false;
      case 'video':
      case 'audio':
        this.#media(node);
        return this.#apart(node);
      case 'object':
        if (!node.first || this.#survey.textOf(node) > 0) this.#frame(node);
        return true;
      case 'input':
      case 'select':
      case 'textarea':
        this.#field(node);
        return false;
      case 'noscript':
      case 'canvas':
      case 'button':
        this.#out.space();
        this.#closers.push({ node, close: () => this.#out.space() });
        return true;
      case 'q':
        this.#out.text('“');
        this.#closers.push({ node, close: () => this.#out.text('”') });
        return true;
      case 'rt':
        this.#out.text('(');
        this.#closers.push({ node, close: () => this.#out.text(')') });
        return true;
      case 'abbr':
        this.#explain(node);
        return true;
      default:
        this.#enterStyled(node);
        return true;
    }
  }

  /** Content that starts and ends a line. */
  #apart(node: HtmlNode): boolean {
    this.#out.break();
    this.#closers.push({ node, close: () => this.#out.break() });
    return true;
  }

  /** Blocks end a paragraph before and after; `span` and similar may be blocks, bold or preformatted by style. */
  #enterStyled(node: HtmlNode): void {
    const { name } = node;
    const script = scriptOf(node);
    if (script) this.#enterFlag(node, script);
    if (node.get('style') !== undefined) {
      const space = styleOf(node, 'white-space');
      if (space?.startsWith('pre') === true) {
        this.#out.preserved += 1;
        this.#closers.push({
          node,
          close: () => {
            this.#out.preserved -= 1;
          },
        });
      }
      if (name === 'span' || name === 'font') this.#enterSpanStyle(node);
    }
    if (name === 'figcaption' || name === 'caption' || BLOCK.has(name) || this.#isBlock(node))
      this.#apart(node);
  }

  #enterSpanStyle(node: HtmlNode): void {
    const weight = styleOf(node, 'font-weight');
    if (weight !== undefined && /^(?:bold|bolder|[6-9]00)$/.test(weight)) this.#enterFlag(node, 'bold');
    if (styleOf(node, 'font-style') === 'italic') this.#enterFlag(node, 'italic');
    if (styleOf(node, 'text-decoration')?.includes('line-through') === true) this.#enterFlag(node, 'strike');
  }

  /** True if the link around a drawing has no other text. */
  #isAlone(drawing: HtmlNode): boolean {
    let link = drawing.parent;
    while (link && link.name !== 'a') link = link.parent;
    return link !== undefined && this.#survey.textOf(link) === this.#survey.textOf(drawing);
  }

  #isBlock(node: HtmlNode): boolean {
    const display = styleOf(node, 'display');
    return display !== undefined && /^(?:block|flex|grid|list-item|table)/.test(display);
  }

  #enterFlag(node: HtmlNode, flag: Flag): boolean {
    if (flag === 'superscript' && this.#notes.marks.size > 0) {
      const label = this.#notes.marks.get(node);
      if (label !== undefined) {
        this.#out.raw(`[^${label}]`);
        return false;
      }
    }
    this.#out.flags[flag] += 1;
    this.#closers.push({
      node,
      close: () => {
        this.#out.flags[flag] -= 1;
      },
    });
    return true;
  }

  #enterHeading(node: HtmlNode, level: number): boolean {
    const sink = this.#out.sink;
    if (sink.heading > 0) return true;
    this.#out.break();
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
    this.#out.break();
    const sink = this.#out.sink;
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
      this.#out.raw(`[^${label}]`);
      return false;
    }
    const address = node.get('href');
    if (address === undefined) return true;
    const href = this.#options.link ? this.#options.link(address) : address;
    // A heading that links to itself, or to its table of contents entry.
    if (safeUrl(href) === undefined || (href.startsWith('#') && this.#out.sink.heading > 0 && !isSign(node)))
      return true;
    // An anchor link next to a heading.
    const text = plainText(node, this.#survey, 80);
    const isBare = text === '' && !this.#survey.holdsAny(node, HOLDS_PICTURE);
    if (href.includes('#') && (isSign(node) || (this.#out.sink.heading > 0 && !/[\p{L}\p{N}]/u.test(text))))
      return false;
    const own = ownAddress(node, href);
    if (own !== undefined) {
      this.#out.raw(own);
      return false;
    }
    // A picture that links to a larger version of itself.
    if (text === '' && /\.(?:png|jpe?g|gif|webp|svg|avif)(?:[?#]|$)|\/File:/i.test(href)) return true;
    const script = scriptOf(node);
    if (script) this.#enterFlag(node, script);
    const before = this.#out.href;
    if (this.#out.sink.runs.at(-1)?.href !== undefined) this.#out.space();
    this.#out.href = href;
    this.#closers.push({
      node,
      close: () => {
        this.#out.href = before;
      },
    });
    // A drawing or an icon, named for programs that read aloud.
    if (isBare) this.#out.text(node.get('aria-label') ?? node.get('title') ?? '');
    return true;
  }

  #enterList(node: HtmlNode): boolean {
    this.#out.break();
    if (this.#nesting >= MAX_NESTING) return true;
    this.#nesting += 1;
    const list = this.#out.push('list');
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
        this.#out.pop();
        if (list.items.length > 0) this.#out.sink.adopt([{ kind: 'nested-list', items: list.items }]);
      },
    });
    return true;
  }

  #enterItem(node: HtmlNode): boolean {
    const list = this.#out.sink;
    if (list.kind !== 'list') {
      this.#out.break();
      this.#closers.push({ node, close: () => this.#out.break() });
      return true;
    }
    list.flush();
    const item = this.#out.push('item');
    const label = this.#notes.notes.get(node);
    const value = Number.parseInt(node.get('value') ?? '', 10);
    this.#closers.push({
      node,
      close: () => {
        this.#out.pop();
        const own = list.nextMarker(value >= 0 && value < 1e9 ? value : undefined);
        if (item.blocks.length > 0)
          list.items.push({ marker: label === undefined ? own : `[^${label}]:`, blocks: item.blocks });
      },
    });
    return true;
  }

  #enterQuote(node: HtmlNode): boolean {
    this.#out.break();
    if (this.#nesting >= MAX_NESTING || this.#out.sink.inCell) {
      this.#closers.push({ node, close: () => this.#out.break() });
      return true;
    }
    this.#nesting += 1;
    const quote = this.#out.push('quote');
    this.#closers.push({
      node,
      close: () => {
        this.#nesting -= 1;
        this.#out.pop();
        const block = quoteBlock(quote.blocks);
        if (!isEmpty(block)) this.#out.sink.adopt([block]);
      },
    });
    return true;
  }

  #enterTerm(node: HtmlNode): boolean {
    this.#out.break();
    const term = this.#out.push('term');
    this.#out.flags.bold += 1;
    this.#closers.push({
      node,
      close: () => {
        this.#out.flags.bold -= 1;
        this.#out.pop();
        this.#out.sink.adopt(termBlocks(term));
      },
    });
    return true;
  }

  #enterDefinition(node: HtmlNode): boolean {
    this.#out.break();
    const definition = this.#out.push('definition');
    this.#closers.push({
      node,
      close: () => {
        this.#out.pop();
        addDefinition(this.#out.sink, definition.blocks);
      },
    });
    return true;
  }

  #pre(node: HtmlNode): boolean {
    const { text, language } = codeOf(node, this.#survey);
    if (text.trim() === '') return false;
    const sink = this.#out.sink;
    this.#out.break();
    if (sink.inCell)
      sink.push(
        linesBlock(
          ...text
            .split('\n')
            .filter((line) => line.trim() !== '')
            .map((line) => codeSpan(line)),
        ),
      );
    else this.#out.block(codeBlock(text, language));
    return false;
  }

  #enterTable(node: HtmlNode): boolean {
    this.#out.break();
    if (!isDataTable(node, this.#survey)) {
      // The cells of a layout table are recognised by the missing row.
      this.#tables.push({ rows: [], row: undefined });
      this.#closers.push({
        node,
        close: () => {
          this.#tables.pop();
          this.#out.break();
        },
      });
      return true;
    }
    const table: OpenTable = { rows: [], row: [] };
    this.#tables.push(table);
    this.#closers.push({
      node,
      close: () => {
        this.#tables.pop();
        this.#out.break();
        const grid = gridOf(table.rows);
        const sink = this.#out.sink;
        if (sink.inCell) {
          const lines = tableLines(grid);
          sink.push(linesBlock(...lines));
        } else this.#out.block(tableBlock(grid));
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
      this.#out.break();
      this.#closers.push({ node, close: () => this.#out.break() });
    }
    return true;
  }

  #enterCell(node: HtmlNode): boolean {
    const table = this.#tables.at(-1);
    if (!table?.row) {
      if (isGutter(node)) return false;
      this.#out.break();
      this.#closers.push({ node, close: () => this.#out.break() });
      return true;
    }
    if (table.rows.length === 0) table.rows.push(table.row);
    const cell = this.#out.push('cell');
    const { row } = table;
    const href = this.#out.href;
    this.#out.href = undefined;
    this.#closers.push({
      node,
      close: () => {
        this.#out.href = href;
        this.#out.pop();
        row.push({ text: cellText(cell), columns: spanOf(node, 'colspan'), rows: spanOf(node, 'rowspan') });
      },
    });
    return true;
  }

  #picture(node: HtmlNode): void {
    const alt = node.get('alt') ?? '';
    if (/(?:^|\s)latex(?:\s|$)/.test(node.get('class') ?? '') && alt !== '') {
      this.#formula({ tex: tidyTex(alt), display: false }, false);
      return;
    }
    const address = pictureName(node);
    const name = this.#options.picture ? this.#options.picture(address) : address;
    this.#out.raw(imageMark(alt, name));
  }

  #formula(formula: Formula | undefined, displayed: boolean): void {
    if (!formula) return;
    const sink = this.#out.sink;
    const display = (formula.display || displayed) && !sink.inCell && sink.heading === 0;
    if (display) {
      this.#out.break();
      this.#out.block({ kind: 'equation', text: formula.tex });
    } else this.#out.raw(`$${formula.tex}$`);
  }

  #frame(node: HtmlNode): void {
    const address = node.get('src') ?? node.get('data-src') ?? node.get('data') ?? '';
    if (safeUrl(address) === undefined || /^about:/.test(address)) return;
    this.#out.break();
    this.#out.raw(
      linkTo(cleanText(node.get('title') ?? node.get('name') ?? '').trim() || 'Embedded content', address),
    );
    this.#out.break();
  }

  /** A link in a picture. */
  #area(node: HtmlNode): void {
    const address = node.get('href') ?? '';
    const href = this.#options.link ? this.#options.link(address) : address;
    const label = cleanText(node.get('alt') ?? node.get('title') ?? '').trim();
    this.#out.space();
    if (href !== '' && safeUrl(href) !== undefined) this.#out.raw(linkTo(escapeText(label) || 'Area', href));
    else if (label !== '') this.#out.text(label);
    this.#out.space();
  }

  #media(node: HtmlNode): void {
    let address = node.get('src') ?? '';
    for (let child = node.first; child && address === ''; child = child.next)
      if (child.name === 'source') address = child.get('src') ?? '';
    const kind = node.name === 'video' ? 'Video' : 'Audio';
    const label = node.get('title') ?? node.get('aria-label') ?? '';
    this.#out.break();
    if (safeUrl(address) !== undefined)
      this.#out.raw(linkTo(label === '' ? kind : `${kind}: ${cleanText(label).trim()}`, address));
    this.#out.break();
  }

  #field(node: HtmlNode): void {
    const text = fieldText(node, this.#survey);
    const sink = this.#out.sink;
    const isBox = text === '[ ]' || text === '[x]';
    if (isBox && sink.kind === 'item' && sink.runs.length === 0 && sink.blocks.length === 0) {
      sink.prefix = `${text} `;
      return;
    }
    this.#out.space();
    if (isBox) this.#out.raw(text);
    else this.#out.text(text);
    this.#out.space();
  }

  /** The meaning of an abbreviation, at its first occurrence. */
  #explain(node: HtmlNode): void {
    const title = cleanText(node.get('title') ?? '').trim();
    const short = plainText(node, this.#survey, 80);
    if (title === '' || title === short || title.length > 200 || this.#explained.has(short)) return;
    this.#explained.add(short);
    this.#closers.push({ node, close: () => this.#out.text(` (${title})`) });
  }
}
