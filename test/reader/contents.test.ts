// What `inspect` lists of a file besides facts.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createReader, type Inspection } from '../../src/index.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const reader = createReader({ environment: {}, cache: false });

async function found(name: string, request = {}): Promise<Extract<Inspection, { success: true }>> {
  const result = await reader.inspect(`${FIXTURES}${name}`, request);
  if (!result.success) throw new Error(result.error.message);
  return result;
}

describe('the contents of a file', () => {
  it('are headings, tables and comments of a document, with their addresses', async () => {
    const { contents } = await found('documents/survey.docx', { maxTokens: 500 });
    expect(contents?.text.split('\n')).toEqual([
      '4 headings, 2 tables, 1 note, 1 comment (Ines 1)',
      '#L3: # Harbour crane survey',
      '#L5: # 1 Scope',
      '#L11: ## 1.1 Method',
      '#L25: # 2 Results',
      '#table=1: 3 rows: Crane, Load, Load',
      '#table=2: 2 rows: kN',
      '#comment=1: Ines (2024-03-02): Which one?',
      '',
    ]);
    expect(contents).toMatchObject({ shown: [1, 8], of: 8, next: null });
  });

  it('have the tables of a PDF among the entries of its own outline', async () => {
    const { contents } = await found('documents/gauges.pdf', { maxTokens: 500 });
    expect(contents?.text).toContain(
      '#page=1: ## Readings\n#table=1: 3 rows: Gauge, Morning, Evening\n#page=2',
    );
  });

  it('are sheets of a workbook, or the one that is asked for', async () => {
    const all = await found('tabular/orders.xlsx', { maxTokens: 500 });
    expect(all.contents?.text).toContain(
      '1. Sheet "Orders": 401 rows x 7 columns; 400 formulas, 1 comment, 1 hidden row\n',
    );
    const one = await found('tabular/orders.xlsx', { maxTokens: 500, sheet: 'Archive' });
    expect(one.contents?.text).toMatch(/^4\. Sheet "Archive": 40 rows x 2 columns\n[^\n]*\n?$/);
  });

  it('come page by page, and a read goes on as well', async () => {
    const whole = await found('documents/survey.docx', { maxTokens: 500 });
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const { contents } = await found('documents/survey.docx', {
        maxTokens: 90,
        ...(cursor !== undefined && { cursor }),
      });
      pages.push(contents?.text ?? '');
      cursor = contents?.next?.cursor;
    } while (cursor !== undefined && pages.length < 20);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join('')).toBe(whole.contents?.text);
    const first = await found('documents/survey.docx', { maxTokens: 90 });
    const next = { cursor: first.contents?.next?.cursor ?? '' };
    const read = await reader.read(`${FIXTURES}documents/survey.docx`, next);
    expect(read.success && read.text.startsWith(pages.slice(1).join(''))).toBe(true);
  });

  it('are not listed unless asked for, and a cursor of the content is refused', async () => {
    expect(await found('documents/survey.docx')).not.toHaveProperty('contents');
    const read = await reader.read(`${FIXTURES}documents/survey.docx`, { maxTokens: 200 });
    const cursor = (read.success && read.truncation?.next?.cursor) || '';
    expect(await reader.inspect(`${FIXTURES}documents/survey.docx`, { cursor })).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT' },
    });
  });
});

it('lists headings without the marks of comments and notes', async () => {
  const office = 'urn:oasis:names:tc:opendocument:xmlns:office:1.0';
  const text = 'urn:oasis:names:tc:opendocument:xmlns:text:1.0';
  const dc = 'http://purl.org/dc/elements/1.1/';
  const flat = `<?xml version="1.0"?><office:document xmlns:office="${office}" xmlns:text="${text}" xmlns:dc="${dc}" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:h text:outline-level="1">Levels<office:annotation><dc:creator>Bo</dc:creator><text:p>Which?</text:p></office:annotation></text:h><text:p>Low</text:p></office:text></office:body></office:document>`;
  const answer = await reader.inspect({ name: 'a.fodt', bytes: Buffer.from(flat) }, { maxTokens: 500 });
  const contents = answer.success ? answer.contents?.text : '';
  expect(contents).toContain('# Levels\n');
  expect(contents).not.toContain('[^');
});
