// Searches the files of a request, which are a workspace as long as the request runs.

import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { z } from 'zod';
import { visibleName } from '../../contract/index.ts';
import { ReaderError, type SearchAnswer } from '../../index.ts';
import { authorize } from '../http/access/authenticate.ts';
import type { Given } from '../http/body/uploads.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { READING } from '../http/problem-statuses.ts';
import type { Readers } from '../readers.ts';

const match = z.looseObject({
  path: z.string(),
  address: z.string().meta({ description: 'The path and the place of the match: `report.pdf#page=12`.' }),
  line: z.int(),
  column: z.int(),
  text: z.string(),
  spans: z.array(z.tuple([z.int(), z.int()])),
});

/** `folder`: where the files of a request are while it runs. */
export function searchOperation(readers: Readers, folder: string): Operation {
  return operation({
    id: 'search',
    method: 'POST',
    path: '/v1/search',
    tag: 'Reading',
    summary: 'Find lines in files: in documents, tables and archives as answers show them',
    scope: 'read',
    problems: READING,
    body: {
      kind: 'files',
      schema: z
        .strictObject({
          query: z
            .string()
            .min(1)
            .max(10_000)
            .meta({ description: 'Literal text, or with `regex` an RE2 expression.' }),
          regex: z.boolean().exactOptional(),
          caseSensitive: z.boolean().exactOptional().meta({ description: 'Default true.' }),
          formulas: z.boolean().exactOptional().meta({ description: 'Search the formulas of cells too.' }),
          context: z
            .int()
            .min(0)
            .max(20)
            .exactOptional()
            .meta({ description: 'Lines before and after each match.' }),
          limit: z.int().min(1).exactOptional().meta({ description: 'The most matches to return.' }),
        })
        .meta({ id: 'SearchRequest' }),
    },
    answers: {
      200: {
        description: 'The lines that match, each with its address.',
        content: {
          'application/json': z.object({
            matches: z.array(match),
            total: z.object({ matches: z.int(), files: z.int(), isExact: z.boolean() }),
            searched: z.int(),
            skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
            skippedCount: z.int().meta({ description: 'All of them; at most 20 are named.' }),
            notes: z.array(z.string()),
          }),
        },
      },
    },
    run: async ({ identity, body, signal }) => {
      const { query, ...fields } = body.fields;
      const { session, inputs } = body;
      const options = { ...fields, signal };
      if (session !== undefined) {
        authorize(identity, 'files');
        const [path, another] = inputs;
        if (typeof path !== 'string' || another !== undefined)
          throw new ReaderError(
            'BAD_INPUT',
            'A search takes one path.',
            'Name one file or folder in `path`.',
          );
        return answered(await readers.workspace(identity.user, session).search(query, { ...options, path }));
      }
      const own = join(folder, randomUUID());
      try {
        const names = await placed(inputs, own);
        return answered(await readers.folder(identity.user, own).search(query, options), names);
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
  });
}

/** Names that no file system refuses, and endings. */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_ .()-]{0,60}$/u;
const ENDING = /^\.[A-Za-z0-9]{1,16}$/;

/**
 * Puts uploads into `folder`, each in a folder of its own.
 * @returns the name that each was given, by the path where it is
 */
async function placed(inputs: readonly Given[], folder: string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const [index, input] of inputs.entries()) {
    if (typeof input === 'string') continue;
    const name = visibleName(basename(input.name.replaceAll('\\', '/')));
    const ending = extname(name);
    const path = join(`${index}`, PLAIN.test(name) ? name : `upload${ENDING.test(ending) ? ending : ''}`);
    await mkdir(join(folder, `${index}`), { recursive: true, mode: 0o700 });
    // The request would remove it at its end anyway.
    if ('path' in input) await rename(input.path, join(folder, path));
    else await writeFile(join(folder, path), input.bytes);
    names.set(path, name);
  }
  return names;
}

function answered(
  { matches, total, searched, skipped, skippedCount, notes }: SearchAnswer,
  names: ReadonlyMap<string, string> = new Map(),
): Reply {
  const named = (path: string): string => {
    const [place] = /^\d+\/[^!#]*/.exec(path) ?? [''];
    const name = names.get(place);
    return name === undefined ? path : `${name}${path.slice(place.length)}`;
  };
  return {
    body: {
      matches: matches.map(({ path, address, ...match }) => ({
        path: named(path),
        address: named(address),
        ...match,
      })),
      total,
      searched,
      skipped: skipped.map(({ path, reason }) => ({ path: named(path), reason })),
      skippedCount,
      notes,
    },
  };
}
