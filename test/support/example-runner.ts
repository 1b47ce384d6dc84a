// Runs examples of the documents in a project that has installed the packed package. A server on loopback plays the model
// providers; the clients that talk to it are the real ones.

import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect } from 'vitest';
import { type Consumer, makeConsumer } from './consumer.ts';
import { EXAMPLES } from './pages.ts';
import { type ScriptedModels, startModels } from './scripted-models.ts';

/** Examples that need SDKs which only test/integrations installs. */
export const SDK_EXAMPLES: readonly string[] = ['anthropic', 'attachments', 'openai'];

const QUESTION_CALL = { name: 'read_file', input: { file_path: 'tabular/orders.csv', max_tokens: 300 } };

export interface ExampleRunner {
  readonly project: Consumer;
  readonly models: ScriptedModels;
  /** Names of the examples that were run. */
  readonly ran: ReadonlySet<string>;
  /** Resolves to what the example prints. Fails if it writes to standard error. */
  run(name: string): Promise<string>;
  close(): Promise<void>;
}

/** @param packages what the examples import besides lectern */
export async function startExamples(packages: readonly string[]): Promise<ExampleRunner> {
  const project = makeConsumer(packages);
  symlinkSync(fileURLToPath(new URL('../../fixtures', import.meta.url)), join(project.folder, 'fixtures'));
  const models = await startModels((results) => {
    const [last] = results.slice(-1);
    if (last === undefined) return QUESTION_CALL;
    return `There are ${/of (\d+)/.exec(last)?.[1] ?? 'no'} orders.`;
  });
  const ran = new Set<string>();
  return {
    project,
    models,
    ran,
    async run(name) {
      ran.add(name);
      const code = EXAMPLES.get(name);
      if (code === undefined) throw new Error(`examples/ has no ${name}.ts`);
      const { outputText } = ts.transpileModule(code, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
      });
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [project.write(`${name}.mjs`, outputText)],
        {
          cwd: project.folder,
          env: {
            PATH: process.env['PATH'],
            HOME: project.folder,
            DATA_DIR: join(project.folder, name),
            ANTHROPIC_API_KEY: 'scripted',
            ANTHROPIC_BASE_URL: name === 'ai-sdk' ? `${models.url}/v1` : models.url,
            OPENAI_API_KEY: 'scripted',
            OPENAI_BASE_URL: `${models.url}/v1`,
          },
        },
      );
      // Such as a model that its SDK calls deprecated.
      expect(stderr).toBe('');
      return stdout;
    },
    async close() {
      await models.close();
      project.remove();
    },
  };
}
