// What eliders share: edits in order, and the extents shown of each cut place. Those of YAML and TOML also share notes
// deferred to where a comment may stand, shortened texts, and the ends of collections on one line. The language decides
// where to cut.

import { type Extent, plural, type Unit, type Whole } from '../../src/contract/index.ts';
import {
  type CommentRun,
  type Edit,
  type Elision,
  type ElisionLimits,
  type Members,
  type Stretch,
  textCut,
  withCommentCuts,
} from './elision.ts';
import { MAX_NAME_LENGTH, MAX_PLACES, membersAt, restText } from './tree/shape.ts';

/** Items, keys or characters shown of one place. */
interface Shown {
  readonly unit: Unit;
  /** JSON Pointer of the place; absent for documents. */
  readonly name?: string;
  readonly to: number;
  readonly of: number;
  /** Reported even if nothing was cut. */
  readonly always: boolean;
}

/** A value with its end in the source. */
interface Elided {
  readonly kind: string;
  readonly to: number;
  readonly items: readonly {
    readonly name: string;
    readonly to: number;
    /** After the preceding comma, in a collection on one line. */
    readonly comma: number | undefined;
  }[];
}

/** What is elided, the same for all limits. */
export interface SourceScope {
  readonly source: string;
  /** The mark of what is left out; see `glyphOutside`. */
  readonly glyph: string;
}

export interface ElisionScope<N> extends SourceScope {
  readonly comments: readonly CommentRun[];
  readonly stretches: readonly Stretch[];
  /** Lengths of long strings, cached across the limits tried. */
  readonly lengths: Map<N, number>;
}

const unitOf = ({ kind }: Elided): Unit => (kind === 'array' ? 'item' : 'key');

export abstract class Elider {
  protected readonly source: string;
  protected readonly glyph: string;
  /** The limits in force where the elider is. */
  protected limits: ElisionLimits;
  readonly #later: ElisionLimits;
  #cutUnits = 0;
  readonly #edits: Edit[] = [];
  readonly #shown: Extent[] = [];
  readonly #wholes: Whole[] = [];
  #places = 0;
  #worth = 0;

  constructor({ source, glyph }: SourceScope, limits: ElisionLimits) {
    this.source = source;
    this.glyph = glyph;
    this.#later = limits;
    this.limits = { ...limits, ...limits.opening };
  }

  /** Decides on the edits. */
  protected abstract elide(): void;

