// Turns the cuts of a view into its text (the file's text with marks) and into extents.

import type { Bytes, Extent, Unit, Whole } from '../../../src/contract/index.ts';
import type { TextWindow } from '../text-window.ts';
import { glyphFor, MAX_PLACES } from '../tree/shape.ts';
import type { Cut, Subject, View } from './view.ts';

/**
 * The view's text: the uncut parts of `[subject.start, subject.end)` byte for byte, and a mark for every cut. The mark
 * glyph does not occur in the text shown. The caller has bounded the size.
 */
export async function assemble(window: TextWindow, subject: Subject, cuts: readonly Cut[]): Promise<string> {
  const shown: string[] = [];
  let position = subject.start;
  for (const cut of cuts) {
    shown.push(await text(window, position, cut.start));
    position = cut.end;
  }
  shown.push(await text(window, position, subject.end));
  const plain = shown.join('');
  const glyph = glyphFor({ kind: 'string', text: plain, of: plain.length });
  return shown.map((piece, index) => piece + (cuts[index]?.mark(glyph) ?? '')).join('');
}

async function text(window: TextWindow, from: Bytes, to: Bytes): Promise<string> {
  return from < to ? window.text(from, to) : '';
}

/** The extent unit of a cut: attributes are the keys of an element. */
function unitOf(cut: Cut): Unit {
  return cut.unit === 'attribute' ? 'key' : cut.unit;
}

export interface ViewExtents {
  /** The child elements of the subject first, then each place that was cut. */
  readonly shown: readonly Extent[];
  readonly wholes: readonly Whole[];
}

/** `depth`: levels of elements in the subject, its own the first. */
export function extentsOf(subject: Subject, view: View, depth: number): ViewExtents {
  const shown: Extent[] = [];
  const wholes: Whole[] = [];
  const add = (unit: Unit, name: string, to: number, of: number): void => {
    wholes.push({ unit, of, name });
    if (to > 0) shown.push({ unit, from: 1, to, of, name });
  };
  const own = view.cuts.find((cut) => cut.unit === 'element' && cut.path === subject.path);
  const { children } = subject.content;
  if (children > 0) add('element', subject.path, own ? own.first - 1 : children, children);
  else shown.push({ unit: 'element', from: 1, to: 1, of: 1, name: '' });
  for (const cut of view.cuts) {
    if (wholes.length > MAX_PLACES) break;
    if (cut.start === cut.end || (cut === own && cut.of >= cut.first)) continue;
    // A shortened path may be ambiguous.
    if (cut.path.includes('…')) continue;
    if (cut.unit === 'element' && cut.of < cut.first)
      // Only text and comments are left out; no element is missing.
      wholes.push({ unit: 'byte', of: cut.end - cut.start, name: `${cut.path}, after element ${cut.of}` });
    else add(unitOf(cut), cut.path, cut.first - 1, cut.of);
  }
  if (depth > view.levels && view.levels > 1) add('level', subject.path, view.levels, depth);
  return { shown, wholes };
}

/** The whole of a subject, and nothing of it shown: what an empty budget reports. */
export function wholeOf(subject: Subject): Whole {
  const { children } = subject.content;
  return children > 0
    ? { unit: 'element', of: children, name: subject.path }
    : { unit: 'element', of: 1, name: '' };
}
