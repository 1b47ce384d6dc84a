// Validates request values against a schema, with errors that name the field.

import { z } from 'zod';
import { quoted } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';

/** `value` as parsed by `schema`. `where` is named in errors, as in `query`. @throws {ReaderError} BAD_INPUT */
export function checked<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data as z.output<S>; // there is data if there is no error
  const issue = error.issues[0];
  if (issue?.code === 'unrecognized_keys')
    throw new ReaderError(
      'BAD_INPUT',
      `The ${where} has an unknown field ${quoted(String(issue.keys[0]))}.`,
      fieldsHint(schema),
    );
  const path = issue?.path.map(String).join('.') ?? '';
  const missing = issue?.code === 'invalid_type' && valueAt(value, issue.path) === undefined;
  throw new ReaderError(
    'BAD_INPUT',
    path === ''
      ? `The ${where} is not valid: ${issue?.message ?? 'it does not match the schema'}.`
      : missing
        ? `The ${where} has no field ${quoted(path)}.`
        : `The field ${quoted(path)} of the ${where} is not valid: ${issue?.message ?? ''}.`,
    'See `/openapi.json` for the fields and their types.',
  );
}

/** Converts fields that came as text, as in a query or a form, to the types of `schema`. */
export function fromTexts(
  schema: z.ZodObject,
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, field instanceof z.ZodType ? fromText(field, text) : text];
    }),
  );
}

function fromText(field: z.ZodType, text: string): unknown {
  if (field.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema rejects it, with the field's name
  }
}

function fieldsHint(schema: z.ZodType): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return names.length > 0
    ? `The fields are ${names.map((name) => `\`${name}\``).join(', ')}.`
    : 'Omit the field.';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
