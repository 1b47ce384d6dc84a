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

type Fields = Readonly<Record<string, unknown>>;

/** Fields in which frameworks keep a tool's schema. */
const SCHEMA_FIELDS = [
  'inputSchema',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'schema',
] as const;

/** Fields in which zod schemas of any version keep their parts. */
const ZOD_FIELDS = [
  'type',
  'element',
  'innerType',
  'schema',
  'options',
  'values',
  'entries',
  'value',
  'keyType',
  'valueType',
  'items',
  'left',
  'right',
  'in',
] as const;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Undefined if the field is missing or a getter or proxy throws. */
function read(value: unknown, key: string): unknown {
  if (!isFields(value) && typeof value !== 'function') return undefined;
  return guarded<unknown>(() => Reflect.get(value, key), undefined);
}

const keysOf = (value: object): readonly string[] => guarded(() => Object.keys(value), []);

/** One pass; its limits apply to all tools together. */
class ToolWalk {
  tools = 0;
  private readonly parts: string[] = [];
  private values = 0;
  private characters = 0;
  private readonly path = new Set<object>();

  get text(): string {
    return this.parts.join('');
  }

  private emit(text: string): void {
    const room = MAX_CHARACTERS - this.characters;
    const part = text.length > room ? text.slice(0, Math.max(room, 0)) : text;
    this.characters += part.length;
    this.parts.push(part);
  }

  /** Runs `visit` unless a limit is reached or `value` contains itself. */
  private enter(value: object, visit: () => void): void {
    this.values += 1;
    const full = this.values > MAX_VALUES || this.characters >= MAX_CHARACTERS;
    if (full || this.path.size >= MAX_DEPTH || this.path.has(value)) return;
    this.path.add(value);
    visit();
    this.path.delete(value);
  }

  private each(list: object, visit: (value: unknown, key: string) => void): void {
    if (Array.isArray(list)) {
      const length = Math.min(list.length, MAX_VALUES);
      for (let at = 0; at < length && this.values <= MAX_VALUES; at += 1) visit(read(list, String(at)), '');
      return;
    }
    for (const key of keysOf(list)) {
      if (this.values > MAX_VALUES) return;
      visit(read(list, key), key);
    }
  }

  /** A tool, or a list or record of tools; `name` is the key in a record. */
  set(value: unknown, name: string): void {
    if (!isFields(value)) {
      // LangChain and others also accept classes and functions with a name and a schema.
      if (typeof value === 'function' && this.schemaOf(value) !== undefined) this.tool(value, name);
      return;
    }
    this.enter(value, () => {
      const inner = read(value, 'function');
      const declared = read(value, 'functionDeclarations') ?? read(value, 'function_declarations');
      if (isFields(inner)) this.tool(inner, name);
      else if (Array.isArray(declared)) this.set(declared, '');
      else if (!Array.isArray(value) && this.isTool(value)) this.tool(value, name);
      else this.each(value, (child, key) => this.set(child, key));
    });
  }

  private isTool(value: Fields): boolean {
    return (
      ['name', 'description', 'type', 'id'].some((key) => typeof read(value, key) === 'string') ||
      this.schemaOf(value) !== undefined
    );
  }

  private schemaOf(tool: unknown): unknown {
    for (const field of SCHEMA_FIELDS) {
      const schema = read(tool, field);
      if (isFields(schema)) return schema;
    }
    return undefined;
  }

  private tool(value: unknown, key: string): void {
    this.tools += 1;
    const name = read(value, 'name') ?? (key === '' ? read(value, 'id') : key);
    const description = read(value, 'description');
    if (typeof name === 'string') this.emit(`{"name":"${name}",`);
    if (typeof description === 'string') this.emit(`"description":"${description}",`);
    const schema = this.schemaOf(value);
    if (schema !== undefined) this.schema(schema);
    else this.plain(value);
    this.emit('}');
  }

  /** Settings of a provider's own tool. */
  private plain(value: unknown): void {
    if (!isFields(value)) return;
    this.each(value, (child, key) => {
      this.values += 1;
      const simple = typeof child === 'string' || typeof child === 'number' || typeof child === 'boolean';
      if (simple && key !== 'name' && key !== 'description') this.emit(`"${key}":"${String(child)}",`);
    });
  }

  private schema(value: unknown): void {
    if (typeof value === 'string') this.emit(`"${value}",`);
    else if (typeof value === 'number' || typeof value === 'boolean') this.emit(`${String(value)},`);
    else if (isFields(value)) this.enter(value, () => this.object(value));
  }

  private object(value: Fields): void {
    // The AI SDK's wrapper for a JSON Schema.
    const wrapped = read(value, 'jsonSchema');
    const definition = read(value, 'def') ?? read(value, '_def') ?? read(read(value, '_zod'), 'def');
    if (isFields(wrapped)) this.schema(wrapped);
    else if (isFields(definition)) this.zod(value, definition);
    else {
      this.emit('{');
      this.each(value, (child, key) => {
        this.values += 1;
        if (child === undefined || typeof child === 'function' || key.startsWith('~')) return;
        if (key !== '') this.emit(`"${key}":`);
        this.schema(child);
      });
      this.emit('},');
    }
  }

  private zod(value: Fields, definition: Fields): void {
    this.emit('{"type":');
    const description = read(value, 'description') ?? read(definition, 'description');
    if (typeof description === 'string') this.emit(`"description":"${description}",`);
    const own = read(definition, 'shape');
    const shape = typeof own === 'function' ? read(value, 'shape') : own;
    if (isFields(shape)) {
      this.emit('"object","properties":{');
      this.each(shape, (child, key) => {
        // Appears once as a property and once in the list of required properties.
        this.emit(`"${key}":"${key}",`);
        this.schema(child);
      });
      this.emit('},"additionalProperties":false,');
    }
    for (const field of ZOD_FIELDS) this.schema(read(definition, field));
    this.emit('},');
  }
}

/** What a model receives of these tools; empty for anything else. Never throws; at most 4 million characters. */
export function toolTexts(tools: unknown): ToolTexts {
  const reading = new ToolWalk();
  reading.set(tools, '');
  return { tools: reading.tools, text: reading.text };
}
