// The symbols of a program: what its tree declares, with kinds, lines and nesting.

import type { Node } from 'web-tree-sitter';
import { type Bytes, type TextSource, throwIfAborted } from '../../../src/contract/index.ts';
import { type Language, languageOf, type SymbolRule } from './languages.ts';
import { withTree } from './parse.ts';

/** One definition. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  /** 1 for the outermost. */
  readonly level: number;
  /** Lines from 1, both inside: that of its name, which annotations may stand above, to its last. */
  readonly from: number;
  readonly to: number;
  /** Its text up to its body, on one line. */
  readonly signature: string;
}

/** Larger files are known by the words that begin their declarations. */
export const MAX_PARSED: Bytes = 4 * 1024 * 1024;
/** Deeper nesting is left out. */
const MAX_LEVEL = 12;
const MAX_SYMBOLS = 20_000;
const MAX_SIGNATURE = 160;

const KNOWN = new WeakMap<TextSource, Promise<readonly CodeSymbol[] | undefined>>();

/** As `symbolsOf`, once for all readings of a text; undefined also for one that is too large. */
export function symbolsIn(
  text: TextSource,
  extension: string,
  signal: AbortSignal,
): Promise<readonly CodeSymbol[] | undefined> {
  const known = KNOWN.get(text) ?? parse(text, extension, signal);
  KNOWN.set(text, known);
  return known;
}

async function parse(
  text: TextSource,
  extension: string,
  signal: AbortSignal,
): Promise<readonly CodeSymbol[] | undefined> {
  if (text.size > MAX_PARSED || !languageOf(extension)) return undefined;
  const code = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await text.read(0, text.size));
  return symbolsOf(code, extension, signal);
}

/** The symbols of `text` in order; undefined where no grammar knows the language or the text takes too long. */
export async function symbolsOf(
  text: string,
  extension: string,
  signal: AbortSignal,
): Promise<readonly CodeSymbol[] | undefined> {
  const language = languageOf(extension);
  if (!language) return undefined;
  const symbols = await withTree(text, language.grammar, signal, ({ rootNode }) => {
    const found = new Found(language, text);
    found.inside(rootNode, 1);
    return found.symbols;
  });
  throwIfAborted(signal);
  return symbols;
}

class Found {
  readonly symbols: CodeSymbol[] = [];
  readonly #language: Language;
  readonly #text: string;

  constructor(language: Language, text: string) {
    this.#language = language;
    this.#text = text;
  }

  /** The symbols below `node`, in order. */
  inside(node: Node, level: number): void {
    if (level > MAX_LEVEL) return;
    const waiting: Node[] = [...node.namedChildren].reverse();
    for (let child = waiting.pop(); child; child = waiting.pop()) {
      if (this.symbols.length >= MAX_SYMBOLS) return;
      const rule = this.#language.symbols[child.type];
      if (rule) this.#add(child, rule, level);
      else if (this.#language.through.has(child.type)) waiting.push(...[...child.namedChildren].reverse());
    }
  }

  #add(node: Node, rule: SymbolRule, level: number): void {
    if (rule.each !== undefined) {
      const within = node.namedChildren.flatMap((child) => [child, ...child.namedChildren]);
      for (const child of within) if (child.type === rule.each) this.#symbol(node, child, rule, level);
      return;
    }
    const named = this.#symbol(node, node, rule, level);
    if (rule.nests) this.inside(node, named ? level + 1 : level);
    else if (!named) this.inside(node, level);
    else this.#declared(node, level);
  }

  #symbol(whole: Node, node: Node, rule: SymbolRule, level: number): boolean {
    const value = rule.values && node.childForFieldName('right')?.type;
    if (rule.values && !rule.values.includes(value ?? '')) return false;
    const named = nameOf(node, rule);
    if (!named) return false;
    this.symbols.push({
      name: named.text,
      kind: rule.kind,
      level,
      from: named.startPosition.row + 1,
      // A node that takes its line end along ends on the line before.
      to: whole.endPosition.row + (whole.endPosition.column === 0 ? 0 : 1),
      signature: this.#signature(whole),
    });
    return true;
  }

  /** A type that a declaration defines on its way: `typedef struct { … } Point;`. */
  #declared(node: Node, level: number): void {
    const type = node.childForFieldName('type');
    const rule = type && this.#language.symbols[type.type];
    if (!type || !rule?.nests || !type.childForFieldName('body')) return;
    if (type.childForFieldName('name')) this.#add(type, rule, level);
    else this.inside(type, level + 1);
  }

  #signature(node: Node): string {
    const assigned = node.childForFieldName('right') ?? node.namedChildren[0]?.childForFieldName('value');
    const body =
      node.childForFieldName('body') ??
      assigned?.childForFieldName('body') ??
      node.childForFieldName('value');
    const end = Math.min(
      body && body.startIndex > node.startIndex ? body.startIndex : node.endIndex,
      node.startIndex + 4 * MAX_SIGNATURE,
    );
    const text = this.#text.slice(node.startIndex, end).replaceAll(/\s+/g, ' ').trim();
    return text.length > MAX_SIGNATURE ? `${text.slice(0, MAX_SIGNATURE)}…` : text;
  }
}

const NAME =
  /^(?:constant|name|word|operator_name|operator_cast|destructor_name|string|variable_name|setter)$|(?<!qualified_|scoped_)identifier$/;

/** The name that a field leads to, through declarators and qualifiers of any depth. */
function nameOf(node: Node, { name = 'name' }: SymbolRule): Node | undefined {
  let at = node.childForFieldName(name);
  if (name === 'type') return at ?? undefined;
  // A few grammars give the name no field.
  at ??= name === 'name' ? (node.namedChildren.find(({ type }) => NAME.test(type)) ?? null) : null;
  for (let depth = 0; at && depth < 10; depth += 1) {
    if (NAME.test(at.type)) return at;
    at =
      at.childForFieldName('declarator') ??
      at.childForFieldName('name') ??
      at.childForFieldName('property') ??
      at.namedChildren.find(({ type }) => NAME.test(type) || type.endsWith('_declarator')) ??
      null;
  }
  return undefined;
}
