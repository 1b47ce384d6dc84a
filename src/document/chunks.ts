// Cuts blocks into pieces for a search index: at blocks, else at items, rows, lines, sentences, words. Pure: blocks and a
// tokenizer in, chunks out, each as soon as it is full. The text of the blocks is not changed, so that nothing is lost.

import type { Extent, Tokens } from '../contract/index.ts';
import { type Atom, atomsOf, sentencesOf, type Tokenizer, WORD } from './chunk-atoms.ts';

/** A block of a file, with the white space that follows it: in order, the texts of all blocks make the text of the file. */
export interface ChunkBlock {
  readonly kind: 'heading' | 'table' | 'code' | 'text';
  readonly text: string;
  /** The level of the section that starts here. */
  readonly opens?: number;
  /** The sections around it, and the one that starts here, outermost first. */
  readonly headings: readonly string[];
  /** Offsets of list items and of rows, without the first. */
  readonly items?: readonly number[];
  /** Repeated around the pieces of the block: the header of a table, the fences of code. */
  readonly frame?: { readonly before: string; readonly after: string };
  /** It continues the block before. */
  readonly continues?: boolean;
  /** In lines and rows, of its first one: the others are counted from there. */
  readonly place: Extent;
}

/** A piece of a file for a search index. */
export interface Chunk {
  readonly text: string;
  readonly tokens: Tokens;
  /** The headings above its beginning, outermost first. */
  readonly headings: readonly string[];
  readonly place: Extent;
  /** The part of `text` in UTF-16 units that is new: before and after it are overlap, table headers, fences. */
  readonly own: readonly [from: number, to: number];
}

interface ChunkOptions {
  readonly maxTokens: Tokens;
  readonly overlap: Tokens;
  readonly tokenizer: Tokenizer;
}

/** The chunks of `blocks`, none above `maxTokens`. Linear time; holds one chunk and one block. */
export async function* chunksOf(
  blocks: AsyncIterable<ChunkBlock> | Iterable<ChunkBlock>,
  options: ChunkOptions,
): AsyncGenerator<Chunk> {
  const packer = new Packer(options);
  for await (const block of blocks) yield* packer.add(block);
  yield* packer.end();
}

/** A piece below this part of the limit may be joined with those of another section. */
const LEAST = 1 / 4;
/** Characters searched for the sentences of an overlap, per token. */
const TOKEN_CHARACTERS = 16;

class Packer {
  readonly #max: Tokens;
  readonly #overlap: Tokens;
  readonly #tokenizer: Tokenizer;
  /** What the next chunk starts with, at most a chunk. */
  readonly #atoms: Atom[] = [];
  /** Their cost. */
  #cost = 0;
  /** Sentences of the chunk before, repeated by the next one. */
  #repeated = { text: '', cost: 0 };
  /** Number of headings by level. */
  readonly #levels: number[] = [];

  constructor({ maxTokens, overlap, tokenizer }: ChunkOptions) {
    this.#max = maxTokens;
    this.#overlap = overlap;
    this.#tokenizer = tokenizer;
  }

