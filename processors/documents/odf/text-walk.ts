// Converts the text of an OpenDocument (ODF 1.3 part 3, 5) to blocks: paragraphs, headings, lists, tables, boxes. Used
// for the body of a text, a table cell and a shape on a slide.

import {
  type Block,
  BlockWriter,
  cleanText,
  HARD_BREAK,
  listItem,
  type Run,
  writeRuns,
} from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut } from '../left-out.ts';
import { type Piece, pieceLines, writePiece } from '../piece.ts';
import { words } from '../words.ts';
import type { Changes } from './changes.ts';
import type { Embedded } from './embedded.ts';
import { alternative, isShape, pictureOf, runsOf, styleName } from './inline.ts';
import { type Counts, Numbering, nextLabel } from './numbering.ts';
import type { Remarks } from './remarks.ts';
import type { Styles } from './style.ts';
import { chartTable, chartTitles, readTable } from './table.ts';

/** The context of a walk. */
export interface TextContext {
  readonly styles: Styles;
  readonly left: LeftOut;
  readonly remarks: Remarks;
  readonly changes: Changes;
  readonly embedded: Embedded;
}

type Sink = (piece: Piece) => void;

interface ListState {
  readonly style: string | undefined;
  readonly level: number;
  readonly counts: Counts;
}

/** Maximum nesting of boxes and cells. */
const MAX_NESTED = 24;

/** Body elements that contain body elements. */
const GROUPS: ReadonlySet<string> = new Set(
  words(
    'a alphabetical-index bibliography illustration-index index-body index-title meta object-index ' +
      'section table-index table-of-content user-index',
  ),
);

/** Walks one flow of text: a body, or all shapes of a slide. */
export class TextWalk {
  readonly #context: TextContext;
  readonly #numbering = new Numbering();
  readonly #outline: Counts = [];
  readonly #writer = new BlockWriter();
  #nested = 0;

  constructor(context: TextContext) {
    this.#context = context;
  }

  /** Adds an element of the flow; call `take` for the blocks. */
  add(element: XmlElement): void {
    this.#block(element, this.#write);
  }

  /** Returns the blocks so far and removes them. */
  take(): Block[] {
    return this.#writer.take();
  }

