// The symbols of a program: the declarations in its tree, with kinds, lines and nesting.

import type { Node } from 'web-tree-sitter';
import { type Bytes, type TextSource, throwIfAborted } from '../../../src/contract/index.ts';
import { exportsOf } from './exported.ts';
import { type CallRule, type Language, languageOf, type SymbolRule } from './languages.ts';
import { MAX_NAME, NAMING, nameIn, namesOf, ownerOf } from './names.ts';
import { withTree } from './parse.ts';
import { assignedTo, lastValue, type Shared, signatureOf } from './signature.ts';

/** One definition. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  /** The owner it is not nested in: `Route` of a method with that receiver, `A.prototype`, `ns::A`. */
  readonly owner?: string;
  /** 1 for the outermost level. */
  readonly level: number;
  /** 1-based, inclusive: from the line of its name (below any annotations) to its last line. */
  readonly from: number;
  readonly to: number;
  /** Its text up to its body, on one line. */
  readonly signature: string;
  /** True if it is public. */
  readonly exported: boolean;
}

/** Larger files are outlined by declaration keywords instead. */
export const MAX_PARSED: Bytes = 4 * 1024 * 1024;
/** Deeper symbols are left out. */
const MAX_LEVEL = 12;
const MAX_SYMBOLS = 20_000;
/** Maximum nodes visited, about fifty microseconds each. */
const MAX_NODES = 40_000;
/** Characters searched for the name of a node without a name field. */
const MAX_WRITTEN = 160;

const KNOWN = new WeakMap<TextSource, Promise<readonly CodeSymbol[] | undefined>>();

/** Like `symbolsOf`, cached per text; also undefined for a text that is too large. */
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

/**
 * The symbols of `text` in order; undefined without a grammar for the language, or if parsing takes too many steps (a
 * machine-independent limit).
 */
export async function symbolsOf(
  text: string,
  extension: string,
  signal: AbortSignal,
): Promise<readonly CodeSymbol[] | undefined> {
  const language = languageOf(extension);
  if (!language) return undefined;
  const parsed = language.blanked?.(text) ?? text;
  const symbols = await withTree(parsed, language.grammar, ({ rootNode }) => {
    const found = new Found(language, text);
    found.inside(rootNode, 1);
    return found.isTooMuch ? undefined : found.symbols;
  });
  throwIfAborted(signal);
  return symbols;
}

/** A node to visit. */
interface Waiting {
  readonly node: Node;
  /** Type of the parent node. */
  readonly around: string;
  /** Variables here are local to a block or a callback. */
  readonly local: boolean;
}

/** Where symbols are searched. */
interface Scope {
  readonly level: number;
  /** Variables found so far. */
  readonly variables: Set<string>;
}

/** What is known of a symbol before its name is found. */
interface Origin {
  readonly name: string;
  readonly row: number;
  readonly owner?: string | undefined;
  readonly shared?: Shared | undefined;
}

class Found {
  readonly symbols: CodeSymbol[] = [];
  /** True once the node limit is reached. */
  isTooMuch = false;
  #nodes = 0;
  readonly #language: Language;
  readonly #text: string;
  readonly #isExported: ReturnType<typeof exportsOf>;

  constructor(language: Language, text: string) {
    this.#language = language;
    this.#text = text;
    this.#isExported = exportsOf(text, language.grammar);
  }

