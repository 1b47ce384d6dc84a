// Workbooks made to hang, crash or mislead a reader. Each must end in a bounded answer or a typed error.

import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { xlsx } from '../../../../processors/tabular/xlsx.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../../support/context.ts';
import { type WorkbookParts, workbookMembers, workbookOf } from '../../../support/workbook.ts';
import { zipOf } from '../../../support/zip.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const read = (parts: WorkbookParts | Uint8Array, options: TestOptions = {}): Promise<Outcome> =>
  run(xlsx, memorySource(parts instanceof Uint8Array ? parts : workbookOf(parts), 'book.xlsx'), options);

const one = '<row r="1"><c r="A1"><v>1</v></c></row>';

describe('places that do not exist or lie far apart', () => {
  it('shows a lone cell in the last corner', async () => {
    const xml = '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>';
    const outcome = await read({ sheets: [xml] });
    expect(outcome.context.facts).toMatchObject({ rows: 1_048_576, columns: 16_384 });
    const last = await read({ sheets: [xml] }, { selection: { columns: 'XFD' } });
    expect(last.text).toBe('7\n');
  });

  it('leaves a million empty rows between two cells out of the table, and says so', async () => {
    const outcome = await read(
      { sheets: [`${one}<row r="1048576"><c r="A1048576"><v>2</v></c></row>`] },
      { selection: { all: true } },
    );
    expect(outcome.text).toBe('1\n2\n');
    expect(outcome.context.warnings).toContainEqual({
      code: 'SKIPPED_CONTENT',
      message: 'Sheet `Sheet1`: rows 2-1048575 are empty and not shown.',
    });
  });

  it('leaves out rows and cells past the end of a sheet, and says so', async () => {
    const outcome = await read({
      sheets: [
        `<row r="1"><c r="A1"><v>1</v></c><c r="XFE1"><v>2</v></c></row><row r="999999999"><c r="A1"><v>3</v></c></row>`,
      ],
    });
    expect(outcome.text).toBe('1\n');
    expect(outcome.context.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('past column XFD'),
      expect.stringContaining('past 1048576'),
    ]);
  });

  it('bounds ranges over the whole sheet', async () => {
    const outcome = await read({
      sheets: [
        `<cols><col min="1" max="2000000000" hidden="1"/></cols><sheetData>${one}</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells><dataValidations><dataValidation sqref="${'A1:XFD1048576 '.repeat(20_000)}"/></dataValidations>`,
      ],
    });
    expect(outcome.view).toContain('Merged: A1:XFD1048576');
    expect(outcome.text).toBe('1\n');
  });
});

describe('numbers of things', () => {
  it('reads a million rows', async () => {
    const rows: string[] = [];
    for (let row = 1; row <= 1_048_576; row++) rows.push(`<row r="${row}"><c r="A${row}"><v>1</v></c></row>`);
    const outcome = await read({ sheets: [rows.join('')] });
    expect(outcome.context.facts).toMatchObject({ rows: 1_048_576, columns: 1 });
    expect(outcome.parts).toHaveLength(2);
  });

  it('counts no row that holds nothing', async () => {
    const blanks = Array.from(
      { length: 100_000 },
      (_, index) => `<row r="${index + 2}"><c r="A${index + 2}" s="1"/></row>`,
    );
    const outcome = await read({ sheets: [one + blanks.join('')] });
    expect(outcome.context.facts).toMatchObject({ rows: 1, columns: 1 });
  });

  it('lists two thousand sheets', async () => {
    const outcome = await read({ sheets: Array.from({ length: 2000 }, () => one) });
    expect(outcome.context.facts).toMatchObject({ sheetCount: 2000 });
    expect(outcome.context.wholes).toContainEqual({ unit: 'sheet', of: 2000 });
    expect(outcome.next?.request).toEqual({ sheet: 'Sheet4' });
  });

  it('counts fifty thousand merged ranges', async () => {
    const merged = Array.from(
      { length: 50_000 },
      (_, index) => `<mergeCell ref="A${index + 1}:B${index + 1}"/>`,
    );
    const outcome = await read({
      sheets: [`<sheetData>${one}</sheetData><mergeCells>${merged.join('')}</mergeCells>`],
    });
    expect(outcome.context.facts['sheets']).toMatchObject([{ mergedCount: 50_000 }]);
  });

  it('takes a row of all columns', async () => {
    const cells = '<c><v>1</v></c>'.repeat(16_384);
    const outcome = await read({ sheets: [`<row>${cells}</row><row>${cells}<c><v>9</v></c></row>`] });
    expect(outcome.context.facts).toMatchObject({ rows: 2, columns: 16_384 });
  });
});

