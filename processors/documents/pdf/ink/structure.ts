// The structure tree of a tagged page and the links on it, bounded, from pdf.js.

import type { PageViewport, PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { Link, StructureNode } from './ink.ts';
import { boxUnder, matrixOf, numbersOf } from './matrix.ts';

const MOST_NODES = 50_000;
const MOST_DEPTH = 64;

/** The page's structure, or undefined for an untagged page. */
export async function structureOf(page: PDFPageProxy): Promise<StructureNode | undefined> {
  const tree: unknown = await page.getStructTree();
  if (!isNode(tree)) return undefined;
  let left = MOST_NODES;
  const convert = (node: TreeNode, depth: number): StructureNode => {
    const children: (StructureNode | number)[] = [];
    for (const child of Array.isArray(node.children) ? node.children : []) {
      left -= 1;
      if (left < 0) break;
      if (isNode(child)) {
        if (depth < MOST_DEPTH) children.push(convert(child, depth + 1));
      } else {
        const mcid = markedContentOf(child);
        if (mcid !== undefined) children.push(mcid);
      }
    }
    const alt = typeof node.alt === 'string' && node.alt !== '' ? node.alt.slice(0, 4000) : undefined;
    const actualText = typeof node.actualText === 'string' ? node.actualText : '';
    return {
      role: node.role,
      children,
      ...(alt !== undefined && { alt }),
      ...(actualText !== '' && { actualText }),
    };
  };
  return convert(tree, 0);
}

interface TreeNode {
  readonly role: string;
  readonly alt?: unknown;
  readonly actualText?: unknown;
  readonly children?: unknown;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && 'role' in value && typeof value.role === 'string';
}

/** pdf.js names marked content `p12R_mc3`. */
function markedContentOf(child: unknown): number | undefined {
  if (typeof child !== 'object' || child === null || !('id' in child) || typeof child.id !== 'string')
    return undefined;
  const match = /_mc(\d{1,9})$/.exec(child.id);
  return match ? Number(match[1]) : undefined;
}

const MOST_LINKS = 5000;
const SAFE_URL = /^(?:https?|mailto|ftp|tel):/i;

/** The link annotations of a page, with internal targets as page numbers. */
export async function linksOf(
  document: PDFDocumentProxy,
  annotations: readonly unknown[],
  viewport: PageViewport,
): Promise<Link[]> {
  const matrix = matrixOf(viewport.transform);
  const links: Link[] = [];
  for (const annotation of annotations) {
    if (links.length >= MOST_LINKS) break;
    if (typeof annotation !== 'object' || annotation === null) continue;
    const { subtype, rect, url, dest }: { subtype?: unknown; rect?: unknown; url?: unknown; dest?: unknown } =
      annotation;
    const corners = numbersOf(rect, 4);
    if (subtype !== 'Link' || !corners || !matrix) continue;
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = corners;
    const box = boxUnder(matrix, x0, y0, x1, y1);
    if (typeof url === 'string' && SAFE_URL.test(url)) links.push({ ...box, url });
    else {
      const page = await pageOf(document, dest);
      if (page !== undefined) links.push({ ...box, page });
    }
  }
  return links;
}

/** The 1-based page of a destination. Never throws. */
export async function pageOf(document: PDFDocumentProxy, destination: unknown): Promise<number | undefined> {
  try {
    const explicit: unknown =
      typeof destination === 'string' ? await document.getDestination(destination) : destination;
    const target: unknown = Array.isArray(explicit) ? explicit[0] : undefined;
    if (typeof target === 'number' && Number.isInteger(target))
      return target >= 0 && target < document.numPages ? target + 1 : undefined;
    if (typeof target !== 'object' || target === null || !('num' in target) || !('gen' in target))
      return undefined;
    const { num, gen } = target;
    if (typeof num !== 'number' || typeof gen !== 'number') return undefined;
    return (await document.getPageIndex({ num, gen })) + 1;
  } catch {
    return undefined;
  }
}
