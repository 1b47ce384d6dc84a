// Pictures that a page states twice: a picture loaded by a script, and again in `noscript` for browsers without scripts.

import type { HtmlNode } from './node.ts';

const ADDRESSES = ['src', 'data-src', 'data-lazy-src', 'data-original'] as const;
const LISTS = ['srcset', 'data-srcset'] as const;

/** The pictures in `noscript` that are also outside, by their address without its query. */
export function* repeatedPictures(nodes: readonly HtmlNode[]): Generator<HtmlNode> {
  const outside = new Set<string>();
  const inside: HtmlNode[] = [];
  // Per node, in document order: 1 inside `noscript`.
  const within = new Uint8Array(nodes.length);
  for (const node of nodes) {
    if (node.name === 'noscript' || within[node.parent?.index ?? 0] === 1) within[node.index] = 1;
    if (node.name !== 'img' && node.name !== 'source') continue;
    if (within[node.index] === 1) inside.push(node);
    else for (const address of addressesOf(node)) outside.add(address);
  }
  for (const node of inside) if (addressesOf(node).some((address) => outside.has(address))) yield node;
}

function addressesOf(picture: HtmlNode): string[] {
  const stated = ADDRESSES.map((name) => picture.get(name));
  const listed = LISTS.flatMap((name) => picture.get(name)?.split(/[\s,]+/) ?? []);
  return [...stated, ...listed]
    .map((address) => address?.replace(/[?#].*/s, '').trim() ?? '')
    .filter((address) => address.length > 0 && !/^(?:data:|\d+(?:\.\d+)?[wxh]$)/.test(address));
}
