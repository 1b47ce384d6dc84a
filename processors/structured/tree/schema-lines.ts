// Renders a schema as lines, outer levels first, in a type-like notation with the sizes of arrays and dictionaries.

import {
  type OutlineLine,
  oneLine,
  type ProcessContext,
  plural,
  quoted,
  safeCut,
} from '../../../src/contract/index.ts';
import type { TreeBounds } from '../source-node.ts';
import { alikeMembers, dictionaryOf, repetitionOf, type Schema, type Span } from './schema.ts';
import type { TreeLimits } from './shape.ts';

/** How much of a document is inspected: of a long array the first items. */
export const SCHEMA_LIMITS: TreeLimits = { depth: 9, items: 1000, keys: 2000, string: 40 };

/** The same of a document that is in memory: all its items, as far as there is room for so many nodes. */
export const SCHEMA_BOUNDS: TreeBounds = {
  levels: SCHEMA_LIMITS.depth,
  string: SCHEMA_LIMITS.string,
  nodes: 200_000,
  characters: Number.POSITIVE_INFINITY,
};

/** Minimum average occurrences per name for a schema to be shown above a view. */
const LEAST_REPETITION = 3;

/** A name that is unambiguous without quotes. */
const NAME = /^[\p{L}_$@][\p{L}\p{N}_.$@/-]{0,59}$/u;
const MAX_NAME_LENGTH = 60;
const MAX_NAMES_A_LINE = 40;
/** Distinct strings are listed if each occurred this often on average. */
const LEAST_REPEATS = 3;

/** Warns if a document of `levels` is deeper than an outline covers. */
export function warnOfDepth(
  levels: number,
  { selection, warn }: Pick<ProcessContext, 'selection' | 'warn'>,
): void {
  if (levels <= SCHEMA_LIMITS.depth || selection.brief) return;
  const message = `The outline covers ${SCHEMA_LIMITS.depth} of ${levels} levels.`;
  warn({ code: 'SKIPPED_CONTENT', message });
}

/**
 * The outline of a document with this schema; `brief` is the form above a view, which already shows what does not
 * repeat.
 */
export function* schemaOutline(
  schema: Schema,
  brief: boolean,
  root: string = rootText(schema),
): Generator<OutlineLine> {
  if (brief && repetitionOf(schema) < LEAST_REPETITION) return;
  if (root !== '') yield { level: 0, text: root };
  yield* schemaLines(schema);
}

/** Lines for the content of `schema`; if it has no names, one line for itself. */
function* schemaLines(schema: Schema): Generator<OutlineLine> {
  const { core, before } = unwrapped(schema);
  if (before === '' && core.members.size > 0) yield* memberLines(core, 1);
  else yield* lineOf('', schema, 1);
}

/** Describes the root: `object of 3 keys`, `array of 250 items`. */
function rootText({ objects, arrays, names, lengths }: Schema): string {
  if (objects === 1 && arrays === 0 && names) return `object of ${plural(names.most, 'key')}`;
  if (arrays === 1 && objects === 0 && lengths) return `array of ${plural(lengths.most, 'item')}`;
  return '';
}

function* memberLines(schema: Schema, level: number): Generator<OutlineLine> {
  for (const { names, member } of alikeMembers(schema)) {
    const labels = names.slice(0, MAX_NAMES_A_LINE).map((name) => {
      const count = schema.members.get(name)?.count ?? 0;
      return `${nameText(name)}${count < schema.complete ? '?' : ''}`;
    });
    const more = names.length > labels.length ? ` … ${names.length - labels.length} more` : '';
    yield* lineOf(`${labels.join(', ')}${more}`, member, level);
  }
  if (schema.others) yield* lineOf('other names', schema.others, level);
}

function* lineOf(label: string, schema: Schema, level: number): Generator<OutlineLine> {
  const { core, bare, before, after } = unwrapped(schema);
  const lead = label === '' ? '' : `${label}: `;
  const indent = '  '.repeat(level - 1);
  if (core.members.size === 0) {
    const text = `${before}${bare}${after}`;
    yield {
      level,
      nested: true,
      text: `${indent}${text === '' ? label : `${lead}${text}`}`,
      short: before === '' && core.objects === 0 ? label || text : `${lead}${text}`,
      ...(label !== '' && { name: label }),
    };
    return;
  }
  const text = `${lead}${before}${bare}${after}`;
  yield {
    level,
    nested: true,
    text: `${indent}${text}`,
    short: text,
    ...(label !== '' && { name: label }),
    around: [`${lead}${before}{`, `}${after}`],
  };
  yield* memberLines(core, level + 1);
}

