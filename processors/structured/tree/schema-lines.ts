// A schema as lines, outer levels first: written like types, with the sizes of arrays and dictionaries.

import {
  type OutlineLine,
  oneLine,
  type ProcessContext,
  plural,
  quoted,
  safeCut,
} from '../../../src/contract/index.ts';
import { alikeMembers, dictionaryOf, repetitionOf, type Schema, type Span } from './schema.ts';
import type { TreeLimits } from './shape.ts';

/** What of a document is looked at: of a long array the first items. */
export const SCHEMA_LIMITS: TreeLimits = { depth: 9, items: 1000, keys: 2000, string: 40 };

/** Above a view a schema is worth its room where each of its names stands for this many in the document. */
const LEAST_REPETITION = 3;

/** A name without quotes where it cannot be misread. */
const NAME = /^[\p{L}_$@][\p{L}\p{N}_.$@/-]{0,59}$/u;
const MAX_NAME_LENGTH = 60;
const MAX_NAMES_A_LINE = 40;
/** Strings are told one by one where each was met this often on average. */
const LEAST_REPEATS = 3;

/** Says so where a document of `levels` has more than an outline covers. */
export function warnOfDepth(
  levels: number,
  { selection, warn }: Pick<ProcessContext, 'selection' | 'warn'>,
): void {
  if (levels <= SCHEMA_LIMITS.depth || selection.brief) return;
  const message = `The outline covers ${SCHEMA_LIMITS.depth} of ${levels} levels.`;
  warn({ code: 'SKIPPED_CONTENT', message });
}

/** The outline of a document with this schema; `brief` above a view, which shows what does not repeat by itself. */
export function* schemaOutline(
  schema: Schema,
  brief: boolean,
  root: string = rootText(schema),
): Generator<OutlineLine> {
  if (brief && repetitionOf(schema) < LEAST_REPETITION) return;
  if (root !== '') yield { level: 0, text: root };
  yield* schemaLines(schema);
}

/** Lines for what stands inside `schema`; where that has no names, one line for itself. */
function* schemaLines(schema: Schema): Generator<OutlineLine> {
  const { core, around } = unwrapped(schema);
  if (around === undefined && core.members.size > 0) yield* memberLines(core, 1);
  else yield* lineOf('', schema, 1);
}

/** What the whole is: `object of 3 keys`, `array of 250 items`. */
function rootText({ objects, arrays, names, lengths }: Schema): string {
  if (objects === 1 && arrays === 0 && names) return `object of ${plural(names.most, 'key')}`;
  if (arrays === 1 && objects === 0 && lengths) return `array of ${plural(lengths.most, 'item')}`;
  return '';
}

function* memberLines(schema: Schema, level: number): Generator<OutlineLine> {
  for (const { names, member } of alikeMembers(schema)) {
    const labels = names.slice(0, MAX_NAMES_A_LINE).map((name) => {
      const count = schema.members.get(name)?.count ?? 0;
      return `${nameText(name)}${count < schema.objects ? '?' : ''}`;
    });
    const more = names.length > labels.length ? ` … ${names.length - labels.length} more` : '';
    yield* lineOf(`${labels.join(', ')}${more}`, member, level);
  }
}

function* lineOf(label: string, schema: Schema, level: number): Generator<OutlineLine> {
  const { core, around = ['', ''] } = unwrapped(schema);
  const [before, after] = around;
  const lead = label === '' ? '' : `${label}: `;
  const others = scalarText(core);
  const also = others === '' || core.members.size === 0 ? '' : ` | ${others}`;
  const indent = '  '.repeat(level - 1);
  if (core.members.size === 0) {
    const inner = core.objects > 0 ? sizedObject(core) : others;
    const text = `${before}${inner}${after}`;
    yield {
      level,
      nested: true,
      text: `${indent}${text === '' ? label : `${lead}${text}`}`,
      short: before === '' && core.objects === 0 ? label || text : `${lead}${text}`,
      ...(label !== '' && { name: label }),
    };
    return;
  }
  const names = sizedObject(core);
  yield {
    level,
    nested: true,
    text: `${indent}${lead}${before}${names}${after}${also}`,
    short: `${lead}${before}${names}${after}`,
    ...(label !== '' && { name: label }),
    around: [`${lead}${before}{`, `}${after}`],
  };
  yield* memberLines(core, level + 1);
}

const sizedObject = ({ names }: Schema): string =>
  names && names.most === 0 ? '{}' : `{${keysText(names)}}`;

/** What lies inside arrays and dictionaries, and what is written before and after it. */
interface Unwrapped {
  readonly core: Schema;
  readonly around?: readonly [string, string];
}

function unwrapped(schema: Schema): Unwrapped {
  const common = dictionaryOf(schema);
  const inner = common ?? (schema.members.size === 0 ? schema.items : undefined);
  if (!inner) return { core: schema };
  const { core, around = ['', ''] } = unwrapped(inner);
  const [before, after] = around;
  return common
    ? { core, around: [`{[${keysText(schema.names)}]: ${before}`, `${after}}`] }
    : {
        core,
        around: [`[${before}`, `${after} x ${spanText(schema.lengths)}]${schema.objects > 0 ? ' | {}' : ''}`],
      };
}

const keysText = (span: Span | undefined): string => `${spanText(span)} ${span?.most === 1 ? 'key' : 'keys'}`;

function spanText(span: Span | undefined): string {
  if (!span) return '0';
  return span.least === span.most
    ? numberText(span.most)
    : `${numberText(span.least)}-${numberText(span.most)}`;
}

const numberText = (value: number): string => String(Number(value.toPrecision(6)));

/** The kinds of the scalars, with their range or their few values. */
function scalarText({ scalars, numbers, strings, arrays, objects }: Schema): string {
  const kinds: string[] = [];
  for (const [kind, count] of scalars) {
    if (kind === 'number' && numbers && numbers.most > numbers.least)
      kinds.push(`number ${numberText(numbers.least)}..${numberText(numbers.most)}`);
    else if (kind === 'string' && strings && strings.size > 0 && strings.size * LEAST_REPEATS <= count)
      kinds.push([...strings].map((text) => quoted(oneLine(text)).replaceAll('`', '"')).join(' | '));
    else kinds.push(kind);
  }
  // Beside objects: an array at a place where others are objects.
  if (arrays > 0 && (objects > 0 || kinds.length > 0)) kinds.push('array');
  return kinds.join(' | ');
}

function nameText(name: string): string {
  const line = oneLine(name);
  const short = line.length > MAX_NAME_LENGTH ? `${line.slice(0, safeCut(line, MAX_NAME_LENGTH))}…` : line;
  return NAME.test(short) ? short : JSON.stringify(short);
}
