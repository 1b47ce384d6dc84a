// Converts text of a result to valid UTF-8, and collects remarks on what was changed.

import { isWellFormed, plural, strictJson, wellFormed } from '../../contract/index.ts';
import { UniqueNames } from './keys.ts';

/** Remarks on values that could not be written unchanged; each kind is reported once, with its count. */
export class Remarks {
  readonly #counts = new Map<string, { count: number; readonly unit: string }>();
  readonly #told: string[] = [];

  /** `what` is a sentence that a count can follow: `Functions are left out`. */
  add(what: string, unit: string = 'value'): void {
    const known = this.#counts.get(what);
    if (known) known.count += 1;
    else this.#counts.set(what, { count: 1, unit });
  }

  /** For something that happens once. */
  tell(sentence: string): void {
    this.#told.push(sentence);
  }

  notes(): string[] {
    const counted = [...this.#counts].map(([what, { count, unit }]) => `${what}: ${plural(count, unit)}.`);
    return [...this.#told, ...counted];
  }
}

export const LEFT_OUT = 'Functions and symbols are left out';
export const NO_DATE = 'Invalid dates are written as empty';
export const NOT_FINITE = '`NaN` and `Infinity`, which JSON cannot represent, are written as strings';
export const FORMULAS =
  'Strings that spreadsheet programs run as formulas (they begin with `=`, `+`, `-` or `@`) are written unchanged';
const UNPAIRED = 'Unpaired surrogates, which UTF-8 cannot encode, are written as `\u{fffd}`';

/**
 * `text` with U+FFFD for each unpaired surrogate, and a remark. JSON and XLSX could escape one, but strict readers (jq,
 * openpyxl) reject the escape or produce text no file can hold.
 */
export function encodable(text: string, remarks: Remarks): string {
  if (isWellFormed(text)) return text;
  remarks.add(UNPAIRED, 'text');
  return wellFormed(text);
}

/** Like `encodable`, for JSON written by the caller: strict readers also reject escaped unpaired surrogates. */
export function encodableJson(json: string, remarks: Remarks): string {
  const strict = strictJson(json);
  if (strict !== json) remarks.add(UNPAIRED, 'text');
  return encodable(strict, remarks);
}

/** The keys of one object as written: distinct keys stay distinct, and valid keys stay unchanged. */
export function encodableKeys(keys: readonly string[], remarks: Remarks): readonly string[] {
  if (keys.every(isWellFormed)) return keys;
  const names = new UniqueNames();
  for (const key of keys) if (isWellFormed(key)) names.take(key);
  return keys.map((key) => (isWellFormed(key) ? key : names.take(encodable(key, remarks))));
}