const sizedObject = ({ names, namesOf, memberships, members, objects }: Schema): string =>
  names && names.most === 0
    ? '{}'
    : `{${keysText(names)}${members.size === 0 ? '' : lookedAt(memberships, namesOf, objects)}}`;

/** The content of arrays and dictionaries, its notation without names, and the notation around it. */
interface Unwrapped {
  readonly core: Schema;
  readonly bare: string;
  readonly before: string;
  readonly after: string;
}

/** `counted`: the values are the items of one array and of several kinds, so each kind is written with its number. */
function unwrapped(schema: Schema, counted = false): Unwrapped {
  const { arrays, items, itemsOf, lengths, members, memberships, names, namesOf, objects } = schema;
  const scalars = kindTexts(schema, counted);
  const common = dictionaryOf(schema);
  const object = objects > 0 ? [`${sizedObject(schema)}${times(objects, counted)}`] : [];
  const array = arrays > 0 ? [`array${times(arrays, counted)}`] : [];
  if (common) {
    const inner = unwrapped(common);
    const size = `${keysText(names)}${lookedAt(memberships, namesOf, objects)}`;
    return {
      ...inner,
      before: `{[${size}]: ${inner.before}`,
      after: [`${inner.after}}${times(objects, counted)}`, ...scalars, ...array].join(' | '),
    };
  }
  if (members.size === 0 && items) {
    const eachCounted = arrays === 1 && items.count === itemsOf && kindsIn(items) > 1;
    const inner = unwrapped(items, eachCounted);
    const size = `${eachCounted ? '' : ` x ${spanText(lengths)}`}${lookedAt(items.count, itemsOf, arrays)}`;
    return {
      ...inner,
      before: `[${inner.before}`,
      after: [`${inner.after}${size}]${times(arrays, counted)}`, ...scalars, ...object].join(' | '),
    };
  }
  // An array without inspected content is described by its name only.
  const [bare = '', ...also] =
    objects > 0 ? [...object, ...scalars, ...array] : [...scalars, ...(scalars.length > 0 ? array : [])];
  return { core: schema, bare, before: '', after: ['', ...also].join(' | ') };
}

const times = (count: number, counted: boolean): string => (counted ? ` x ${count}` : '');

const kindsIn = ({ scalars, objects, arrays }: Schema): number =>
  scalars.size + (objects > 0 ? 1 : 0) + (arrays > 0 ? 1 : 0);

/** States that the shape is based on `looked` of `of` items in `containers` containers. */
function lookedAt(looked: number, of: number, containers: number): string {
  if (looked >= of) return '';
  return containers === 1 ? `; shape of the first ${looked}` : `; shape of ${looked} of ${of}`;
}

const keysText = (span: Span | undefined): string => `${spanText(span)} ${span?.most === 1 ? 'key' : 'keys'}`;

function spanText(span: Span | undefined): string {
  if (!span) return '0';
  return span.least === span.most
    ? numberText(span.most)
    : `${numberText(span.least)}-${numberText(span.most)}`;
}

const numberText = (value: number): string => String(Number(value.toPrecision(6)));

/** Describes the scalar kinds, with their number, or with their range or few distinct values. */
function kindTexts({ scalars, numbers, strings }: Schema, counted: boolean): string[] {
  return [...scalars].map(([kind, count]) => {
    if (kind === 'number' && numbers && numbers.most > numbers.least)
      return `number ${numberText(numbers.least)}..${numberText(numbers.most)}${times(count, counted)}`;
    if (counted) return `${kind}${times(count, true)}`;
    if (kind === 'string' && strings && strings.size > 0 && strings.size * LEAST_REPEATS <= count)
      return [...strings].map((text) => quoted(oneLine(text)).replaceAll('`', '"')).join(' | ');
    return kind;
  });
}

function nameText(name: string): string {
  const line = oneLine(name);
  const short = line.length > MAX_NAME_LENGTH ? `${line.slice(0, safeCut(line, MAX_NAME_LENGTH))}…` : line;
  return NAME.test(short) ? short : JSON.stringify(short);
}
