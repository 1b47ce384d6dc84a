// What the text of a document leaves out, counted to report it.

import { plural, quoted, type Warning } from '../../src/contract/index.ts';
import { GridRoom } from '../../src/document/index.ts';

/** How tracked changes are handled: shown as accepted, or marked as `{++inserted++}` and `{--deleted--}`. */
export type TrackedChanges = 'accept' | 'mark';

const SAMPLE_LENGTH = 80;

export class LeftOut {
  /** Of all its tables. */
  readonly tables: GridRoom = new GridRoom();
  #hidden = 0;
  #hiddenCharacters = 0;
  #sample = '';
  #deleted = 0;
  /** Numbers of what is counted, by its name. */
  readonly #lost = new Map<string, { readonly noun: string; count: number }>();

  /** Counts hidden text. The pieces of one paragraph may come one by one; `after` follows it in the sample. */
  hide(text: string, after: '' | ' ' = ''): void {
    if (text.trim() === '') return;
    this.#hidden += 1;
    this.#hiddenCharacters += text.length;
    if (this.#sample.length < SAMPLE_LENGTH) this.#sample += text.slice(0, SAMPLE_LENGTH) + after;
  }

  /** Counts one tracked deletion that is not shown. */
  delete(): void {
    this.#deleted += 1;
  }

  /** Records what is not read: `tables nested too deep`; `noun` is what is counted: `table`, and not part of `what`. */
  lose(what: string, noun: string = ''): void {
    const lost = this.#lost.get(what) ?? { noun, count: 0 };
    lost.count += 1;
    this.#lost.set(what, lost);
  }

  warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.tables.isSpent) this.lose('table cells, of which there are too many');
    const sample = this.#sample.replace(/\s+/g, ' ').trim();
    if (this.#hidden > 0)
      warnings.push({
        code: 'HIDDEN_TEXT',
        message: `Hidden text is left out: ${plural(this.#hiddenCharacters, 'character')} in ${plural(this.#hidden, 'place')}, starting with ${quoted(sample)}.`,
      });
    if (this.#deleted > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `Tracked changes are shown as accepted: ${plural(this.#deleted, 'deletion')} left out. Use \`changes\` "mark" to see them.`,
      });
    const lost = [...this.#lost].map(([what, { noun, count }]) =>
      noun === '' ? what : `${plural(count, noun)} ${what}`,
    );
    if (lost.length > 0) warnings.push({ code: 'SKIPPED_CONTENT', message: `Left out: ${lost.join(', ')}.` });
    return warnings;
  }
}
