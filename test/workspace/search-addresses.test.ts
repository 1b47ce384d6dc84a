import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utils, write } from '@e965/xlsx';
import exceljs from 'exceljs';
import { afterAll, describe, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';

const FILES = readdirSync('fixtures', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\/[^/]+\.[^/]+$/.test(file) && !file.endsWith('.expected.md'));

describe('the address of a match', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const reader = createReader({ workspace, environment: {} });

  it.each(FILES)('in %s shows it', async (path) => {
    const { matches } = await workspace.search('\\p{L}{5,}', { regex: true, path, limit: 40 });
    for (const { address, text, column, line } of [...matches.slice(0, 3), ...matches.slice(-2)]) {
      const word = /\p{L}{5,}/u.exec(text)?.[0] ?? '';
      const answer = await reader.read(address, { maxTokens: 30_000 });
      expect([address, line, column, answer.success && answer.text]).toEqual([
        address,
        line,
        column,
        expect.stringContaining(word),
      ]);
    }
  });
});

describe('a search of an address', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const addresses = async (query: string, path: string): Promise<string[]> => {
    const { matches } = await workspace.search(query, { path, limit: 20 });
    return matches.map(({ address }) => address);
  };

  it('stays in a file inside another, or a folder of an archive', async () => {
    const archive = 'archive/project.zip';
    expect(await addresses('City 2,', `${archive}!/data/cities.csv`)).toEqual([
      `${archive}!/data/cities.csv#L3`,
    ]);
    const inner = `${archive}!/data/cities.tar.gz`;
    expect(await addresses('City 2,', inner)).toEqual([`${inner}!/cities.csv#L3`]);
    expect(await addresses('City 2,', `${archive}!/data/`)).toEqual([
      `${archive}!/data/cities.csv#L3`,
      `${inner}!/cities.csv#L3`,
    ]);
    expect(await addresses('City 2,', `${archive}!/docs`)).toEqual([]);
  });

  it('stays in a place', async () => {
    expect(await addresses('e', 'documents/gauges.pdf#page=2')).toContain('documents/gauges.pdf#page=2');
    expect(await addresses('Porto', 'tabular/orders.csv#row=2-3')).toEqual(['tabular/orders.csv#row=2']);
    expect(await addresses('Porto', 'archive/logs.zip!/missing#row=2').catch((error) => error.code)).toBe(
      'FILE_NOT_FOUND',
    );
    expect(await addresses('city', 'structured/orders.json#/nothing').catch((error) => error.code)).toBe(
      'BAD_INPUT',
    );
    const [first] = await addresses('version', 'structured/orders.json#L1-L3');
    expect(first).toMatch(/orders\.json#L[1-3]$/);
  });
});