  *add(block: ChunkBlock): Generator<Chunk> {
    const { opens, place } = block;
    const open = this.#atoms.at(-1)?.place;
    if (open && (open.unit !== place.unit || open.name !== place.name)) yield* this.end();
    if (opens !== undefined) this.#levels[opens] = (this.#levels[opens] ?? 0) + 1;
    // A title stands alone at its level: sections are counted at the first level that has several.
    const isTop = opens !== undefined && opens <= this.#levels.findIndex((headings) => headings > 1);
    const headings = this.#atoms.slice(this.#beforeHeadings(this.#atoms.length));
    const headed = headings.reduce((sum, { cost }) => sum + cost, 0);
    const room = headed <= this.#max / 2 ? this.#max - headed : this.#max;
    for (const atom of atomsOf(block, this.#max, room, isTop, this.#tokenizer)) {
      while (this.#atoms.length > 0 && !this.#hasRoom(atom)) yield* this.#emit(this.#cut(atom), atom);
      if (this.#atoms.length === 0 && !this.#hasRoom(atom)) this.#repeated = { text: '', cost: 0 };
      this.#atoms.push(atom);
      this.#cost += atom.cost;
    }
  }

  /** What is left, as the end of the text. */
  *end(): Generator<Chunk> {
    while (this.#atoms.length > 0) yield* this.#emit(this.#betweenSections(0) ?? this.#atoms.length);
    this.#repeated = { text: '', cost: 0 };
  }

  #hasRoom(atom: Atom): boolean {
    const first = this.#atoms[0] ?? atom;
    const before = first.isFirst ? 0 : (first.frame?.beforeCost ?? 0);
    const after = atom.isLast ? 0 : (atom.frame?.afterCost ?? 0);
    return this.#repeated.cost + before + this.#cost + atom.cost + after <= this.#max;
  }

  /** The number of atoms for the next chunk, if `next` must be in another one. */
  #cut(next: Atom): number {
    const between = this.#betweenSections(next.cost);
    if (between !== undefined) return between;
    const count = this.#atoms.length;
    let best = count;
    let { rank } = next;
    // The better place wins as long as it keeps half of what fits.
    let left = this.#cost;
    for (let at = count - 1; at > 0; at -= 1) {
      const atom = this.#atoms[at];
      left -= atom?.cost ?? 0;
      if (!atom || left < this.#cost / 2) break;
      if (atom.rank < rank) {
        best = at;
        rank = atom.rank;
      }
    }
    return this.#beforeHeadings(best) || count;
  }

  /** Where two sections meet that both are long enough for chunks of their own. */
  #betweenSections(following: Tokens): number | undefined {
    const least = this.#max * LEAST;
    let left = 0;
    for (const [at, { isTop, cost }] of this.#atoms.entries()) {
      if (isTop && left >= least && this.#cost + following - left >= least)
        return this.#beforeHeadings(at) || undefined;
      left += cost;
    }
    return undefined;
  }

  /** `end` without the headings before it. */
  #beforeHeadings(end: number): number {
    let at = end;
    while (at > 0 && this.#atoms[at - 1]?.block.kind === 'heading') at -= 1;
    return at;
  }

  *#emit(count: number, next?: Atom): Generator<Chunk> {
    let taken = count;
    let written = this.#written(taken);
    // Counts of parts add up to that of the whole, or more; nothing proves that for every text.
    while (written.tokens > this.#max && (taken > 1 || this.#repeated.cost > 0)) {
      if (this.#repeated.cost > 0) this.#repeated = { text: '', cost: 0 };
      else taken -= 1;
      written = this.#written(taken);
    }
    const atoms = this.#atoms.splice(0, taken);
    for (const { cost } of atoms) this.#cost -= cost;
    const content = atoms.find(({ block }) => block.kind !== 'heading') ?? atoms.at(-1);
    const [from, to] = written.own;
    if (content && to > from)
      yield { ...written, headings: content.block.headings, place: placeOf(atoms, content) };
    const text = this.#tail(atoms, this.#atoms[0] ?? next);
    this.#repeated = { text, cost: text === '' ? 0 : this.#tokenizer.count(text) };
    if (this.#repeated.cost + this.#cost > this.#max) this.#repeated = { text: '', cost: 0 };
  }

  /** The first `count` atoms as a chunk's text. */
  #written(count: number): Pick<Chunk, 'text' | 'tokens' | 'own'> {
    const atoms = this.#atoms.slice(0, count);
    const [first] = atoms;
    const last = atoms.at(-1);
    const all = atoms.map(({ text }) => text).join('');
    const before = this.#repeated.text + (first?.isFirst ? '' : (first?.frame?.before ?? ''));
    const after = last?.isLast ? '' : (last?.frame?.after ?? '');
    const around = (own: string): Pick<Chunk, 'text' | 'tokens' | 'own'> => {
      const text = before + own + after;
      const tokens = this.#tokenizer.count(text);
      return { text, tokens, own: [before.length, before.length + own.length] };
    };
    const trimmed = around(all.replace(/^\n+/, '').trimEnd());
    // A token may need the white space at its end.
    return trimmed.tokens <= this.#max || all.trim() === '' ? trimmed : around(all);
  }

  /** The last whole sentences of `atoms` that the overlap has room for: none before a section or inside a sentence. */
  #tail(atoms: readonly Atom[], next: Atom | undefined): string {
    if (this.#overlap === 0 || !next || next.block.opens !== undefined || next.rank >= WORD) return '';
    let text = '';
    for (const { block, text: own } of atoms.toReversed()) {
      if (block.kind !== 'text' || text.length > this.#overlap * TOKEN_CHARACTERS) break;
      text = own + text;
    }
    let tail = '';
    for (const sentence of [...sentencesOf(text)].reverse()) {
      if (this.#tokenizer.count(sentence + tail) > this.#overlap) break;
      tail = sentence + tail;
    }
    return tail;
  }
}

function placeOf(atoms: readonly Atom[], { place: { unit, name } }: Atom): Extent {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const { place } of atoms) {
    from = Math.min(from, place.from);
    to = Math.max(to, place.to);
  }
  return { unit, from, to, ...(name !== undefined && { name }) };
}
