// Converts the arguments a model wrote to those of a tool: other names, other types, JSON strings in place of objects.
// Drops nothing silently and guesses nothing: ambiguous arguments are an error that says how to write them.

import { editDistance, plural, quoted, ReaderError } from '../contract/index.ts';
import { type ArgumentRules, advertisedNames, bad, type Draft } from './argument-rules.ts';
import { checked, coerced } from './coercion.ts';
import { pathOf } from './resource-path.ts';
import { type FieldSchema, fieldsOf } from './schema.ts';

/** Valid arguments, and notes about them. */
export interface Prepared {
  readonly args: Record<string, unknown>;
  /** Names of unknown arguments, which were ignored. */
  readonly ignored: readonly string[];
}

/** Comments on a call that models and hosts put among its arguments; ignored. */
const COMMENTARY: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'instruction',
  'intent',
  'justification',
  'purpose',
  'reason',
  'reasoning',
  'session_id',
  'task_progress',
  'thought',
  'title',
  'tool_call_id',
  '_meta',
]);

const WRAPPERS: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'input',
  'kwargs',
  'parameters',
  'params',
]);

const MAX_NAMES = 100;
const MAX_NAME = 64;

/** Maps `filePath`, `File-Path` and `file_path` to the same name. */
export function snake(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/**
 * Converts `given` to the arguments of a tool.
 * @throws {ReaderError} BAD_INPUT naming the argument, its value and what was expected
 */
export function prepareArguments(rules: ArgumentRules, given: unknown): Prepared {
  const fields = fieldsOf(rules.input);
  const draft = named(rules, fields, asObject(rules, given));
  rules.arrange?.(draft);
  const args: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, { value, as }] of draft) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field) {
      const read = coerced(name, as, value, field, rules.contents?.includes(name) === true);
      args[name] = name === 'path' && typeof read === 'string' ? pathOf(read) : read;
    } else unknown.push(as);
  }
  const ignored = refuseUnknown(rules, Object.keys(fields), unknown);
  return { args: checked(rules, fields, args), ignored };
}

/** The arguments as one plain object, from any of their forms. */
function asObject(rules: ArgumentRules, given: unknown, depth = 0): Record<string, unknown> {
  if (given === undefined || given === null) return {};
  if (typeof given === 'string') {
    const text = given.trim();
    if (text === '') return {};
    if (depth < 3 && /^[[{"]/.test(text)) {
      try {
        return asObject(rules, JSON.parse(text), depth + 1);
      } catch (error) {
        if (error instanceof ReaderError) throw error;
        if (text.startsWith('{'))
          throw bad(
            'The arguments are not valid JSON.',
            'Write them as one JSON object; inside a string, escape line breaks as `\\n` and quotes as `\\"`.',
          );
      }
    }
    return { [rules.main]: given };
  }
  if (Array.isArray(given)) {
    if (given.length === 0) return {};
    if (given.length === 1 && depth < 3) return asObject(rules, given[0], depth + 1);
    throw bad(
      `The arguments are an array of ${plural(given.length, 'item')}; expected one object.`,
      'Call the tool once per item.',
    );
  }
  if (typeof given !== 'object')
    throw bad(
      `The arguments are a value of type \`${typeof given}\`; expected an object.`,
      `Write them as \`{"${rules.main}": ...}\`.`,
    );
  const entries = Object.entries(given);
  const [only] = entries;
  if (entries.length === 1 && only && WRAPPERS.has(only[0]) && depth < 3) {
    const [, inner] = only;
    const object = typeof inner === 'string' ? inner.trim().startsWith('{') : typeof inner === 'object';
    if (object) return asObject(rules, inner, depth + 1);
  }
  if (entries.length > MAX_NAMES)
    throw bad(`There are ${entries.length} arguments.`, `The arguments are ${advertisedNames(rules)}.`);
  return Object.fromEntries(entries);
}

/** By canonical name. Null, and empty values where they mean nothing, count as missing. */
function named(
  rules: ArgumentRules,
  fields: Readonly<Record<string, FieldSchema>>,
  given: Record<string, unknown>,
): Draft {
  const draft: Draft = new Map();
  for (const [as, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    const plain = snake(as);
    const name = Object.hasOwn(fields, as)
      ? as
      : Object.hasOwn(fields, plain)
        ? plain
        : Object.hasOwn(rules.aliases, plain)
          ? (rules.aliases[plain] ?? plain)
          : plain;
    if (value === '' && !rules.contents?.includes(name)) continue;
    const before = draft.get(name);
    if (before && !same(before.value, value)) throw conflict([before.as, as]);
    if (!before) draft.set(name, { value, as });
  }
  return draft;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** BAD_INPUT for arguments that specify the same thing differently. */
export function conflict(names: readonly string[]): ReaderError {
  return bad(
    `${names.map(quoted).join(' and ')} contradict each other.`,
    `Pass only one of ${names.map(quoted).join(', ')}.`,
  );
}

/** Returns ignored names. @throws {ReaderError} BAD_INPUT for an unknown argument that may matter */
function refuseUnknown(
  rules: ArgumentRules,
  known: readonly string[],
  unknown: readonly string[],
): readonly string[] {
  const ignored: string[] = [];
  for (const name of unknown) {
    const plain = snake(name);
    if (COMMENTARY.has(plain)) continue;
    const near = nearest(plain, [...known, ...Object.keys(rules.aliases)]);
    const meant = near === undefined ? undefined : (rules.aliases[near] ?? near);
    if (meant !== undefined || !rules.readOnly)
      throw bad(
        `Unknown argument ${quoted(name)}.`,
        meant === undefined
          ? `Omit it; the arguments are ${advertisedNames(rules)}.`
          : `Did you mean \`${meant}\`? The arguments are ${advertisedNames(rules)}.`,
      );
    ignored.push(name);
  }
  return ignored;
}

function nearest(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name, candidate, least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}
