// Texts of a result as UTF-8 can hold them, and remarks on what was lost.

import { isWellFormed, plural, strictJson, wellFormed } from '../../contract/index.ts';
import { UniqueNames } from './keys.ts';

/** What could not be written as it was; each kind is told once, with its count. */
export class Remarks {
  readonly #counts = new Map<string, { count: number; readonly unit: string }>();
  readonly #told: string[] = [];

  /** `what` is a sentence that a count can follow: `Functions are left out`. */
  add(what: string, unit: string = 'value'): void {
    const known = this.#counts.get(what);
    if (known) known.count += 1;
    else this.#counts.set(what, { count: 1, unit });
  }

  /** Of what happens once. */
  tell(sentence: string): void {
    this.#told.push(sentence);
  }

  notes(): string[] {
    const counted = [...this.#counts].map(([what, { count, unit }]) => `${what}: ${plural(count, unit)}.`);
    return [...this.#told, ...counted];
  }
}

export const LEFT_OUT = 'Functions and symbols are left out';
export const NO_DATE = 'Dates that are no valid time are written as empty';
export const NOT_FINITE = '`NaN` and `Infinity`, which JSON has no form for, are written as strings';
export const FORMULAS =
  'Texts that spreadsheet programs run as formulas (they begin with `=`, `+`, `-` or `@`) are written as they are';
const UNPAIRED = 'Unpaired surrogates, which UTF-8 cannot encode, are written as `\u{fffd}`';

/**
 * `text` as every format writes it: U+FFFD for an unpaired surrogate, with a remark. JSON and XLSX could escape one, but
 * strict readers (jq, openpyxl) refuse the escape or pass on what no file can hold.
 */
export function encodable(text: string, remarks: Remarks): string {
  if (isWellFormed(text)) return text;
  remarks.add(UNPAIRED, 'text');
  return wellFormed(text);
}

/** JSON that the caller wrote, as `encodable`: an escape of an unpaired surrogate is refused by strict readers as well. */
export function encodableJson(json: string, remarks: Remarks): string {
  const strict = strictJson(json);
  if (strict !== json) remarks.add(UNPAIRED, 'text');
  return encodable(strict, remarks);
}

/** The keys of one object as they are written: different keys stay different, and those without a fault stay as they are. */
export function encodableKeys(keys: readonly string[], remarks: Remarks): readonly string[] {
  if (keys.every(isWellFormed)) return keys;
  const names = new UniqueNames();
  for (const key of keys) if (isWellFormed(key)) names.take(key);
  return keys.map((key) => (isWellFormed(key) ? key : names.take(encodable(key, remarks))));
}
