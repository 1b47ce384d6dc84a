// Converts a shaped tree to extents: what is shown of each place and its total, named by JSON Pointer.

import type { Extent, Unit, Whole } from '../../../src/contract/index.ts';
import type { Node } from './node.ts';
import { MAX_NAME_LENGTH, MAX_PLACES, remaining } from './shape.ts';

/** The extents of a shaped tree. */
export interface TreeExtents {
  /** The root's extent first, then each place that was cut. */
  readonly shown: Extent[];
  readonly wholes: Whole[];
  /** Number of places that were cut, including unlisted ones. */
  readonly places: number;
}

/** Appends one token to a JSON Pointer (RFC 6901). */
export function pointerTo(pointer: string, token: string | number): string {
  if (typeof token === 'number') return `${pointer}/${token}`;
  return `${pointer}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The extents of a shaped tree: the root's first, named `pointer`, then at most 100 places that were cut, named by JSON
 * Pointer. `levels` is the actual depth of the document, if known.
 */
export function extents(node: Node, pointer = '', levels?: number): TreeExtents {
  const shown: Extent[] = [];
  const wholes: Whole[] = [];
  let places = 0;
  let deepest = 0;

  const report = (unit: Unit, name: string, from: number, to: number, of: number, cut: boolean): void => {
    if (cut) places++;
    else if (name !== pointer) return;
    if (places > MAX_PLACES || name.length > MAX_NAME_LENGTH) return;
    wholes.push({ unit, of, name });
    if (to >= from) shown.push({ unit, from, to, of, name });
  };

  const visit = (at: Node, name: string, level: number): void => {
    switch (at.kind) {
      case 'object':
        deepest = Math.max(deepest, level);
        report('key', name, 1, at.entries.length, at.of, remaining(at) > 0);
        for (const { key, value } of at.entries) visit(value, pointerTo(name, key), level + 1);
        break;
      case 'array': {
        deepest = Math.max(deepest, level);
        const from = at.from ?? 1;
        report('item', name, from, from + at.items.length - 1, at.of, remaining(at) > 0);
        at.items.forEach((item, index) => {
          visit(item, pointerTo(name, from - 1 + index), level + 1);
        });
        break;
      }
      case 'string':
        report('character', name, 1, at.text.length, at.of, at.text.length < at.of);
        break;
      case 'cut':
        report(at.what === 'object' ? 'key' : 'item', name, 1, 0, at.of, true);
        break;
      case 'literal':
        break;
    }
  };
  visit(node, pointer, 1);
  if (levels !== undefined && levels > deepest) {
    wholes.push({ unit: 'level', of: levels, name: pointer });
    if (deepest > 0) shown.push({ unit: 'level', from: 1, to: deepest, of: levels, name: pointer });
  }
  return { shown, wholes, places };
}
