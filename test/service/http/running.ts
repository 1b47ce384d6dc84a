// A real service on a free port with a data folder of its own, and what its tests ask of it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AppPace } from '../../../src/service/http/app.ts';
import type { ServiceOptions } from '../../../src/service/parts.ts';
import { startService } from '../../../src/service/service.ts';
import { type Answer, type Asked, ask } from './client.ts';
import { checkAgainst } from './document.ts';

export interface Running {
  readonly url: string;
  readonly dataDir: string;
  /** Log lines so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** The answer, held against the OpenAPI document. @throws {Error} where it is not as documented */
  call(asked: Asked): Promise<Answer>;
  /** Files that wait in the folder of uploads. */
  uploads(): readonly string[];
  /** Also removes the data folder. */
  close(): Promise<void>;
}

export async function running(
  options: Omit<ServiceOptions, 'port' | 'dataDir'> = {},
  pace?: AppPace,
): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-service-'));
  const lines: Readonly<Record<string, unknown>>[] = [];
  const given: ServiceOptions = {
    environment: {},
    log: { info: (line) => lines.push(line), error: (line) => lines.push(shown(line)) },
    ...options,
    limits: { requestsPerMinute: 1e9, requestBurst: 1e9, ...options.limits },
    port: 0,
    dataDir,
  };
  const service = await startService(given, pace);
  const document = checkAgainst((await ask(service.url, { path: '/openapi.json' })).json());
  return {
    url: service.url,
    dataDir,
    lines,
    call: async (asked) => {
      const answer = await ask(service.url, asked);
      const fault = document(asked, answer) ?? leakOf(answer, dataDir);
      if (fault !== undefined)
        throw new Error(
          `${asked.method ?? 'GET'} ${asked.path} answered ${answer.status}: ${fault}\n${answer.text.slice(0, 2000)}`,
        );
      return answer;
    },
    uploads: () => filesIn(join(dataDir, 'service', 'uploads')),
    close: async () => {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Prints an internal error, which no client sees. */
function shown<T extends Readonly<Record<string, unknown>>>(line: T): T {
  if (line['err'] !== undefined) console.error(line['err']);
  return line;
}

/** Paths of the host and stacks that a body holds. */
function leakOf({ text }: Answer, dataDir: string): string | undefined {
  const found = [dataDir, process.cwd(), '/node_modules/'].find((path) => text.includes(path));
  if (found !== undefined) return `the body holds the host path ${found}`;
  return /\\n {4}at |^ {4}at /m.test(text) ? 'the body holds a stack' : undefined;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

export const fixture = (path: string): Buffer => readFileSync(resolve('fixtures', path));
