// Shortens a TOML document to limits by leaving out statements and parts of values. The view is valid TOML with the
// original spelling; marks are comments.

import { CommentElider, type ElisionScope } from '../elider.ts';
import type { ElisionLimits, Stretch } from '../elision.ts';
import { pointerTo } from '../tree/extents.ts';
import { CUT_WORTH, itemWeight } from '../tree/shape.ts';
import type { TomlDocument, TomlNode, TomlStatement } from './tree.ts';

/** The part of a document to show: all of it, or the statements of one table or value. */
export interface TomlScope extends ElisionScope<TomlNode> {
  readonly document: TomlDocument;
  readonly root: TomlNode;
  readonly decode: (spelled: string) => string;
}

/** The JSON Pointer of a node. */
export function tomlPointer(node: TomlNode): string {
  const names: string[] = [];
  for (let at = node; at.parent; at = at.parent) names.push(at.name);
  return names.reverse().reduce((pointer, name) => pointerTo(pointer, name), '');
}

export class TomlElider extends CommentElider<TomlNode> {
  readonly #scope: TomlScope;
  /** By node: 0 unknown, 1 in the view, 2 left out. */
  readonly #visible: Uint8Array;
  readonly #labelled: Uint8Array;

  constructor(scope: TomlScope, limits: ElisionLimits) {
    super(scope, limits);
    this.#scope = scope;
    this.#visible = new Uint8Array(scope.document.nodes);
    this.#labelled = new Uint8Array(scope.document.nodes);
  }

  protected elide(): void {
    const { root, stretches, document } = this.#scope;
    this.#visible[root.id] = 1;
    this.#reportRoot();
    const [only] = stretches;
    if (only && root.parent && root.from === only.from) {
      // A value inside a statement is shown on its own.
      this.#value(root);
      this.flushAt(only.to);
      return;
    }
    let next = 0;
    for (const stretch of stretches) {
      while ((document.statements[next]?.from ?? stretch.to) < stretch.from) next++;
      const first = next;
      while ((document.statements[next]?.from ?? stretch.to) < stretch.to) next++;
      this.#statements(document.statements.slice(first, next), stretch);
    }
  }

  #kept(node: TomlNode): number {
    return this.keptOf(node, node.level - this.#scope.root.level + 1);
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
    if (node !== this.#scope.root) this.reportMembers(node, tomlPointer(node), kept, false);
    return this.restOf(node, kept);
  }

  #reportRoot(): void {
    const { root } = this.#scope;
    const name = tomlPointer(root);
    if (root.kind === 'object' || root.kind === 'array')
      this.reportMembers(root, name, this.#kept(root), true);
    else this.longText(root, root.from, name, true);
  }

  #statements(statements: readonly TomlStatement[], stretch: Stretch): void {
    let end = stretch.from;
    let table = this.#scope.document.root;
    let run: { from: number; to: number; pointer: string; marks: string } | undefined;
    const close = (): void => {
      if (run) this.cut(run.from, run.to, run.marks, run.pointer);
      run = undefined;
    };
    for (const statement of statements) {
      const next = Math.min(this.afterLine(statement.to), stretch.to);
      if (statement.header) table = statement.node;
      if (this.#isVisible(statement.node)) {
        close();
        if (!statement.header) {
          this.#value(statement.node);
          this.flushAtLineEnd(statement.to);
        }
      } else {
        const leaver = this.#leaver(statement.node);
        const label = this.#label(leaver);
        run ??= { from: end, to: next, pointer: tomlPointer(leaver), marks: '' };
        run.to = next;
        if (label) {
          const where = leaver === table || !leaver.parent ? '' : ` of ${tomlPointer(leaver).slice(0, 200)}`;
          run.marks += `# ${this.glyph} ${label}${where}\n`;
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
    if (node.items.length === 0) this.tell(this.#weight(node));
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
    const kept = this.#kept(node);
    if (node.items.length === 0) return;
    if (kept === 0) {
      this.#replace(node, '[]');
      return;
    }
    const outer = this.takeNotes();
    for (const item of node.items.slice(0, kept)) {
      if (item.comma !== undefined) this.flushInFlow(item.comma, '  ');
      this.#value(item);
    }
    const label = kept < node.items.length ? this.#label(node) : undefined;
    this.endFlow(node, kept, label ?? '', '', tomlPointer(node));
    this.restoreNotes(outer);
  }

  #replace(node: TomlNode, stand: string): void {
    this.tell(this.#weight(node) * CUT_WORTH);
    this.note(this.#label(node) ?? '');
    this.cut(node.from, node.to, stand, tomlPointer(node));
  }

  /** Comments are not allowed inside braces, so marks follow the value. */
  #inlineTable(node: TomlNode): void {
    const { statements } = node;
    if (statements.length === 0) return;
    if (this.#kept(node) === 0) {
      this.#replace(node, '{}');
      return;
    }
    let end: number | undefined;
    let hidden: { from: number; pointer: string } | undefined;
    for (const statement of statements) {
      if (this.#isVisible(statement.node)) {
        if (hidden) this.cut(hidden.from, statement.from, '', hidden.pointer);
        hidden = undefined;
        this.#value(statement.node);
        end = statement.to;
      } else {
        const leaver = this.#leaver(statement.node);
        const label = this.#label(leaver);
        if (label) this.note(`${label}${leaver === node ? '' : ` of ${leaver.name.slice(0, 60)}`}`);
        hidden ??= { from: statement.from, pointer: tomlPointer(leaver) };
      }
    }
    if (hidden) this.cut(end ?? hidden.from, node.to - 1, end === undefined ? '' : ' ', hidden.pointer);
  }

  #string(node: TomlNode): void {
    const pointer = tomlPointer(node);
    const of = this.longText(node, node.from, pointer, false);
    const close = this.#quoteOf(node);
    if (of !== undefined) this.cutText(node, node.from + close.length, close, of, pointer);
  }

  #quoteOf({ kind, from }: TomlNode): string {
    const quote = kind === 'string' ? this.source.slice(from, from + 1) : '';
    return quote !== '' && this.source.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  }

  protected lengthOf(node: TomlNode, to: number): number {
    const spelled = this.source.slice(node.from, to);
    if (node.kind !== 'string') return spelled.length;
    return this.#scope.decode(to < node.to ? spelled + this.#quoteOf(node) : spelled).length;
  }
}
