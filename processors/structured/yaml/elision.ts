// Shortens a YAML stream to limits by leaving out stretches of its source. The view is valid YAML with the original
// spelling; marks are comments.

import type * as Yaml from 'yaml';
import { isInsidePair, plural } from '../../../src/contract/index.ts';
import { type Elision, type ElisionLimits, type Stretch, textCut } from '../elision.ts';
import { ElisionDraft } from '../elision-draft.ts';
import { pointerTo } from '../tree/extents.ts';
import { CUT_WORTH, itemWeight, membersAt } from '../tree/shape.ts';
import type { YamlDocument, YamlItem, YamlNode, YamlStream } from './node.ts';
import { scalarText } from './tree.ts';

/** The part of a stream to show: all its documents, or one value. */
export interface YamlScope {
  readonly source: string;
  readonly stream: YamlStream;
  /** Every document, or the requested value. */
  readonly roots: readonly (YamlDocument | YamlNode)[];
  readonly stretch: Stretch;
  /** JSON Pointer of the requested value; `''` for the whole file. */
  readonly pointer: string;
  readonly glyph: string;
  /** Lengths of long strings, cached across the limits tried. */
  readonly lengths: Map<YamlNode, number>;
}

/** Maximum length of an implicit key (YAML 1.2.2, 7.4.3); a longer key ends what is shown of its mapping. */
const MAX_KEY_LENGTH = 1024;
/** Maximum value of the depth limit. */
const MAX_DEPTH = 256;

export function elideYaml(scope: YamlScope, yaml: typeof Yaml, limits: ElisionLimits): Elision {
  return new YamlElider(scope, yaml, limits).run();
}

class YamlElider {
  readonly #scope: YamlScope;
  readonly #source: string;
  readonly #yaml: typeof Yaml;
  readonly #limits: ElisionLimits;
  readonly #draft: ElisionDraft;
  readonly #anchors = new Set<string>();
  #anchor = 0;
  #blockColumn = 0;
  /** Weight of the current value. */
  #weight = 1;

  constructor(scope: YamlScope, yaml: typeof Yaml, limits: ElisionLimits) {
    this.#scope = scope;
    this.#source = scope.source;
    this.#yaml = yaml;
    this.#draft = new ElisionDraft(scope.source, scope.glyph);
    this.#limits = { ...limits, depth: Math.min(limits.depth, MAX_DEPTH) };
  }

