// Extracts what a model receives of tool definitions: names, descriptions and schemas in any framework's format. For
// estimates only: the output is about as long as the JSON Schema but is not the schema itself.

import { guarded } from '../codecs/native.ts';

/** The extracted text, which resembles JSON. */
export interface ToolTexts {
  readonly tools: number;
  readonly text: string;
}

/** Maximum values and characters read from one set of tools; the largest sets in use have a few thousand values. */
const MAX_VALUES = 50_000;
const MAX_CHARACTERS = 4_000_000;
const MAX_DEPTH = 40;

/** Fields in which frameworks keep a tool's schema. */
const SCHEMA_FIELDS = [
  'inputSchema',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'schema',
] as const;

/** Fields of a zod schema that a JSON Schema does not have. */
const NOT_SENT: ReadonlySet<string> = new Set(['typeName', 'checks', 'catchall', 'unknownKeys', 'coerce']);

/** The field, or undefined if it is missing or a getter or proxy throws. */
function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  return guarded<unknown>(() => Reflect.get(value, key), undefined);
}

function objectIn(value: unknown, ...keys: readonly string[]): object | null {
  for (const key of keys) {
    const field = read(value, key);
    if (typeof field === 'object' && field !== null) return field;
  }
  return null;
}

/** One pass; its limits apply to all tools together. */
class ToolWalk {
  tools = 0;
  readonly #parts: string[] = [];
  #values = 0;
  #characters = 0;

  get text(): string {
    return this.#parts.join('');
  }

  #emit(text: string): void {
    const part = text.slice(0, Math.max(0, MAX_CHARACTERS - this.#characters));
    this.#characters += part.length;
    this.#parts.push(part);
  }

  /** Passes the fields of `value` on, within the limits. */
  #each(value: object, depth: number, visit: (field: unknown, key: string) => void): void {
    if (depth > MAX_DEPTH) return;
    const isList = guarded(() => Array.isArray(value), false);
    for (const key of guarded(() => Object.keys(value), [])) {
      this.#values += 1;
      if (this.#values > MAX_VALUES || this.#characters >= MAX_CHARACTERS) return;
      visit(read(value, key), isList ? '' : key);
    }
  }

  /** A tool, or a list or record of tools; `name` is the key in a record. */
  set(value: unknown, name: string, depth: number): void {
    const schema = objectIn(value, ...SCHEMA_FIELDS);
    const declared = objectIn(value, 'function', 'functionDeclarations', 'function_declarations');
    const isTool = ['name', 'description', 'type', 'id'].some((key) => typeof read(value, key) === 'string');
    if (declared) this.set(declared, name, depth + 1);
    // LangChain and others also accept classes and functions with a name and a schema.
    else if (schema || (isTool && typeof value === 'object')) this.#tool(value, schema, name, depth);
    else if (typeof value === 'object' && value !== null)
      this.#each(value, depth, (field, key) => this.set(field, key, depth + 1));
  }

  #tool(value: unknown, schema: object | null, key: string, depth: number): void {
    this.tools += 1;
    const name = read(value, 'name') ?? (key === '' ? read(value, 'id') : key);
    if (typeof name === 'string') this.#emit(`{"name":"${name}",`);
    const description = read(value, 'description');
    if (typeof description === 'string') this.#emit(`"description":"${description}",`);
    if (schema) this.#value(schema, depth);
    // Settings of a provider's own tool.
    else if (typeof value === 'object' && value !== null)
      this.#each(value, depth, (field, own) => {
        const isSimple = typeof field !== 'object' && typeof field !== 'function';
        if (isSimple && own !== 'name' && own !== 'description') this.#emit(`"${own}":"${String(field)}",`);
      });
    this.#emit('}');
  }

  #value(value: unknown, depth: number): void {
    if (typeof value === 'string') this.#emit(`"${value}",`);
    else if (typeof value === 'number' || typeof value === 'boolean') this.#emit(`${value},`);
    if (typeof value !== 'object' || value === null) return;
    // A zod schema of any version, or the AI SDK's wrapper of a JSON Schema.
    const zod = objectIn(value, 'def', '_def') ?? objectIn(read(value, '_zod'), 'def');
    const inner = objectIn(value, 'jsonSchema') ?? zod ?? value;
    const description = zod ? read(value, 'description') : undefined;
    this.#emit('{');
    if (typeof description === 'string') this.#emit(`"description":"${description}",`);
    this.#each(inner, depth, (field, key) => {
      // Version 3 of zod gives the shape by a function.
      const own = key === 'shape' && typeof field === 'function' ? read(value, 'shape') : field;
      if (own === undefined || typeof own === 'function' || /^[~_]/.test(key) || NOT_SENT.has(key)) return;
      if (key !== '') this.#emit(`"${key}":`);
      this.#value(own, depth + 1);
    });
    this.#emit('},');
  }
}

/** What a model receives of these tools; empty for anything else. Never throws; at most 4 million characters. */
export function toolTexts(tools: unknown): ToolTexts {
  const walk = new ToolWalk();
  walk.set(tools, '', 0);
  return { tools: walk.tools, text: walk.text };
}
