// A tool's arguments as JSON Schema, in the plain subset that every provider takes: no `$schema`, no bounds at the far
// end of the integers, nothing but types, enumerations, descriptions and `required`.

import { z } from 'zod';

/** JSON Schema of one argument. */
export interface FieldSchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: 'object' };
}

/** JSON Schema of a tool's arguments. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

const schemas = new WeakMap<z.ZodObject, InputSchema>();

/** The arguments of `tool` as JSON Schema. The same object each time; copy it before changing it. */
export function inputSchemaOf(tool: { readonly input: z.ZodObject }): InputSchema {
  const known = schemas.get(tool.input);
  if (known) return known;
  const { properties = {}, required } = z.toJSONSchema(tool.input, { io: 'input' });
  const schema: InputSchema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, plain(field)])),
    ...(required && required.length > 0 && { required }),
  };
  schemas.set(tool.input, schema);
  return schema;
}

function plain(field: unknown): FieldSchema {
  // The tools' own fields, all of these types.
  const { type, description, enum: choices } = field as FieldSchema;
  return {
    type,
    ...(choices && { enum: choices }),
    ...(type === 'array' && { items: { type: 'object' } as const }),
    ...(description !== undefined && { description }),
  };
}
