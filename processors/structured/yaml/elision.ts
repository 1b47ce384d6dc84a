// Shortens a YAML stream to limits by leaving out stretches of its source. The view is valid YAML with the original
// spelling; marks are comments.

import type * as Yaml from 'yaml';
import { isInsidePair, plural } from '../../../src/contract/index.ts';
import { CommentElider, type ElisionScope } from '../elider.ts';
import type { ElisionLimits } from '../elision.ts';
import { pointerTo } from '../tree/extents.ts';
import { CUT_WORTH, itemWeight } from '../tree/shape.ts';
import type { YamlDocument, YamlItem, YamlNode, YamlStream } from './node.ts';
import { scalarText } from './scalar.ts';

/** The part of a stream to show: all its documents, or one value. */
export interface YamlScope extends ElisionScope<YamlNode> {
  readonly stream: YamlStream;
  /** Every document, or the requested value. */
  readonly roots: readonly (YamlDocument | YamlNode)[];
  /** JSON Pointer of the requested value; `''` for the whole file. */
  readonly pointer: string;
  readonly yaml: typeof Yaml;
}

/** Maximum length of an implicit key (YAML 1.2.2, 7.4.3); a longer key ends what is shown of its mapping. */
const MAX_KEY_LENGTH = 1024;
/** Maximum value of the depth limit. */
const MAX_DEPTH = 256;

export class YamlElider extends CommentElider<YamlNode> {
  readonly #scope: YamlScope;
  readonly #anchors = new Set<string>();
  #anchor = 0;
  #blockColumn = 0;
  /** Weight of the current value. */
  #weight = 1;

  constructor(scope: YamlScope, limits: ElisionLimits) {
    super(scope, { ...limits, depth: Math.min(limits.depth, MAX_DEPTH) });
    this.#scope = scope;
  }

