// The pieces of a text between reading and writing. Written as blocks in the flow, and as lines in a cell or note.

import {
  type Block,
  type BlockWriter,
  codeSpan,
  type Grid,
  headingBlock,
  type Inline,
  isEmpty,
  linesOf,
  paragraphBlock,
} from '../../src/document/index.ts';

/** One piece; `text` is inline content, except for code, where it is plain. */
export type Piece =
  | { readonly kind: 'text' | 'quote'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** `list`: the id of its list. */
  | {
      readonly kind: 'item';
      readonly level: number;
      readonly marker: string;
      readonly text: string;
      readonly list: string;
    }
  /** `sure` is false for a line that is code only next to other code; `inline` is its form otherwise. */
  | { readonly kind: 'code'; readonly text: string; readonly sure: boolean; readonly inline: Inline }
  /** An empty paragraph. */
  | { readonly kind: 'gap' }
  /** `without`: what is left out if it has no text, see `Grid.table`. */
  | { readonly kind: 'table'; readonly grid: Grid; readonly without: 'nothing' | 'ends' }
  /** A chart, a diagram. */
  | { readonly kind: 'block'; readonly block: Block };

/** Adds a piece to the flow. */
export function writePiece(writer: BlockWriter, piece: Piece): void {
  switch (piece.kind) {
    case 'gap':
      writer.gap();
      break;
    case 'code':
      if (piece.sure || writer.inCode) writer.code(piece.text);
      else writer.add(paragraphBlock(piece.inline));
      break;
    case 'item':
      writer.item({ level: piece.level, marker: piece.marker, text: piece.text }, piece.list);
      break;
    case 'quote':
      writer.quote(paragraphBlock(piece.text));
      break;
    case 'heading':
      writer.add(headingBlock(piece.level, piece.text));
      break;
    case 'table': {
      const table = piece.grid.table(piece.without);
      if (!isEmpty(table)) writer.add(table);
      break;
    }
    case 'block':
      writer.add(piece.block);
      break;
    case 'text':
      writer.add(paragraphBlock(piece.text));
  }
}

/** A piece as lines of inline content, for a cell or a note. */
export function pieceLines(piece: Piece): string[] {
  switch (piece.kind) {
    case 'gap':
      return [];
    case 'item':
      return [`${piece.marker} ${piece.text}`.trimEnd()];
    case 'code':
      return piece.sure ? piece.text.split('\n').map((line) => codeSpan(line)) : [piece.inline];
    case 'table':
      return piece.grid.lines();
    case 'block':
      return linesOf(piece.block);
    default:
      return [piece.text];
  }
}

/** The lines of a text, without blank ones; an `undefined` piece is a place to pause. */
export async function linesIn(
  pieces: Iterable<Piece | undefined>,
  pause: () => Promise<void>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const piece of pieces) {
    for (const line of piece ? pieceLines(piece) : []) if (line.trim() !== '') lines.push(line.trim());
    await pause();
  }
  return lines;
}
