// What all stories of one Word document (body, headers, notes, comments) have in common while it is converted.

import { plural, quoted, type Warning } from '../../../src/contract/index.ts';
import type { Block } from '../document.ts';
import type { Numbering } from './numbering.ts';
import type { Remarks } from './remarks.ts';
import type { Styles } from './styles.ts';

/** What happens to tracked changes: shown as accepted, or marked as `{++inserted++}` and `{--deleted--}`. */
export type TrackedChanges = 'accept' | 'mark';

/** Shared by the stories of a document. */
export interface WordDocument {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly remarks: Remarks;
  readonly changes: TrackedChanges;
  readonly left: LeftOut;
  /** The mark of a part of the package; `''` for one that is not there. */
  member(part: string): string;
}

/** Parts that a story shows but that are read beforehand: charts, diagrams, imported text; by relationship id. */
export type Attachments = ReadonlyMap<string, readonly Block[]>;

const SAMPLE_LENGTH = 80;

/** Counts what the text leaves out, so that it can be told. */
export class LeftOut {
  #hidden = 0;
  #hiddenCharacters = 0;
  #sample = '';
  #deleted = 0;
  #imports = 0;

  /** Text that the document hides. Pieces of one paragraph may come one by one. */
  hide(text: string): void {
    if (text.trim() === '') return;
    this.#hidden += 1;
    this.#hiddenCharacters += text.length;
    if (this.#sample.length < SAMPLE_LENGTH) this.#sample += text.slice(0, SAMPLE_LENGTH);
  }

  /** One tracked deletion. */
  delete(): void {
    this.#deleted += 1;
  }

  /** An imported document that is not read. */
  import(): void {
    this.#imports += 1;
  }

  warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#hidden > 0)
      warnings.push({
        code: 'HIDDEN_TEXT',
        message: `Hidden text is left out: ${plural(this.#hiddenCharacters, 'character')} in ${plural(this.#hidden, 'place')}, starting with ${quoted(this.#sample)}.`,
      });
    if (this.#deleted > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `Tracked changes are shown as accepted: ${plural(this.#deleted, 'deletion')} left out. Ask with \`changes\` "mark" to see them.`,
      });
    if (this.#imports > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `${plural(this.#imports, 'file')} imported into the document (\`altChunk\`) left out.`,
      });
    return warnings;
  }
}
