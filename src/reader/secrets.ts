// Where secrets are replaced in a read: in text files before anything else reads them, in everything else as it comes out
// of its processor. Says how many were.

import {
  type Extent,
  type FormatFacts,
  type Part,
  plural,
  ReaderError,
  type TextPart,
  type Warning,
} from '../contract/index.ts';
import { placeholdersIn, type Redactor, redactedSource } from '../redact/index.ts';
import type { Detected } from './detect.ts';
import type { Engine } from './engine.ts';
import type { Entered } from './enter.ts';
import type { Inspection, ReadFailure, ReadSuccess } from './result.ts';

/** The file as its processor reads it: text without its secrets, if they are not to be shown. */
export function withoutSecrets(
  entered: Entered,
  { processor }: Pick<Detected, 'processor'>,
  { redactor }: Pick<Engine, 'redactor'>,
): Entered {
  if (!redactor || !processor.textual) return entered;
  return { ...entered, source: redactedSource(entered.source, redactor) };
}

/** `value` with its texts redacted: facts of a format. */
export function redactedFacts(facts: FormatFacts, redactor: Redactor): FormatFacts {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.text(value);
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [redactor.text(key), change(one)]));
  };
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, change(value)]));
}

/** Names of sheets and sections stand in notes and errors too. */
export function redactedAnswer<T extends ReadSuccess | Inspection | ReadFailure>(
  answer: T,
  { redactor }: Pick<Engine, 'redactor'>,
): T {
  if (!redactor) return answer;
  if ('text' in answer) return { ...answer, text: redactor.text(answer.text) };
  if (!('error' in answer)) return answer;
  const { code, message, hint } = answer.error;
  return { ...answer, error: { code, message: redactor.text(message), hint: redactor.text(hint) } };
}

/** An error that may quote names from the file. */
export function redactedError(error: ReaderError, { redactor }: Pick<Engine, 'redactor'>): ReaderError {
  if (!redactor) return error;
  const { code, message, hint, cause } = error;
  return new ReaderError(code, redactor.text(message), redactor.text(hint), cause);
}

/** Maximum places named for each kind. */
const MAX_PLACES = 5;

/** What was replaced in `parts`, by kind, and where. */
export function redactedNote(parts: readonly Part[]): Warning[] {
  const kinds = new Map<string, { readonly places: Set<string>; count: number }>();
  let count = 0;
  for (const part of parts) {
    if (part.kind !== 'text') continue;
    for (const { kind, at } of placeholdersIn(part.text)) {
      const entry = kinds.get(kind) ?? { places: new Set(), count: 0 };
      entry.count += 1;
      const place = placeIn(part, at);
      if (place !== '') entry.places.add(place);
      kinds.set(kind, entry);
      count += 1;
    }
  }
  if (count === 0) return [];
  const list = [...kinds].map(([kind, { count: times, places }]) => {
    const named = [...places].slice(0, MAX_PLACES).join(', ');
    const more = places.size > MAX_PLACES ? ` and ${places.size - MAX_PLACES} more` : '';
    return `${times} ${kind}${named === '' ? '' : ` (${named}${more})`}`;
  });
  return [
    {
      code: 'REDACTED',
      message: `${plural(count, 'secret')} replaced by placeholders of the same length: ${list.join('; ')}.`,
    },
  ];
}

/** `line 3`, `page 2`, `row 7 of Prices`: where `at` is in `part`, as near as its extents tell. */
function placeIn({ text, shown }: TextPart, at: number): string {
  const line = shown.find(({ unit }) => unit === 'line');
  const first = shown[0];
  if (!first) return '';
  if (line) {
    const number = line.from + (text.slice(0, at).match(/\n/g)?.length ?? 0);
    return placeName({ ...line, from: number, to: number }, first === line ? undefined : first);
  }
  return placeName(first, undefined);
}

function placeName({ unit, from, to, name }: Extent, outer: Extent | undefined): string {
  const range = from === to ? `${unit} ${from}` : `${unit}s ${from}-${to}`;
  if (outer) return `${outer.unit} ${outer.from}, ${range}`;
  return name === undefined ? range : `${range} of ${name}`;
}
