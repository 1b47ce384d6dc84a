// What a sheet holds besides its cells, and cells that hold more than their value: text boxes, page headers, links,
// pictures in cells, and values that a number format hides.

import { describe, expect, it } from 'vitest';
import { xlsx } from '../../../../processors/tabular/xlsx.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../../support/context.ts';
import { type WorkbookParts, workbookOf } from '../../../support/workbook.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const read = (parts: WorkbookParts, how: TestOptions = {}): Promise<Outcome> =>
  run(xlsx, memorySource(workbookOf(parts), 'book.xlsx'), how);

const relations = (
  xml: string,
  name = 'xl/worksheets/_rels/sheet1.xml.rels',
): { name: string; data: string } => ({
  name,
  data: `<Relationships>${xml}</Relationships>`,
});

const text = (cell: string, value: string): string =>
  `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;

const messages = ({ context }: Outcome): string[] => context.warnings.map(({ message }) => message);

describe('text boxes', () => {
  const shape = (words: string): string =>
    `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="1" name="x"/></xdr:nvSpPr><xdr:txBody>${words
      .split('|')
      .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
      .join('')}</xdr:txBody></xdr:sp>`;
  const anchor = (content: string): string =>
    `<xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>2</xdr:row></xdr:from>${content}</xdr:twoCellAnchor>`;
  const drawing = (anchors: string, rows = '<row r="1"><c r="A1"><v>1</v></c></row>'): WorkbookParts => ({
    sheets: [rows],
    members: [
      relations(`<Relationship Id="d" Type="${RELATIONS}/drawing" Target="../drawings/drawing1.xml"/>`),
      { name: 'xl/drawings/drawing1.xml', data: `<xdr:wsDr>${anchors}</xdr:wsDr>` },
    ],
  });

  it('show their text, in groups too, once where there is a form for older programs', async () => {
    const anchors =
      anchor(shape('in thousands|of euros')) +
      anchor(`<xdr:grpSp><xdr:grpSp>${shape('grouped')}</xdr:grpSp></xdr:grpSp>`) +
      anchor(
        `<mc:AlternateContent><mc:Choice>${shape('new')}</mc:Choice><mc:Fallback>${shape('old')}</mc:Fallback></mc:AlternateContent>`,
      );
    const { view } = await read(drawing(anchors));
    expect(view).toContain('Text boxes: D3 "in thousands\\nof euros"; D3 "grouped"; D3 "new"\n');
  });

  it('are shown whole where they fit, and by their count where they do not', async () => {
    const long = drawing(anchor(shape('word '.repeat(1500).trim())) + anchor(shape('second')));
    expect((await read(long)).view).toContain('D3 "second"');
    const outcome = await read(long, { tokens: 400 });
    expect(outcome.view).toMatch(/Text boxes \(cut\) \(1 of 2\): D3 "word word .*…\n/);
    expect(outcome.context.budget.count(outcome.view)).toBeLessThanOrEqual(400);
  });

  it('are named where the format has no place for them', async () => {
    const outcome = await read(drawing(anchor(shape('in thousands'))), { selection: { format: 'json' } });
    expect(messages(outcome)).toEqual([
      'Sheet `Sheet1`: not shown: text boxes. Read it as Markdown to see them.',
    ]);
    const values = await read(drawing(anchor(shape('x'))), { selection: { all: true, plain: true } });
    expect(messages(values)).toEqual([]);
  });
});

describe('page headers', () => {
  it('show their words without codes, and nothing for fields alone', async () => {
    const sheet = (margins: string): string =>
      `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><headerFooter>${margins}</headerFooter>`;
    const { view } = await read({
      sheets: [
        sheet(
          '<oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Draft &amp;&amp; secret&amp;Cgrün</oddHeader><oddFooter>&amp;P/&amp;N</oddFooter><evenFooter>page &amp;P</evenFooter>',
        ),
      ],
    });
    expect(view).toContain('Print header: Draft & secret | grün\nPrint footer: page [page]\n');
  });
});

describe('links of cells', () => {
  const rows = `<row r="1">${text('A1', 'name')}${text('B1', 'site')}</row><row r="2">${text('A2', 'Docs')}<c r="B2" t="str"><f>HYPERLINK("https://b.example/?a=1&amp;b=""2""","click")</f><v>click</v></c></row><row r="3">${text('A3', 'ann@a.example')}<c r="B3"><v>7</v></c></row>`;
  const links =
    '<hyperlinks><hyperlink ref="B1" r:id="l1"/><hyperlink ref="A2" r:id="l1" location="top"/><hyperlink ref="A3" r:id="l2"/><hyperlink ref="B3:B4" location="\'Größe\'!A1"/></hyperlinks>';
  const book = {
    sheets: [`<sheetData>${rows}</sheetData>${links}`],
    members: [
      relations(
        `<Relationship Id="l1" Type="${RELATIONS}/hyperlink" Target="https://a.example/x" TargetMode="External"/><Relationship Id="l2" Type="${RELATIONS}/hyperlink" Target="mailto:ann@a.example" TargetMode="External"/>`,
      ),
    ],
  };

  it('stand behind the text, apart from the header, unless the text has them', async () => {
    const { view } = await read(book);
    expect(view).toContain(
      'name,site\nDocs (https://a.example/x#top),"click (https://b.example/?a=1&b=""2"")"\nann@a.example,7 (#\'Größe\'!A1)\n',
    );
    expect(view).toContain('Links: B1 https://a.example/x\n');
  });

  it('leave values alone for a query', async () => {
    const { text: csv } = await read(book, { selection: { all: true, plain: true, format: 'csv' } });
    expect(csv).toBe('name,site\nDocs,click\nann@a.example,7\n');
  });
});

describe('rich values', () => {
  const cells = (value: string): string =>
    `<row r="1"><c r="A1" t="e" vm="1"><v>${value}</v></c><c r="B1" t="e" vm="2"><v>#VALUE!</v></c><c r="C1" t="e"><v>#VALUE!</v></c></row>`;

  it('are named where the file does not hold them, unless they are errors', async () => {
    const { text: csv } = await read({ sheets: [cells('#SPILL!')] });
    expect(csv).toBe('#SPILL!,[picture or other rich value],#VALUE!\n');
  });

  it('show a picture by its alternative text, and a data type by its name', async () => {
    const part = (name: string): string =>
      `<Relationship Id="${name}" Type="x/${name}" Target="${name}.xml"/>`;
    const { text: csv } = await read({
      sheets: [cells('#VALUE!')],
      members: [
        relations(
          `<Relationship Id="s1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>${['sheetMetadata', 'rdRichValue', 'rdRichValueStructure', 'richValueRel'].map(part).join('')}`,
          'xl/_rels/workbook.xml.rels',
        ),
        {
          name: 'xl/sheetMetadata.xml',
          data: '<metadata><futureMetadata name="XLDAPR"><bk/></futureMetadata><futureMetadata name="XLRICHVALUE"><bk><extLst><ext><xlrd:rvb i="1"/></ext></extLst></bk><bk><extLst><ext><xlrd:rvb i="0"/></ext></extLst></bk></futureMetadata><valueMetadata><bk><rc t="1" v="0"/></bk><bk><rc t="1" v="1"/></bk></valueMetadata></metadata>',
        },
        {
          name: 'xl/rdRichValueStructure.xml',
          data: '<rvStructures><s t="_linkedentitycore"><k n="_DisplayString" t="s"/></s><s t="_localImage"><k n="_rvRel:LocalImageIdentifier"/><k n="CalcOrigin"/><k n="Text" t="s"/></s></rvStructures>',
        },
        {
          name: 'xl/rdRichValue.xml',
          data: '<rvData><rv s="0"><v>Kenya</v></rv><rv s="1"><v>0</v><v>5</v><v>our logo</v></rv></rvData>',
        },
        { name: 'xl/richValueRel.xml', data: '<richValueRels><rel r:id="p"/></richValueRels>' },
        relations(
          '<Relationship Id="p" Type="x/image" Target="media/logo.png"/>',
          'xl/_rels/richValueRel.xml.rels',
        ),
        { name: 'xl/media/logo.png', data: 'x' },
      ],
    });
    expect(csv).toBe('[picture: our logo (xl/media/logo.png)],Kenya,#VALUE!\n');
  });
});

describe('values under a number format that hides them', () => {
  it('are shown and counted', async () => {
    const outcome = await read({
      sheets: [
        `<row r="1"><c r="A1" s="1"><v>42</v></c><c r="B1" s="1" t="str"><v>secret</v></c><c r="C1"><v>1</v></c></row>`,
      ],
      numFmts: [';;;'],
    });
    expect(outcome.text).toBe('42,secret,1\n');
    expect(messages(outcome)).toEqual([
      'Sheet `Sheet1`: the number format of 2 cells hides the value; shown here.',
    ]);
  });
});
