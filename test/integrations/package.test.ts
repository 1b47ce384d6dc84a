// The entry points of the package for LangChain export what their sources export.

import { expect, it } from 'vitest';
import { exportsOf, LANGCHAIN_ENTRIES } from '../support/entries.ts';

it.each(LANGCHAIN_ENTRIES)('exports of %s what its source exports', async (entry) => {
  const { published, source } = await exportsOf(entry);
  expect(source).not.toEqual([]);
  expect(published).toEqual(source);
});
