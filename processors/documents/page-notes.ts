// What one answer says about its pages besides their content: each page's own warnings, and one warning for all scans, one
// for all unreliable pages and one for each engine that recognized text.

import { named, type ProcessContext, plural, quoted, shortName } from '../../src/contract/index.ts';
import type { Recognition, Section, SectionUnit } from './document.ts';
import { inRanges } from './number-ranges.ts';

export class PageNotes {
  readonly #unit: SectionUnit | undefined;
  readonly #count: number;
  readonly #context: ProcessContext;
  readonly #scans = new Set<number>();
  readonly #broken = new Set<number>();
  readonly #recognized = new Map<number, Recognition>();
  /** The text of each page, by what it has in common with those of other pages. */
  readonly #repeated = new Map<string, Map<number, string>>();
  readonly #pageNumbers = new Map<number, string>();
  /** Pictures without a mark in the text, by page. */
  readonly #unmarked = new Map<number, number>();

  constructor(unit: SectionUnit | undefined, count: number, context: ProcessContext) {
    this.#unit = unit;
    this.#count = count;
    this.#context = context;
  }

  /** True if a page has no text, or no reliable text. */
  get hasUnread(): boolean {
    return this.#scans.size + this.#broken.size > 0;
  }

  /** Passes on the warnings of a page, and records its kind. */
  record(number: number, section: Section | undefined): void {
    const { warnings = [], kind, recognition, repeated = [], pageNumber, unmarked } = section ?? {};
    for (const text of repeated) {
      let common = text.replace(/\d+/gu, '0').toLowerCase();
      while (this.#repeated.get(common)?.has(number)) common += '+'; // another line of the page
      this.#repeated.set(common, (this.#repeated.get(common) ?? new Map()).set(number, text));
    }
    if (pageNumber !== undefined) this.#pageNumbers.set(number, pageNumber);
    for (const warning of warnings) this.#context.warn(warning);
    if (recognition) this.#recognized.set(number, recognition);
    if (recognition && 'confidence' in recognition) return;
    if (kind === 'scan') this.#scans.add(number);
    else if (unmarked !== undefined) this.#unmarked.set(number, unmarked);
    // A page that is left out reports it itself.
    if (kind === 'broken' && !warnings.some(({ code }) => code === 'SKIPPED_CONTENT'))
      this.#broken.add(number);
  }

  /** Forgets what was recorded: the answer shows other pages. */
  forget(): void {
    this.#scans.clear();
    this.#broken.clear();
    this.#recognized.clear();
    this.#repeated.clear();
    this.#pageNumbers.clear();
    this.#unmarked.clear();
  }

