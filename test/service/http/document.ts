// Holds every answer of the service against its own OpenAPI document: status, media type and schema of the body.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, Asked } from './client.ts';

type Json = Readonly<Record<string, unknown>>;

/** Says what of an answer the document does not allow; undefined when it is as documented. */
export type DocumentCheck = (asked: Asked, answer: Answer) => string | undefined;

const ROOT = 'https://api.test/';

export function checkAgainst(document: Json): DocumentCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, ROOT);
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${ROOT}#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
  const paths = Object.keys(objectAt(document, 'paths')).map((path) => ({ path, form: formOf(path) }));
  return (asked, answer) => {
    const [pathname = ''] = asked.path.split('?', 1);
    const path = paths.find(({ form }) => form.test(pathname))?.path;
    const item = path === undefined ? {} : objectAt(document, 'paths', path);
    const method = (asked.method ?? 'GET').toLowerCase();
    const name = method === 'head' && !('head' in item) ? 'get' : method;
    const responses = name in item ? objectAt(item, name, 'responses') : undefined;
    // A path or method that is not in the document answers with a problem, which is the same everywhere.
    if (path === undefined || !responses) return problemFault(answer, validatorAt);
    const status = String(answer.status);
    if (!(status in responses)) return `status ${answer.status} is not declared`;
    const content = objectAt(responses, status, 'content');
    const type = mediaType(answer);
    if (Object.keys(content).length === 0 || method === 'head' || answer.status === 304)
      return answer.bytes.length === 0 ? undefined : 'a body where none is declared';
    if (!(type in content)) return `\`${type}\` is not declared for status ${answer.status}`;
    if (!/[/+]json$/.test(type)) return undefined;
    const pointer = ['paths', path, name, 'responses', status, 'content', type, 'schema']
      .map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
      .join('');
    return schemaFault(validatorAt(pointer), answer);
  };
}

function problemFault(
  answer: Answer,
  validatorAt: (pointer: string) => ValidateFunction,
): string | undefined {
  if (answer.status < 400) return `status ${answer.status} at a path that is not documented`;
  if (mediaType(answer) !== 'application/problem+json')
    return answer.bytes.length === 0 && answer.method === 'HEAD'
      ? undefined
      : `status ${answer.status} with \`${mediaType(answer)}\` in place of a problem`;
  return answer.method === 'HEAD'
    ? undefined
    : schemaFault(validatorAt('/components/schemas/Problem'), answer);
}

function schemaFault(validate: ValidateFunction, answer: Answer): string | undefined {
  const value: unknown = JSON.parse(answer.text);
  if (validate(value)) return undefined;
  return validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
}

const mediaType = ({ headers }: Answer): string => headers['content-type']?.split(';', 1)[0]?.trim() ?? '';

/** `{path}` of a file takes the rest of the path; other parameters take one segment. */
function formOf(path: string): RegExp {
  const pattern = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{path\}/g, '.+')
    .replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`);
}

function objectAt(value: unknown, ...keys: readonly string[]): Record<string, unknown> {
  const found = keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}; // its keys are strings
}
