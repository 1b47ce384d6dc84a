// Shortens a TOML document to limits by leaving out statements and parts of values. The view is valid TOML with the
// original spelling; marks are comments.

import { plural } from '../../../src/contract/index.ts';
import { type CommentRun, type Elision, type ElisionLimits, type Stretch, textCut } from '../elision.ts';
import { ElisionDraft } from '../elision-draft.ts';
import { pointerTo } from '../tree/extents.ts';
import { CUT_WORTH, itemWeight, membersAt } from '../tree/shape.ts';
import type { TomlDocument, TomlNode, TomlStatement } from './tree.ts';

/** The part of a document to show: all of it, or the statements of one table or value. */
export interface TomlScope {
  readonly source: string;
  readonly document: TomlDocument;
  readonly comments: readonly CommentRun[];
  readonly root: TomlNode;
  readonly stretches: readonly Stretch[];
  readonly glyph: string;
  readonly decode: (spelled: string) => string;
  /** Lengths of long strings, cached across the limits tried. */
  readonly lengths: Map<TomlNode, number>;
}

export function elideToml(scope: TomlScope, limits: ElisionLimits): Elision {
  return new TomlElider(scope, limits).run();
}

/** The JSON Pointer of a node. */
export function tomlPointer(node: TomlNode): string {
  const names: string[] = [];
  for (let at = node; at.parent; at = at.parent) names.push(at.name);
  return names.reverse().reduce((pointer, name) => pointerTo(pointer, name), '');
}

class TomlElider {
  readonly #scope: TomlScope;
  readonly #source: string;
  readonly #limits: ElisionLimits;
  readonly #draft: ElisionDraft;
  /** By node: 0 unknown, 1 in the view, 2 left out. */
  readonly #visible: Uint8Array;
  readonly #labelled: Uint8Array;

  constructor(scope: TomlScope, limits: ElisionLimits) {
    this.#scope = scope;
    this.#source = scope.source;
    this.#limits = limits;
    this.#draft = new ElisionDraft(scope.source, scope.glyph);
    this.#visible = new Uint8Array(scope.document.nodes);
    this.#labelled = new Uint8Array(scope.document.nodes);
  }

  run(): Elision {
    const { root, stretches, document, comments } = this.#scope;
    this.#visible[root.id] = 1;
    this.#reportRoot();
    const [only] = stretches;
    if (only && root.parent && root.from === only.from) {
      // A value inside a statement is shown on its own.
      this.#value(root);
      this.#draft.flushAt(only.to);
    } else {
      let next = 0;
      for (const stretch of stretches) {
        while ((document.statements[next]?.from ?? stretch.to) < stretch.from) next++;
        const first = next;
        while ((document.statements[next]?.from ?? stretch.to) < stretch.to) next++;
        this.#statements(document.statements.slice(first, next), stretch);
      }
    }
    return this.#draft.finish(comments, this.#limits, stretches);
  }