  /** Adds the deletions that no place in the flow refers to. */
  addUnplaced(): void {
    for (const mark of this.#context.changes.unplaced(this.lines)) this.#write({ kind: 'text', text: mark });
  }

  /** The text inside `element` as lines of inline content. */
  readonly lines = (element: XmlElement): string[] => {
    const lines: string[] = [];
    const sink: Sink = (piece) => {
      for (const line of pieceLines(piece)) if (line.trim() !== '') lines.push(line.trim());
    };
    if (element.name === 'frame' || isShape(element)) this.#block(element, sink);
    else this.#inside(element, sink);
    return lines;
  };

  /** An empty paragraph ends a list. */
  readonly #write: Sink = (piece) => {
    if (piece.kind !== 'text' || piece.text.trim() !== '') writePiece(this.#writer, piece);
    else if (this.#writer.inCode) this.#writer.gap();
    else this.#writer.end();
  };

  #inside(parent: XmlElement, sink: Sink): void {
    if (this.#nested >= MAX_NESTED) {
      this.#context.left.lose('boxes and tables nested too deep');
      return;
    }
    this.#nested += 1;
    for (const child of parent.elements()) this.#block(child, sink);
    this.#nested -= 1;
  }

  #block(element: XmlElement, sink: Sink): void {
    switch (element.name) {
      case 'p':
        this.#paragraph(element, sink);
        return;
      case 'h':
        this.#heading(element, sink);
        return;
      case 'list':
        this.#list(element, undefined, sink);
        return;
      case 'numbered-paragraph': {
        const level = Math.max(0, (Number(element.get('level')) || 1) - 1);
        const style = element.get('style-name');
        const state = { style, level, counts: this.#numbering.begin(element, style) };
        this.#item(element, state, true, sink);
        return;
      }
      case 'table':
        this.#table(element, sink);
        return;
      case 'frame':
        this.#float(element, sink);
        return;
      case 'control':
        sink({ kind: 'text', text: this.#context.embedded.control(element) });
        return;
      case 'tracked-changes':
        this.#context.changes.add(element);
        return;
      case 'change':
        sink({ kind: 'text', text: this.#context.changes.deletion(element, this.lines) });
        return;
      case 'change-start':
        this.#context.changes.start(element);
        return;
      case 'change-end':
        this.#context.changes.end(element);
        return;
      default:
        if (GROUPS.has(element.name)) {
          if (isHiddenSection(element)) this.#context.left.hide(element.text(), ' ');
          else for (const child of element.elements()) this.#block(child, sink);
        } else if (isShape(element)) this.#float(element, sink);
    }
  }

  /** Runs of a paragraph; content anchored in it goes to `floats`, or to `before` if it precedes the text. */
  #runs(paragraph: XmlElement, floats: XmlElement[], before: XmlElement[] = floats): Run[] {
    const { styles, left, remarks, embedded, changes } = this.#context;
    if (isHiddenParagraph(paragraph)) {
      for (const end of paragraph.descendants('change-end')) changes.end(end);
      left.hide(paragraph.text(), ' ');
      return [];
    }
    return runsOf(paragraph, {
      styles,
      left,
      remarks,
      embedded,
      changes,
      float: (frame, first) => {
        (first ? before : floats).push(frame);
      },
      noteLines: this.lines,
    });
  }

  #paragraph(paragraph: XmlElement, sink: Sink): void {
    const { styles } = this.#context;
    const floats: XmlElement[] = [];
    const before: XmlElement[] = [];
    const runs = this.#runs(paragraph, floats, before);
    const style = styleName(paragraph);
    const level = styles.headingOf(style);
    for (const frame of before) this.#float(frame, sink);
    if (styles.look('paragraph', style).mono === true && !runs.some((run) => run.raw))
      sink({ kind: 'code', text: runs.map((run) => cleanText(run.text)).join(''), sure: true, inline: '' });
    else if (level !== undefined) sink({ kind: 'heading', level, text: writeRuns(runs, { plain: true }) });
    else sink({ kind: 'text', text: writeRuns(runs) });
    for (const frame of floats) this.#float(frame, sink);
  }

  /** `listed` is the label of the list item that contains the heading; without it, outline numbering applies. */
  #heading(heading: XmlElement, sink: Sink, listed?: string): void {
    const { styles } = this.#context;
    const floats: XmlElement[] = [];
    const text = writeRuns(this.#runs(heading, floats), { plain: true }).trim();
    const level = Math.min(10, Math.max(1, Math.trunc(Number(heading.get('outline-level'))) || 1));
    const numbered = text !== '' && heading.get('is-list-header') !== 'true';
    const outline = (): string => nextLabel(this.#outline, level - 1, (at) => styles.outline(at), heading);
    const label = listed ?? (numbered ? outline() : '');
    sink({
      kind: 'heading',
      level,
      text: label === '' || label === '-' ? text : `${cleanText(label)} ${text}`,
    });
    for (const frame of floats) this.#float(frame, sink);
  }

  #list(list: XmlElement, outer: ListState | undefined, sink: Sink): void {
    const style =
      list.get('text:style-name') ?? list.get('style-name') ?? outer?.style ?? this.#styleInside(list);
    const state: ListState = outer
      ? { style, level: outer.level + 1, counts: outer.counts }
      : { style, level: 0, counts: this.#numbering.begin(list, style) };
    for (const item of list.elements()) {
      if (item.name === 'list-item') this.#item(item, state, true, sink);
      else if (item.name === 'list-header') this.#item(item, state, false, sink);
    }
  }

  /** A list without a style uses that of its first paragraph. */
  #styleInside(list: XmlElement): string | undefined {
    const item = list.child('list-item') ?? list.child('list-header');
    const paragraph = item?.child('p') ?? item?.child('h');
    return paragraph && this.#context.styles.listOf(styleName(paragraph));
  }

  #item(item: XmlElement, state: ListState, marked: boolean, sink: Sink): void {
    const override = item.get('style-override');
    const next = (): string =>
      nextLabel(
        state.counts,
        state.level,
        (level) => this.#context.styles.level(override ?? state.style, level),
        item,
      );
    const texts: string[] = [];
    const floats: XmlElement[] = [];
    const flush = (): void => {
      if (texts.length === 0) return;
      const text = texts.splice(0).join(HARD_BREAK);
      const label = marked && !flushed ? next() : '';
      flushed = true;
      if (label === '') sink({ kind: 'text', text: text });
      else sink({ kind: 'item', list: '', ...listItem(state.level, cleanText(label), text) });
    };
    let flushed = false;
    for (const child of item.elements()) {
      if (child.name === 'p') {
        const text = writeRuns(this.#runs(child, floats)).trim();
        if (text !== '') texts.push(text);
        continue;
      }
      if (child.name === 'number') continue;
      flush();
      if (child.name === 'h') this.#heading(child, sink, marked ? next() : '');
      else if (child.name === 'list') this.#list(child, state, sink);
      else this.#block(child, sink);
    }
    flush();
    for (const frame of floats) this.#float(frame, sink);
  }

  #table(table: XmlElement, sink: Sink): void {
    if (this.#nested >= MAX_NESTED) {
      this.#context.left.lose('boxes and tables nested too deep');
      return;
    }
    sink({
      kind: 'table',
      without: 'ends',
      grid: readTable(table, (cell) => this.lines(cell).join('\n'), this.#context.left.tables),
    });
  }

  /** A floating text box, table, chart, picture or shape. */
  #float(element: XmlElement, sink: Sink): void {
    const { embedded } = this.#context;
    const box = element.child('text-box');
    const table = element.child('table');
    const formula = embedded.formula(element);
    const chart = embedded.chart(element);
    if (box) this.#inside(box, sink);
    else if (table) this.#table(table, sink);
    else if (formula !== undefined) sink({ kind: 'text', text: formula });
    else if (chart) this.#chart(chart, sink);
    else if (element.name !== 'frame') this.#inside(element, sink);
    else if (element.child('object') || element.child('object-ole')) {
      const name = alternative(element) || (element.get('draw:name') ?? element.get('name') ?? 'unnamed');
      sink({ kind: 'text', text: writeRuns([{ text: `(embedded object: ${name})` }]) });
    } else sink({ kind: 'text', text: pictureOf(element, embedded) });
  }

  #chart(chart: XmlElement, sink: Sink): void {
    const title = chartTitles(chart);
    sink({ kind: 'text', text: title === '' ? 'Chart' : `Chart: ${writeRuns([{ text: title }])}` });
    for (const data of chart.descendants('table')) {
      sink({ kind: 'table', without: 'ends', grid: chartTable(data, this.#context.left.tables) });
      return;
    }
  }
}

/** True for a section that is not shown (ODF 1.3 part 3, 19.888). */
export function isHiddenSection(element: XmlElement): boolean {
  const display = element.get('text:display') ?? element.get('display');
  return display === 'none' || (display === 'condition' && element.get('is-hidden') === 'true');
}

function isHiddenParagraph(paragraph: XmlElement): boolean {
  return paragraph.elements('hidden-paragraph').some((field) => field.get('is-hidden') === 'true');
}
