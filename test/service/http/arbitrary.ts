// Values that fit a JSON Schema, as far as the API's own document uses it.

import fc from 'fast-check';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** `components` is that of the document, where references lead. */
export function arbitraryOf(schema: Schema, components: object): fc.Arbitrary<unknown> {
  const { $ref, type, anyOf, oneOf } = schema;
  if ($ref !== undefined) return arbitraryOf(targetOf($ref, components), components);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = anyOf ?? oneOf;
  if (choices) return fc.oneof(...choices.map((one) => arbitraryOf(one, components)));
  switch (type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return integerOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(schema.items ? arbitraryOf(schema.items, components) : fc.jsonValue(), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      });
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, inner]) => [
            name,
            arbitraryOf(inner, components),
          ]),
        ),
        { requiredKeys: [...(schema.required ?? [])] },
      );
    default:
      return fc.jsonValue();
  }
}

/** Words that mean something to one field or another, besides any text. */
const WORDS = [
  's',
  'a.csv',
  'in',
  '1-2',
  '1',
  'n',
  'A-B',
  '/0',
  '0,0,1,1',
  'utf-8',
  '**/*.csv',
  '[a-',
  '(',
  'gpt-5',
];

function stringOf({ minLength = 0, maxLength = 50 }: Schema): fc.Arbitrary<string> {
  const any = fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, minLength + 30) });
  return fc.oneof(
    any,
    fc.constantFrom(...WORDS).filter((word) => word.length <= maxLength),
  );
}

function integerOf({ minimum = -1000, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: Math.max(minimum, -1000), max: Math.min(maximum, 1000) }),
    fc.constantFrom(minimum, maximum),
  );
}

function targetOf(reference: string, components: object): Schema {
  const name = reference.split('/').at(-1) ?? '';
  const schemas: unknown = Reflect.get(components, 'schemas');
  // The document was validated: what is referred to is a schema.
  return Reflect.get(schemas as object, name) as Schema;
}
