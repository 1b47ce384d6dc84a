// Generates the OpenAPI 3.1 document from the operations and their schemas.

import { z } from 'zod';
import { PACKAGE_VERSION } from '../../../version.ts';
import { pathsSchema, querySchema } from '../body/uploads.ts';
import type { Mount } from '../mount.ts';
import type { Answer, BodyRule, Operation } from '../operation.ts';
import { problemSchema } from '../problem.ts';
import { PROBLEM_HEADERS, problemsOf } from '../problem-statuses.ts';
import { headerName, REQUEST_HEADERS } from '../request-headers.ts';

type Json = Record<string, unknown>;

const PREFIX = '#/components/schemas/';

/** The document of all `operations`. */
export function openApiOf(operations: readonly Operation[], mounts: readonly Mount[]): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/\*\}/g, '}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation, schemas) };
  }
  for (const mount of mounts) paths[mount.path] = { post: mounted(mount, schemas) };
  return {
    openapi: '3.1.1',
    info: {
      title: 'lectern',
      version: PACKAGE_VERSION,
      description:
        'Reads any file for an AI agent within a token budget, and says exactly what it showed and what it left out. Every answer has `X-Request-Id`; `traceparent` (W3C Trace Context) continues a trace.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key created with `lectern keys add`.' },
      },
    },
  };
}

function described(operation: Operation, schemas: Json): Json {
  const { id, summary, tag, scope, params, query, body, headers = [], answers } = operation;
  const parameters = [
    ...fieldsOf('path', params, schemas),
    ...fieldsOf('query', queryOf(query, body), schemas),
    ...headers.map((header) => ({
      name: headerName(header),
      in: 'header',
      required: false,
      description: REQUEST_HEADERS[header],
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(scope === null
      ? { security: [] }
      : { security: [{ key: [] }, {}], description: `Needs a key with the scope \`${scope}\`.` }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body, schemas) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, schemas)]),
      ),
      ...Object.fromEntries(
        Object.entries(problemsOf(operation))
          .filter(([status]) => !Object.hasOwn(answers, status))
          .map(([status, description]) => [status, problemResponse(description, schemas, Number(status))]),
      ),
      default: problemResponse('Another error, with its stable code and a hint.', schemas),
    },
  };
}

function problemResponse(description: string, schemas: Json, status?: number): Json {
  const [name, meaning] = (status === undefined ? undefined : PROBLEM_HEADERS[status]) ?? [];
  return {
    description,
    ...(name !== undefined && {
      headers: { [name]: { description: meaning, schema: { type: 'string' } } },
    }),
    content: { 'application/problem+json': { schema: schemaOf(problemSchema, 'output', schemas) } },
  };
}

/** Statuses of rejections before a mounted protocol answers, or by it. */
const MOUNT_PROBLEMS = [400, 401, 403, 404, 406, 408, 413, 415, 429, 503];

/** A path with its own protocol; the checks before it are the same as everywhere. */
function mounted({ id, path, scope, summary, requests, answers }: Mount, schemas: Json): Json {
  const [session] = /(?<=\{)\w+(?=\})/.exec(path) ?? [];
  const content = (types: readonly string[]): Json =>
    Object.fromEntries(types.map((type) => [type, { schema: {} }]));
  return {
    operationId: session === undefined ? id : `${id}Session`,
    summary,
    tags: ['Agents'],
    security: [{ key: [] }, {}],
    description: `Needs a key with the scope \`${scope}\`.`,
    ...(session !== undefined && {
      parameters: [{ name: session, in: 'path', required: true, schema: { type: 'string' } }],
    }),
    requestBody: { required: true, content: content(requests) },
    responses: {
      200: { description: 'Defined by the protocol.', content: content(answers) },
      202: { description: 'Accepted; there is no response body.' },
      ...Object.fromEntries(
        [...MOUNT_PROBLEMS, 'default'].map((status) => [
          status,
          {
            description: 'An error of the protocol, or a problem.',
            content: {
              ...content(answers),
              'application/problem+json': { schema: schemaOf(problemSchema, 'output', schemas) },
            },
          },
        ]),
      ),
    },
  };
}

/** With a raw body, the fields of a form go into the query. */
function queryOf(query: z.ZodObject | undefined, body: BodyRule | undefined): z.ZodObject | undefined {
  if (body?.kind === 'json' && body.textField !== undefined)
    return z.strictObject({ ...query?.shape, ...without(body.schema.shape, body.textField) });
  if (body?.kind !== 'files') return query;
  const name = z
    .string()
    .optional()
    .meta({ description: 'Name of the file sent as the raw body; its extension determines the format.' });
  // A form may carry them instead.
  return z.strictObject({ name, ...querySchema(body.schema).partial().shape });
}

const without = (shape: z.ZodRawShape, left: string): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => name !== left));

function fieldsOf(place: 'path' | 'query', schema: z.ZodObject | undefined, schemas: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(z.strictObject(schema.shape), 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

const BINARY = { type: 'string', format: 'binary' };

function requestBodyOf(rule: BodyRule, schemas: Json): Json {
  switch (rule.kind) {
    case 'unparsed':
      return {
        required: true,
        content: { 'application/json': { schema: schemaOf(rule.schema, 'input', schemas) } },
      };
    case 'json':
      return {
        required: true,
        content: {
          'application/json': { schema: schemaOf(rule.schema, 'input', schemas) },
          ...(rule.textField !== undefined && { 'text/plain': { schema: { type: 'string' } } }),
        },
      };
    case 'stream':
      return {
        required: true,
        content: Object.fromEntries(
          (rule.types ?? ['application/octet-stream']).map((type) => [type, { schema: BINARY }]),
        ),
      };
    case 'files':
      return {
        required: true,
        description:
          'Files as parts of a form (any field name) with the other fields as one JSON field `request` or as fields of their own; one file as the raw body, with the fields in the query; or paths of a workspace as JSON.',
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: {
                file: { type: 'array', items: BINARY },
                request: schemaOf(rule.schema, 'input', schemas),
              },
            },
            encoding: { request: { contentType: 'application/json' } },
          },
          'application/json': { schema: schemaOf(pathsSchema(rule.schema), 'input', schemas) },
          'application/octet-stream': { schema: BINARY },
        },
      };
  }
}

function responseOf({ description, content = {} }: Answer, schemas: Json): Json {
  const entries = Object.entries(content).map(([type, schema]) => [
    type,
    schema ? { schema: schemaOf(schema, 'output', schemas) } : { schema: { type: 'string' } },
  ]);
  return { description, ...(entries.length > 0 && { content: Object.fromEntries(entries) }) };
}

/** `schema` as JSON Schema; schemas with an `id` are added to `schemas` and referenced. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  for (const [id, definition] of Object.entries($defs)) schemas[id] ??= referring(definition);
  const { id } = own;
  if (id === undefined) return referring(own) as Json; // an object goes in and comes out
  schemas[id] ??= referring(own);
  return { $ref: `${PREFIX}${id}` };
}

/** Turns references into `$defs` into references to components, and drops the ids that name them. */
function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key === 'id' && 'type' in value) return [];
      if (key === '$ref' && typeof inner === 'string') return [[key, inner.replace('#/$defs/', PREFIX)]];
      return [[key, referring(inner)]];
    }),
  );
}
