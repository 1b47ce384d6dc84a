// Converts a Word 97-2003 document ([MS-DOC]) to blocks: one flow, with notes and comments at its end, like newer Word
// documents.

import { plural, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import { type Block, BlockWriter, wellFormedBlock } from '../../../src/document/index.ts';
import type { ConvertContext, Converter, Section } from '../document.ts';
import { type RemarkKind, remarkBlock, remarkBlocks } from '../docx/remarks.ts';
import type { TrackedChanges } from '../left-out.ts';
import { summaryFacts } from '../office97/summary.ts';
import { PageMargins } from '../page-margins.ts';
import { linesIn, writePiece } from '../piece.ts';
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
    const write = async (range: Range): Promise<void> => {
      for (const piece of story.pieces(range.from, range.to)) {
        if (piece) writePiece(writer, piece);
        await this.#pause();
      }
    };
    await write(this.#file.stories.main);
    for (const box of this.#text.shapes.rest()) await write(box);
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
      const story = new Story(this.#text, false);
      margins.add(kind, await linesIn(story.pieces(range.from, range.to), this.#pause));
    }
    return margins;
  }

  #remarks(): Promise<readonly Block[]> {
    const stories = new Map<RemarkKind, Story>();
    const { referred } = this.#text.remarks;
    let taken = 0;
    return remarkBlocks(
      () => referred[taken++],
      async (remark) => {
        const story = stories.get(remark.kind) ?? new Story(this.#text, false);
        stories.set(remark.kind, story);
        return remarkBlock(remark, await linesIn(story.pieces(remark.from, remark.to), this.#pause));
      },
    );
  }
}

/** Stories before the first header: lines above notes, and notices of continuation ([MS-DOC] 2.3.3). */
const NOTE_SEPARATORS = 6;
