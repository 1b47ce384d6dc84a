// Converts a tool's arguments to JSON Schema in the subset every provider accepts: no `$schema`, no bounds near the
// integer limits, only types, enumerations, descriptions and `required`.

import { z } from 'zod';

/** JSON Schema of one argument. */
export type FieldSchema = {
  type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  description?: string;
  enum?: string[];
  items?: { type: 'object' | 'string' };
};

/** JSON Schema of a tool's arguments. */
export type InputSchema = {
  type: 'object';
  properties: Record<string, FieldSchema>;
  required?: string[];
};

/** The arguments in the subset of OpenAI's strict mode: all required, null for those not wanted. */
export type StrictSchema = {
  type: 'object';
  properties: Record<
    string,
    Omit<FieldSchema, 'type' | 'enum'> & { type: unknown; enum?: (string | null)[] }
  >;
  required: string[];
  additionalProperties: false;
};

const schemas = new WeakMap<z.ZodObject, InputSchema>();

/** The arguments of `tool` as JSON Schema. The caller may modify the returned object. */
export function inputSchemaOf(tool: { readonly input: z.ZodObject }): InputSchema {
  return structuredClone(knownSchema(tool.input));
}

/** Undefined for a tool that takes objects with arbitrary keys. */
export function strictSchemaOf(tool: { readonly input: z.ZodObject }): StrictSchema | undefined {
  const { properties, required = [] } = inputSchemaOf(tool);
  const fields = Object.entries(properties);
  if (fields.some(([, { type, items }]) => type === 'object' || items?.type === 'object')) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { type, enum: choices, ...field }]) => {
        const isRequired = required.includes(name);
        return [
          name,
          {
            ...field,
            type: isRequired ? type : [type, 'null'],
            ...(choices && { enum: isRequired ? choices : [...choices, null] }),
          },
        ];
      }),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** The arguments of a tool by name. Shared: do not modify. */
export function fieldsOf(input: z.ZodObject): Readonly<Record<string, Readonly<FieldSchema>>> {
  return knownSchema(input).properties;
}

function knownSchema(input: z.ZodObject): InputSchema {
  const known = schemas.get(input);
  if (known) return known;
  const { properties = {}, required } = z.toJSONSchema(input, { io: 'input' });
  const schema: InputSchema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, plain(field)])),
    ...(required && required.length > 0 && { required }),
  };
  schemas.set(input, schema);
  return schema;
}

function plain(field: unknown): FieldSchema {
  // All fields of the tools have these types.
  const { type, description, enum: choices, items } = field as FieldSchema;
  return {
    type,
    ...(choices && { enum: choices }),
    ...(type === 'array' && {
      items: { type: items?.type === 'string' ? ('string' as const) : ('object' as const) },
    }),
    ...(description !== undefined && { description }),
  };
}