  /** The symbols below `node`, in order. */
  inside(node: Node, level: number): void {
    if (level > MAX_LEVEL) return;
    const scope: Scope = { level, variables: new Set() };
    const waiting: Waiting[] = [];
    const add = (nodes: readonly Node[], around: string, local: boolean): void => {
      for (const one of [...nodes].reverse()) waiting.push({ node: one, around, local });
    };
    add(this.#childrenOf(node), node.type, false);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (this.isTooMuch || this.symbols.length >= MAX_SYMBOLS) return;
      const { node: child, around } = next;
      const { type } = child;
      const { symbols, through } = this.#language;
      const rule = symbols[`${around}>${type}`] ?? symbols[type];
      const local = next.local || this.#language.local.has(type);
      if (rule) add(this.#take(child, rule, scope, next.local), type, local);
      else if (through.has(type) || through.has(`${around}>${type}`))
        add(this.#childrenOf(child), type, local);
    }
  }

  /** The children of `node`; empty once the node limit is reached. */
  #childrenOf(node: Node): readonly Node[] {
    this.#nodes += node.namedChildCount;
    this.isTooMuch ||= this.#nodes > MAX_NODES;
    return this.isTooMuch ? [] : node.namedChildren;
  }

  /** Adds what `node` declares, with its members. Returns nodes that may contain more symbols of the same scope. */
  #take(node: Node, rule: SymbolRule, scope: Scope, local: boolean): readonly Node[] {
    if (rule.calls) return this.#called(node, rule.calls, scope.level) ? [] : this.#childrenOf(node);
    if (rule.each !== undefined) {
      const within = node.namedChildren.flatMap((child) => [child, ...child.namedChildren]);
      const parts = within.filter(({ type }) => type === rule.each);
      const [first] = parts;
      for (const part of parts)
        this.#valued(node, part, rule, scope, local, parts.length > 1 && first ? { part, first } : undefined);
      return [];
    }
    if (rule.body && !node.childForFieldName('body')) return [];
    if (rule.values || rule.variable || rule.holders) return this.#valued(node, node, rule, scope, local);
    if (this.#symbols(node, node, rule, scope.level) === 0) return this.#childrenOf(node);
    if (rule.nests) this.inside(node, scope.level + 1);
    else this.#declared(node, scope.level);
    if (rule.parameters) this.#parameters(node, rule.parameters, scope.level);
    return [];
  }

  /** Adds the parameters of `node` that are members of its class. */
  #parameters(node: Node, words: ReadonlySet<string>, level: number): void {
    for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? [])
      if (parameter.children.some((child) => words.has(child.type)))
        this.#symbols(parameter, parameter, PARAMETER, level);
  }

  /** Adds a definition with a value, `node` of `whole`. */
  #valued(
    whole: Node,
    node: Node,
    rule: SymbolRule,
    scope: Scope,
    local: boolean,
    shared?: Shared,
  ): readonly Node[] {
    const value = assignedTo(node);
    const rest = value ? [value] : [];
    const last = lastValue(value);
    const type = last?.type ?? '';
    const holds = rule.holders?.includes(type) ?? false;
    if (rule.values && !holds && !rule.values.includes(type)) return rest;
    // A plain data object is not a symbol if it is assigned or local.
    const isData = holds && type === 'object';
    const holdsData = isData && (rule.values !== undefined || local);
    if (rule.variable) {
      const start = last?.startIndex ?? 0;
      if (local && !holds && !FUNCTION.test(type)) return rest;
      if (last && IMPORT.test(this.#text.slice(start, start + 80))) return [];
    }
    const known = rule.variable ? scope.variables : undefined;
    const named = isData && rule.values ? { ...rule, kind: 'object' } : rule;
    const added = this.#symbols(whole, node, named, scope.level, known, shared);
    if (added > 0 && holds && last) {
      const before = this.symbols.length;
      this.inside(last, scope.level + 1);
      if (holdsData && this.symbols.length === before) this.symbols.length -= added;
    }
    return added === 0 || value?.type === node.type ? rest : [];
  }

  /** Adds the names that `node` declares as a part of `whole`, and returns their number. */
  #symbols(
    whole: Node,
    node: Node,
    rule: SymbolRule,
    level: number,
    known?: Set<string>,
    shared?: Shared,
  ): number {
    if (rule.written) {
      const text = this.#text.slice(node.startIndex, node.startIndex + MAX_WRITTEN);
      const name = rule.written.exec(text);
      if (name)
        this.#add(whole, rule.kind, level, {
          name: name[0],
          row: node.startPosition.row + lines(text, name.index),
        });
      return name ? 1 : 0;
    }
    let added = 0;
    const names = namesOf(node, rule);
    const [first] = names;
    for (const named of names) {
      const name = nameIn(named);
      if (name === '' || name === '_' || name.length > MAX_NAME || known?.has(name)) continue;
      known?.add(name);
      const owner = ownerOf(node, named, rule);
      const among = names.length > 1 && first ? { part: named, first: shared?.first ?? first } : shared;
      this.#add(whole, rule.kind, level, { name, row: named.startPosition.row, owner, shared: among });
      added += 1;
    }
    return added;
  }

  /** Adds what a call defines: `attr_reader :name`, `define('LIMIT', 3)`. */
  #called(node: Node, calls: ReadonlyMap<string, CallRule>, level: number): boolean {
    const called = node.childForFieldName('method') ?? node.childForFieldName('function');
    const rule = called && calls.get(called.text);
    if (!rule) return false;
    const names = node.childForFieldName('arguments')?.namedChildren ?? [];
    const [first] = names;
    for (const given of rule.all ? names : names.slice(0, 1)) {
      const name = given.type === 'argument' ? (given.namedChildren[0] ?? given) : given;
      const shared = rule.all && names.length > 1 && first ? { part: name, first } : undefined;
      if (NAMING.test(name.type))
        this.#add(node, rule.kind, level, { name: nameIn(name), row: name.startPosition.row, shared });
    }
    return true;
  }

  #add(whole: Node, kind: string, level: number, { name, row, owner, shared }: Origin): void {
    const signature = signatureOf(this.#text, whole, shared);
    this.symbols.push({
      name,
      kind,
      ...(owner !== undefined && { owner }),
      level,
      from: row + 1,
      // A node that includes its line end ends on the line before.
      to: whole.endPosition.row + (whole.endPosition.column === 0 ? 0 : 1),
      signature,
      exported: whole.parent?.type === 'export_statement' || this.#isExported(name, signature),
    });
  }

  /** A type that a declaration defines inline: `typedef struct { … } Point;`. */
  #declared(node: Node, level: number): void {
    const type = node.childForFieldName('type');
    const rule = type && this.#language.symbols[type.type];
    if (!type || !rule?.nests || !type.childForFieldName('body')) return;
    if (type.childForFieldName('name')) {
      if (this.#symbols(type, type, rule, level) > 0) this.inside(type, level + 1);
    } else this.inside(type, level + 1);
  }
}

const lines = (text: string, end: number): number => text.slice(0, end).split('\n').length - 1;

const PARAMETER: SymbolRule = { kind: 'property', name: 'pattern' };
const FUNCTION = /^(?:function_expression|generator_function|arrow_function)$/;
/** A value that imports a module, directly or wrapped by a compiler. */
const IMPORT = /^(?:await\s+)?(?:[\w$.]+\(\s*)?(?:require|import)\s*\(/;
