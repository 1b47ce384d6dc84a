import * as sheetjs from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { spreadsheet } from '../../../processors/tabular/xlsx.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../support/context.ts';
import { zipOf } from '../../support/zip.ts';

const read = (bytes: Uint8Array, options: TestOptions = {}): Promise<Outcome> =>
  run(spreadsheet, memorySource(bytes, 'book.xls'), options);

function book(type: 'biff8' | 'xlsb' | 'ods'): Buffer {
  const sheet = sheetjs.utils.aoa_to_sheet([
    ['name', 'amount', 'ok'],
    ['a,b', 0, false],
    [],
    ['c', 1234.5, true],
  ]);
  const amount: sheetjs.CellObject = { t: 'n', v: 1234.5, z: '#,##0.00' };
  sheet['B4'] = amount;
  sheet['!merges'] = [{ s: { r: 3, c: 2 }, e: { r: 3, c: 3 } }];
  const workbook = sheetjs.utils.book_new();
  sheetjs.utils.book_append_sheet(workbook, sheet, 'Data');
  sheetjs.utils.book_append_sheet(workbook, sheetjs.utils.aoa_to_sheet([['secret']]), 'Gone');
  workbook.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return Buffer.from(sheetjs.write(workbook, { type: 'buffer', bookType: type }) as Uint8Array);
}

describe.each(['biff8', 'xlsb', 'ods'] as const)('%s', (type) => {
  it('shows values as they are formatted, keeps 0 and FALSE, and blank rows', async () => {
    const outcome = await read(book(type), { selection: { all: true, sheet: 'Data' } });
    const lines = outcome.text.split('\n').map((line) => line.replace(/,+$/, ''));
    expect(lines[0]).toBe('name,amount,ok');
    expect(lines[1]).toBe('"a,b",0,FALSE');
    expect(lines[2]).toBe('');
    // The library writes no number formats into ODS.
    expect(lines[3]).toBe(type === 'ods' ? 'c,1234.5,TRUE' : 'c,"1,234.50",TRUE');
    expect(outcome.context.facts).toMatchObject({
      rows: 4,
      sheets: [{ name: 'Data', mergedCount: 1 }, { name: 'Gone' }],
    });
  });
});

describe.each(['xlsx', 'biff8', 'xlsb', 'ods'] as const)('%s', (type) => {
  it('shows a text under a format whose fourth section is General', async () => {
    const sheet = sheetjs.utils.aoa_to_sheet([['name', 'amount']]);
    const name: sheetjs.CellObject = { t: 's', v: 'word', z: '0;-0;0;"<"General">"' };
    sheetjs.utils.sheet_add_aoa(sheet, [[name, 1]], { origin: 'A2' });
    const workbook = sheetjs.utils.book_new(sheet, 'Data');
    const bytes = Buffer.from(sheetjs.write(workbook, { type: 'buffer', bookType: type }) as Uint8Array);
    // The library writes no number formats into ODS.
    expect((await read(bytes)).text).toBe(`name,amount\n${type === 'ods' ? 'word' : '<word>'},1\n`);
  });
});

