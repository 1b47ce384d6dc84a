import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createQueryEngine } from '../../src/query/index.ts';
import { createTools, textOf } from '../../src/tools/index.ts';

it('without DuckDB a query says what to install once in a conversation', async () => {
  const reader = createReader({ workspace: createWorkspace({ root: 'fixtures' }), environment: {} });
  const queries = createQueryEngine({ from: tmpdir(), environment: {} });
  const said = async (): Promise<number[]> => {
    const [tool] = createTools({ reader, queries, only: ['query_result'] });
    const answers: string[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      answers.push(textOf((await tool?.run({ sql: 'SELECT 1 FROM "tabular/orders.csv"' })) ?? expect.fail()));
    for (const answer of answers) expect(answer).toContain('MISSING_DEPENDENCY');
    return answers.flatMap((answer, turn) => (answer.includes('npm install') ? [turn] : []));
  };
  expect(await said()).toEqual([0]);
  expect(await said()).toEqual([0]);
  await queries.close();
});