  protected elide(): void {
    const { roots, stretches, pointer, glyph, stream } = this.#scope;
    const { from = 0, to = 0 } = stretches[0] ?? {};
    while ((stream.anchors[this.#anchor]?.offset ?? to) < from) this.#anchor++;
    const several = roots.length > 1;
    const kept = several ? roots.slice(0, this.limits.items) : roots;
    if (several) this.report({ unit: 'document', to: kept.length, of: roots.length, always: true });
    for (const [index, root] of kept.entries()) {
      const document = 'root' in root ? root : undefined;
      const node = document?.root ?? ('root' in root ? root.root : root);
      this.#blockColumn = -1;
      this.#weight = itemWeight(index);
      this.#visit(node, 1, several ? `/${index}` : pointer, !several);
      this.flushAtLineEnd(node.to);
    }
    const rest = roots[kept.length];
    if (!rest) return;
    const last = kept.at(-1);
    const open = last !== undefined && 'root' in last && !last.closed && last.root.kind === 'scalar';
    const mark = `# ${glyph} ${plural(roots.length - kept.length, 'more document')}\n`;
    const start = Math.max(this.#lineStart(rest.from), from);
    this.cut(start, to, `${open ? '...\n' : ''}${mark}`, `/${kept.length}`);
  }

  #visit(node: YamlNode, level: number, pointer: string, root: boolean): void {
    this.#reveal(node.body);
    switch (node.kind) {
      case 'object':
      case 'array':
        this.#container(node, level, pointer, root);
        break;
      case 'alias':
        this.tell(this.#weight);
        this.#alias(node, pointer);
        break;
      case 'scalar':
        this.tell(this.#weight);
        this.#scalar(node, pointer, root);
        break;
    }
  }

  #container(node: YamlNode, level: number, pointer: string, root: boolean): void {
    const of = node.items.length;
    let kept = this.keptOf(node, level);
    if (node.kind === 'object') {
      const long = node.items
        .slice(0, kept)
        .findIndex(({ key }) => key && key.to - key.from > MAX_KEY_LENGTH);
      if (long >= 0) kept = long;
    }
    // The items of these types must be pairs (YAML 1.1), so they are not shown without them.
    if (/^!!(?:omap|pairs)$/.test(node.tag ?? '') && (level >= this.limits.depth || this.limits.keys < 1))
      kept = 0;
    this.reportMembers(node, pointer, kept, root);
    const label = this.restOf(node, kept);
    if (kept === 0 && of > 0) {
      this.tell(this.#weight * CUT_WORTH);
      this.#replace(node, node.kind === 'object' ? '{}' : '[]', label, pointer);
      return;
    }
    const outer = this.#blockColumn;
    const weight = this.#weight;
    if (node.style === 'block') this.#blockColumn = node.body - this.#lineStart(node.body);
    for (let index = 0; index < kept; index++) {
      const item = node.items[index];
      if (!item) break;
      if (item.comma !== undefined) this.flushInFlow(item.comma, this.#flowIndent());
      const name = node.kind === 'object' ? pointerTo(pointer, item.name) : `${pointer}/${index}`;
      if (node.kind === 'array') this.#weight = weight * itemWeight(index);
      this.#item(item, level, name);
      if (node.style === 'block') this.flushAtLineEnd(item.to);
    }
    if (node.style === 'block' && kept < of) this.#rest(node, kept, label, pointer);
    else if (node.style === 'flow' && of > 0 && /[[{]/.test(this.source.charAt(node.body)))
      this.endFlow(node, kept, label, this.#flowIndent(), pointer);
    this.#blockColumn = outer;
    this.#weight = weight;
  }

  #item(item: YamlItem, level: number, pointer: string): void {
    const { key, value } = item;
    if (key) {
      this.#reveal(key.to);
      if (key.kind === 'alias') this.#alias(key, pointer);
    }
    this.#visit(value, level + 1, pointer, false);
  }

  /** Omits the items of a block collection from number `kept` on. */
  #rest(node: YamlNode, kept: number, label: string, pointer: string): void {
    const last = node.items[kept - 1];
    if (!last) return;
    const from = this.afterLine(last.to);
    const to = this.afterLine(node.to);
    const indent = ' '.repeat(Math.max(0, this.#blockColumn));
    const end = this.source[to - 1] === '\n' ? '\n' : '';
    this.cut(from, to, `${indent}# ${this.glyph} ${label}${end}`, pointer);
  }

  /** Replaces a whole value by `stand`; its anchor and tag stay. */
  #replace(node: YamlNode, stand: string, label: string, pointer: string): void {
    const to = this.#trimmedEnd(node.body, node.to);
    const sameLine = !this.source.slice(node.after, node.body).includes('\n');
    const from = sameLine || this.#blockColumn < 0 ? node.body : node.after;
    const gap = from > 0 && !' \t\n'.includes(this.source[from - 1] ?? '') ? ' ' : '';
    this.cut(from, to, `${gap}${stand}`, pointer);
    this.note(label);
  }

  #alias(node: YamlNode, pointer: string): void {
    const name = this.source.slice(node.body + 1, node.to);
    if (this.#anchors.has(name)) return;
    // Its anchor is not in the view, and an unresolved alias is invalid YAML.
    this.cut(
      node.body,
      node.to,
      `'${this.source.slice(node.body, node.to).replaceAll("'", "''")}${this.glyph}'`,
      pointer,
    );
  }

  #scalar(node: YamlNode, pointer: string, root: boolean): void {
    const of = this.longText(node, node.body, pointer, root);
    if (of === undefined) return;
    if (node.style === 'literal') this.#cutBlock(node, of, pointer);
    else {
      const close = node.style === 'double' ? '"' : node.style === 'single' ? "'" : '';
      this.cutText(node, node.body + close.length, close, of, pointer);
    }
  }

  protected lengthOf(node: YamlNode, to: number): number {
    return scalarText(this.source, node, this.#scope.yaml, to).length;
  }

  #cutBlock(node: YamlNode, of: number, pointer: string): void {
    const { glyph } = this;
    const room = Math.max(0, this.limits.string - glyph.length);
    const start = node.content;
    const end = this.#trimmedEnd(start, node.to);
    let kept = Math.min(start + room, end);
    if (isInsidePair(this.source, kept)) kept--;
    kept = this.#trimmedEnd(start, kept);
    if (kept <= start) {
      this.report({ unit: 'character', name: pointer, to: 0, of, always: true });
      this.cut(node.body, end, `"${glyph}"`, pointer);
      this.note(plural(of, 'character'));
      return;
    }
    const shown = Math.min(this.lengthOf(node, kept), of - 1);
    this.report({ unit: 'character', name: pointer, to: shown, of, always: true });
    // Next to a block scalar, only its header line can hold a comment.
    this.note(`${shown} of ${plural(of, 'character')}`);
    super.flushAtLineEnd(node.body);
    this.cut(kept, end, glyph, pointer);
  }

  protected override flushAtLineEnd(position: number): void {
    super.flushAtLineEnd(this.#trimmedEnd(0, position));
  }

  /** Lines of a flow collection are indented deeper than the surrounding block collection. */
  #flowIndent(): string {
    return ' '.repeat(Math.max(0, this.#blockColumn) + 2);
  }

  protected override cut(from: number, to: number, text: string, pointer: string): void {
    this.#reveal(from);
    super.cut(from, to, text, pointer);
    const { anchors } = this.#scope.stream;
    for (let anchor = anchors[this.#anchor]; anchor && anchor.offset < to; anchor = anchors[this.#anchor]) {
      this.#anchors.delete(anchor.name);
      this.#anchor++;
    }
  }

  /** Marks anchors up to `position` as visible. */
  #reveal(position: number): void {
    const { anchors } = this.#scope.stream;
    for (
      let anchor = anchors[this.#anchor];
      anchor && anchor.offset < position;
      anchor = anchors[this.#anchor]
    ) {
      this.#anchors.add(anchor.name);
      this.#anchor++;
    }
  }

  #lineStart(position: number): number {
    return this.source.lastIndexOf('\n', position - 1) + 1;
  }

  #trimmedEnd(from: number, to: number): number {
    let end = to;
    while (end > from && ' \t\r\n'.includes(this.source[end - 1] ?? 'x')) end--;
    return end;
  }
}
