// A table held in memory, and the walk through it as an engine makes it, for tests of what all tables share.

import {
  type Extent,
  type Position,
  type Selection,
  type TextPart,
  viewOf,
} from '../../src/contract/index.ts';
import { type Table, tableParts } from '../../src/table/table.ts';
import { type TestContext, type TestOptions, testContext } from '../support/context.ts';

export interface TableShape {
  readonly header?: readonly string[];
  readonly headerRow?: number;
  readonly rows: readonly (readonly string[])[];
  readonly name?: string;
  readonly heading?: string;
}

export function memoryTable({ header, headerRow = 0, rows, name, heading }: TableShape): Table {
  return {
    header: headerRow > 0 ? rows[headerRow - 1] : header,
    headerRow,
    rows: rows.length,
    columns: Math.max(header?.length ?? 0, ...rows.map((row) => row.length)),
    ...(name !== undefined && { name }),
    ...(heading !== undefined && { heading }),
    async *read(from, to) {
      for (let number = from; number <= to; number += 1) yield { number, cells: rows[number - 1] ?? [] };
    },
  };
}

export interface Page {
  readonly parts: readonly TextPart[];
  readonly text: string;
  readonly view: string;
  readonly next: TextPart['next'];
  readonly context: TestContext;
}

export async function page(table: Table, options: TestOptions = {}): Promise<Page> {
  const context = testContext(options);
  const parts: TextPart[] = [];
  for await (const part of tableParts(table, context)) parts.push(part);
  return {
    parts,
    text: parts.map((part) => part.text).join(''),
    view: parts.map(viewOf).join(''),
    next: parts.at(-1)?.next,
    context,
  };
}

/** All pages from a fresh answer to the end; fails when a page makes no progress. */
export async function walk(
  table: Table,
  options: TestOptions & { readonly selection?: Partial<Selection> } = {},
): Promise<Page[]> {
  const pages: Page[] = [];
  let resume: Position | undefined;
  for (;;) {
    const shown = await page(table, {
      ...options,
      selection: { ...options.selection, ...(resume && { resume }) },
    });
    pages.push(shown);
    const next = shown.next?.position;
    if (!next) return pages;
    if (JSON.stringify(next) === JSON.stringify(resume)) throw new Error(`no progress at ${next.join()}`);
    resume = next;
    if (pages.length > 20_000) throw new Error('the walk does not end');
  }
}

export function extent(part: TextPart | undefined, unit: Extent['unit']): Extent | undefined {
  return part?.shown.find((found) => found.unit === unit);
}