  #level(node: TomlNode): number {
    return node.level - this.#scope.root.level + 1;
  }

  #kept(node: TomlNode): number {
    const level = this.#level(node);
    if (level > this.#limits.depth) return 0;
    const most = membersAt(this.#limits, node.kind === 'array' ? 'array' : 'object', level);
    return Math.min(node.items.length, most);
  }

  #isVisible(node: TomlNode): boolean {
    const known = this.#visible[node.id];
    if (known !== 0 || !node.parent) return known === 1;
    // Recursion is bounded by the reader's depth limit.
    const seen = this.#isVisible(node.parent) && node.index < this.#kept(node.parent);
    this.#visible[node.id] = seen ? 1 : 2;
    return seen;
  }

  /** The innermost visible container that omits the branch with `node`. */
  #leaver(node: TomlNode): TomlNode {
    let at = node;
    while (at.parent && !this.#isVisible(at.parent)) at = at.parent;
    return at.parent ?? at;
  }

  /** The label of what a container omits, returned once. */
  #label(node: TomlNode): string | undefined {
    if (this.#labelled[node.id] === 1) return undefined;
    this.#labelled[node.id] = 1;
    const kept = this.#kept(node);
    if (node !== this.#scope.root) this.#draft.reportMembers(node, tomlPointer(node), kept, false);
    return this.#draft.restOf(node, kept, this.#limits.names);
  }

  #reportRoot(): void {
    const { root } = this.#scope;
    const name = tomlPointer(root);
    if (root.kind === 'object' || root.kind === 'array')
      this.#draft.reportMembers(root, name, this.#kept(root), true);
    else if (root.to - root.from <= this.#limits.string) {
      const spelled = this.#source.slice(root.from, root.to);
      const of = root.kind === 'string' ? this.#scope.decode(spelled).length : spelled.length;
      this.#draft.report({ unit: 'character', name, to: of, of, always: true });
    }
  }

  #statements(statements: readonly TomlStatement[], stretch: Stretch): void {
    let end = stretch.from;
    let table = this.#scope.document.root;
    let run: { from: number; to: number; pointer: string; marks: string } | undefined;
    const close = (): void => {
      if (run) this.#draft.cut(run.from, run.to, run.marks, run.pointer);
      run = undefined;
    };
    for (const statement of statements) {
      const next = Math.min(this.#draft.afterLine(statement.to), stretch.to);
      if (statement.header) table = statement.node;
      if (this.#isVisible(statement.node)) {
        close();
        if (!statement.header) {
          this.#value(statement.node);
          this.#draft.flushAtLineEnd(statement.to);
        }
      } else {
        const leaver = this.#leaver(statement.node);
        const label = this.#label(leaver);
        run ??= { from: end, to: next, pointer: tomlPointer(leaver), marks: '' };
        run.to = next;
        if (label) {
          const where = leaver === table || !leaver.parent ? '' : ` of ${tomlPointer(leaver).slice(0, 200)}`;
          run.marks += `# ${this.#scope.glyph} ${label}${where}\n`;
        }
      }
      end = next;
    }
    close();
  }

  /** The weight of a value among the items of the arrays around it. */
  #weight(node: TomlNode): number {
    let weight = 1;
    for (let at = node; at.parent; at = at.parent)
      if (at.parent.kind === 'array') weight *= itemWeight(at.index);
    return weight;
  }

  #value(node: TomlNode): void {
    if (node.items.length === 0) this.#draft.tell(this.#weight(node));
    switch (node.kind) {
      case 'array':
        this.#array(node);
        break;
      case 'object':
        this.#inlineTable(node);
        break;
      case 'string':
        this.#string(node);
        break;
      case 'literal':
        break;
    }
  }

  #array(node: TomlNode): void {
    const { glyph } = this.#scope;
    const kept = this.#kept(node);
    const of = node.items.length;
    if (of === 0) return;
    if (kept === 0) {
      this.#draft.tell(this.#weight(node) * CUT_WORTH);
      this.#draft.note(this.#label(node) ?? plural(of, 'item'));
      this.#draft.cut(node.from, node.to, '[]', tomlPointer(node));
      return;
    }
    const outer = this.#draft.takeNotes();
    for (let index = 0; index < kept; index++) {
      const item = node.items[index];
      if (!item) break;
      this.#value(item);
      if (index < kept - 1) this.#draft.flushInFlow(this.#comma(item.to), '  ');
    }
    const last = node.items[kept - 1];
    if (kept < of && last) {
      const label = this.#label(node) ?? plural(of - kept, 'more item');
      this.#draft.cut(
        last.to,
        node.to - 1,
        `,${this.#draft.takeNotes()} # ${glyph} ${label}\n`,
        tomlPointer(node),
      );
    } else this.#draft.flushAt(node.to - 1, '\n');
    this.#draft.restoreNotes(outer);
  }

  /** Position after the comma that follows an item. */
  #comma(from: number): number {
    let at = from;
    while (at < this.#source.length && this.#source[at] !== ',') {
      if (this.#source[at] === '#') {
        const end = this.#source.indexOf('\n', at);
        at = end < 0 ? this.#source.length : end;
      } else at++;
    }
    return Math.min(at + 1, this.#source.length);
  }

  /** Comments are not allowed inside braces, so marks follow the value. */
  #inlineTable(node: TomlNode): void {
    const { statements } = node;
    if (statements.length === 0) return;
    if (this.#kept(node) === 0) {
      this.#draft.tell(this.#weight(node) * CUT_WORTH);
      this.#draft.note(this.#label(node) ?? '');
      this.#draft.cut(node.from, node.to, '{}', tomlPointer(node));
      return;
    }
    let end: number | undefined;
    let hidden: { from: number; pointer: string } | undefined;
    for (const statement of statements) {
      if (this.#isVisible(statement.node)) {
        if (hidden) this.#draft.cut(hidden.from, statement.from, '', hidden.pointer);
        hidden = undefined;
        this.#value(statement.node);
        end = statement.to;
      } else {
        const leaver = this.#leaver(statement.node);
        const label = this.#label(leaver);
        if (label) this.#draft.note(`${label}${leaver === node ? '' : ` of ${leaver.name.slice(0, 60)}`}`);
        hidden ??= { from: statement.from, pointer: tomlPointer(leaver) };
      }
    }
    if (hidden)
      this.#draft.cut(end ?? hidden.from, node.to - 1, end === undefined ? '' : ' ', hidden.pointer);
  }

  #string(node: TomlNode): void {
    const limit = this.#limits.string;
    if (node.to - node.from <= limit) return;
    const { decode, glyph, lengths } = this.#scope;
    const of = lengths.get(node) ?? decode(this.#source.slice(node.from, node.to)).length;
    lengths.set(node, of);
    if (of <= limit) return;
    const quote = this.#source[node.from] ?? '"';
    const close = this.#source.startsWith(quote.repeat(3), node.from) ? quote.repeat(3) : quote;
    const start = node.from + close.length;
    const most = Math.min(start + Math.max(0, limit - glyph.length), node.to - close.length);
    const kept = textCut(this.#source, start, most, quote);
    const shown = decode(this.#source.slice(node.from, kept) + close).length;
    this.#draft.report({ unit: 'character', name: tomlPointer(node), to: shown, of, always: false });
    this.#draft.note(`${shown} of ${plural(of, 'character')}`);
    this.#draft.cut(kept, node.to, `${glyph}${close}`, tomlPointer(node));
  }
}
