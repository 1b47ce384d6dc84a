// Words the notes, the same way for every format: what is shown, what is omitted, how to continue. Builds `text` from
// views and notes, in the fullest form that fits the budget. Does not change content.

import {
  disarmed,
  type Extent,
  OWN,
  oneLine,
  plural,
  quoted,
  type RequestFields,
  type Surroundings,
  safeCut,
  type TextPart,
  type Tokens,
  viewOf,
  type Warning,
} from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';
import { damageNote, ended, withWarnings } from './damage-note.ts';

/** What the notes report. */
export interface Account {
  readonly shown: readonly Extent[];
  readonly omitted: readonly Extent[];
  readonly cellsCut: number;
  /** All of the part that the request selects is shown, or the last page of a walk. */
  readonly isAsAsked: boolean;
  readonly next: {
    readonly cursor: string;
    readonly request?: RequestFields;
    readonly skip?: RequestFields;
    readonly surroundings?: Surroundings;
  } | null;
  readonly warnings: readonly Warning[];
}

/** Input of a truncation note. */
type Shown = Omit<Account, 'warnings'>;

/** Maximum number of wholes a note names, and of ranges within one. */
const MAX_PLACES = 3;

/** `rows 21-4990`, `row 7`. */
const span = ({ unit, from, to }: Extent): string =>
  from === to ? `${unit} ${from}` : `${many(unit)} ${from}-${to}`;

/** `rows`, `entries`. */
const many = (unit: string): string => plural(2, unit).slice(2);

/** ` in Prices`; empty for the units of the file itself. */
const within = (name: string): string => (name === '' ? '' : ` in ${oneLine(name)}`);

/** A whole that is partly shown. */
interface Partly {
  readonly unit: string;
  readonly name: string;
  readonly of: number;
  readonly shown: Extent[];
}

/** Every whole that is not fully shown, those with omitted parts first. */
function partlyShown({ shown, omitted }: Shown): Partly[] {
  const found = new Map<string, Partly>();
  for (const { unit, name = '', of } of [...omitted, ...shown])
    if (of !== undefined && !found.has(`${unit} ${name}`))
      found.set(`${unit} ${name}`, { unit, name, of, shown: [] });
  for (const extent of shown) found.get(`${extent.unit} ${extent.name ?? ''}`)?.shown.push(extent);
  return [...found.values()].filter(({ shown: parts, of }) => unitsIn(parts) < of);
}

const unitsIn = (extents: readonly Extent[]): number =>
  extents.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** `rows 1-20, 111-120 of 120 in Prices`, `0 of 120 rows`. */
function describe({ unit, name, of, shown }: Partly): string {
  if (shown.length === 0) return `0 of ${plural(of, unit)}${within(name)}`;
  const ranges = shown
    .slice(0, MAX_PLACES)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const units = unitsIn(shown) === 1 ? unit : many(unit);
  const more = shown.length > MAX_PLACES ? ` and ${shown.length - MAX_PLACES} more stretches` : '';
  return `${units} ${ranges.join(', ')}${more} of ${of}${within(name)}`;
}

/** How much is shown, one entry for each whole that is not fully shown. */
function counts(account: Shown, places: number): string {
  const partly = partlyShown(account);
  // The columns of a table are reported with its rows.
  const kept = partly.filter(
    ({ unit, name }, at) =>
      at < places || (unit === 'column' && partly.slice(0, places).some((other) => other.name === name)),
  );
  const entries = kept.map(describe);
  if (partly.length > entries.length)
    entries.push(`${plural(partly.length - entries.length, 'more place')} cut`);
  if (account.cellsCut > 0) entries.push(`${plural(account.cellsCut, 'cell')} cut`);
  return entries.join('; ');
}

function inWords(request: RequestFields): string {
  return Object.entries(request)
    .map(([field, value]) => `${field} "${oneLine(String(value))}"`)
    .join(', ');
}

/** How to continue, the fullest way first. */
function onward({ next }: Shown): string[] {
  if (!next) return [''];
  if (next.request) {
    const words = ` Continue with ${inWords(next.request)}`;
    const place = placeText(next.surroundings);
    return place === '' ? [`${words}.`] : [`${words} (${place}).`, `${words}.`];
  }
  const cursor = `cursor "${next.cursor}"`;
  if (!next.skip) return [` Continue with ${cursor}.`];
  const words = inWords(next.skip);
  return [
    ` Continue with ${words}, or with ${cursor} for all that is cut.`,
    ` Largest part left out: ${words}.`,
  ];
}

/** `inside Reader.read, then close, open`. */
function placeText({ inside, following = [] }: Partial<Surroundings> = {}): string {
  const names = following.map(quoted).join(', ');
  if (inside === undefined) return names;
  return `inside ${quoted(inside)}${names === '' ? '' : `, then ${names}`}`;
}

/** True if part of the file is omitted. */
export const isPartial = ({ omitted, cellsCut, next }: Shown): boolean =>
  omitted.length > 0 || cellsCut > 0 || next !== null;

