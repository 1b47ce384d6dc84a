// State shared by all stories of a Word document (body, headers, notes, comments) during conversion.

import { plural, quoted, type Warning } from '../../../src/contract/index.ts';
import { type Block, GridRoom } from '../../../src/document/index.ts';
import type { Numbering } from './numbering.ts';
import type { Remarks } from './remarks.ts';
import type { Styles } from './styles.ts';

/** How tracked changes are handled: shown as accepted, or marked as `{++inserted++}` and `{--deleted--}`. */
export type TrackedChanges = 'accept' | 'mark';

/** Shared by the stories of a document. */
export interface WordDocument {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly remarks: Remarks;
  readonly changes: TrackedChanges;
  readonly left: LeftOut;
  /** Reports content that is nested too deep. */
  readonly tooDeep: () => void;
  /** The mark of a package part; `''` if it does not exist. */
  member(part: string): string;
}

/**
 * Content that a story shows from other parts, read beforehand (charts, diagrams, imported text), by relationship id.
 */
export type Attachments = ReadonlyMap<string, readonly Block[]>;

/** The warning about tracked deletions that are not shown. */
export function deletionsLeftOut(count: number): Warning {
  return {
    code: 'SKIPPED_CONTENT',
    message: `Tracked changes are shown as accepted: ${plural(count, 'deletion')} left out. Use \`changes\` "mark" to see them.`,
  };
}

const SAMPLE_LENGTH = 80;

/** Counts what the text leaves out, to report it. */
export class LeftOut {
  readonly tables: GridRoom = new GridRoom();
  #hidden = 0;
  #hiddenCharacters = 0;
  #sample = '';
  #deleted = 0;
  readonly #lost = new Map<string, Map<string, number>>();

  /** Counts hidden text. The pieces of one paragraph may come one by one. */
  hide(text: string): void {
    if (text.trim() === '') return;
    this.#hidden += 1;
    this.#hiddenCharacters += text.length;
    if (this.#sample.length < SAMPLE_LENGTH) this.#sample += text.slice(0, SAMPLE_LENGTH);
  }

  /** Counts one tracked deletion. */
  delete(): void {
    this.#deleted += 1;
  }

  /** Counts what is not read: `cell`, of which `past column 1024` says more. */
  lose(noun: string, which: string, count = 1): void {
    if (count === 0) return;
    const counts = this.#lost.get(noun) ?? new Map<string, number>();
    this.#lost.set(noun, counts.set(which, (counts.get(which) ?? 0) + count));
  }

  warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#hidden > 0)
      warnings.push({
        code: 'HIDDEN_TEXT',
        message: `Hidden text is left out: ${plural(this.#hiddenCharacters, 'character')} in ${plural(this.#hidden, 'place')}, starting with ${quoted(this.#sample)}.`,
      });
    if (this.#deleted > 0) warnings.push(deletionsLeftOut(this.#deleted));
    for (const [noun, counts] of this.#lost)
      for (const [which, count] of counts)
        warnings.push({ code: 'SKIPPED_CONTENT', message: `${plural(count, noun)} ${which} left out.` });
    return warnings;
  }
}