describe.each(['xls', 'xlsb'] as const)('objects and links of %s', (kind) => {
  /** A workbook with a link and a date, and the package or compound file around it. */
  function linked(): ReturnType<typeof sheetjs.CFB.read> {
    const sheet = sheetjs.utils.aoa_to_sheet([['name', 'born'], ['Docs']]);
    sheet['A2'] = { t: 's', v: 'Docs', l: { Target: 'https://a.example/' } };
    sheet['B2'] = { t: 'n', v: 8767, z: 'm/d/yy' };
    const type = kind === 'xls' ? 'biff8' : 'xlsb';
    const bytes: unknown = sheetjs.write(sheetjs.utils.book_new(sheet, 'S'), {
      type: 'buffer',
      bookType: type,
    });
    return sheetjs.CFB.read(bytes as Buffer, { type: 'buffer' });
  }

  it('shows them with their cells', async () => {
    const file = linked();
    if (kind === 'xls') addXlsObjects(file);
    else addXlsbObjects(file);
    const bytes: unknown = sheetjs.CFB.write(file, {
      type: 'buffer',
      fileType: kind === 'xls' ? 'cfb' : 'zip',
    });
    const { view } = await read(bytes as Buffer);
    expect(view).toBe(
      'Sheet "S": 2 rows x 2 columns\nname,born\nDocs (https://a.example/),1/1/1924\nText boxes: D3 "in thousands"\nPrint header: Draft ü\n',
    );
  });

  function addXlsObjects(file: ReturnType<typeof linked>): void {
    const entry = sheetjs.CFB.find(file, 'Workbook');
    if (!entry) throw new Error('no stream');
    const stream = Buffer.from(entry.content as Uint8Array);
    const record = (type: number, body: Buffer): Buffer => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(type, 0);
      head.writeUInt16LE(body.length, 2);
      return Buffer.concat([head, body]);
    };
    const anchor = Buffer.from(
      '0000 10f0 12000000 0000 0300 0000 0200'.replaceAll(' ', '') + '00'.repeat(10),
      'hex',
    );
    const object = (type: number): Buffer =>
      Buffer.from([0x15, 0, 0x12, 0, type, 0, ...Array<number>(16).fill(0)]);
    const text = (words: string): Buffer[] => {
      const head = Buffer.alloc(18);
      head.writeUInt16LE(words.length, 10);
      // In two records, the second with wide characters.
      return [
        record(0x01b6, head),
        record(0x003c, Buffer.concat([Buffer.from([0]), Buffer.from(words.slice(0, 3))])),
        record(0x003c, Buffer.concat([Buffer.from([1]), Buffer.from(words.slice(3), 'utf16le')])),
        record(0x003c, Buffer.alloc(16)),
      ];
    };
    const header = Buffer.from('&CDraft ü', 'utf16le');
    const added = [
      record(0x0014, Buffer.concat([Buffer.from([header.length / 2, 0, 1]), header])),
      record(0x00ec, anchor),
      record(0x005d, object(6)),
      ...text('in thousands'),
      record(0x005d, object(0x19)),
      ...text('a comment'),
    ];
    const end = stream.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]));
    entry.content = Buffer.concat([stream.subarray(0, end), ...added, stream.subarray(end)]);
    entry.size = entry.content.length;
  }

  function addXlsbObjects(file: ReturnType<typeof linked>): void {
    const add = (name: string, content: Buffer | string): unknown =>
      sheetjs.CFB.utils.cfb_add(file, name, Buffer.from(content));
    const relations = sheetjs.CFB.find(file, '/xl/worksheets/_rels/sheet1.bin.rels');
    const sheet = sheetjs.CFB.find(file, '/xl/worksheets/sheet1.bin');
    if (!relations || !sheet) throw new Error('no sheet');
    add(
      '/xl/worksheets/_rels/sheet1.bin.rels',
      Buffer.from(relations.content as Uint8Array)
        .toString()
        .replace('</Rel', '<Relationship Id="d" Type="x/drawing" Target="../drawings/drawing1.xml"/></Rel'),
    );
    const header = Buffer.from('&CDraft ü', 'utf16le');
    const body = Buffer.alloc(2 + 4 + header.length + 5 * 4, 0xff);
    body.writeUInt32LE(header.length / 2, 2);
    header.copy(body, 6);
    add(
      '/xl/worksheets/sheet1.bin',
      Buffer.concat([Buffer.from(sheet.content as Uint8Array), Buffer.from([0xdf, 0x03, body.length]), body]),
    );
    add(
      '/xl/drawings/drawing1.xml',
      '<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>in thousands</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>',
    );
  }
});

