// Collects paragraphs of RTF into blocks: lists, tables, code, headings. A flow is the body, a note or a
// header.

import {
  type Block,
  BlockWriter,
  Grid,
  headingBlock,
  listItem,
  paragraphBlock,
  type Run,
  writeRuns,
} from '../../../src/document/index.ts';

/** The properties of a paragraph at its end. */
export interface Paragraph {
  readonly runs: readonly Run[];
  /** 1 to 9, 0 for regular text. */
  readonly heading: number;
  /** The marker as shown in the document (`1.`, `•`), undefined outside lists. */
  readonly marker?: string;
  /** Level in the list. */
  readonly level: number;
  /** Left indent in twips, which determines the nesting of lists. */
  readonly indent: number;
  /** Number of tables it is in. */
  readonly tables: number;
}

/** How a cell is merged with others, as defined by its row. */
export interface CellShape {
  readonly mergedLeft: boolean;
  readonly mergedUp: boolean;
}

/** Deeper tables are read as part of the deepest. */
const MAX_NESTED = 32;

/** A table that has not ended. */
class OpenTable {
  readonly grid = new Grid('stated');
  #cells: string[] = [];
  cell: string[] = [];

  endCell(): void {
    this.#cells.push(this.cell.join('\n'));
    this.cell = [];
  }

  endRow(shapes: readonly CellShape[]): void {
    if (this.cell.length > 0) this.endCell();
    const cells = this.#cells;
    this.#cells = [];
    if (cells.length === 0) return;
    this.grid.add(
      cells.map((text, at) => ({
        rows: Number.POSITIVE_INFINITY,
        joinsLeft: text === '' && shapes[at]?.mergedLeft === true,
        joinsAbove: text === '' && shapes[at]?.mergedUp === true,
        text: () => text,
      })),
    );
  }

  /** Ends the row that was not ended. */
  finish(): Grid {
    this.endRow([]);
    return this.grid;
  }
}

/** Collects paragraphs; `blocks()` finishes it. */
export class Flow {
  readonly #writer = new BlockWriter();
  #blocks: readonly Block[] = [];
  #indents: number[] = [];
  /** Outermost first. */
  readonly #tables: OpenTable[] = [];

  paragraph(paragraph: Paragraph): void {
    const { runs, heading, marker, tables } = paragraph;
    if (tables > 0) {
      this.#end();
      const text = writeRuns(runs).trim();
      if (text !== '') this.#table(tables).cell.push(marker === undefined ? text : `${marker} ${text}`);
      return;
    }
    this.#endTable();
    const plain = runs.map(({ text }) => text).join('');
    if (plain.trim() !== '' && runs.every(({ code, text }) => code || text.trim() === '')) {
      this.#indents = [];
      this.#writer.code(plain);
      return;
    }
    if (plain.trim() === '') {
      this.#writer.gap();
      return;
    }
    const text = writeRuns(runs, { plain: heading > 0 }).trim();
    if (marker !== undefined && heading === 0) {
      const isBullet = !/[\p{L}\p{N}]/u.test(marker) || marker === 'o' || marker === '§';
      this.#writer.item(listItem(this.#levelOf(paragraph), isBullet ? '' : marker, text));
      return;
    }
    this.#indents = [];
    const shown = marker === undefined ? text : `${marker} ${text}`;
    this.#writer.add(heading > 0 ? headingBlock(heading, shown) : paragraphBlock(text));
  }

  /** Ends a cell of the table at `depth`, 1 for the outermost. */
  cell(depth: number): void {
    this.#table(depth).endCell();
  }

  row(depth: number, shapes: readonly CellShape[]): void {
    this.#table(depth).endRow(shapes);
  }

  /** The table at `depth`; deeper ones end, and become lines of the cell they are in. */
  #table(depth: number): OpenTable {
    const wanted = Math.min(depth, MAX_NESTED);
    for (let inner = this.#tables[wanted]; inner; inner = this.#tables[wanted]) {
      const deepest = this.#tables.pop();
      for (const line of deepest?.finish().lines() ?? []) this.#tables.at(-1)?.cell.push(line);
    }
    while (this.#tables.length < wanted) this.#tables.push(new OpenTable());
    return this.#tables[wanted - 1] ?? new OpenTable();
  }

  blocks(): readonly Block[] {
    this.#endTable();
    this.#blocks = [...this.#blocks, ...this.#writer.take()];
    return this.#blocks;
  }

  /** By the indents of the items above; by the list's own level if there are none. */
  #levelOf({ level, indent }: Paragraph): number {
    if (indent === 0) return level;
    while ((this.#indents.at(-1) ?? -1) > indent) this.#indents.pop();
    if (this.#indents.at(-1) !== indent) this.#indents.push(indent);
    return this.#indents.length - 1;
  }

  #end(): void {
    this.#writer.end();
    this.#indents = [];
  }

  #endTable(): void {
    if (this.#tables.length === 0) return;
    const table = this.#table(1).finish().table('table');
    const [only, ...more] = table.rows;
    this.#tables.length = 0;
    if (!only) return;
    this.#indents = [];
    // A table of one cell is a frame around a text.
    this.#writer.add(more.length === 0 && only.length === 1 ? paragraphBlock(only[0] ?? '') : table);
  }
}
