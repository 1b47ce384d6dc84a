// What all stories of a Word file share: its text, styles, lists, shapes and remarks, and the formatting at a position.

import { Counting } from '../docx/numbering.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import { TABLE } from './fib.ts';
import { FormattedRuns, styleOf } from './formatted-runs.ts';
import { Lists } from './lists.ts';
import { LongLists, type ParagraphFormat, paragraphFormat } from './paragraph-format.ts';
import { type Picture, readPicture } from './picture.ts';
import { PieceTable, readPieces, type TextPiece } from './piece-table.ts';
import { Plex } from './plex.ts';
import { Remarks } from './remarks.ts';
import { Shapes } from './shapes.ts';
import { readFonts, StyleSheet } from './stylesheet.ts';
import type { WordFile } from './word-file.ts';

const SECTION = 12;
const NONE = Buffer.alloc(0);
/** Fast saves change a paragraph in a few ways. */
const MAX_PARAGRAPH_CHANGES = 4096;

export class WordText {
  readonly file: WordFile;
  readonly changes: TrackedChanges;
  readonly pieces: PieceTable;
  readonly fonts: readonly string[];
  readonly styles: StyleSheet;
  readonly shapes: Shapes;
  readonly remarks: Remarks;
  readonly left: LeftOut = new LeftOut();
  /** Pictures shown so far. */
  pictures = 0;
  readonly characters: FormattedRuns;
  readonly #paragraphs: FormattedRuns;
  readonly #lists: Lists;
  readonly #sectionEnds = new Set<number>();
  readonly #longLists: LongLists;
  /** Paragraphs next to each other often have one format. */
  #lastParagraph:
    | { readonly id: number; readonly changes: Buffer; readonly format: ParagraphFormat }
    | undefined;
  readonly #pictures = new Map<number, Picture>();

  constructor(file: WordFile, changes: TrackedChanges) {
    this.file = file;
    this.changes = changes;
    this.pieces = new PieceTable(piecesOf(file), file.word);
    this.fonts = readFonts(file.part(TABLE.fonts));
    this.styles = new StyleSheet(file.part(TABLE.styles), this.fonts);
    this.characters = new FormattedRuns(file.word, file.part(TABLE.characters), 'characters');
    this.#paragraphs = new FormattedRuns(file.word, file.part(TABLE.paragraphs), 'paragraphs');
    this.#lists = new Lists(file.partAndBeyond(TABLE.lists), file.partAndBeyond(TABLE.listOverrides));
    this.#longLists = new LongLists(file.data);
    this.shapes = new Shapes(file);
    this.remarks = new Remarks(file, this.pieces.text);
    const sections = new Plex(file.part(TABLE.sections), SECTION);
    for (let index = 1; index <= sections.count; index += 1)
      this.#sectionEnds.add(sections.position(index) - 1);
  }

  /** The picture at a place in the data stream; its text only the first time, since a file has one for each sign. */
  picture(place: number): Picture {
    const known = this.#pictures.get(place);
    if (known) return known;
    const picture = readPicture(this.file.data, place);
    this.#pictures.set(
      place,
      picture.kind === 'picture'
        ? { kind: 'picture', description: '' }
        : picture.kind === 'form' && picture.text.length > 1
          ? { kind: 'form', text: '' }
          : picture,
    );
    return picture;
  }

  /** Counters for the lists of one story. */
  counting(): Counting {
    return new Counting(this.#lists.resolve);
  }

  /** True if the character at `position` ends a section of the body. */
  endsSection(position: number): boolean {
    return this.#sectionEnds.has(position);
  }

  /** The format of the paragraph whose mark is at `position` ([MS-DOC] 2.4.6.1). */
  paragraphAt(position: number): ParagraphFormat {
    const piece = this.pieces.at(position);
    if (!piece) return paragraphFormat([], undefined);
    const { modifiers, id } = this.#paragraphs.at(placeIn(piece, position));
    const last = this.#lastParagraph;
    if (last && last.id === id && last.changes === piece.changes) return last.format;
    const own = id < 0 ? NONE : modifiers.subarray(2);
    const format = paragraphFormat([own, piece.changes.subarray(0, MAX_PARAGRAPH_CHANGES)], this.#longLists);
    format.style ??= id < 0 ? 0 : styleOf(modifiers);
    this.#lastParagraph = { id, changes: piece.changes, format };
    return format;
  }
}

/** The place in the stream of the character at `position` in `piece`. */
export const placeIn = (piece: TextPiece, position: number): number =>
  piece.at + (position - piece.from) * piece.width;

/** The pieces of the text; without a list of them the text is in one piece. */
function piecesOf(file: WordFile): TextPiece[] {
  const pieces = readPieces(file.part(TABLE.pieces));
  if (pieces.length > 0) return pieces;
  const { textFrom, textTo } = file.fib;
  const length = file.stories.headerBoxes.to;
  const width = textTo - textFrom >= length * 2 ? 2 : 1;
  return length === 0 ? [] : [{ from: 0, to: length, at: textFrom, width, changes: NONE }];
}