/** True if something is omitted besides what the request leaves out or the walk has passed. */
export const isCut = (account: Shown): boolean => isPartial(account) && !account.isAsAsked;

/**
 * Forms of the note with what is shown and how to continue, the fullest first; the last is empty if the note may be
 * missing.
 */
export function truncationNotes(account: Shown): string[] {
  if (!isPartial(account)) return [''];
  if (!isCut(account)) return [`${OWN.note}${counts(account, MAX_PLACES)}]`, ''];
  return onward(account).flatMap((way) =>
    [MAX_PLACES, 1].map((places) => `${OWN.truncated} to ${counts(account, places)}.${way}]`),
  );
}

/** Shorter notes for a budget too small for those, the fullest first. */
function leastNotes(account: Shown): string[] {
  const way = onward(account).at(-1) ?? '';
  const columns = partlyShown(account).find(({ unit }) => unit === 'column');
  const primary = account.omitted[0]?.unit;
  return [
    ...(columns ? [`${OWN.truncated} to ${describe(columns)}.${way}]`] : []),
    `${OWN.truncated}.${way}]`,
    `${OWN.truncated} to ${counts(account, 1)}]`,
    primary === undefined ? '[cut]' : `[${many(primary)} cut]`,
    '[cut]',
    '…',
  ];
}

/** The visible line between two parts with a gap between them. */
function gap(before: TextPart, after: TextPart): string {
  const a = before.shown[0];
  const b = after.shown[0];
  if (!a || !b || a.unit !== b.unit || a.name !== b.name || b.from <= a.to + 1) return '';
  return `${OWN.gap}${span({ ...a, from: a.to + 1, to: b.from - 1 })}${within(a.name ?? '')} left out …]\n`;
}

/** True if `after` goes on where `before` ends, perhaps inside a line. */
function continues({ shown: [a] }: TextPart, { shown: [b] }: TextPart): boolean {
  if (a?.unit !== 'line' || b?.unit !== 'line' || a.name !== b.name) return false;
  return b.from === a.to || b.from === a.to + 1;
}

/** Joins views in order, escapes lines that look like notes, and marks gaps between parts. */
export function joinViews(parts: readonly TextPart[]): string {
  let text = '';
  // Adjacent parts are checked together, because a mark may span two of them.
  let run = '';
  let endsLine = true;
  let before: TextPart | undefined;
  for (const part of parts) {
    const view = viewOf(part);
    if (before && view !== '') {
      const between = gap(before, part);
      run += endsLine || continues(before, part) ? '' : '\n';
      if (between !== '') {
        text += disarmed(run) + between;
        run = '';
      }
    }
    if (view !== '') endsLine = view.endsWith('\n');
    run += view;
    before = part;
  }
  return text + disarmed(run);
}

/** Maximum share of the budget for a note that has a shorter form saying how to continue. */
const NOTE_SHARE = 0.12;

/**
 * Content and notes within `maxTokens` and `maxCharacters`: the fullest truncation note that fits, then as many
 * warnings as fit. If even the bare content does not fit, its longest prefix with a truncation mark.
 */
export function render(
  parts: readonly TextPart[],
  account: Account,
  { tokens: most, characters: units, counter }: Space,
): string {
  const body = joinViews(parts);
  const fits = (text: string): boolean => text.length <= units && counter.fits(text, most);
  const notes = truncationNotes(account);
  const short = notes.filter((note) => note.length <= units && counter.fits(note, most * NOTE_SHARE));
  const forms = isCut(account) ? [...short, ...notes.toReversed(), ...leastNotes(account)] : notes;
  const damage = damageNote(account.warnings);
  const text =
    withNote(body, forms, (candidate) => fits(ended(candidate) + damage)) ?? withNote(body, forms, fits);
  if (text !== undefined) return withWarnings(text, account.warnings, fits);
  const start = (tokens: Tokens, characters: number): string => {
    const cut = safeCut(body, characters);
    const kept = cut > characters ? '' : body.slice(0, cut);
    return kept.slice(0, counter.prefix(kept, tokens));
  };
  const marked = `${start(Math.max(0, most - 2), Math.max(0, units - 1))}…`;
  return fits(marked) ? marked : start(most, units);
}

/** What content and notes may take together. */
export interface Space {
  readonly tokens: Tokens;
  readonly characters: number;
  readonly counter: TokenCounter;
}

/** Tokens of the shortest note that says what is shown and how to continue. */
export function leastNote(account: Shown, counter: TokenCounter): Tokens {
  return Math.min(...truncationNotes(account).map((note) => counter.count(`${note}\n`)));
}

function withNote(
  body: string,
  notes: readonly string[],
  fits: (text: string) => boolean,
): string | undefined {
  for (const note of notes) {
    if (note === '') return fits(body) ? body : undefined;
    const candidate = `${ended(body)}${note}\n`;
    if (fits(candidate)) return candidate;
    if (fits(candidate.slice(0, -1))) return candidate.slice(0, -1);
  }
  return undefined;
}