describe('legacy workbooks', () => {
  it('says which sheets are hidden, and shows them where all fits', async () => {
    const outcome = await read(book('biff8'));
    expect(outcome.context.facts['sheets']).toMatchObject([{ state: 'visible' }, { state: 'hidden' }]);
    expect(outcome.text).toContain('secret');
    expect(outcome.view).toMatch(/\(hidden\)|hidden/);
  });

  it('reads hidden tables of ODS from their styles', async () => {
    const content = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:automatic-styles><style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>${[
      'ta1',
      'ta2',
    ]
      .map(
        (style) =>
          `<table:table table:name="${style}" table:style-name="${style}"><table:table-row><table:table-cell office:value-type="string"><text:p>${style}</text:p></table:table-cell></table:table-row></table:table>`,
      )
      .join('')}</office:spreadsheet></office:body></office:document-content>`;
    const outcome = await read(
      zipOf([
        { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
        { name: 'META-INF/manifest.xml', data: '<manifest/>' },
        { name: 'styles.xml', data: '<styles/>' },
        { name: 'content.xml', data: content },
      ]),
    );
    expect(outcome.context.facts['sheets']).toMatchObject([{ state: 'visible' }, { state: 'hidden' }]);
    expect(outcome.text).toBe('ta1\nta2\n');
  });

  it('refuses what ODS repetition unfolds to', async () => {
    const content = `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
    await expect(
      read(
        zipOf([
          { name: 'mimetype', data: '', stored: true },
          { name: 'content.xml', data: content },
        ]),
      ),
    ).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('counts what an XLSB inflates to before the library sees it', async () => {
    const bytes = zipOf([
      { name: 'xl/workbook.bin', data: Buffer.alloc(10) },
      { name: 'xl/worksheets/sheet1.bin', data: Buffer.alloc(32 * 1024 * 1024) },
    ]);
    await expect(
      read(bytes, { limits: { maxInflateRatio: 1e9, maxBytesInMemory: 1024 * 1024 } }),
    ).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('inflates to more than 1048576 bytes'),
    });
  });

  it('refuses files too large to be held', async () => {
    await expect(read(book('biff8'), { limits: { maxBytesInMemory: 100 } })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });

  it('survives any damaged byte', async () => {
    const bytes = book('biff8');
    for (let at = 8; at < bytes.length; at += 211) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      const outcome = await read(damaged).then(
        () => 'read',
        (reason: { readonly code?: string; readonly name: string }) => reason.code ?? reason.name,
      );
      expect(['read', 'CORRUPT_FILE', 'ENCRYPTED_FILE', 'LIMIT_EXCEEDED']).toContain(outcome);
    }
  });
});