  run(): Elision {
    const { roots, stretch, pointer, glyph, stream } = this.#scope;
    while ((stream.anchors[this.#anchor]?.offset ?? stretch.to) < stretch.from) this.#anchor++;
    const several = roots.length > 1;
    const kept = several ? roots.slice(0, this.#limits.items) : roots;
    if (several) this.#draft.report({ unit: 'document', to: kept.length, of: roots.length, always: true });
    for (const [index, root] of kept.entries()) {
      const document = 'root' in root ? root : undefined;
      const node = document?.root ?? ('root' in root ? root.root : root);
      this.#blockColumn = -1;
      this.#weight = itemWeight(index);
      this.#visit(node, 1, several ? `/${index}` : pointer, !several);
      this.#flushAtLineEnd(node.to);
    }
    const rest = roots[kept.length];
    if (rest) {
      const last = kept.at(-1);
      const open = last !== undefined && 'root' in last && !last.closed && last.root.kind === 'scalar';
      const mark = `# ${glyph} ${plural(roots.length - kept.length, 'more document')}\n`;
      const start = Math.max(this.#lineStart(rest.from), stretch.from);
      this.#cut(start, stretch.to, `${open ? '...\n' : ''}${mark}`, `/${kept.length}`);
    }
    return this.#draft.finish(stream.comments, this.#limits, [stretch]);
  }

  #visit(node: YamlNode, level: number, pointer: string, root: boolean): void {
    this.#reveal(node.body);
    switch (node.kind) {
      case 'object':
      case 'array':
        this.#container(node, level, pointer, root);
        break;
      case 'alias':
        this.#draft.tell(this.#weight);
        this.#alias(node, pointer);
        break;
      case 'scalar':
        this.#draft.tell(this.#weight);
        this.#scalar(node, pointer, root);
        break;
    }
  }

  #container(node: YamlNode, level: number, pointer: string, root: boolean): void {
    const of = node.items.length;
    const limit = membersAt(this.#limits, node.kind === 'object' ? 'object' : 'array', level);
    let kept = level > this.#limits.depth ? 0 : Math.min(limit, of);
    if (node.kind === 'object') {
      const long = node.items
        .slice(0, kept)
        .findIndex(({ key }) => key && key.to - key.from > MAX_KEY_LENGTH);
      if (long >= 0) kept = long;
    }
    // The items of these types must be pairs (YAML 1.1), so they are not shown without them.
    if (/^!!(?:omap|pairs)$/.test(node.tag ?? '') && (level >= this.#limits.depth || this.#limits.keys < 1))
      kept = 0;
    this.#draft.reportMembers(node, pointer, kept, root);
    const label = this.#draft.restOf(node, kept, this.#limits.names);
    if (kept === 0 && of > 0) {
      this.#draft.tell(this.#weight * CUT_WORTH);
      this.#replace(node, node.kind === 'object' ? '{}' : '[]', label, pointer);
      return;
    }
    const outer = this.#blockColumn;
    const weight = this.#weight;
    if (node.style === 'block') this.#blockColumn = node.body - this.#lineStart(node.body);
    for (let index = 0; index < kept; index++) {
      const item = node.items[index];
      if (!item) break;
      if (item.comma !== undefined) this.#draft.flushInFlow(item.comma, this.#flowIndent());
      const name = node.kind === 'object' ? pointerTo(pointer, item.name) : `${pointer}/${index}`;
      if (node.kind === 'array') this.#weight = weight * itemWeight(index);
      this.#item(item, level, name);
      if (node.style === 'block') this.#flushAtLineEnd(item.to);
    }
    if (kept < of) this.#rest(node, kept, label, pointer);
    else if (node.style === 'flow' && of > 0 && this.#source[node.body] !== undefined) this.#closeFlow(node);
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

  /** Omits the items from number `kept` on. */
  #rest(node: YamlNode, kept: number, label: string, pointer: string): void {
    const { glyph } = this.#scope;
    const last = node.items[kept - 1];
    if (!last) return;
    if (node.style === 'block') {
      const from = this.#draft.afterLine(last.to);
      const to = this.#draft.afterLine(node.to);
      const indent = ' '.repeat(Math.max(0, this.#blockColumn));
      const end = this.#source[to - 1] === '\n' ? '\n' : '';
      this.#cut(from, to, `${indent}# ${glyph} ${label}${end}`, pointer);
      return;
    }
    const notes = this.#draft.takeNotes();
    this.#cut(last.to, node.to - 1, `,${notes} # ${glyph} ${label}\n${this.#flowIndent()}`, pointer);
  }

  /** Replaces a whole value by `stand`; its anchor and tag stay. */
  #replace(node: YamlNode, stand: string, label: string, pointer: string): void {
    const to = this.#trimmedEnd(node.body, node.to);
    const sameLine = !this.#source.slice(node.after, node.body).includes('\n');
    const from = sameLine || this.#blockColumn < 0 ? node.body : node.after;
    const gap = from > 0 && !' \t\n'.includes(this.#source[from - 1] ?? '') ? ' ' : '';
    this.#cut(from, to, `${gap}${stand}`, pointer);
    this.#draft.note(label);
  }

  #alias(node: YamlNode, pointer: string): void {
    const name = this.#source.slice(node.body + 1, node.to);
    if (this.#anchors.has(name)) return;
    // Its anchor is not in the view, and an unresolved alias is invalid YAML.
    this.#cut(
      node.body,
      node.to,
      `'${this.#source.slice(node.body, node.to).replaceAll("'", "''")}${this.#scope.glyph}'`,
      pointer,
    );
  }

  #scalar(node: YamlNode, pointer: string, root: boolean): void {
    const limit = this.#limits.string;
    if (node.to - node.body <= limit) {
      if (root) this.#reportText(node, pointer);
      return;
    }
    const of = this.#fullLength(node);
    if (of <= limit) {
      if (root) this.#draft.report({ unit: 'character', name: pointer, to: of, of, always: true });
      return;
    }
    const { glyph } = this.#scope;
    const room = Math.max(0, limit - glyph.length);
    if (node.style === 'literal') this.#cutBlock(node, room, of, pointer);
    else {
      const close = node.style === 'double' ? '"' : node.style === 'single' ? "'" : '';
      const start = node.body + close.length;
      const cut = textCut(this.#source, start, Math.min(start + room, node.to - close.length), close);
      const shown = this.#lengthOf(node, cut);
      this.#draft.report({ unit: 'character', name: pointer, to: shown, of, always: true });
      this.#cut(cut, node.to, `${glyph}${close}`, pointer);
      this.#draft.note(`${shown} of ${plural(of, 'character')}`);
    }
  }

  #reportText(node: YamlNode, pointer: string): void {
    const of = this.#fullLength(node);
    if (of > 0) this.#draft.report({ unit: 'character', name: pointer, to: of, of, always: true });
  }

  #fullLength(node: YamlNode): number {
    const { lengths } = this.#scope;
    const known = lengths.get(node) ?? this.#lengthOf(node, node.to);
    lengths.set(node, known);
    return known;
  }

  /** Length of the value whose source ends at `to`. */
  #lengthOf(node: YamlNode, to: number): number {
    return scalarText(this.#source, node, this.#yaml, to).length;
  }

  #cutBlock(node: YamlNode, room: number, of: number, pointer: string): void {
    const { glyph } = this.#scope;
    const start = node.content;
    const end = this.#trimmedEnd(start, node.to);
    let kept = Math.min(start + room, end);
    if (isInsidePair(this.#source, kept)) kept--;
    kept = this.#trimmedEnd(start, kept);
    if (kept <= start) {
      this.#draft.report({ unit: 'character', name: pointer, to: 0, of, always: true });
      this.#cut(node.body, end, `"${glyph}"`, pointer);
      this.#draft.note(plural(of, 'character'));
      return;
    }
    const shown = Math.min(this.#lengthOf(node, kept), of - 1);
    this.#draft.report({ unit: 'character', name: pointer, to: shown, of, always: true });
    // Next to a block scalar, only its header line can hold a comment.
    this.#draft.note(`${shown} of ${plural(of, 'character')}`);
    this.#draft.flushAtLineEnd(node.body);
    this.#cut(kept, end, glyph, pointer);
  }

  #flushAtLineEnd(position: number): void {
    this.#draft.flushAtLineEnd(this.#trimmedEnd(0, position));
  }

  #closeFlow(node: YamlNode): void {
    const close = this.#source[node.to - 1];
    // A pair without braces in a sequence has no closing bracket.
    if (close === ']' || close === '}') {
      if (this.#source[node.body] === '[' || this.#source[node.body] === '{')
        this.#draft.flushInFlow(node.to - 1, this.#flowIndent());
    }
  }

  /** Lines of a flow collection are indented deeper than the surrounding block collection. */
  #flowIndent(): string {
    return ' '.repeat(Math.max(0, this.#blockColumn) + 2);
  }

  #cut(from: number, to: number, text: string, pointer: string): void {
    this.#reveal(from);
    this.#draft.cut(from, to, text, pointer);
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
    return this.#source.lastIndexOf('\n', position - 1) + 1;
  }

  #trimmedEnd(from: number, to: number): number {
    let end = to;
    while (end > from && ' \t\r\n'.includes(this.#source[end - 1] ?? 'x')) end--;
    return end;
  }
}