describe('a match in a document or a table', () => {
  const workspace = createWorkspace({ root: 'fixtures' }, { environment: {} });
  const reader = createReader({ workspace, environment: {} });
  const labels = async (query: string, path: string): Promise<string[]> => {
    const { matches } = await workspace.search(query, { path, limit: 3 });
    return matches.map(({ address, label }) => `${address.slice(path.length)} ${label}`);
  };

  it('names its slide, the section of its page, or its column and the first field of its row', async () => {
    expect(await labels('South', 'documents/gates.pptx')).toEqual(['#slide=1 The gates']);
    expect(await labels('Width', 'documents/gates.odp')).toEqual(['#slide=2 Spare slide']);
    expect(await labels('212', 'documents/gauges.pdf')).toEqual(['#page=1 Levels']);
    expect(await labels('Tromsø', 'tabular/orders.xlsx')).toContain('#Orders!B4 place, 3');
    expect(await labels('amount', 'tabular/orders.xlsx')).toContain('#Orders!D1 amount');
  });

  it.each(['gates.pptx', 'gates.ppt', 'gates.odp', 'survey.docx', 'river.odt', 'river.doc'])(
    'of a comment in %s has the address of the comment',
    async (name) => {
      const { matches } = await workspace.search('^\\[\\^c.*\\): ', {
        regex: true,
        path: `documents/${name}`,
        limit: 5,
      });
      expect(matches.length).toBeGreaterThan(0);
      for (const { address, text } of matches) {
        expect(address).toMatch(/#comment=c\d+(?:-\d+)?$/);
        const answer = await reader.read(address);
        expect(answer.success && answer.text).toContain(text);
      }
    },
  );

  it('in a notebook has the address of its cell, which shows the line', async () => {
    const path = 'structured/analysis.ipynb';
    const { matches } = await workspace.search('\\S', { path, regex: true, limit: 200 });
    const texts = new Map<string, string>();
    for (const { address, text } of matches) {
      const answer = texts.has(address) ? undefined : await reader.read(address, { maxTokens: 30_000 });
      if (answer) texts.set(address, answer.success ? answer.text : '');
      expect([address, texts.get(address)]).toEqual([address, expect.stringContaining(text)]);
    }
    expect([...texts.keys()].slice(0, 2)).toEqual([`${path}#row=1`, `${path}#row=2`]);
  });

  it.each([
    ['documents/gauges.pdf', 'Floods'],
    ['documents/gates.pptx', 'Spare slide'],
    ['tabular/orders.xlsx', 'Key and value|São Paulo'],
  ])('in %s has context of its page, slide or sheet only', async (path, query) => {
    const { matches } = await workspace.search(query, { path, regex: true, context: 20 });
    for (const { address, before = [], after = [] } of matches) {
      const answer = await reader.read(address.replace(/!.*$/, ''), { maxTokens: 30_000 });
      const shown = answer.success ? answer.text : '';
      for (const line of [...before, ...after])
        expect([address, shown]).toEqual([address, expect.stringContaining(line)]);
    }
  });

  it('across lines keeps its lines', async () => {
    const { matches } = await workspace.search('Spare slide', { path: 'documents/gates.pptx', context: 3 });
    expect(matches.map(({ before }) => before)).toEqual([[]]);
    const spans = await workspace.search('Add a photo\\s+## Spare', {
      path: 'documents/gates.pptx',
      regex: true,
      multiline: true,
      context: 3,
    });
    expect(spans.matches.map(({ after = [] }) => after)).toEqual([['', '## Spare slide']]);
  });
});

describe('a search of comments on cells', () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-comments-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const workspace = createWorkspace({ root }, { environment: {} });
  const reader = createReader({ workspace, environment: {} });
  const found = async (query: string, path: string): Promise<string[]> => {
    const { matches } = await workspace.search(query, { path, context: 5 });
    for (const { before = [], after = [] } of matches) expect([...before, ...after]).toEqual([]);
    return matches.map(({ address, text }) => `${address.slice(path.length)} ${text}`);
  };

  it.each(['xlsx', 'xlsb', 'xls', 'ods'] as const)('of %s names the cell', async (bookType) => {
    const sheet = utils.aoa_to_sheet([
      ['pier', 'length'],
      ['North', 20],
    ]);
    sheet['B2'].c = [{ a: 'Ann', t: 'Measured\nat low water' }];
    const path = `book.${bookType}`;
    writeFileSync(
      join(root, path),
      new Uint8Array(write(utils.book_new(sheet, 'Piers'), { type: 'array', bookType })),
    );
    // SheetJS writes no author into an .ods file.
    const author = bookType === 'ods' ? '' : ' (Ann)';
    expect(await found('low water', path)).toEqual([`#Piers!B2 Comment${author}: Measured at low water`]);
    const answer = await reader.read(`${path}#Piers!B2`);
    expect(answer.success && answer.text).toContain(`B2${author}: Measured at low water`);
  });

  it('finds them beside the table and in sheets without one, and a read of the cell begins with its own', async () => {
    const book = new exceljs.Workbook();
    const sheet = book.addWorksheet('Piers');
    for (let row = 1; row <= 20; row += 1) sheet.addRow([`P${row}`, row, row * 2]);
    for (const cell of ['A7', 'B7', 'C7', 'F60']) sheet.getCell(cell).note = `Seen ${cell}. `.repeat(300);
    book.addWorksheet('Empty one').getCell('C3').note = 'Seen here';
    await book.xlsx.writeFile(join(root, 'notes.xlsx'));
    const { matches } = await workspace.search('Seen', { path: 'notes.xlsx' });
    expect(matches.map(({ address }) => address)).toEqual([
      'notes.xlsx#Piers!A7',
      'notes.xlsx#Piers!B7',
      'notes.xlsx#Piers!C7',
      'notes.xlsx#Piers!F60',
      "notes.xlsx#'Empty one'!C3",
    ]);
    for (const { address, text } of matches) {
      const answer = await reader.read(address);
      const cell = /\w+$/.exec(address)?.[0] ?? '';
      const seen = answer.success ? (answer.text.split('Comments')[1] ?? '') : '';
      expect(seen).toContain(`${cell} (Author): ${text.slice('Comment (Author): '.length, 290)}`);
      expect(seen.split('; ')[0]).toContain(cell);
    }
  });

  it('stays in the cells that are searched, whose columns keep their letters', async () => {
    const { matches } = await workspace.search('7', { path: 'notes.xlsx#Piers!B2:C18' });
    expect(matches.map(({ address }) => address)).toEqual([
      'notes.xlsx#Piers!B7',
      'notes.xlsx#Piers!B17',
      'notes.xlsx#Piers!B7',
      'notes.xlsx#Piers!C7',
    ]);
  });
});

describe('a search of formulas', () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-formulas-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const workspace = createWorkspace({ root }, { environment: {} });

  it.each(['xlsx', 'ods'] as const)('of %s finds them only if asked', async (bookType) => {
    const sheet = utils.aoa_to_sheet([
      ['pier', 'length', 'with tax'],
      ['North', 20, 24],
      ['South', 30, 36],
    ]);
    sheet['C2'] = { t: 'n', v: 24, f: 'B2*1.2' };
    sheet['C3'] = { t: 'n', v: 36, f: 'B3*1.2' };
    const path = `book.${bookType}`;
    writeFileSync(
      join(root, path),
      new Uint8Array(write(utils.book_new(sheet, 'Piers'), { type: 'array', bookType })),
    );
    expect((await workspace.search('*1.2', { path })).matches).toEqual([]);
    const { matches } = await workspace.search('*1.2', { path, formulas: true });
    expect(matches.map(({ address, label, text }) => [address, label, text])).toEqual([
      [`${path}#Piers!C2`, 'with tax, North', expect.stringMatching(/^North,20,24 \(=\[?\.?B2\]?\*1\.2\)$/)],
      [`${path}#Piers!C3`, 'with tax, South', expect.stringMatching(/^South,30,36 \(=\[?\.?B3\]?\*1\.2\)$/)],
    ]);
  });
});
