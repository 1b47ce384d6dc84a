// A shortened view of a source text: stretches are left out and replaced by marks, everything else keeps its spelling.
// Kept and omitted stretches tile the source, so walking the rest restores the file exactly. Each language decides
// where to cut and what a mark looks like.

import {
  type Budget,
  type Extent,
  isInsidePair,
  type Limits,
  plural,
  type Whole,
} from '../../src/contract/index.ts';
import { bestView, type Candidate, LineCosts, STEPS, tighten } from './tree/fit.ts';
import { freeGlyph, type TreeLimits, treeLimits } from './tree/shape.ts';

/** A range of the source in UTF-16 units, `to` exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Replaces a stretch of the source by `text`; inserts it if the stretch is empty. */
export interface Edit extends Stretch {
  readonly text: string;
  /** Pointer to the place in the document. */
  readonly pointer: string;
  readonly members?: Members;
}

/** What was left out at a place, by numbers: of `of` in total, those from `first` on. */
export interface Members {
  readonly unit: 'element' | 'character' | 'key';
  readonly first: number;
  readonly of: number;
}

/** `comment`: the longest run of comment lines shown whole, in UTF-16 units. */
export interface ElisionLimits extends TreeLimits {
  readonly comment: number;
  readonly opening?: Opening | undefined;
  /** Marks have no words, for a budget that fits little more than the root. */
  readonly quiet?: boolean;
}

/** Looser limits for the first `units` of a view: one step of the scale may leave half of the room unused. */
export interface Opening extends TreeLimits {
  readonly units: number;
}

/** Limits that keep all that `limits` keep, wherever it is. */
export function together({ opening, ...limits }: ElisionLimits): ElisionLimits {
  const most = (name: 'depth' | 'items' | 'keys' | 'string'): number =>
    Math.max(limits[name], opening?.[name] ?? 0);
  return {
    ...limits,
    depth: most('depth'),
    items: most('items'),
    keys: most('keys'),
    string: most('string'),
  };
}

export interface Elision {
  readonly edits: readonly Edit[];
  /** The root first, then each place that was cut. */
  readonly shown: readonly Extent[];
  readonly wholes: readonly Whole[];
  /** How much the view tells. */
  readonly worth: number;
}

/** A text that can be shown with stretches left out. */
export interface ElidableText {
  readonly source: string;
  /** The stretches of the source to show, ascending. */
  readonly scope: readonly Stretch[];
  /** Text before the view that makes a part of a document valid on its own. */
  readonly prefix: string;
  /** Its elider can begin with looser limits. */
  readonly opens: boolean;
  elide(limits: ElisionLimits): Elision;
}

/** An omitted stretch, and the place in the document where it starts. */
export interface Gap extends Stretch {
  readonly pointer: string;
  readonly members?: Members | undefined;
}

export type View = Elision & Candidate<ElisionLimits>;

/** Maximum length of comments once the view has to be shortened. */
const TIGHT_COMMENT = 200;

/** The caller's format limits; comments are unlimited. */
export function elisionLimits(limits: Limits): ElisionLimits {
  return { ...treeLimits(limits), comment: Number.POSITIVE_INFINITY };
}

/** Length of the view that `edits` produce from `scope`. */
function viewLength(scope: readonly Stretch[], edits: readonly Edit[]): number {
  let length = 0;
  for (const { from, to } of scope) length += to - from;
  for (const edit of edits) length += edit.text.length - (edit.to - edit.from);
  return length;
}

/** Produces the view. `edits` are ascending, do not overlap, and are inside `scope`. */
export function applyEdits(source: string, scope: readonly Stretch[], edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let next = 0;
  for (const stretch of scope) {
    let at = stretch.from;
    for (let edit = edits[next]; edit !== undefined && edit.from <= stretch.to; edit = edits[next]) {
      if (edit.from === stretch.to && edit.to > stretch.to) break;
      pieces.push(source.slice(at, edit.from), edit.text);
      at = edit.to;
      next++;
    }
    pieces.push(source.slice(at, stretch.to));
  }
  return pieces.join('');
}

