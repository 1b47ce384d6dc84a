// Extracts what a model receives of tool definitions: names, descriptions and schemas in any framework's format. For
// estimates only: the output is about as long as the JSON Schema but is not the schema itself.

import { guarded } from '../codecs/native.ts';

/** Maximum values and characters read from one set of tools; the largest sets in use have a few thousand values. */
const MAX_VALUES = 50_000;
const MAX_CHARACTERS = 4_000_000;
const MAX_DEPTH = 40;

/** Fields in which frameworks keep a tool's schema, and those that hold tools. */
const SCHEMAS = [
  'inputSchema',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'schema',
];
const DECLARED = ['function', 'functionDeclarations', 'function_declarations'];
/** Fields of a zod schema that a JSON Schema does not have, and those that no model receives. */
const NOT_SENT = /^(?:[~_].*|typeName|checks|catchall|unknownKeys|coerce)$/;

/** The field, or undefined if it is missing or a getter or proxy throws. */
function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  return guarded<unknown>(() => Reflect.get(value, key), undefined);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * What a model receives of a tool, or a list or record of tools, and how many there are; empty for anything else. Never
 * throws; at most 4 million characters.
 */
export function toolTexts(given: unknown): { readonly tools: number; readonly text: string } {
  const parts: string[] = [];
  let tools = 0;
  let values = 0;
  let room = MAX_CHARACTERS;
  const emit = (text: string): void => {
    parts.push(text.slice(0, room));
    room -= Math.min(room, text.length);
  };
  const each = (value: object, depth: number, visit: (field: unknown, key: string) => void): void => {
    const isList = guarded(() => Array.isArray(value), false);
    if (depth < MAX_DEPTH)
      for (const key of guarded(() => Object.keys(value), [])) {
        values += 1;
        if (values > MAX_VALUES || room === 0) return;
        visit(read(value, key), isList ? '' : key);
      }
  };
  /** Any value as JSON; of a zod schema of any version its definition, of the AI SDK's wrapper the schema in it. */
  const write = (value: unknown, depth: number): void => {
    if (typeof value === 'string') emit(`"${value}",`);
    else if (typeof value === 'number' || typeof value === 'boolean') emit(`${value},`);
    if (!isObject(value)) return;
    const zod = [read(value, 'def'), read(value, '_def'), read(read(value, '_zod'), 'def')].find(isObject);
    const wrapped = read(value, 'jsonSchema');
    const description = zod ? read(value, 'description') : undefined;
    emit('{');
    if (typeof description === 'string') emit(`"description":"${description}",`);
    each(isObject(wrapped) ? wrapped : (zod ?? value), depth, (field, key) => {
      // Version 3 of zod gives the shape by a function.
      const own = key === 'shape' && typeof field === 'function' ? read(value, 'shape') : field;
      if (own === undefined || typeof own === 'function' || NOT_SENT.test(key)) return;
      if (key !== '') emit(`"${key}":`);
      write(own, depth + 1);
    });
    emit('},');
  };
  /** `name` is the key in a record. LangChain and others also accept classes and functions with a name and a schema. */
  const visit = (value: unknown, name: string, depth: number): void => {
    const declared = DECLARED.map((key) => read(value, key)).find(isObject);
    const schema = SCHEMAS.map((key) => read(value, key)).find(isObject);
    const isTool = ['name', 'description', 'type', 'id'].some((key) => typeof read(value, key) === 'string');
    if (declared) visit(declared, name, depth + 1);
    else if (schema || (isTool && isObject(value))) {
      tools += 1;
      const called = read(value, 'name') ?? (name === '' ? read(value, 'id') : name);
      const description = read(value, 'description');
      if (typeof called === 'string') emit(`{"name":"${called}",`);
      if (typeof description === 'string') emit(`"description":"${description}",`);
      if (schema) write(schema, depth);
      // Settings of a provider's own tool.
      else if (isObject(value))
        each(value, depth, (field, key) => {
          if (!/^(?:object|function)$/.test(typeof field) && key !== 'name' && key !== 'description')
            emit(`"${key}":"${String(field)}",`);
        });
      emit('}');
    } else if (isObject(value)) each(value, depth, (field, key) => visit(field, key, depth + 1));
  };
  visit(given, '', 0);
  return { tools, text: parts.join('') };
}
