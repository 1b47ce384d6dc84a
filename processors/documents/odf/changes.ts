// Tracked changes of an OpenDocument text (ODF 1.3 part 3, 5.5): deleted content is kept before the text, and marks in
// the text refer to it by id. Shown as accepted or marked, as in a Word document.

import { type Inline, verbatim } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut, TrackedChanges } from '../left-out.ts';
import type { Remarks } from './remarks.ts';

/** What marks an insertion. */
export const INSERTED: Inline = verbatim('{++');
export const INSERTED_END: Inline = verbatim('++}');

/** Who changed something, when, and why. */
const INFO = 'change-info';

/** The tracked changes of one document. */
export class Changes {
  readonly #handling: TrackedChanges;
  readonly #left: LeftOut;
  readonly #remarks: Remarks;
  readonly #deletions = new Map<string, XmlElement>();
  /** Insertions by id; the value is what is known about them. */
  readonly #insertions = new Map<string, XmlElement | undefined>();
  readonly #open = new Set<string>();

  constructor(handling: TrackedChanges, left: LeftOut, remarks: Remarks) {
    this.#handling = handling;
    this.#left = left;
    this.#remarks = remarks;
  }

  /** True inside a marked insertion, which may extend over several paragraphs. */
  get inserting(): boolean {
    return this.#open.size > 0;
  }

  /** Adds a list of changes (`text:tracked-changes`). */
  add(list: XmlElement): void {
    for (const region of list.elements('changed-region')) {
      const id = region.get('text:id') ?? region.get('id') ?? '';
      const deletion = region.child('deletion');
      if (!deletion) this.#insertions.set(id, region.child('insertion')?.child(INFO));
      else if (this.#handling === 'accept') this.#left.delete();
      else this.#deletions.set(id, deletion);
    }
  }

  /**
   * The mark of the deletion at the place `mark`, given how to read its lines; `''` if it is not to be marked. Each is
   * shown once, so that changes that refer to each other end.
   */
  deletion(mark: XmlElement, linesOf: (deletion: XmlElement) => readonly string[]): string {
    return this.#deletion(mark.get('change-id') ?? '', linesOf);
  }

  #deletion(id: string, linesOf: (deletion: XmlElement) => readonly string[]): string {
    const deletion = this.#deletions.get(id);
    if (!deletion) return '';
    this.#deletions.delete(id);
    const text = linesOf(deletion).join('\n');
    if (text === '') return '';
    const content = deletion.elements().filter(({ name }) => name !== INFO);
    const before = /^\s/.test(content[0]?.text() ?? '') ? ' ' : '';
    const after = /\s$/.test(content.at(-1)?.text() ?? '') ? ' ' : '';
    const info = deletion.child(INFO);
    return `${verbatim('{--')}${before}${text}${after}${verbatim('--}')}${info ? this.#remarks.comment(info) : ''}`;
  }

  /** The marks of deletions that no place refers to. */
  unplaced(linesOf: (deletion: XmlElement) => readonly string[]): string[] {
    return [...this.#deletions.keys()].map((id) => this.#deletion(id, linesOf)).filter((mark) => mark !== '');
  }

  /** Opens the insertion that `mark` starts; returns what marks it. */
  start(mark: XmlElement): string {
    const id = mark.get('change-id') ?? '';
    if (this.#handling === 'accept' || !this.#insertions.has(id)) return '';
    const isFirst = !this.inserting;
    this.#open.add(id);
    return isFirst ? INSERTED : '';
  }

  /** Closes the insertion that `mark` ends; returns what marks it. */
  end(mark: XmlElement): string {
    const id = mark.get('change-id') ?? '';
    if (!this.#open.delete(id)) return '';
    const info = this.#insertions.get(id);
    return `${this.inserting ? '' : INSERTED_END}${info ? this.#remarks.comment(info) : ''}`;
  }
}