  run(): Elision {
    this.elide();
    return { edits: this.#edits, shown: this.#shown, wholes: this.#wholes, worth: this.#worth };
  }

  /** Counts a value of the view towards what it tells. */
  protected tell(worth: number): void {
    this.#worth += worth;
  }

  protected report({ unit, name, to, of, always }: Shown): void {
    if (to < of) this.#places++;
    else if (!always) return;
    if (this.#places > MAX_PLACES || (name?.length ?? 0) > MAX_NAME_LENGTH) return;
    const named = name === undefined ? {} : { name };
    this.#wholes.push({ unit, of, ...named });
    if (to >= 1) this.#shown.push({ unit, from: 1, to, of, ...named });
  }

  /** Ends the opening of the view if `position`, counted from its start, is behind it. */
  protected arrive(position: number): void {
    if (position - this.#cutUnits >= (this.#later.opening?.units ?? 0)) this.limits = this.#later;
  }

  protected insert(at: number, text: string): void {
    this.#edits.push({ from: at, to: at, text, pointer: '' });
  }

  protected cut(from: number, to: number, text: string, pointer: string, members?: Members): void {
    this.#cutUnits += to - from - text.length;
    this.#edits.push({ from, to, text, pointer, ...(members && { members }) });
  }
}

/** Marks what it leaves out by comments that start with `#`. */
export abstract class CommentElider<N extends Elided> extends Elider {
  readonly #scope: ElisionScope<N>;
  #notes = '';

  constructor(scope: ElisionScope<N>, limits: ElisionLimits) {
    super(scope, limits);
    this.#scope = scope;
  }

  /** Length of a text, or of its beginning up to `to`, in UTF-16 units. */
  protected abstract lengthOf(node: N, to: number): number;

  override run(): Elision {
    const { comments, stretches } = this.#scope;
    return withCommentCuts(this.source, comments, this.limits.comment, this.glyph, stretches, super.run());
  }

  /** How many members of a container at `level` are shown. */
  protected keptOf({ kind, items }: N, level: number): number {
    if (level > this.limits.depth) return 0;
    return Math.min(items.length, membersAt(this.limits, kind === 'array' ? 'array' : 'object', level));
  }

  /** Reports the first `kept` members of a container. */
  protected reportMembers(node: N, name: string, kept: number, always: boolean): void {
    this.report({ unit: unitOf(node), name, to: kept, of: node.items.length, always });
  }

  /** What a container leaves out from member number `kept` on, with the names of keys. */
  protected restOf(node: N, kept: number): string {
    const rest = node.items.length - kept;
    const most = kept + (this.limits.names ?? 0);
    const names = node.kind === 'array' ? [] : node.items.slice(kept, most).map(({ name }) => name);
    return restText(rest, unitOf(node), kept, names);
  }

  /** The length of a text that starts at `from`, if it exceeds the limit; reports one that does not if `always`. */
  protected longText(node: N, from: number, name: string, always: boolean): number | undefined {
    if (!always && node.to - from <= this.limits.string) return undefined;
    const { lengths } = this.#scope;
    const of = lengths.get(node) ?? this.lengthOf(node, node.to);
    lengths.set(node, of);
    if (of > this.limits.string) return of;
    if (always && of > 0) this.report({ unit: 'character', name, to: of, of, always });
    return undefined;
  }

  /** Shortens a text of `of` units between quotes, whose content starts at `from`. */
  protected cutText(node: N, from: number, close: string, of: number, pointer: string): void {
    const room = Math.max(0, this.limits.string - this.glyph.length);
    const most = Math.min(from + room, node.to - close.length);
    const cut = textCut(this.source, from, most, close.slice(0, 1));
    const shown = this.lengthOf(node, cut);
    this.report({ unit: 'character', name: pointer, to: shown, of, always: true });
    this.cut(cut, node.to, `${this.glyph}${close}`, pointer);
    this.note(`${shown} of ${plural(of, 'character')}`);
  }

  /** Ends a collection on one line after its first `kept` items, with what is left out or queued. */
  protected endFlow({ items, to }: N, kept: number, label: string, indent: string, pointer: string): void {
    const last = items[kept - 1];
    if (!last || kept === items.length) this.flushInFlow(to - 1, indent);
    else {
      const mark = `,${this.takeNotes()} # ${this.glyph} ${label}\n${indent}`;
      this.cut(last.to, to - 1, mark, pointer);
    }
  }

  /** Queues a comment for the next position where one is allowed. */
  protected note(text: string): void {
    this.#notes += ` # ${this.glyph} ${text}`;
  }

  protected takeNotes(): string {
    const notes = this.#notes;
    this.#notes = '';
    return notes;
  }

  /** Restores notes taken earlier and discards those added since. */
  protected restoreNotes(notes: string): void {
    this.#notes = notes;
  }

  protected flushAt(position: number, after = ''): void {
    if (this.#notes !== '') this.insert(position, `${this.takeNotes()}${after}`);
  }

  protected flushAtLineEnd(position: number): void {
    if (this.#notes !== '') this.flushAt(this.#lineEnd(position));
  }

  /** Between items of a single-line value: moves what follows to a line of its own, indented by `indent`. */
  protected flushInFlow(position: number, indent: string): void {
    if (this.#notes === '') return;
    // A short lookahead is enough: the line may be the whole file.
    const ahead = this.source.slice(position, position + 200);
    const alone = ahead.includes('\n') && ahead.slice(0, ahead.indexOf('\n')).trim() === '';
    this.flushAt(position, alone ? '' : `\n${indent}`);
  }

  /** Position before the line end that follows `position`. */
  #lineEnd(position: number): number {
    const end = this.source.indexOf('\n', position);
    if (end < 0) return this.source.length;
    return this.source[end - 1] === '\r' && end - 1 >= position ? end - 1 : end;
  }

  /** Start of the line after the one in which the text before `position` ends. */
  protected afterLine(position: number): number {
    if (position > 0 && this.source[position - 1] === '\n') return position;
    const end = this.source.indexOf('\n', position);
    return end < 0 ? this.source.length : end + 1;
  }
}
