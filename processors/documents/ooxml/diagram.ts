// The data model of SmartArt (ECMA-376 part 1, 21.4.2.10) as the nested list its author typed.

import { type Block, cleanText, isEmpty, listBlock } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { drawingText } from './drawing-text.ts';

/** One node with text. */
export interface DiagramItem {
  /** 0 for the outermost. */
  readonly level: number;
  /** Plain text on one line. */
  readonly text: string;
}

const MAX_ITEMS = 10_000;
const MAX_LEVEL = 12;

/** `root` is the root element of a diagram's data part: `dataModel`. Each node once, in order. */
export function diagramItems(root: XmlElement): DiagramItem[] {
  const texts = new Map<string, string>();
  const tops: string[] = [];
  for (const point of root.child('ptLst')?.elements('pt') ?? []) {
    const id = point.get('modelId');
    if (id === undefined || texts.size >= MAX_ITEMS) continue;
    const body = point.child('t');
    texts.set(id, body ? drawingText(body) : '');
    if (point.get('type') === 'doc') tops.push(id);
  }
  const below = new Map<string, { readonly id: string; readonly order: number }[]>();
  for (const link of root.child('cxnLst')?.elements('cxn') ?? []) {
    const from = link.get('srcId');
    const to = link.get('destId');
    if (from === undefined || to === undefined || (link.get('type') ?? 'parOf') !== 'parOf') continue;
    const entry = { id: to, order: Number(link.get('srcOrd')) || 0 };
    const list = below.get(from);
    if (list) list.push(entry);
    else below.set(from, [entry]);
  }
  const items: DiagramItem[] = [];
  const seen = new Set<string>();
  const visit = (start: string): void => {
    const stack: { readonly id: string; readonly level: number }[] = [{ id: start, level: 0 }];
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      const text = texts.get(node.id) ?? '';
      if (text !== '') items.push({ level: node.level, text });
      const level = text === '' ? node.level : Math.min(MAX_LEVEL, node.level + 1);
      const next = (below.get(node.id) ?? []).sort((a, b) => b.order - a.order);
      for (const { id } of next) stack.push({ id, level });
    }
  };
  for (const top of tops) visit(top);
  for (const id of texts.keys()) visit(id);
  return items;
}

/** The nodes as one Markdown list; empty if no node has text. */
export function diagramBlocks(root: XmlElement): Block[] {
  const list = listBlock(
    diagramItems(root).map(({ level, text }) => ({ level, marker: '-', text: cleanText(text) })),
  );
  return isEmpty(list) ? [] : [list];
}
