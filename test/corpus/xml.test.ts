// Real XML files: the W3C conformance suite's verdicts, hostile documents and odd encodings.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { xml } from '../../processors/structured/xml.ts';
import { NotThisFormat } from '../../src/contract/index.ts';
import { memorySource, run } from '../support/context.ts';

const corpus = process.env['LECTERN_CORPUS'];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:xml|rdf)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

describe.runIf(corpus)('the XML corpus', () => {
  const root = path.join(corpus ?? '', 'xml');
  const files = corpus ? filesIn(root) : [];
  const wrong = (file: string): boolean => /not-wf|oasis.p\d+fail/.test(file);

  test.each(files.filter(wrong).map((file) => [path.relative(root, file), file]))(
    '%s is not well-formed',
    async (_, file) => {
      const failure = await run(xml, memorySource(readFileSync(file), 'a.xml')).catch(
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(NotThisFormat);
      expect((failure as NotThisFormat).warning.message).toMatch(
        /^Not well-formed XML: .+ at line \d+, column \d+\.$/,
      );
    },
  );

  test.each(files.filter((file) => !wrong(file)).map((file) => [path.relative(root, file), file]))(
    '%s is read as XML, entities as written',
    async (_, file) => {
      const source = memorySource(readFileSync(file), 'a.xml');
      const { text, context, next } = await run(xml, source, { tokens: 50_000 });
      const all = await run(xml, source, { selection: { all: true } });
      expect(all.text).toBe(Buffer.from(await (await context.text(source)).bytes()).toString());
      if (!next) expect(text).toBe(all.text);
      expect(context.facts['validated']).toBe(true);
    },
  );
});
