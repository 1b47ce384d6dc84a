import exceljs from 'exceljs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xlsx } from '../../../../processors/tabular/xlsx.ts';
import { columnLetters, type Position } from '../../../../src/contract/index.ts';
import { createReader } from '../../../../src/index.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';
import { readOk } from '../../../support/walk.ts';
import { type WorkbookParts, workbookOf } from '../../../support/workbook.ts';

const read = (parts: WorkbookParts | Uint8Array, options: TestOptions = {}): Promise<Outcome> =>
  run(xlsx, memorySource(parts instanceof Uint8Array ? parts : workbookOf(parts), 'book.xlsx'), options);

const csv = async (parts: WorkbookParts | Uint8Array, sheet?: string): Promise<string> =>
  (await read(parts, { selection: { all: true, ...(sheet !== undefined && { sheet }) } })).text;

const cell = (reference: string, value: string | number, more = ''): string =>
  `<c r="${reference}"${more}><v>${value}</v></c>`;

interface Shown {
  readonly name: string;
  readonly [fact: string]: unknown;
}

function sheetsOf(outcome: Outcome): Shown[] {
  // The processor describes `sheets` as a list of plain objects.
  return outcome.context.facts['sheets'] as Shown[];
}

describe('values', () => {
  it('keeps 0, false, errors and empty fields', async () => {
    expect(
      await csv({
        sheets: [
          `<row r="1">${cell('A1', 0)}${cell('B1', 0, ' t="b"')}${cell('D1', '#N/A', ' t="e"')}</row><row r="3">${cell('B3', 1, ' t="b"')}</row>`,
        ],
      }),
    ).toBe('0,FALSE,,#N/A\n,,,\n,TRUE,,\n');
  });

  it('shows the cached value of a formula, and the formula where none is cached', async () => {
    const formula = (reference: string, inside: string, type = ''): string =>
      `<c r="${reference}"${type}>${inside}</c>`;
    expect(
      await csv({
        sheets: [
          `<row r="1">${formula('A1', '<f>A2-5</f><v>0</v>')}${formula('B1', '<f>""</f><v></v>', ' t="str"')}${formula('C1', '<f>1&gt;2</f><v>0</v>', ' t="b"')}${formula('D1', '<f>SUM(A1:A9)</f><v></v>')}${formula('E1', '<f t="shared" ref="E1:E2" si="0">A1*2</f><v>7</v>')}</row><row r="2">${formula('E2', '<f t="shared" si="0"/><v>9</v>')}</row>`,
        ],
      }),
    ).toBe('0,,FALSE,=SUM(A1:A9),7\n,,,,9\n');
  });

  it('reads every kind of text', async () => {
    expect(
      await csv({
        strings: [
          'plain',
          ' spaced ',
          '<si><r><t>ri_x0041_</t></r><r><rPr><b/></rPr><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>フリガナ</t></rPh></si>',
          '<si><t>a_x000D_b_x0041_</t></si>',
          '<si/>',
          '<si><t>a &amp;lt; &#x1F600; &unknown; </t></si>',
        ],
        sheets: [
          `<row>${[0, 1, 2, 3, 4, 5].map((index) => `<c t="s"><v>${index}</v></c>`).join('')}<c t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c></row>`,
        ],
      }),
    ).toBe('plain," spaced ","riAch ","a\rbA",,"a &lt; 😀 &unknown; ",inline\n');
  });

  it('shows dates as dates, with their times', async () => {
    const parts = {
      numFmts: ['yyyy-mm-dd hh:mm'],
      sheets: [
        `<row r="1">${cell('A1', 45293.645833333336, ' s="1"')}${cell('B1', '2024-01-02T15:30:00', ' t="d"')}</row>`,
      ],
    };
    expect(await csv(parts)).toBe('2024-01-02 15:30,1/2/2024 15:30\n');
    expect(
      await csv({ ...parts, date1904: true, sheets: [`<row>${cell('A1', 42735, ' s="1"')}</row>`] }),
    ).toBe('2021-01-01 00:00\n');
  });

  it('shows built-in dates with the century, and those of East Asia and Thailand as dates', async () => {
    const shown = async (id: number, value: number): Promise<string> =>
      (
        await csv({
          sheets: [`<row>${cell('A1', value, ' s="1"')}</row>`],
          members: [
            {
              name: 'xl/styles.xml',
              data: `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="${id}"/></cellXfs></styleSheet>`,
            },
          ],
        })
      ).trim();
    expect(await shown(14, 8767)).toBe('1/1/1924');
    expect(await shown(22, 45292.5)).toBe('1/1/2024 12:00');
    for (const id of [27, 28, 29, 30, 31, 34, 36, 50, 51, 52, 56, 58, 71, 81])
      expect(await shown(id, 45366)).toBe('2024-03-15');
    for (const id of [32, 34, 52, 55]) expect(await shown(id, 0.75)).toBe('18:00');
    expect(await shown(62, 1234.5)).toBe('"1,234.50"');
  });

  it('shows a value without its format when styles are missing or point nowhere', async () => {
    const parts = { sheets: [`<row>${cell('A1', 1.5, ' s="77"')}</row>`] };
    expect(await csv(parts)).toBe('1.5\n');
    expect(await csv({ ...parts, members: [{ name: 'xl/styles.xml', data: '' }] })).toBe('1.5\n');
  });

  it('shows formula-looking text as it is and quotes what needs it', async () => {
    expect(
      await csv({
        strings: ["=cmd|'/c calc'!A1", 'a"b', 'c,d', 'e\nf'],
        sheets: [
          '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>3</v></c></row>',
        ],
      }),
    ).toBe(`=cmd|'/c calc'!A1,"a""b","c,d","e\nf"\n`);
  });
});

