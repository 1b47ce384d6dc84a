// Builds an elision for languages whose comments start with `#`: edits in order, notes deferred to the end of a line,
// and the extents shown of each cut place. The language decides where to cut.

import { type Extent, plural, type Unit, type Whole } from '../../src/contract/index.ts';
import {
  type CommentRun,
  type Edit,
  type Elision,
  type ElisionLimits,
  type Stretch,
  withCommentCuts,
} from './elision.ts';
import { MAX_NAME_LENGTH, MAX_PLACES, withNames } from './tree/shape.ts';

/** Items, keys or characters shown of one place. */
export interface Shown {
  readonly unit: Unit;
  /** JSON Pointer of the place; absent for documents. */
  readonly name?: string;
  readonly to: number;
  readonly of: number;
  /** Reported even if nothing was cut. */
  readonly always: boolean;
}

interface Container {
  readonly kind: string;
  readonly items: readonly { readonly name: string }[];
}

const unitOf = ({ kind }: Container): Unit => (kind === 'array' ? 'item' : 'key');

export class ElisionDraft {
  readonly #source: string;
  readonly #glyph: string;
  readonly #edits: Edit[] = [];
  readonly #shown: Extent[] = [];
  readonly #wholes: Whole[] = [];
  #places = 0;
  #worth = 0;
  #notes = '';

  constructor(source: string, glyph: string) {
    this.#source = source;
    this.#glyph = glyph;
  }

  /** Finishes the elision, with comments longer than the limit shortened. */
  finish(comments: readonly CommentRun[], limits: ElisionLimits, scope: readonly Stretch[]): Elision {
    return withCommentCuts(this.#source, comments, limits.comment, this.#glyph, scope, {
      edits: this.#edits,
      shown: this.#shown,
      wholes: this.#wholes,
      worth: this.#worth,
    });
  }

  /** Counts a value of the view towards what it tells. */
  tell(worth: number): void {
    this.#worth += worth;
  }

  report({ unit, name, to, of, always }: Shown): void {
    if (to < of) this.#places++;
    else if (!always) return;
    if (this.#places > MAX_PLACES || (name?.length ?? 0) > MAX_NAME_LENGTH) return;
    const named = name === undefined ? {} : { name };
    this.#wholes.push({ unit, of, ...named });
    if (to >= 1) this.#shown.push({ unit, from: 1, to, of, ...named });
  }

  /** Reports the first `kept` members of a container. */
  reportMembers(node: Container, name: string, kept: number, always: boolean): void {
    this.report({ unit: unitOf(node), name, to: kept, of: node.items.length, always });
  }

  /** What a container leaves out from member number `kept` on, with up to `most` names of keys. */
  restOf(node: Container, kept: number, most = 0): string {
    const rest = node.items.length - kept;
    const names = node.kind === 'array' ? [] : node.items.slice(kept, kept + most).map(({ name }) => name);
    return withNames(plural(rest, `${kept === 0 ? '' : 'more '}${unitOf(node)}`), rest, names);
  }

  insert(at: number, text: string): void {
    this.cut(at, at, text, '');
  }

  cut(from: number, to: number, text: string, pointer: string): void {
    this.#edits.push({ from, to, text, pointer });
  }

  /** Queues a comment for the next position where one is allowed. */
  note(text: string): void {
    this.#notes += ` # ${this.#glyph} ${text}`;
  }

  takeNotes(): string {
    const notes = this.#notes;
    this.#notes = '';
    return notes;
  }

  /** Restores notes taken earlier and discards those added since. */
  restoreNotes(notes: string): void {
    this.#notes = notes;
  }

  flushAt(position: number, after = ''): void {
    if (this.#notes !== '') this.insert(position, `${this.takeNotes()}${after}`);
  }

  flushAtLineEnd(position: number): void {
    if (this.#notes !== '') this.flushAt(this.lineEnd(position));
  }

  /** Between items of a single-line value: moves what follows to a line of its own, indented by `indent`. */
  flushInFlow(position: number, indent: string): void {
    if (this.#notes === '') return;
    // A short lookahead is enough: the line may be the whole file.
    const ahead = this.#source.slice(position, position + 200);
    const alone = ahead.includes('\n') && ahead.slice(0, ahead.indexOf('\n')).trim() === '';
    this.flushAt(position, alone ? '' : `\n${indent}`);
  }

  /** Position before the line end that follows `position`. */
  lineEnd(position: number): number {
    const end = this.#source.indexOf('\n', position);
    if (end < 0) return this.#source.length;
    return this.#source[end - 1] === '\r' && end - 1 >= position ? end - 1 : end;
  }

  /** Start of the line after the one in which the text before `position` ends. */
  afterLine(position: number): number {
    if (position > 0 && this.#source[position - 1] === '\n') return position;
    const end = this.#source.indexOf('\n', position);
    return end < 0 ? this.#source.length : end + 1;
  }
}