  /** Warns of what was recorded. */
  tell(): void {
    const { warn } = this.#context;
    this.#tellRecognition();
    this.#tellRunningText();
    const { detail, pages } = this.#context.selection;
    const scans = [...this.#scans].sort((a, b) => a - b);
    const advice = (of: readonly number[], what: string): string =>
      detail !== undefined && pages !== undefined
        ? ''
        : ` Use \`pages\` "${inRanges(of)}" with \`detail\` "auto" to see ${what}.`;
    if (scans.length > 0)
      warn({
        code: 'SCANNED_PAGES',
        message: `${this.#named(scans)}: a scan, a picture without text.${advice(scans, scans.length === 1 ? 'it' : 'them')}`,
      });
    this.#tellPictures(advice);
    if (this.#broken.size > 0)
      warn({
        code: 'BROKEN_TEXT',
        message: `${this.#named([...this.#broken])}: the text cannot be read reliably (${plural(this.#broken.size, this.#unit ?? 'page')}).`,
      });
  }

  #tellPictures(advice: (pages: readonly number[], what: string) => string): void {
    if (this.#unmarked.size === 0) return;
    const pages = [...this.#unmarked.keys()].sort((a, b) => a - b);
    const count = [...this.#unmarked.values()].reduce((sum, one) => sum + one, 0);
    this.#context.warn({
      code: 'SKIPPED_CONTENT',
      message: `${this.#named(pages)}: ${plural(count, 'picture')} not marked in the text (small, many on one page, or behind text).${advice(pages, count === 1 ? 'it' : 'them')}`,
    });
  }

  /** What is given once, and page numbers, which are left out. */
  #tellRunningText(): void {
    const byPages = new Map<string, string[]>();
    for (const texts of this.#repeated.values()) {
      const pages = this.#onPages([...texts.keys()]);
      byPages.set(pages, [...(byPages.get(pages) ?? []), spanOf(texts)]);
    }
    const unit = this.#unit ?? 'page';
    const repeated = [...byPages].map(([pages, texts]) => `${pages}: ${texts.join(', ')}`).join('; ');
    const printed = [...this.#pageNumbers].sort(([a], [b]) => a - b);
    const values = printed.map(([, value]) => value);
    const numbers = values.length > 2 ? `${values[0]} to ${values.at(-1)}` : values.join(', ');
    const sentences = [
      ...(repeated === '' ? [] : [`Given once, repeated on ${repeated}.`]),
      ...(printed.length === 0
        ? []
        : [`Left out: the ${unit} numbers of ${this.#onPages(printed.map(([at]) => at))} (${numbers}).`]),
    ];
    if (sentences.length > 0) this.#context.warn({ code: 'RUNNING_TEXT', message: sentences.join(' ') });
  }

  /** `pages 1-3`. */
  #onPages(numbers: readonly number[]): string {
    const sorted = [...numbers].sort((a, b) => a - b);
    return `${this.#unit ?? 'page'}${numbers.length === 1 ? '' : 's'} ${inRanges(sorted)}`;
  }

  /** `Pages 1-3 of 10`. */
  #named(numbers: readonly number[]): string {
    const unit = this.#unit === 'slide' ? 'Slide' : 'Page';
    const sorted = [...numbers].sort((a, b) => a - b);
    return `${unit}${numbers.length === 1 ? '' : 's'} ${inRanges(sorted)} of ${this.#count}`;
  }

  #tellRecognition(): void {
    const read = new Map<string, Map<number, number>>();
    const failed = new Map<string, number[]>();
    for (const [number, recognition] of this.#recognized)
      if ('failure' in recognition)
        failed.set(recognition.failure, [...(failed.get(recognition.failure) ?? []), number]);
      else
        read.set(recognition.by, (read.get(recognition.by) ?? new Map()).set(number, recognition.confidence));
    for (const [by, pages] of read)
      this.#context.warn({
        code: 'OCR_TEXT',
        message: `${this.#named([...pages.keys()])}: text recognized from a scan by ${quoted(by)} (confidence ${confidenceOf(pages)}); it can contain errors.`,
      });
    for (const [failure, numbers] of failed)
      this.#context.warn({
        code: 'OCR_FAILED',
        message: `${this.#named(numbers)}: the text of the scan was not recognized. ${failure}`,
      });
  }
}

/** The text of all pages, or those of the first and the last where a number in it rises. */
function spanOf(texts: ReadonlyMap<number, string>): string {
  const sorted = [...texts].sort(([a], [b]) => a - b).map(([, text]) => text);
  const [first = '', last = first] = [sorted[0], sorted.at(-1)];
  return first === last ? quoted(first) : `${named(shortName(first))} to ${named(shortName(last))}`;
}

/** `0.93, lowest 0.71 on page 3`. */
function confidenceOf(pages: ReadonlyMap<number, number>): string {
  let lowest = { page: 0, confidence: Number.POSITIVE_INFINITY };
  let sum = 0;
  for (const [page, confidence] of pages) {
    sum += confidence;
    if (confidence < lowest.confidence) lowest = { page, confidence };
  }
  const mean = (sum / pages.size).toFixed(2);
  return pages.size === 1 ? mean : `${mean}, lowest ${lowest.confidence.toFixed(2)} on page ${lowest.page}`;
}
