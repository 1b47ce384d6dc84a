// Converts a Word 97-2003 document ([MS-DOC]) to blocks: one flow, with notes and comments at its end, like newer Word
// documents.

import { plural, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import { type Block, BlockWriter, wellFormedBlock } from '../../../src/document/index.ts';
import type { ConvertContext, Converter, Section } from '../document.ts';
import { type RemarkKind, remarkBlock } from '../docx/remarks.ts';
import type { TrackedChanges } from '../left-out.ts';
import { summaryFacts } from '../office97/summary.ts';
import { PageMargins } from '../page-margins.ts';
import { type Piece, pieceLines, writePiece } from '../piece.ts';
import { createPause } from '../turns.ts';
import { FIRST_VERSION, TABLE } from './fib.ts';
import { oldBlocks } from './old-text.ts';
import { Plex } from './plex.ts';
import { Story } from './story.ts';
import { type Range, WordFile } from './word-file.ts';
import { WordText } from './word-text.ts';

const MAX_HEADERS = 200;

/** A converter with this handling of tracked changes. */
export function createDocConverter(changes: TrackedChanges = 'accept'): Converter {
  return {
    async open(source, context) {
      const file = new WordFile(await source.bytes());
      throwIfAborted(context.signal);
      const facts = {
        ...(await summaryFacts(file.compound)),
        ...(file.hasMacros && { macros: true }),
      };
      return {
        facts,
        section: async () =>
          file.fib.version < FIRST_VERSION ? oldBlocks(file) : new Flow(file, changes, context).section(),
      };
    },
  };
}

class Flow {
  readonly #file: WordFile;
  readonly #text: WordText;
  readonly #pause: () => Promise<void>;

  constructor(file: WordFile, changes: TrackedChanges, context: ConvertContext) {
    this.#file = file;
    this.#text = new WordText(file, changes);
    this.#pause = createPause(context.signal);
  }

  async section(): Promise<Section> {
    const { headers, footers } = await this.#margins();
    const body = await this.#body();
    const remarks = await this.#remarks();
    const warnings = [...this.#text.left.warnings(), ...this.#warnings()];
    return {
      blocks: [...headers, ...body, ...footers, ...remarks].map(wellFormedBlock),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  #warnings(): Warning[] {
    const { pieces, pictures } = this.#text;
    const warnings: Warning[] = [];
    if (pieces.broken || pieces.text.length < this.#file.stories.main.to)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: 'The document is damaged or truncated; part of its text is missing.',
      });
    if (pictures > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `${plural(pictures, 'picture')} left out; the .doc format is read for text only.`,
      });
    return warnings;
  }

  async #body(): Promise<readonly Block[]> {
    const story = new Story(this.#text, !this.#text.shapes.background);
    const writer = new BlockWriter();
    const { from, to } = this.#file.stories.main;
    await this.#each(story, from, to, (piece) => writePiece(writer, piece));
    for (const box of this.#text.shapes.rest())
      await this.#each(story, box.from, box.to, (piece) => writePiece(writer, piece));
    return writer.take();
  }

  /** The page headers and footers of all sections, without duplicates. */
  async #margins(): Promise<PageMargins> {
    const margins = new PageMargins();
    const places = new Plex(this.#file.part(TABLE.headers), 0);
    const { from, to } = this.#file.stories.headers;
    const count = Math.min(places.count, NOTE_SEPARATORS + MAX_HEADERS);
    let room = to - from;
    for (let index = NOTE_SEPARATORS; index < count; index += 1) {
      const range = {
        from: Math.min(to, from + places.position(index)),
        to: Math.min(to, from + places.position(index + 1)),
      };
      room -= Math.max(0, range.to - range.from);
      if (range.to <= range.from || room < 0) continue;
      // Of each section: even and odd headers, even and odd footers, first header, first footer ([MS-DOC] 2.3.3).
      const kind = [2, 3, 5].includes((index - NOTE_SEPARATORS) % 6) ? 'footer' : 'header';
      margins.add(kind, await this.#lines(new Story(this.#text, false), range));
    }
    return margins;
  }

  async #remarks(): Promise<readonly Block[]> {
    const stories = new Map<RemarkKind, Story>();
    const blocks: Record<RemarkKind, Block[]> = { footnote: [], endnote: [], comment: [] };
    const { referred } = this.#text.remarks;
    for (let index = 0; index < referred.length; index += 1) {
      const remark = referred[index];
      if (!remark) break;
      const story = stories.get(remark.kind) ?? new Story(this.#text, false);
      stories.set(remark.kind, story);
      blocks[remark.kind].push(remarkBlock(remark, await this.#lines(story, remark)));
    }
    return [...blocks.footnote, ...blocks.endnote, ...blocks.comment];
  }

  async #lines(story: Story, { from, to }: Range): Promise<string[]> {
    const lines: string[] = [];
    await this.#each(story, from, to, (piece) => {
      for (const line of pieceLines(piece)) if (line.trim() !== '') lines.push(line.trim());
    });
    return lines;
  }

  async #each(story: Story, from: number, to: number, add: (piece: Piece) => void): Promise<void> {
    for (const piece of story.pieces(from, to)) {
      if (piece) add(piece);
      await this.#pause();
    }
  }
}

/** Stories before the first header: lines above notes, and notices of continuation ([MS-DOC] 2.3.3). */
const NOTE_SEPARATORS = 6;
