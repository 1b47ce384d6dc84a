// The state of an RTF reader: what a group inherits and restores, and the paragraph that is being read.

import type { Run } from '../../../src/document/index.ts';
import type { Flow } from './flow.ts';

/** The destination of text. */
export type Destination =
  | 'flow'
  | 'skip'
  | 'font'
  | 'style'
  | 'info'
  | 'instruction'
  | 'marker'
  | 'author'
  | 'picture'
  | 'alternative';

/** The tracked change that text is part of. */
export type Change = 'none' | 'inserted' | 'deleted';

/** The state a group inherits and restores. Never modified in place while a group may return to it. */
export interface State {
  destination: Destination;
  /** The destination before `upr` gave two versions of the text. */
  replaced: Destination;
  flow: Open;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  superscript: boolean;
  subscript: boolean;
  hidden: boolean;
  change: Change;
  font: number;
  /** Number of fallback bytes after a `\u`. */
  fallback: number;
  href: string | undefined;
  inTable: boolean;
  /** Number of tables around the paragraph, as far as stated. */
  nesting: number;
  level: number;
  /** Left indent in twips. */
  indent: number;
  outline: number;
  style: number;
  /** Runs when the group that set the destination closes. */
  ends: (() => void) | undefined;
}

/** A flow and its current paragraph. */
export interface Open {
  readonly flow: Flow;
  runs: Run[];
  marker: string | undefined;
  /** The change that is being marked. */
  change: Change;
}

export const PLAIN = {
  bold: false,
  italic: false,
  strike: false,
  superscript: false,
  subscript: false,
  hidden: false,
  change: 'none',
} as const;
export const NO_PARAGRAPH = { inTable: false, nesting: 0, level: 0, indent: 0, outline: -1, style: -1 };

/** How tracked changes are marked, as in a Word document. */
export const START: Readonly<Record<Change, string>> = { none: '', inserted: '{++', deleted: '{--' };
export const END: Readonly<Record<Change, string>> = { none: '', inserted: '++}', deleted: '--}' };

export const openFlow = (flow: Flow): Open => ({ flow, runs: [], marker: undefined, change: 'none' });
