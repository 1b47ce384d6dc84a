// Walks a file through the reader to the end of its cursor, checking on the way what every answer promises.

import { expect } from 'vitest';
import type { Input, Reader, ReadRequest, ReadSuccess } from '../../src/index.ts';
import { createTokenCounter } from '../../src/index.ts';

const counter = createTokenCounter();

/** One answer, which must succeed and keep within the budget. */
export async function readOk(reader: Reader, input: Input, request: ReadRequest = {}): Promise<ReadSuccess> {
  const result = await reader.read(input, request);
  if (!result.success) throw new Error(`${result.error.code}: ${result.error.message}`);
  if (request.all !== true) {
    const budget = request.maxTokens ?? reader.limits.maxTokensPerFile;
    expect(counter.count(result.text)).toBeLessThanOrEqual(budget);
    const { maxTokensPerFile, maxTotalOutput } = reader.limits;
    // A request for more tokens than the reader's raises the limit of characters.
    const characters = budget > maxTokensPerFile ? Math.max(maxTotalOutput, 10 * budget) : maxTotalOutput;
    expect(result.text.length).toBeLessThanOrEqual(characters);
  }
  const told = [...(result.truncation?.shown ?? []), ...(result.truncation?.omitted ?? [])];
  for (const { from, to, of } of [...told, ...result.content.flatMap(({ at }) => at)]) {
    expect(from).toBeGreaterThanOrEqual(1);
    expect(to).toBeGreaterThanOrEqual(from);
    if (of !== undefined) expect(to).toBeLessThanOrEqual(of);
  }
  return result;
}

/** Every answer from the first to the end of the walk. A walk that stands still fails. */
export async function walk(
  reader: Reader,
  input: () => Input,
  request: ReadRequest = {},
  most = 5000,
): Promise<ReadSuccess[]> {
  const answers = [await readOk(reader, input(), request)];
  const seen = new Set<string>();
  for (let next = answers[0]?.truncation?.next; next; next = answers.at(-1)?.truncation?.next) {
    if (seen.has(next.cursor))
      throw new Error(`The walk came back to where it was after ${answers.length} answers.`);
    seen.add(next.cursor);
    if (answers.length > most) throw new Error(`The walk did not end within ${most} answers.`);
    const { maxTokens, signal } = request;
    answers.push(
      await readOk(reader, input(), {
        cursor: next.cursor,
        ...(maxTokens !== undefined && { maxTokens }),
        ...(signal && { signal }),
      }),
    );
  }
  return answers;
}

export function contentOf(answers: readonly ReadSuccess[]): string {
  return answers
    .flatMap(({ content }) => content)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('');
}
