// The line that shows how far a command is, on a terminal: `report.pdf (3 of 40): page 19 of 352`. It is drawn over itself,
// cut to the width of the terminal, and never goes backwards within a file.

import { oneLine, shortName } from '../contract/index.ts';
import type { Progress } from '../index.ts';
import { sizeText } from './sizes.ts';

export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  /** Removes the line, if it is drawn. */
  readonly clear: () => void;
}

/** Faster commands show no progress. */
const PROGRESS_AFTER_MS = 1000;
const USUAL_COLUMNS = 80;

/** The width of `stream` is asked each time, because people resize windows. */
export function createProgressLine(stream: NodeJS.WriteStream, isShown: boolean): ProgressLine {
  const started = Date.now();
  let drawn = false;
  let last: Progress = { bytes: 0, of: 0 };
  return {
    show: (progress) => {
      if (!isShown || Date.now() - started < PROGRESS_AFTER_MS) return;
      // A file of several may be read a second time with more room.
      if (isBehind(progress, last)) return;
      last = progress;
      drawn = true;
      stream.write(`\r\u001b[K${progressText(progress, (stream.columns ?? USUAL_COLUMNS) - 1)}`);
    },
    clear: () => {
      if (drawn) stream.write('\r\u001b[K');
      drawn = false;
    },
  };
}

const isBehind = (one: Progress, last: Progress): boolean =>
  one.name === last.name &&
  one.file === last.file &&
  ((one.page ?? 0) < (last.page ?? 0) || (one.page === undefined && one.bytes < last.bytes));

/** At most `columns` wide; of a name without room, the end is shown. */
export function progressText({ name, file, files = 1, ...progress }: Progress, columns: number): string {
  const place = file !== undefined && files > 1 ? ` (${file} of ${files})` : '';
  const done = doneOf(progress);
  const [label, rest] =
    name === undefined ? ['reading', `${place}: ${done}`] : [shown(name), `${place}: ${done}`];
  const characters = [...label];
  let width = widthOf(label) + rest.length;
  if (width <= columns) return label + rest;
  while (characters.length > 0 && width + 1 > columns) width -= widthOf(characters.shift() ?? '');
  return `…${characters.join('')}${rest}`.slice(0, columns);
}

const shown = (name: string): string => oneLine(name === '-' ? 'standard input' : shortName(name));

function doneOf({ bytes, of, page, pages }: Progress): string {
  if (page !== undefined) return `page ${page}${pages === undefined ? '' : ` of ${pages}`}`;
  // A file that is read more than once stays at 100 %.
  if (of > 0) return `${Math.min(100, Math.round((bytes / of) * 100))} % of ${sizeText(of)}`;
  return `${sizeText(bytes)} read`;
}

/** Characters that take two columns: East Asian Wide and Fullwidth, and pictographs (Unicode Standard Annex 11). */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}
