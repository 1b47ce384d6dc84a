// OpenDocument spreadsheets written element by element: cells under objects, what lies on a sheet, and optional parts.

import { describe, expect, it } from 'vitest';
import { ods } from '../../../processors/tabular/xlsx.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../support/context.ts';
import { type ZipMember, zipOf } from '../../support/zip.ts';

const NAMESPACES = [
  'office',
  'table',
  'text',
  'draw',
  'xlink',
  'svg',
  'style',
  'dc',
  'calcext',
  'chart',
  'form',
]
  .map((name) => `xmlns:${name}="urn:${name}"`)
  .join(' ');

const contentOf = (tables: string, styles = ''): string =>
  `<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`;

const row = (cells: string, attributes = ''): string =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`;
const cell = (inside: string, attributes = ''): string =>
  `<table:table-cell ${attributes}>${inside}</table:table-cell>`;
const p = (text: string): string => `<text:p>${text}</text:p>`;
const table = (rows: string, attributes = ''): string =>
  `<table:table table:name="S" ${attributes}>${rows}</table:table>`;

function read(
  content: string,
  members: readonly ZipMember[] = [],
  options: TestOptions = {},
): Promise<Outcome> {
  const bytes = zipOf([
    { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
    { name: 'content.xml', data: content },
    ...members,
  ]);
  return run(ods, memorySource(bytes, 'book.ods'), options);
}

describe('cells', () => {
  const image =
    '<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>a plum</svg:desc></draw:frame>';
  const box = `<draw:frame><draw:text-box>${p('on top')}</draw:text-box></draw:frame>`;
  const shape = `<draw:g><svg:title>group</svg:title><draw:custom-shape>${p('in a group')}</draw:custom-shape></draw:g>`;

  it.each([
    ['before', (object: string) => `${object}${p('fresh')}`],
    ['after', (object: string) => `${p('fresh')}${object}`],
  ])('keep their text where an object stands %s it', async (_, place) => {
    const objects = [
      image,
      box,
      shape,
      `<office:annotation><dc:creator>Ann</dc:creator>${p('dear')}</office:annotation>`,
    ];
    const rows = objects.map((object) => row(cell(place(object)) + cell(p('x')))).join('');
    const { view, text } = await read(contentOf(table(rows)), [{ name: 'Pictures/a.png', data: 'x' }]);
    expect(text).toBe('fresh,x\n'.repeat(4));
    expect(view).toContain('Text boxes: A2 "on top"; A3 "in a group"\nComments: A4 (Ann): dear\n');
    expect(view).toContain('Pictures: A1 "a plum" `book.ods!/Pictures/a.png`\n');
  });

  it('show what the file holds of their value where no text is stored, and count what a format hides', async () => {
    const values = [
      'office:value-type="float" office:value="1234.5"',
      'office:value-type="percentage" office:value="0.155"',
      'office:value-type="date" office:date-value="1924-03-15"',
      'office:value-type="date" office:date-value="1924-03-15T10:30:00"',
      'office:value-type="time" office:time-value="PT30H05M00S"',
      'office:value-type="boolean" office:boolean-value="true"',
      'office:value-type="string" office:string-value="said"',
    ];
    const outcome = await read(
      contentOf(table(row(values.map((value) => cell('', value)).join('') + cell('<text:p/>', values[0])))),
    );
    expect(outcome.text).toBe('1234.5,15.5%,1924-03-15,1924-03-15 10:30:00,30:05:00,TRUE,said,1234.5\n');
    expect(outcome.context.warnings.map(({ message }) => message)).toEqual([
      'Sheet `S`: the number format of 1 cell hides the value; shown here.',
    ]);
  });

  it('show years in full', async () => {
    const date = (value: string, text: string): string =>
      cell(p(text), `office:value-type="date" office:date-value="${value}"`);
    const { text } = await read(
      contentOf(
        table(
          row(
            date('1924-01-02', '01/02/24') +
              date('2024-01-02', '2. 1. 24') +
              date('2024-01-31', '31.01.24 10:00'),
          ),
        ),
      ),
    );
    expect(text).toBe('01/02/1924,2. 1. 24,31.01.2024 10:00\n');
  });

  it('show their links, spaces, tabs and lines', async () => {
    const link = '<text:a xlink:href="https://a.example/">Docs</text:a>';
    const { view } = await read(
      contentOf(
        table(
          row(cell(p(link)) + cell(p('b'))) +
            row(
              cell(p(link)) + cell(`${p('a<text:s text:c="2"/>b<text:tab/>c')}${p('d<text:line-break/>e')}`),
            ) +
            row(cell(p('f'), 'table:formula="of:=HYPERLINK(&quot;https://b.example/&quot;;&quot;f&quot;)"')),
        ),
      ),
    );
    expect(view).toContain('Docs,b\nDocs (https://a.example/),"a  b\tc\nd\ne"\nf (https://b.example/),\n');
    expect(view).toContain('Links: A1 https://a.example/\n');
  });
});

describe('sheets', () => {
  it('name hidden rows and columns, in closed groups too, and objects that belong to no cell', async () => {
    const rows = [
      '<table:table-column table:visibility="collapse" table:number-columns-repeated="2"/><table:table-column/>',
      `<table:shapes><draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="r"/></draw:frame></table:shapes>`,
      row(cell(p('a')), 'table:visibility="filter"'),
      `<table:table-row-group table:display="false">${row(cell(p('b')), 'table:visibility="collapse"')}${row(cell(p('c')))}</table:table-row-group>`,
      row(cell(p('d'))),
      row(cell(''), 'table:visibility="collapse" table:number-rows-repeated="1048572"'),
    ];
    const chart = `<office:document-content ${NAMESPACES}><office:chart><chart:chart><chart:title>${p('Levels')}</chart:title><chart:axis><chart:title>${p('cm')}</chart:title></chart:axis><chart:series chart:values-cell-range-address="S.$B$2:S.$B$9"/></chart:chart></office:chart></office:document-content>`;
    const outcome = await read(contentOf(table(rows.join(''))), [
      { name: 'Object 1/content.xml', data: chart },
    ]);
    expect(outcome.context.warnings.map(({ message }) => message)).toEqual([
      'Sheet `S`: 3 rows and 2 columns are hidden in the workbook; shown here.',
    ]);
    expect(outcome.view).toContain(
      'Charts: "Levels" of S.B2:S.B9 (axes "cm") `book.ods!/Object 1/content.xml`\n',
    );
  });

  it('show page headers of their style', async () => {
    const styles = `<office:document-styles ${NAMESPACES}><office:master-styles><style:master-page style:name="P"><style:header><style:region-left>${p('Draft')}</style:region-left><style:region-right>${p('<text:sheet-name>?</text:sheet-name>')}</style:region-right></style:header><style:header-left style:display="false">${p('unused')}</style:header-left><style:footer>${p('sheet <text:page-number>1</text:page-number>')}</style:footer></style:master-page></office:master-styles></office:document-styles>`;
    const style = '<style:style style:name="ta" style:master-page-name="P"/>';
    const { view } = await read(contentOf(table(row(cell(p('a'))), 'table:style-name="ta"'), style), [
      { name: 'styles.xml', data: styles },
    ]);
    expect(view).toContain('Print header: Draft\nPrint footer: sheet [page]\n');
  });

  it('are read from the content part alone, and a content part without them is refused', async () => {
    expect((await read(contentOf(table(row(cell(p('a'))))))).text).toBe('a\n');
    await expect(read('<office:document-content/>')).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
