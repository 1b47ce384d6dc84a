// Converts arguments of the wrong type to the type in their schema, if nothing is lost.

import { plural, quoted, type ReaderError } from '../contract/index.ts';
import { type ArgumentRules, advertisedNames, bad, listed } from './argument-rules.ts';
import type { FieldSchema } from './schema.ts';

const TRUE = /^(?:true|yes|on|1)$/i;
const FALSE = /^(?:false|no|off|0)$/i;

function kind(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${plural(value.length, 'item')}`;
  if (typeof value === 'object') return 'an object';
  return quoted(String(value));
}

export function expected(field: FieldSchema): string {
  if (field.enum) return `one of ${listed(field.enum)}`;
  switch (field.type) {
    case 'integer':
      return 'an integer';
    case 'boolean':
      return 'a boolean';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    case 'string':
      return 'text';
  }
}

function mistyped(as: string, value: unknown, field: FieldSchema): ReaderError {
  const several = Array.isArray(value) && value.length > 1 && field.type !== 'array';
  return bad(
    `${quoted(as)} is ${kind(value)}; expected ${expected(field)}.`,
    several ? 'Call the tool once per item.' : `Pass ${quoted(as)} as ${expected(field)}.`,
  );
}

/** `value` as the type of its argument, if it can be read as that and nothing else. */
export function coerced(
  name: string,
  as: string,
  value: unknown,
  field: FieldSchema,
  content: boolean,
): unknown {
  if (Array.isArray(value) && value.length === 1 && field.type !== 'array' && !content)
    return coerced(name, as, value[0], field, content);
  switch (field.type) {
    case 'string': {
      if (typeof value === 'number' && Number.isFinite(value)) return String(value);
      if (typeof value === 'boolean') return String(value);
      if (content && typeof value === 'object') return `${JSON.stringify(value, null, 2)}\n`;
      if (typeof value !== 'string') throw mistyped(as, value, field);
      if (!field.enum) return value;
      const choice = value.trim().toLowerCase();
      if (!field.enum.includes(choice)) throw mistyped(as, value, field);
      return choice;
    }
    case 'integer': {
      const number = integerOf(value);
      if (number === undefined) throw mistyped(as, value, field);
      return number;
    }
    case 'boolean': {
      const text = String(value).trim();
      if (typeof value === 'object') throw mistyped(as, value, field);
      if (TRUE.test(text)) return true;
      if (FALSE.test(text)) return false;
      throw mistyped(as, value, field);
    }
    case 'array': {
      const list = typeof value === 'string' ? jsonOf(value) : value;
      if (!Array.isArray(list)) throw mistyped(as, value, field);
      return list;
    }
    case 'object':
      throw mistyped(as, value, field);
  }
}

/** An integer, or the text of one. */
export function integerOf(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d{1,15}(?:\.0*)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** The value of JSON; undefined if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks required arguments and bounds against the schema. */
export function checked(
  rules: ArgumentRules,
  fields: Readonly<Record<string, FieldSchema>>,
  args: Record<string, unknown>,
): Record<string, unknown> {
  const result = rules.input.safeParse(args);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0] ?? rules.main);
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!Object.hasOwn(args, name))
    throw bad(`\`${name}\` is missing.`, `Pass \`${name}\`; the arguments are ${advertisedNames(rules)}.`);
  if (issue?.code === 'too_small' && typeof args[name] === 'number')
    throw bad(
      `\`${name}\` is ${args[name]}; expected ${issue.minimum} or more.`,
      `Omit \`${name}\` for the default.`,
    );
  if (issue?.code === 'too_big' && typeof args[name] === 'number')
    throw bad(
      `\`${name}\` is ${args[name]}; expected at most ${issue.maximum}.`,
      `Set \`${name}\` to at most ${issue.maximum}.`,
    );
  if (issue?.code === 'too_small') throw bad(`\`${name}\` is empty.`, `Give \`${name}\`.`);
  throw mistyped(name, args[name], field ?? { type: 'string' });
}