/** The stretches that `edits` omit, in order; adjacent ones are merged. */
export function gapsOf(edits: readonly Edit[]): Gap[] {
  const gaps: Gap[] = [];
  for (const { from, to, pointer, members } of edits) {
    if (to === from) continue;
    const last = gaps.at(-1);
    if (last && last.to === from) gaps[gaps.length - 1] = { ...last, to };
    else gaps.push({ from, to, pointer, members });
  }
  return gaps;
}

/** The best view of a text that fits the budget. Undefined if even bare counts are too long. */
export async function fitElision(
  { source, scope, prefix, opens, elide }: ElidableText,
  limits: ElisionLimits,
  budget: Budget,
): Promise<View | undefined> {
  const make = (tried: ElisionLimits): View | undefined => {
    const elision = elide(tried);
    const whole = elision.edits.length === 0;
    if (prefix.length + viewLength(scope, elision.edits) > budget.characters) return undefined;
    return { ...elision, text: prefix + applyEdits(source, scope, elision.edits), limits: tried, whole };
  };
  const view = await bestView(limits, budget, make, (step) => ({
    ...tighten(limits, step),
    comment: Math.min(limits.comment, Math.round(TIGHT_COMMENT * (1 - step / STEPS))),
  }));
  if (!view) {
    const bare = make({ ...tighten(limits, STEPS), comment: 0, quiet: true });
    return bare && new LineCosts(budget).allow(bare) ? bare : undefined;
  }
  return opens && !view.whole ? opened(view, limits, budget, make) : view;
}

/** The search for a longer opening stops within this share of its length. */
const CLOSE_ENOUGH = 0.03;

/** Extends a view with the longest opening that fits. */
function opened(
  view: View,
  limits: ElisionLimits,
  budget: Budget,
  make: (limits: ElisionLimits) => View | undefined,
): View {
  const { depth, items, keys, string } = view.limits;
  // Several steps looser, so that an opening of any length can use the remaining room.
  const looser: TreeLimits = {
    depth: Math.min(limits.depth, depth + 4),
    items: Math.min(limits.items, items * 4 + 8),
    keys: Math.min(limits.keys, keys * 4 + 8),
    string: Math.min(limits.string, string * 4),
  };
  const costs = new LineCosts(budget);
  let best = view;
  for (let low = 1, high = budget.charactersBesideNotes; high - low > CLOSE_ENOUGH * high; ) {
    const units = (low + high) >> 1;
    const tried = make({ ...view.limits, opening: { ...looser, units } });
    const fits = tried !== undefined && costs.allow(tried);
    if (fits) low = units + 1;
    else high = units - 1;
    if (fits && tried.text.length > best.text.length) best = tried;
  }
  return best;
}

/** The glyph of this file's marks: one that does not occur in the file, so that no mark can be mistaken for data. */
export function glyphOutside(source: string): string {
  return freeGlyph((glyph) => source.includes(glyph));
}

/** Escapes of YAML and TOML: of a character by its number, of a line end, of one character. */
const ESCAPE = /\\(?:x.{2}|u.{4}|U.{8}|\r\n|.)/suy;

/**
 * The last offset up to `most` where a quoted or plain text, whose content starts at `from`, may end: after a whole
 * character, doubled quote or escape, and never after white space or an escaped line end.
 */
export function textCut(source: string, from: number, most: number, quote: string): number {
  let end = from;
  for (let at = from; at < most; ) {
    let size = isInsidePair(source, at + 1) || source.startsWith('\r\n', at) ? 2 : 1;
    if (quote === "'" && source.startsWith("''", at)) size = 2;
    else if (quote === '"' && source[at] === '\\') {
      ESCAPE.lastIndex = at;
      size = ESCAPE.exec(source)?.[0].length ?? 1;
    }
    if (at + size <= most && !/\s/.test(source[at + size - 1] ?? '')) end = at + size;
    at += size;
  }
  return end;
}

/** A run of whole comment lines (with line ends), or the rest of a line from its `#`. */
export interface CommentRun extends Stretch {
  readonly lines: boolean;
  readonly count: number;
}