describe('Excel 2 to 4', () => {
  const record = (type: number, body: Buffer): Buffer => {
    const header = Buffer.alloc(4);
    header.writeUInt16LE(type, 0);
    header.writeUInt16LE(body.length, 2);
    return Buffer.concat([header, body]);
  };
  const words = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 2);
    for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, i * 2);
    return bytes;
  };
  const NUMBER = Buffer.alloc(8);
  NUMBER.writeDoubleLE(12.5);

  /** BOF, DIMENSIONS, two LABELs, a NUMBER and EOF as Excel 4 writes them (OpenOffice.org, Excel file format, 5). */
  const stream = (kind: number, format = 0): Buffer =>
    Buffer.concat([
      record(0x0409, words(0, kind, 0)),
      record(0x0200, words(0, 2, 0, 2, 0)),
      record(0x0204, Buffer.concat([words(0, 0, 0, 4), Buffer.from('item')])),
      record(0x0204, Buffer.concat([words(0, 1, 0, 5), Buffer.from('price')])),
      record(0x0204, Buffer.concat([words(1, 0, 0, 3), Buffer.from('tea')])),
      record(0x0203, Buffer.concat([words(1, 1, format), NUMBER])),
      record(0x000a, Buffer.alloc(0)),
    ]);

  it.each(['biff2', 'biff4'] as const)('reads a worksheet of %s by path, name and bytes', async (type) => {
    const workbook = sheetjs.utils.book_new();
    const sheet = sheetjs.utils.aoa_to_sheet([
      ['item', 'price', 'day'],
      ['tea', 12.5],
      ['milk', 0],
    ]);
    sheetjs.utils.book_append_sheet(workbook, sheet, 'Data');
    // SheetJS writes Excel 4 too, which its types leave out.
    const bookType = type as sheetjs.BookType;
    const bytes = Buffer.from(sheetjs.write(workbook, { type: 'buffer', bookType }) as Uint8Array);
    const result = await createReader({ environment: {} }).read({ name: 'book.xls', bytes });
    expect(result).toMatchObject({ success: true, processor: 'spreadsheet' });
    expect(result.success && result.text).toContain('item,price,day\ntea,12.5,\nmilk,0,\n');
  });

  it('reads the records that Excel 4 writes', async () => {
    const result = await createReader({ environment: {} }).read({ name: 'book.xls', bytes: stream(0x10) });
    expect(result.success && result.text).toContain('item,price\ntea,12.5\n');
  });

  it.each([
    ['chart', 0x20],
    ['macro sheet', 0x40],
  ])('refuses a %s as unsupported, not as damaged', async (what, kind) => {
    const result = await createReader({ environment: {} }).read({ name: 'book.xls', bytes: stream(kind) });
    expect(result).toMatchObject({
      error: {
        code: 'UNSUPPORTED_FORMAT',
        message: expect.stringContaining(what),
        hint: 'Open it in a spreadsheet program and save it as .xlsx.',
      },
    });
  });

  /** A workbook: its records, then each sheet behind a record with its length and name. */
  const workbookOf = (...sheets: readonly (readonly [name: string, bytes: Buffer])[]): Buffer =>
    Buffer.concat([
      record(0x0409, words(0, 0x100, 0)),
      record(0x0042, words(1251)),
      record(0x0022, words(1)),
      ...['General', 'dd/mm/yyyy'].map((format) =>
        record(0x041e, Buffer.from(`\0\0${String.fromCharCode(format.length)}${format}`, 'latin1')),
      ),
      ...[0, 1].map((format) => record(0x0443, Buffer.from([0, format, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))),
      ...sheets.flatMap(([name, bytes]) => {
        const text = Buffer.from(name, 'latin1');
        const size = Buffer.alloc(5);
        size.writeUInt32LE(bytes.length);
        size[4] = text.length;
        return [record(0x008f, Buffer.concat([size, text])), bytes];
      }),
      record(0x000a, Buffer.alloc(0)),
    ]);

  it('reads every sheet of a workbook', async () => {
    const bytes = workbookOf(
      ['\xd6\xe5\xed\xfb', stream(0x10)],
      ['Chart', stream(0x20)],
      ['Two', stream(0x10, 1)],
    );
    const reader = createReader({ environment: {} });
    for (const name of ['book.xlw', 'book.xls', 'stdin']) {
      const result = await reader.read({ name, bytes });
      expect(result).toMatchObject({
        success: true,
        processor: 'spreadsheet',
        metadata: { sheets: [{ name: 'Цены' }, { name: 'Chart', kind: 'chartsheet' }, { name: 'Two' }] },
      });
      const text = result.success ? result.text : '';
      expect(text).toContain('item,price\ntea,12.5\n');
      // Its format and the start of its dates are in the records of the workbook.
      expect(text).toContain('item,price\ntea,13/01/1904\n');
    }
    const second = await reader.read({ name: 'book.xlw', bytes }, { sheet: 'Two' });
    expect(second.success && second.text).not.toContain('Цены');
  });

  it('bounds and survives what a workbook claims', async () => {
    const reader = createReader({ environment: {} });
    const whole = workbookOf(['One', stream(0x10)], ['Two', stream(0x10)]);
    for (let length = 4; length < whole.length; length += 7) {
      const result = await reader.read({ name: 'book.xlw', bytes: whole.subarray(0, length) });
      if (!result.success) expect(['CORRUPT_FILE', 'UNSUPPORTED_FORMAT']).toContain(result.error.code);
    }
    const empty = Array.from({ length: 1500 }, () => ['x', Buffer.alloc(0)] as const);
    const many = await reader.inspect({ name: 'book.xlw', bytes: workbookOf(...empty) });
    expect(many.success && many.metadata['sheets']).toHaveLength(1000);
    expect(many.success && many.warnings.map(({ code }) => code)).toContain('SKIPPED_CONTENT');
  });

  it('says that a workspace holds no sheets', async () => {
    const result = await createReader({ environment: {} }).read({ name: 'book.xlw', bytes: stream(0x100) });
    expect(result).toMatchObject({
      error: { code: 'UNSUPPORTED_FORMAT', hint: 'Read the workbooks themselves.' },
    });
  });

  it('does not open a protected workbook', async () => {
    const bytes = Buffer.concat([record(0x0409, words(0, 0x100, 0)), record(0x002f, words(1, 2))]);
    const result = await createReader({ environment: {} }).read({ name: 'book.xlw', bytes });
    expect(result).toMatchObject({ error: { code: 'ENCRYPTED_FILE' } });
  });
});
