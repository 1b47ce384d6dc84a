// Words the notes, the same way for every format: what is shown, what is left out, how to go on. Makes `text` from
// views and notes, in the fullest form that the budget holds. Changes no content.

import {
  type Extent,
  oneLine,
  plural,
  type RequestFields,
  safeCut,
  type TextPart,
  type Tokens,
  viewOf,
  type Warning,
} from '../contract/index.ts';

/** What the notes are about. */
export interface Account {
  readonly shown: readonly Extent[];
  readonly omitted: readonly Extent[];
  readonly cellsCut: number;
  readonly next: {
    readonly cursor: string;
    readonly request?: RequestFields;
    readonly skip?: RequestFields;
  } | null;
  readonly warnings: readonly Warning[];
}

const MAX_PLACES = 6;

/** `rows 21-4990`, `row 7`, `characters 1001-5000 of line 5`. */
function span(extent: Extent): string {
  const range =
    extent.from === extent.to
      ? `${extent.unit} ${extent.from}`
      : `${many(extent.unit)} ${extent.from}-${extent.to}`;
  return extent.name === undefined || extent.name === '' ? range : `${range} of ${oneLine(extent.name)}`;
}

/** `rows`, `entries`. */
const many = (unit: string): string => plural(2, unit).slice(2);

function list(extents: readonly Extent[], places: number): string {
  const names = extents.slice(0, places).map(span);
  const more = extents.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${plural(more, 'more place')}` : names.join(', ');
}

/** `columns 50 of 100, rows 30 of 5000, 15 cells cut`: one entry for each whole that is not shown in full. */
function counts(account: Account, places: number): string {
  const totals = new Map<string, { unit: string; name: string; shown: number; of: number }>();
  for (const { unit, name = '', from, to, of } of account.shown) {
    if (of === undefined) continue;
    const total = totals.get(`${unit} ${name}`) ?? { unit, name, shown: 0, of };
    total.shown += to - from + 1;
    totals.set(`${unit} ${name}`, total);
  }
  for (const { unit, name = '', of } of account.omitted)
    if (of !== undefined && !totals.has(`${unit} ${name}`))
      totals.set(`${unit} ${name}`, { unit, name, shown: 0, of });
  const partial = [...totals.values()].filter((total) => total.shown < total.of);
  // Columns before rows, as people say it.
  partial.sort((a, b) => Number(b.unit === 'column') - Number(a.unit === 'column'));
  const entries = partial
    .slice(0, places)
    .map(
      ({ unit, name, shown, of }) =>
        `${name === '' ? '' : `${oneLine(name)}: `}${many(unit)} ${shown} of ${of}`,
    );
  if (partial.length > entries.length) entries.push(plural(partial.length - entries.length, 'more place'));
  if (account.cellsCut > 0) entries.push(`${plural(account.cellsCut, 'cell')} cut`);
  return entries.join(', ');
}

function inWords(request: RequestFields): string {
  return Object.entries(request)
    .map(([field, value]) => `${field} "${oneLine(String(value))}"`)
    .join(', ');
}

function onward(account: Account): string {
  const { next } = account;
  if (!next) return '';
  if (next.request) return ` Continue with ${inWords(next.request)}.`;
  const skip = next.skip ? `, or pass over the rest with ${inWords(next.skip)}` : '';
  return ` Continue with cursor "${next.cursor}"${skip}.`;
}

/** The truncation note, fullest form first; one empty form when nothing is left out. */
export function truncationNotes(account: Account): string[] {
  if (account.omitted.length === 0 && account.cellsCut === 0 && !account.next) return [''];
  const forms: string[] = [];
  const go = onward(account);
  const primary = account.omitted[0]?.unit;
  const cut = new Set(account.omitted.map(({ unit, name = '' }) => `${unit} ${name}`));
  const partly = account.shown.filter(({ unit, name = '' }) => cut.has(`${unit} ${name}`));
  for (const places of [MAX_PLACES, 3, 1]) {
    const left = list(account.omitted, places);
    const shown = list(partly, places);
    forms.push(
      `[Truncated: ${counts(account, places)}.${shown === '' ? '' : ` Shown: ${shown}.`}${left === '' ? '' : ` Left out: ${left}.`}${go}]`,
    );
  }
  forms.push(
    `[Truncated: ${counts(account, 1)}.${go}]`,
    `[${counts(account, 1)};${go.replace(' Continue with', '')}]`,
  );
  forms.push(
    `[${counts(account, 1)}]`,
    primary === undefined ? '[cut]' : `[${many(primary)} cut]`,
    '[cut]',
    '…',
  );
  return forms;
}

/** The visible line between two parts that do not touch. */
function gap(before: TextPart, after: TextPart): string {
  const a = before.shown[0];
  const b = after.shown[0];
  if (!a || !b || a.unit !== b.unit || a.name !== b.name || b.from <= a.to + 1) return '';
  return `[… ${span({ ...a, from: a.to + 1, to: b.from - 1 })} left out …]\n`;
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Views in order, with a line where parts do not touch. */
export function joinViews(parts: readonly TextPart[]): string {
  let text = '';
  let endsLine = true;
  let before: TextPart | undefined;
  for (const part of parts) {
    const view = viewOf(part);
    if (before && view !== '') text += `${endsLine ? '' : '\n'}${gap(before, part)}`;
    if (view !== '') endsLine = view.endsWith('\n');
    text += view;
    before = part;
  }
  return text;
}

/**
 * Content and notes within `maxTokens` and `maxCharacters`: the fullest truncation note that fits, then as many
 * warnings as fit, and when not even bare content does, its longest prefix with a mark that it is cut.
 */
export function render(
  parts: readonly TextPart[],
  account: Account,
  budget: {
    readonly tokens: Tokens;
    readonly characters: number;
    fits(text: string, tokens: Tokens, characters: number): boolean;
    prefix(text: string, tokens: Tokens): number;
  },
): string {
  const body = joinViews(parts);
  const within = (text: string): boolean => budget.fits(text, budget.tokens, budget.characters);
  let text = withNote(body, truncationNotes(account), within);
  if (text === undefined) {
    const start = (tokens: Tokens, characters: number): string => {
      const cut = safeCut(body, characters);
      const short = cut > characters ? '' : body.slice(0, cut);
      return short.slice(0, budget.prefix(short, tokens));
    };
    const marked = `${start(Math.max(0, budget.tokens - 2), Math.max(0, budget.characters - 1))}…`;
    return within(marked) ? marked : start(budget.tokens, budget.characters);
  }
  for (const { code, message } of account.warnings) {
    if (code === 'TRUNCATED') continue;
    const candidate: string = `${ended(text)}[Note: ${oneLine(message)}]\n`;
    if (within(candidate)) text = candidate;
  }
  return text;
}

function withNote(
  body: string,
  notes: readonly string[],
  within: (text: string) => boolean,
): string | undefined {
  for (const note of notes) {
    if (note === '') return within(body) ? body : undefined;
    const candidate = `${ended(body)}${note}\n`;
    if (within(candidate)) return candidate;
    if (within(candidate.slice(0, -1))) return candidate.slice(0, -1);
  }
  return undefined;
}