/** Shorter runs cost no more than the mark that would replace them. */
const LEAST_COMMENT_CUT = 80;

/** Merges comments, given by ascending positions of their `#`, into runs of whole lines. */
export function commentRuns(source: string, places: readonly number[]): CommentRun[] {
  const runs: CommentRun[] = [];
  for (const place of places) {
    let start = place;
    while (start > 0 && (source[start - 1] === ' ' || source[start - 1] === '\t')) start--;
    const alone = start === 0 || source[start - 1] === '\n';
    const end = source.indexOf('\n', place);
    const to = end < 0 ? source.length : alone ? end + 1 : end;
    const last = runs.at(-1);
    if (!alone) runs.push({ from: place, to, lines: false, count: 1 });
    else if (last?.lines && isBlank(source, last.to, start))
      runs[runs.length - 1] = { ...last, to, count: last.count + 1 };
    else runs.push({ from: start, to, lines: true, count: 1 });
  }
  return runs;
}

const MAX_BLANKS_IN_RUN = 200;

function isBlank(source: string, from: number, to: number): boolean {
  return to - from <= MAX_BLANKS_IN_RUN && source.slice(from, to).trim() === '';
}

/** Returns `elision` with comments longer than `limit` shortened. */
export function withCommentCuts(
  source: string,
  runs: readonly CommentRun[],
  limit: number,
  glyph: string,
  scope: readonly Stretch[],
  elision: Elision,
): Elision {
  if (limit === Number.POSITIVE_INFINITY) return elision;
  const { edits } = elision;
  const merged: Edit[] = [];
  let next = 0;
  let region = 0;
  let covered = 0;
  let lines = 0;
  let left = 0;
  for (const run of runs) {
    for (let edit = edits[next]; edit !== undefined && edit.from < run.from; edit = edits[next]) {
      merged.push(edit);
      covered = edit.to;
      next++;
    }
    while ((scope[region]?.to ?? Number.POSITIVE_INFINITY) <= run.from) region++;
    const inside = scope[region];
    const to = Math.min(run.to, edits[next]?.from ?? run.to);
    if (inside === undefined || run.from < inside.from || to > inside.to || run.from < covered) continue;
    lines += run.count;
    if (to - run.from <= Math.max(limit, LEAST_COMMENT_CUT)) continue;
    const cut = cutComment(source, { ...run, to }, limit, glyph);
    if (!cut) continue;
    merged.push(cut.edit);
    left += cut.lines;
  }
  for (let edit = edits[next]; edit !== undefined; edit = edits[next]) {
    merged.push(edit);
    next++;
  }
  if (left === 0) return { ...elision, edits: merged };
  const whole: Whole = { unit: 'line', of: lines, name: 'comments' };
  const shown = lines > left ? [{ ...whole, from: 1, to: lines - left }] : [];
  return {
    ...elision,
    edits: merged,
    shown: [...elision.shown, ...shown],
    wholes: [...elision.wholes, whole],
  };
}

function cutComment(
  source: string,
  run: CommentRun,
  limit: number,
  glyph: string,
): { edit: Edit; lines: number } | undefined {
  const pointer = '';
  const lineEnd = run.lines ? source.lastIndexOf('\n', run.from + limit) : -1;
  const from = lineEnd >= run.from ? lineEnd + 1 : run.from;
  if (run.to - from < LEAST_COMMENT_CUT) return undefined;
  let lines = 0;
  for (let at = source.indexOf('#', from); at >= 0 && at < run.to; ) {
    lines++;
    const end = source.indexOf('\n', at);
    at = end < 0 ? run.to : source.indexOf('#', end);
  }
  if (run.lines && source[run.to - 1] === '\n') {
    const indent = /^[ \t]*/.exec(source.slice(from, Math.min(run.to, from + 200)))?.[0] ?? '';
    const which = `${plural(lines, from > run.from ? 'more line' : 'line')} of comment`;
    return { edit: { from, to: run.to, text: `${indent}# ${glyph} ${which}\n`, pointer }, lines };
  }
  const text = `# ${glyph} comment of ${run.to - from} characters`;
  return { edit: { from, to: run.to, text, pointer }, lines };
}
