// Walks the outline of a file by cursor to its end, checking what every page promises.

import { expect } from 'vitest';
import type { Extent, Input, Reader, ReadRequest, ReadSuccess } from '../../src/index.ts';
import { readOk } from './walk.ts';

interface OutlineWalk {
  /** The answers that show the outline; empty for a file without one. */
  readonly pages: readonly ReadSuccess[];
  /** What the cursor of the last page gives. */
  readonly after: ReadSuccess | undefined;
  /** The outline in one answer. */
  readonly whole: ReadSuccess;
}

const isEntry = ({ unit, name }: Extent): boolean => unit === 'entry' && name === 'outline';
const isOutline = ({ truncation }: ReadSuccess): boolean =>
  [...(truncation?.shown ?? []), ...(truncation?.omitted ?? [])].some(isEntry);

/** The outline page by page, and at once. A page that shows nothing, or an entry twice, fails. */
export async function outlineWalk(
  reader: Reader,
  input: () => Input,
  request: ReadRequest & { readonly maxTokens: number },
): Promise<OutlineWalk> {
  const { maxTokens } = request;
  const pages: ReadSuccess[] = [];
  let answer = await readOk(reader, input(), { ...request, overflow: 'outline' });
  // An answer of no tokens holds nothing of the outline, and its cursor gives all of it.
  const none = await readOk(reader, input(), { ...request, overflow: 'outline', maxTokens: 0 });
  const cursor = none.truncation?.next?.cursor ?? '';
  const whole =
    isOutline(answer) && isOutline(none)
      ? await readOk(reader, input(), { cursor, maxTokens: 10_000_000 })
      : answer;
  let shown = 0;
  while (isOutline(answer)) {
    const entries = (answer.truncation?.shown ?? []).filter(isEntry);
    for (const { from, to } of entries) {
      expect(from, 'an entry is skipped or shown twice').toBe(shown + 1);
      shown = to;
    }
    expect(answer.text).not.toBe('');
    expect(answer.content.length, 'a page shows nothing').toBe(1);
    expect(answer.warnings[0]?.code).toBe('TRUNCATED');
    pages.push(answer);
    const next = answer.truncation?.next;
    if (!next) throw new Error('The outline ends without a way to the content.');
    answer = await readOk(reader, input(), { cursor: next.cursor, maxTokens });
  }
  const total = pages.at(-1)?.truncation?.shown.find(isEntry)?.of ?? 0;
  expect(shown, 'entries are left out').toBe(total);
  return { pages, after: pages.length > 0 ? answer : undefined, whole };
}
