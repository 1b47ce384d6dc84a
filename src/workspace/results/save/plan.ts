// Decides the format and the name of a result.

import { ReaderError } from '../../../contract/index.ts';
import { contentOf, type Given, Items, isRow } from '../input.ts';
import type { ResultFormat } from '../result.ts';
import { HEAD_BYTES } from './write-content.ts';

/** What is written, and in which format. */
export type Plan = { readonly format: ResultFormat; readonly ending?: string } & (
  | { readonly kind: 'rows'; readonly items: Items }
  | { readonly kind: 'content'; readonly content: string | Uint8Array | Blob | Items }
  | { readonly kind: 'value'; readonly value: unknown }
);

export async function planOf(given: Given, asked: ResultFormat | undefined): Promise<Plan> {
  switch (given.kind) {
    case 'text':
      if (asked === 'xlsx') throw noWorkbook();
      return { kind: 'content', format: asked ?? 'text', content: given.text };
    case 'bytes': {
      const head = given.bytes instanceof Blob ? await headOf(given.bytes) : given.bytes;
      return { kind: 'content', format: asked ?? 'text', content: given.bytes, ...binaryEnding(head) };
    }
    case 'value':
      if (asked === undefined || asked === 'json' || asked === 'text')
        return { kind: 'value', format: asked ?? 'json', value: given.value };
      return { kind: 'rows', format: asked, items: new Items([given.value]) };
    case 'items':
      return planOfItems(given.items, asked);
  }
}

async function planOfItems(items: Items, asked: ResultFormat | undefined): Promise<Plan> {
  const first = await items.first();
  const content = first.done || items.kept ? undefined : contentOf(first.value);
  if (content !== undefined || (first.done && items.bytes)) {
    if (asked === 'xlsx' && typeof content === 'string') throw noWorkbook();
    const ending = typeof content === 'object' ? binaryEnding(content) : {};
    return { kind: 'content', format: asked ?? 'text', content: items, ...ending };
  }
  const rows = first.done || items.everyRow(isRow);
  const format = asked ?? (rows ? 'csv' : 'json');
  return { kind: 'rows', format, items };
}

async function headOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer());
}

function binaryEnding(bytes: Uint8Array): { readonly ending?: string } {
  return bytes.subarray(0, HEAD_BYTES).includes(0) ? { ending: '.bin' } : {};
}

function noWorkbook(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'Text cannot be saved as an XLSX file; expected rows.',
    'Pass rows, or save it as `csv` or `text`.',
  );
}
