// Operations that describe the service: formats, limits, and the API itself as OpenAPI and as a page.

import { z } from 'zod';
import type { HistoryLimits, QueryLimits } from '../../contract/index.ts';
import { createReader, type IsolationLimits, type Limits, type WorkspaceLimits } from '../../index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  QUERY_LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../../limits/index.ts';
import { openApiOf } from '../http/document/openapi.ts';
import { referencePage } from '../http/document/reference.ts';
import type { Mount } from '../http/mount.ts';
import { type Operation, operation } from '../http/operation.ts';
import { SERVICE_LIMIT_DEFINITIONS, type ServiceLimits } from '../limits.ts';

/** Every limit with its effective value in this process. */
export type LimitsInForce = Limits &
  WorkspaceLimits &
  HistoryLimits &
  ServiceLimits &
  IsolationLimits &
  QueryLimits;

/** `operations` returns all operations of the service, including these; `mounts` the paths beside them. */
export function infoOperations(
  operations: () => readonly Operation[],
  mounts: readonly Mount[],
  inForce: LimitsInForce,
): readonly Operation[] {
  const document = once(() => openApiOf(operations(), mounts));
  const page = once(() => referencePage(document()));
  return [formats(), limits(inForce), openApi(document), reference(page)];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function formats(): Operation {
  return operation({
    id: 'formats',
    method: 'GET',
    path: '/v1/formats',
    tag: 'Reference',
    summary: 'Supported formats, with their extensions and media types',
    scope: 'read',
    answers: {
      200: {
        description: 'One entry per processor.',
        content: {
          'application/json': z.object({
            formats: z.array(
              z.object({
                name: z.string(),
                fileType: z.string(),
                extensions: z.array(z.string()),
                mimeTypes: z.array(z.string()),
                selects: z
                  .array(z.string())
                  .meta({ description: 'Request fields that select a part of such a file.' }),
              }),
            ),
          }),
        },
      },
    },
    run: () =>
      Promise.resolve({
        body: {
          formats: createReader({ cache: false }).processors.map(
            ({ name, fileType, extensions, mimeTypes, selects }) => ({
              name,
              fileType,
              extensions,
              mimeTypes,
              selects,
            }),
          ),
        },
      }),
  });
}

function limits(inForce: LimitsInForce): Operation {
  const all = [
    ...LIMIT_DEFINITIONS,
    ...WORKSPACE_LIMIT_DEFINITIONS,
    ...HISTORY_LIMIT_DEFINITIONS,
    ...SERVICE_LIMIT_DEFINITIONS,
    ...ISOLATION_LIMIT_DEFINITIONS,
    ...QUERY_LIMIT_DEFINITIONS,
  ];
  return operation({
    id: 'limits',
    method: 'GET',
    path: '/v1/limits',
    tag: 'Reference',
    summary: 'Every limit with its value, default, unit and environment variable',
    scope: 'read',
    answers: {
      200: {
        description: 'The limits.',
        content: {
          'application/json': z.object({
            limits: z.array(
              z.object({
                key: z.string(),
                variable: z.string(),
                value: z.number().meta({ description: 'The effective value in this process.' }),
                default: z.number(),
                unit: z.string(),
                kind: z.string(),
                meaning: z.string(),
              }),
            ),
          }),
        },
      },
    },
    run: () =>
      Promise.resolve({
        body: {
          limits: all.map(({ key, variable, default: usual, unit, kind, meaning }) => ({
            key,
            variable,
            value: inForce[key],
            default: usual,
            unit,
            kind,
            meaning,
          })),
        },
      }),
  });
}

function openApi(document: () => object): Operation {
  return operation({
    id: 'openApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Reference',
    summary: 'This API as OpenAPI 3.1',
    scope: null,
    answers: { 200: { description: 'The document.', content: { 'application/json': z.looseObject({}) } } },
    run: () => Promise.resolve({ body: document() }),
  });
}

function reference(page: () => string): Operation {
  return operation({
    id: 'reference',
    method: 'GET',
    path: '/docs',
    tag: 'Reference',
    summary: 'This API as a page',
    scope: null,
    answers: { 200: { description: 'HTML.', content: { 'text/html': undefined } } },
    run: () =>
      Promise.resolve({
        body: page(),
        type: 'text/html; charset=utf-8',
        headers: {
          'content-security-policy':
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        },
      }),
  });
}