describe('structure', () => {
  it('reads namespaced, strict and unnumbered XML', async () => {
    expect(
      await csv({
        sheets: [''],
        members: [
          {
            name: 'xl/worksheets/sheet1.xml',
            data: `<?xml version="1.0"?><x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c t='str'><x:v>two</x:v></x:c></x:row><x:row/><x:row><x:c><x:v>3</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
          },
        ],
      }),
    ).toBe('1,two\n,\n3,\n');
  });

  it('reads UTF-16 parts', async () => {
    const xml =
      '<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData><row r="1"><c r="A1" t="str"><v>zażółć</v></c></row></sheetData></worksheet>';
    const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')]);
    const big = Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(xml, 'utf16le').swap16()]);
    for (const data of [little, big])
      expect(await csv({ sheets: [''], members: [{ name: 'xl/worksheets/sheet1.xml', data }] })).toBe(
        'zażółć\n',
      );
  });

  it('finds sheets without relations, and a missing part is told', async () => {
    const parts = { sheets: [`<row>${cell('A1', 1)}</row>`, `<row>${cell('A1', 2)}</row>`] };
    const rels = { name: 'xl/_rels/workbook.xml.rels', data: '' };
    expect(await csv({ ...parts, members: [rels] }, 'Sheet2')).toBe('2\n');
    const book = await read({ ...parts, members: [{ ...rels, name: 'xl/worksheets/sheet2.xml', data: '' }] });
    expect(sheetsOf(book)).toMatchObject([{ rows: 1 }, { rows: 0 }]);
  });

  it('puts rows and cells that are out of order where they belong', async () => {
    expect(
      await csv({
        sheets: [
          `<row r="3">${cell('B3', 32)}${cell('A3', 31)}</row><row r="1">${cell('A1', 11)}</row><row r="3">${cell('C3', 33)}</row>`,
        ],
      }),
    ).toBe('11,,\n,,\n31,32,33\n');
  });

  it('lists chart sheets and hidden sheets, shows the visible, and reaches the hidden by name, number and cursor', async () => {
    const bytes = workbookOf({
      sheets: [
        { name: 'Shown', xml: `<row>${cell('A1', 1)}</row>` },
        { name: 'Secret', state: 'hidden', xml: `<row>${cell('A1', 2)}</row>`.repeat(5000) },
        { name: '__proto__', state: 'veryHidden', xml: `<row>${cell('A1', 3)}</row>` },
      ],
    });
    const first = await read(bytes);
    expect(first.view).toBe('Sheet "Shown": 1 row x 1 column\nA\n1\n');
    expect(first.text).toBe('1\n');
    expect(sheetsOf(first)).toMatchObject([
      { name: 'Shown', state: 'visible' },
      { name: 'Secret', state: 'hidden' },
      { name: '__proto__', state: 'veryHidden' },
    ]);
    expect(first.context.warnings.map(({ code }) => code)).toEqual(['HIDDEN_CONTENT']);
    expect(first.context.wholes).toContainEqual({ unit: 'sheet', of: 3 });
    expect(first.next?.request).toEqual({ sheet: 'Secret' });
    const secret = '2\n'.repeat(5000);
    expect(await csv(bytes, 'Secret')).toBe(secret);
    expect(await csv(bytes, 'secret')).toBe(secret);
    expect(await csv(bytes, '3')).toBe('3\n');
    expect(await csv(bytes)).toBe(`1\n${secret}3\n`);
    const rest = await read(bytes, { selection: { resume: first.next?.position ?? [] } });
    expect(rest.text).toMatch(/^2\n2\n/);
  });

  it('shows hidden sheets where all fits, and says that they are hidden', async () => {
    const shown = await read({
      sheets: [
        { name: 'Shown', xml: `<row>${cell('A1', 1)}</row>` },
        { name: 'Secret', state: 'hidden', xml: `<row>${cell('A1', 2)}</row>` },
      ],
    });
    expect(shown.view).toContain('Sheet "Secret" (hidden): 1 row x 1 column\nA\n2\n');
    expect(shown.next).toBeUndefined();
    expect(shown.context.warnings).toMatchObject([{ message: expect.stringMatching(/: `Secret`\.$/) }]);
  });

  it('cuts no sheet where all fit together, hidden and large ones beside small ones', async () => {
    const rows = (count: number): string =>
      Array.from(
        { length: count },
        (_, at) => `<row>${cell(`A${at + 1}`, at)}${cell(`B${at + 1}`, 'x', ' t="str"')}</row>`,
      ).join('');
    const reader = createReader({ environment: {}, cache: false });
    for (const [small, large] of [
      [1, 1],
      [2, 30],
      [40, 3],
    ] as const) {
      const bytes = workbookOf({
        sheets: [
          { name: 'One', xml: rows(small) },
          { name: 'Two', xml: rows(large) },
          { name: 'Three', state: 'hidden', xml: rows(2) },
        ],
      });
      const whole = await readOk(reader, { name: 'book.xlsx', bytes }, { maxTokens: 5000 });
      expect(whole.truncation).toBeNull();
      const content = whole.content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
      const needed = reader.count(content);
      for (const maxTokens of [needed, needed + 1, needed + 30]) {
        const fitted = await readOk(reader, { name: 'book.xlsx', bytes }, { maxTokens });
        expect([maxTokens, fitted.truncation]).toEqual([maxTokens, null]);
      }
    }
  });

  it('names near sheets for a name that is not there', async () => {
    await expect(csv({ sheets: [{ name: 'Orders', xml: '' }] }, 'Ordres')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('Did you mean `Orders`?'),
    });
  });

  it('tells comments, formulas and merged ranges under the table and as facts', async () => {
    const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const outcome = await read({
      sheets: [
        `<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><f>A1*2</f><v>2</v></c></row><row r="3"><c r="A3"><f>A1*3</f><v>3</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="B1:C4"/></mergeCells>`,
      ],
      members: [
        {
          name: 'xl/worksheets/_rels/sheet1.xml.rels',
          data: `<Relationships><Relationship Id="a" Type="${relations}/comments" Target="../comments1.xml"/><Relationship Id="b" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threadedComments/t1.xml"/><Relationship Id="c" Type="${relations}/comments" Target="http://127.0.0.1:9/x" TargetMode="External"/></Relationships>`,
        },
        {
          name: 'xl/comments1.xml',
          data: '<comments><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>first</t></r><r><t> note</t></r></text></comment><comment ref="A2" authorId="0"><text><t>[Threaded comment]</t></text></comment></commentList></comments>',
        },
        {
          name: 'xl/threadedComments/t1.xml',
          data: '<ThreadedComments><threadedComment ref="A2" personId="{1}"><text>thread</text></threadedComment></ThreadedComments>',
        },
      ],
    });
    expect(outcome.view).toBe(
      'Sheet "Sheet1": 3 rows x 1 column\nA\n1\n2\n3\nComments: A2: thread; A1 (Ann): first note\nFormulas: A2:A3 (2 cells)\nMerged: B1:C4\n',
    );
    expect(sheetsOf(outcome)).toMatchObject([
      {
        formulas: 2,
        mergedCount: 1,
        merged: ['B1:C4'],
        comments: [
          { cell: 'A2', author: '', text: 'thread' },
          { cell: 'A1', author: 'Ann', text: 'first note' },
        ],
      },
    ]);
  });
});

describe('what floats over the cells', () => {
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const anchor = (column: string, row: string, content: string): string =>
    `<xdr:twoCellAnchor><xdr:from><xdr:col>${column}</xdr:col><xdr:colOff>9</xdr:colOff><xdr:row>${row}</xdr:row></xdr:from><xdr:to><xdr:col>9</xdr:col><xdr:row>9</xdr:row></xdr:to>${content}</xdr:twoCellAnchor>`;
  const picture = (id: string, text: string): string =>
    `<xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="x" descr="${text}"/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="${id}"/></xdr:blipFill></xdr:pic>`;
  const chart = '<xdr:graphicFrame><a:graphicData><c:chart r:id="c1"/></a:graphicData></xdr:graphicFrame>';
  const drawnOn = (sheet: string, anchors: string): Parameters<typeof read>[0] => ({
    sheets: [sheet],
    members: [
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        data: `<Relationships><Relationship Id="d" Type="${relations}/drawing" Target="../drawings/drawing1.xml"/></Relationships>`,
      },
      { name: 'xl/drawings/drawing1.xml', data: `<xdr:wsDr>${anchors}</xdr:wsDr>` },
      {
        name: 'xl/drawings/_rels/drawing1.xml.rels',
        data: `<Relationships><Relationship Id="p1" Type="${relations}/image" Target="../media/quay.png"/><Relationship Id="c1" Type="${relations}/chart" Target="../charts/chart1.xml"/><Relationship Id="gone" Type="${relations}/image" Target="../media/gone.png"/></Relationships>`,
      },
      { name: 'xl/media/quay.png', data: 'x' },
      {
        name: 'xl/charts/chart1.xml',
        data: '<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Levels</a:t></a:r><a:r><a:t> by hour</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:f>S!$B$1</c:f><c:strCache><c:pt><c:v>Tide</c:v></c:pt></c:strCache></c:strRef></c:tx><c:dLbls><c:dLbl><c:tx><a:t>no name</a:t></c:tx></c:dLbl></c:dLbls><c:val><c:numRef><c:f>S!$B$2:$B$9</c:f></c:numRef></c:val></c:ser><c:ser><c:tx><c:strRef><c:f>S!$C$1</c:f></c:strRef></c:tx></c:ser></c:barChart><c:valAx><c:title><a:t>cm</a:t></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>',
      },
    ],
  });

  it('is named with its cell and its address', async () => {
    const outcome = await read(
      drawnOn(
        '<row r="1"><c r="A1"><v>1</v></c></row>',
        anchor('1', '4', picture('p1', 'the quay')) + anchor('0', '0', chart),
      ),
    );
    expect(outcome.view).toContain('Pictures: B5 "the quay" `book.xlsx!/xl/media/quay.png`\n');
    expect(outcome.view).toContain(
      'Charts: A1 "Levels by hour" of S!B2:B9 (series "Tide", "S!C1"; axes "cm") `book.xlsx!/xl/charts/chart1.xml`\n',
    );
    expect(sheetsOf(outcome)).toMatchObject([
      { drawings: [{ kind: 'picture', cell: 'B5', path: 'xl/media/quay.png' }, { kind: 'chart' }] },
    ]);
  });

  it('is named in the whole workbook as Markdown, also on a sheet without cells', async () => {
    const whole = { selection: { all: true, format: 'markdown' } } as const;
    const drawings = anchor('1', '4', picture('p1', 'the quay')) + anchor('0', '0', chart);
    const lines =
      'Pictures: B5 "the quay" `book.xlsx!/xl/media/quay.png`\n\nCharts: A1 "Levels by hour" of S!B2:B9 (series "Tide", "S!C1"; axes "cm") `book.xlsx!/xl/charts/chart1.xml`\n';
    const cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>';
    const outcome = await read(drawnOn(cells, drawings), whole);
    expect(outcome.view).toMatch(/\|\n\nPictures:/);
    expect(outcome.view.endsWith(lines)).toBe(true);
    expect(outcome.text).not.toContain('Charts');
    expect((await read(drawnOn('', drawings), whole)).view).toBe(`## Sheet1\n\n${lines}`);
    expect((await read(drawnOn(cells, drawings), { selection: { all: true } })).view).not.toContain('Charts');
  });

  it('is named on a sheet without cells', async () => {
    const outcome = await read(drawnOn('', anchor('0', '0', chart)));
    expect(outcome.view).toContain('Sheet "Sheet1": empty\nCharts: A1 "Levels by hour"');
  });

  it('has no cell where the file names one that cannot be, and no line without its part', async () => {
    const lies = anchor('-1', '5', picture('p1', '')) + anchor('1e9', 'x', picture('p1', ''));
    const outcome = await read(drawnOn('', `${lies}${anchor('1', '1', picture('gone', ''))}<xdr:from>`));
    expect(sheetsOf(outcome)[0]).toMatchObject({ drawings: [{ cell: '' }, { cell: '' }] });
  });

  it('is listed in whole items', async () => {
    const outcome = await read(drawnOn('', anchor('1', '1', picture('p1', 'quay'.repeat(30))).repeat(300)));
    expect(outcome.view).toMatch(
      /Pictures \(\d of 300\): B2 "(?:quay)+" `book\.xlsx!\/xl\/media\/quay\.png`; .*`\n$/,
    );
  });
});

describe('answers', () => {
  const rows = (count: number, columns = 3): string =>
    Array.from({ length: count }, (_, index) => {
      const number = index + 1;
      return `<row r="${number}">${Array.from({ length: columns }, (_, column) => cell(`${columnLetters(column + 1)}${number}`, number * 100 + column)).join('')}</row>`;
    }).join('');

  it('shows head and tail with true row numbers and totals', async () => {
    const outcome = await read({ sheets: [rows(5000)] });
    expect(outcome.parts.map(({ shown }) => shown[0])).toEqual([
      { unit: 'row', from: 1, to: 20, of: 5000, name: 'Sheet1' },
      { unit: 'row', from: 4991, to: 5000, of: 5000, name: 'Sheet1' },
    ]);
    expect(outcome.context.facts).toMatchObject({ rows: 5000, columns: 3 });
    expect(outcome.text.split('\n')[20]).toBe('499100,499101,499102');
    expect(outcome.next?.request).toEqual({ rows: '21-4990', sheet: 'Sheet1' });
  });

  it('takes a first row of names as header, and only then', async () => {
    const names =
      '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>x</t></is></c></row>';
    const outcome = await read(
      { sheets: [`${names}<row r="2">${cell('A2', 1)}${cell('B2', 2)}</row>`] },
      { selection: { format: 'json' } },
    );
    expect(JSON.parse(outcome.text)).toEqual([{ id: '1', x: '2' }]);
    const chosen = await read(
      { sheets: [`${names}<row r="2">${cell('A2', 1)}${cell('B2', 2)}</row>`] },
      { selection: { columns: 'x' } },
    );
    expect(chosen.text).toBe('x\n2\n');
  });

  it('reads far rows by number, and again from what it kept', async () => {
    const source = memorySource(workbookOf({ sheets: [rows(20_000)] }), 'book.xlsx');
    for (const from of [15_000, 15_005, 3, 19_999]) {
      const outcome = await run(xlsx, source, { selection: { rows: { from, to: from + 1 } } });
      expect(outcome.text).toBe(
        [from, from + 1]
          .map((number) => `${number * 100},${number * 100 + 1},${number * 100 + 2}\n`)
          .join(''),
      );
    }
    await expect(
      run(xlsx, source, { selection: { rows: { from: 20_001, to: 20_002 } } }),
    ).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  it('shows the first sheets in a fair share each and declares the others', async () => {
    const outcome = await read({ sheets: [rows(400), rows(3), rows(400), rows(2)] }, { tokens: 500 });
    const names = new Set(outcome.parts.flatMap(({ shown }) => shown.map(({ name }) => name)));
    expect(names).toEqual(new Set(['Sheet1', undefined, 'Sheet2', 'Sheet3']));
    expect(outcome.context.wholes).toContainEqual({ unit: 'sheet', of: 4 });
    expect(outcome.context.budget.count(outcome.view)).toBeLessThanOrEqual(500);
    expect(outcome.view).toContain('\n\nSheet "Sheet2": 3 rows x 3 columns\n');
    const shown = (name: string): number =>
      outcome.parts
        .flatMap((part) => part.shown)
        .filter((extent) => extent.unit === 'row' && extent.name === name)
        .reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(shown('Sheet2')).toBe(3);
    expect(Math.abs(shown('Sheet1') - shown('Sheet3'))).toBeLessThanOrEqual(8);
  });

  it('declares everything and shows nothing for an empty budget', async () => {
    const outcome = await read({ sheets: [rows(50), rows(10)] }, { tokens: 0 });
    expect(outcome.text).toBe('');
    expect(sheetsOf(outcome)).toMatchObject([{ rows: 50 }, { rows: 10 }]);
  });

  it('rebuilds every sheet by walking, whatever the budget', async () => {
    const word = fc.stringMatching(/^[a-z ,"]{0,30}$/);
    const sheet = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(sheet, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 30, max: 600 }),
        async (sheets, tokens) => {
          const bytes = workbookOf({
            sheets: sheets.map((lines) =>
              lines
                .map(
                  (line, index) =>
                    `<row r="${index + 1}">${line
                      .map(
                        (text, column) =>
                          `<c r="${columnLetters(column + 1)}${index + 1}" t="inlineStr"><is><t>${text}</t></is></c>`,
                      )
                      .join('')}</row>`,
                )
                .join(''),
            ),
          });
          const source = memorySource(bytes, 'book.xlsx');
          const pieces: string[] = [];
          let resume: Position | undefined;
          for (let step = 0; step < 3000; step++) {
            const outcome = await run(xlsx, source, { tokens, selection: { ...(resume && { resume }) } });
            expect(outcome.context.budget.count(outcome.view)).toBeLessThanOrEqual(tokens);
            pieces.push(outcome.text);
            if (!outcome.next) break;
            expect(outcome.next.position).not.toEqual(resume);
            resume = outcome.next.position;
          }
          const walked = pieces
            .join('')
            .replace(/[\n",]/g, '')
            .split('')
            .sort()
            .join('')
            .replaceAll('…', '');
          const whole = sheets
            .flat(2)
            .join('')
            .replace(/[\n",]/g, '')
            .split('')
            .sort()
            .join('');
          expect(walked).toBe(whole);
        },
      ),
      { numRuns: draws(40) },
    );
  });

  it('refuses positions that it did not make', async () => {
    const bytes = workbookOf({ sheets: [rows(300), rows(300)] });
    const bad: Position[] = [
      [],
      [9, 0],
      [0, 9],
      [1, 1, 0],
      ['a', 0],
      [-1, 0],
      [2, 0],
      [1.5, 0],
      [0, 1, 5, 0, 1, 0, 0, 1, 20, 291, 3, 500, 0, 0],
    ];
    for (const resume of bad)
      await expect(read(bytes, { selection: { resume } })).rejects.toMatchObject({ code: 'STALE_CURSOR' });
  });
});

describe('beside exceljs', () => {
  it('agrees on a workbook that exceljs wrote', async () => {
    const book = new exceljs.Workbook();
    const sheet = book.addWorksheet('Data');
    sheet.addRow(['name', 'amount', 'when', 'ok']);
    for (let row = 2; row <= 60; row++)
      sheet.addRow([`item ${row}`, row * 1.25, new Date(Date.UTC(2024, 0, row, 15, 30)), row % 2 === 0]);
    sheet.getColumn(3).numFmt = 'yyyy-mm-dd hh:mm';
    sheet.getColumn(2).numFmt = '#,##0.00';
    sheet.getCell('F2').value = { formula: 'A2-5', result: 0 };
    sheet.getCell('F3').value = { formula: '1>2', result: false };
    sheet.getCell('B2').note = 'a note';
    sheet.mergeCells('H1:I2');
    book.addWorksheet('Gone', { state: 'hidden' }).addRow(['secret']);
    const bytes = Buffer.from(await book.xlsx.writeBuffer());
    const lines = (await csv(bytes, 'Data')).split('\n');
    expect(lines[0]).toMatch(/^name,amount,when,ok/);
    expect(lines[1]).toMatch(/^item 2,2\.50,2024-01-02 15:30,TRUE,/);
    expect(lines[31]).toMatch(/^item 32,40\.00,2024-02-01 15:30,TRUE/);
    const outcome = await read(bytes);
    expect(sheetsOf(outcome)).toMatchObject([
      {
        name: 'Data',
        rows: 60,
        mergedCount: 1,
        merged: ['H1:I2'],
        comments: [{ cell: 'B2', text: 'a note' }],
      },
      { name: 'Gone', state: 'hidden', rows: 1 },
    ]);
  });
});