describe('lies', () => {
  it('shows texts that are not there as empty, with a warning', async () => {
    const outcome = await read({
      strings: ['here'],
      sheets: [
        '<row>' +
          ['0', '99999999', '-1', 'x', '1e99'].map((index) => `<c t="s"><v>${index}</v></c>`).join('') +
          '</row>',
      ],
    });
    expect(outcome.text).toBe('here,,,,\n');
    expect(outcome.context.warnings[0]?.message).toContain('4 cells');
  });

  it('shows a shared formula without a master by its value', async () => {
    const outcome = await read({
      sheets: ['<row><c><f t="shared" si="99"/><v>5</v></c><c><f t="shared" si="99"/></c></row>'],
    });
    expect(outcome.text).toBe('5,=shared formula\n');
  });

  it('never expands entities of its own or of others', async () => {
    const bomb = `<!DOCTYPE w [<!ENTITY a "${'x'.repeat(50)}"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY e SYSTEM "file:///etc/passwd">]>`;
    const outcome = await read({
      sheets: [''],
      members: [
        {
          name: 'xl/worksheets/sheet1.xml',
          data: `<?xml version="1.0"?>${bomb}<worksheet><sheetData><row><c t="str"><v>&b;&e;</v></c></row></sheetData></worksheet>`,
        },
        { name: 'xl/sharedStrings.xml', data: `${bomb}<sst><si><t>&b;</t></si></sst>` },
      ],
    });
    expect(outcome.text).toBe('&b;&e;\n');
  });

  it('takes the first of two parts of one name', async () => {
    const members = workbookMembers({ sheets: [one] });
    const twice = zipOf([
      ...members,
      { name: 'xl/worksheets/sheet1.xml', data: '<worksheet><sheetData/></worksheet>' },
    ]);
    const outcome = await read(twice);
    expect(outcome.text).toBe('1\n');
    expect(outcome.context.warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });

  it('survives every cut through a workbook', async () => {
    const bytes = workbookOf({ strings: ['a', 'b'], sheets: [one, one] });
    for (let length = 0; length < bytes.length; length += 37) {
      const error = await read(bytes.subarray(0, length)).then(
        ({ context }) => context.warnings[0]?.message,
        (reason: { readonly code?: string; readonly name: string }) => reason.code ?? reason.name,
      );
      expect(error).toMatch(/^(?:CORRUPT_FILE|NotThisFormat|The file is truncated: .*)$/);
    }
  });

  it('survives any damaged byte', async () => {
    const bytes = workbookOf({ strings: ['a', 'b'], numFmts: ['0.00'], sheets: [one, one] });
    for (let at = 0; at < bytes.length; at += 5) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      const outcome = await read(damaged).then(
        () => 'read',
        (reason: { readonly code?: string; readonly name: string }) => reason.code ?? reason.name,
      );
      expect(['read', 'CORRUPT_FILE', 'ENCRYPTED_FILE', 'LIMIT_EXCEEDED', 'NotThisFormat']).toContain(
        outcome,
      );
    }
  });
});

describe('bombs', () => {
  it('stops a sheet of blanks by what really inflates', async () => {
    const blanks = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    await expect(
      read({
        sheets: [''],
        members: [{ name: 'xl/worksheets/sheet1.xml', data: '', deflated: { data: blanks, size: 100 } }],
      }),
    ).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('refuses a row of more than 32 MiB', async () => {
    const noise = Array.from({ length: 3000 }, (_, index) => `${(index * 2654435761) % 4294967296}`).join('');
    const long = `<row><c t="str"><v>${noise.repeat(1500)}</v></c></row>`;
    await expect(read({ sheets: [long] }, { limits: { maxInflateRatio: 1e9 } })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });
});

describe('other things under the name of a workbook', () => {
  it.each([
    ['a zip of something else', zipOf([{ name: 'word/document.xml', data: '<a/>' }]), 'CORRUPT_FILE'],
    [
      'a workbook part that is none',
      workbookOf({ sheets: [], members: [{ name: 'xl/workbook.xml', data: '<html/>' }] }),
      'CORRUPT_FILE',
    ],
    [
      'a protected package',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.alloc(600),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]),
      'ENCRYPTED_FILE',
    ],
    [
      'an OLE container without a workbook',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
      'CORRUPT_FILE',
    ],
  ])('reports %s', async (_, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code });
  });

  it.each(['<html><table><tr><td>1</td></tr></table></html>', 'a,b\n1,2\n', ''])(
    'hands text back to be read as text: %j',
    async (text) => {
      await expect(read(Buffer.from(text))).rejects.toMatchObject({ name: 'NotThisFormat' });
    },
  );

  it('reads a workbook without any sheet', async () => {
    const outcome = await read({ sheets: [] });
    expect(outcome.text).toBe('');
    expect(outcome.context.facts).toEqual({ sheets: [] });
  });
});
