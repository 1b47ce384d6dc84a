// Walks a document once from start to end and writes it as blocks. Not recursive, so that nesting uses no stack.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../../src/contract/index.ts';
import { type Block, noteMark } from '../../../src/document/index.ts';
import { BLOCKS } from './block-elements.ts';
import { BLOCK } from './elements.ts';
import { INLINES } from './inline-elements.ts';
import { landmarkOf } from './landmark.ts';
import type { HtmlNode } from './node.ts';
import { type Enter, PageWalk, type WalkOptions } from './page-walk.ts';
import type { Survey } from './survey.ts';
import { scriptOf, styleOf } from './visibility.ts';

/** Nodes processed before yielding to other tasks: a few milliseconds. */
const NODES_A_TURN = 8192;

const ELEMENTS: ReadonlyMap<string, Enter> = new Map([...INLINES, ...BLOCKS]);

/** The blocks of a surveyed document. @throws {ReaderError} ABORTED */
export async function blocksOf(survey: Survey, options: WalkOptions): Promise<Block[]> {
  const walk = new PageWalk(survey, options);
  const { root } = survey.tree;
  let node: HtmlNode | undefined = root.first;
  for (let count = 1; node; count += 1) {
    if (count % NODES_A_TURN === 0) {
      throwIfAborted(options.signal);
      await nextTurn();
    }
    if (!survey.isSkipped(node) && enter(node, walk)) {
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
  return walk.out.close();
}

function enter(node: HtmlNode, walk: PageWalk): boolean {
  if (node.name === '') {
    walk.out.text(node.text);
    return false;
  }
  if (walk.notes.back.has(node)) return false;
  const label = node.attributes && node.name !== 'li' ? walk.notes.notes.get(node) : undefined;
  if (label !== undefined) enterNote(node, label, walk);
  return (ELEMENTS.get(node.name) ?? enterStyled)(node, walk);
}

function enterNote(node: HtmlNode, label: string, walk: PageWalk): void {
  walk.out.break();
  const { place } = walk.out;
  place.prefix = `${noteMark(label)}: `;
  walk.after(node, () => {
    place.prefix = '';
  });
}

/** Blocks end a paragraph before and after; `span` and similar may be blocks, bold or preformatted by style. */
function enterStyled(node: HtmlNode, walk: PageWalk): boolean {
  const landmark = node.attributes && walk.out.isOutermost ? landmarkOf(node, walk.survey) : undefined;
  if (landmark !== undefined) enterPart(node, landmark, walk);
  const script = scriptOf(node);
  if (script) walk.style(node, script);
  if (node.get('style') !== undefined) {
    if (styleOf(node, 'white-space')?.startsWith('pre') === true) {
      walk.out.preserved += 1;
      walk.after(node, () => {
        walk.out.preserved -= 1;
      });
    }
    if (node.name === 'span' || node.name === 'font') styleText(node, walk);
  }
  const display = styleOf(node, 'display') ?? '';
  if (BLOCK.has(node.name) || /^(?:block|flex|grid|list-item|table)/.test(display)) walk.apart(node);
  return true;
}

function enterPart(node: HtmlNode, name: string, walk: PageWalk): void {
  walk.out.break();
  const { writer } = walk.out.place;
  writer.startPart(name);
  walk.after(node, () => writer.endPart());
}

function styleText(node: HtmlNode, walk: PageWalk): void {
  if (/^(?:bold|bolder|[6-9]00)$/.test(styleOf(node, 'font-weight') ?? '')) walk.style(node, 'bold');
  if (styleOf(node, 'font-style') === 'italic') walk.style(node, 'italic');
  if (styleOf(node, 'text-decoration')?.includes('line-through') === true) walk.style(node, 'strike');
}
