import { describe, expect, it } from 'vitest';
import { odp } from '../../../processors/documents/odp.ts';
import { odt } from '../../../processors/documents/odt.ts';
import type { ReaderError, Warning } from '../../../src/contract/index.ts';
import { memorySource, run } from '../../support/context.ts';
import { type ZipMember, zipOf } from '../../support/zip.ts';

const NAMESPACES = [
  'office',
  'style',
  'text',
  'table',
  'draw:drawing',
  'presentation',
  'svg:svg-compatible',
  'fo:xsl-fo-compatible',
]
  .map((name) => name.split(':'))
  .map(([prefix, long]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${long ?? prefix}:1.0"`)
  .join(' ');

interface Options {
  readonly automatic?: string;
  readonly styles?: string;
  readonly more?: readonly ZipMember[];
}

function contentOf(kind: string, body: string, automatic = ''): string {
  return `<office:document-content ${NAMESPACES} xmlns:xlink="x" xmlns:dc="d"><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
}

function packageOf(
  kind: 'text' | 'presentation',
  body: string,
  { automatic, styles, more = [] }: Options = {},
): Buffer {
  return zipOf([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${kind}`, stored: true },
    { name: 'content.xml', data: contentOf(kind, body, automatic) },
    ...(styles === undefined
      ? []
      : [
          {
            name: 'styles.xml',
            data: `<office:document-styles ${NAMESPACES}>${styles}</office:document-styles>`,
          },
        ]),
    ...more,
  ]);
}

async function read(
  bytes: Uint8Array,
  processor = odt,
  changes?: 'accept' | 'mark',
): Promise<{ text: string; warnings: readonly Warning[]; facts: Record<string, unknown> }> {
  const { text, context } = await run(processor, memorySource(bytes, `file.${processor.name}`), {
    selection: { all: true, ...(changes && { changes }) },
  });
  return { text, warnings: context.warnings, facts: context.facts };
}

/** The blocks that a text's body comes to. */
async function blocks(body: string, options?: Options): Promise<string[]> {
  const { text } = await read(packageOf('text', body, options));
  return text.trimEnd().split('\n\n');
}

const textStyle = (name: string, properties: string, parent = ''): string =>
  `<style:style style:name="${name}" style:family="text" style:parent-style-name="${parent}"><style:text-properties ${properties}/></style:style>`;

describe('form controls', () => {
  const forms = `<office:forms xmlns:form="f"><form:form><form:text form:id="c1" form:current-value="Ada"/>
    <form:checkbox form:id="c2" form:label="Yes" form:current-state="checked"/><form:password form:id="c4" form:value="pw"/>
    <form:listbox form:id="c3"><form:option form:label="red"/><form:option form:label="blue" form:current-selected="true"/></form:listbox></form:form></office:forms>`;

  it('show their values in a text and on a slide', async () => {
    const text = await read(
      packageOf(
        'text',
        `${forms}<text:p>Name: <draw:control draw:control="c1"/></text:p><text:p><draw:control draw:control="c2"/></text:p><draw:control draw:control="c3"/><draw:control draw:control="c4"/>`,
      ),
    );
    expect(text.text).toBe('Name: Ada\n\n[x] Yes\n\nblue (of red / blue)\n');
    const slide = await read(
      packageOf(
        'presentation',
        `<draw:page draw:name="p">${forms}<draw:control draw:control="c1"/></draw:page>`,
      ),
      odp,
    );
    expect(slide.text).toContain('Ada');
  });
});

describe('the limits of a table', () => {
  const cell = (text: string, more = ''): string =>
    `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;

  it('are named where content is beyond them', async () => {
    const { text, warnings } = await read(
      packageOf(
        'text',
        `<table:table><table:table-row table:number-rows-repeated="100000">${cell('x', 'table:number-columns-repeated="1000"')}${cell('kept')}</table:table-row>
        <table:table-row table:number-rows-repeated="100000">${cell('')}</table:table-row><table:table-row>${cell('y')}</table:table-row></table:table>`,
      ),
    );
    expect(text).toContain('| x<br>kept |');
    expect(text).toContain('| y |');
    expect(warnings).toMatchObject([
      { code: 'SKIPPED_CONTENT', message: 'Left out: table cells, of which there are too many.' },
    ]);
  });

  it('are not where empty cells are', async () => {
    const { warnings } = await read(
      packageOf(
        'text',
        `<table:table><table:table-row>${cell('x')}${cell('', 'table:number-columns-repeated="16384"')}</table:table-row></table:table>`,
      ),
    );
    expect(warnings).toEqual([]);
  });
});

describe('paragraphs of an OpenDocument', () => {
  it.each<[string, string, string]>([
    ['white space of the file is one space', '<text:p> a\n  b<text:span> </text:span> c </text:p>', 'a b c'],
    [
      'spaces, tabs and breaks that are meant',
      '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>',
      'a   b\tc  \nd',
    ],
    ['soft hyphens go', '<text:p>hy\u00adphen</text:p>', 'hyphen'],
    [
      'fields as they show',
      '<text:p>on <text:date>1 May</text:date>, page <text:page-number>3</text:page-number></text:p>',
      'on 1 May, page 3',
    ],
    [
      'links that are safe',
      '<text:p><text:a xlink:href="https://a.example/">one</text:a> <text:a xlink:href="javascript:x">two</text:a> <text:a xlink:href="#top">three</text:a></text:p>',
      '[one](https://a.example/) two three',
    ],
    [
      'pictures that are not in the file without an address',
      '<text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:desc>A gate</svg:desc></draw:frame></text:p>',
      '![A gate]()',
    ],
    [
      'ruby with its reading',
      '<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby></text:p>',
      '漢字(かんじ)',
    ],
    [
      'what was deleted is gone, what was inserted stays',
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>a<text:change-start/>new<text:change-end/></text:p>',
      'anew',
    ],
  ])('writes %s', async (_, body, expected) => {
    expect((await blocks(body)).join('\n\n')).toBe(expected);
  });

  it('inherit emphasis from styles, also with cyclic parents', async () => {
    const automatic =
      textStyle('Strong', 'fo:font-weight="700"') +
      textStyle('T1', 'fo:font-style="italic"', 'Strong') +
      textStyle('T2', 'style:text-line-through-style="solid"', 'T3') +
      textStyle('T3', '', 'T2');
    expect(
      await blocks(
        '<text:p>x <text:span text:style-name="T1">both</text:span> <text:span text:style-name="T2">cut</text:span></text:p>',
        { automatic },
      ),
    ).toEqual(['x ***both*** ~~cut~~']);
  });

  it('do not mark what the paragraph style makes bold throughout', async () => {
    const automatic =
      '<style:style style:name="P1" style:family="paragraph"><style:text-properties fo:font-weight="bold"/></style:style>';
    expect(await blocks('<text:p text:style-name="P1">all bold</text:p>', { automatic })).toEqual([
      'all bold',
    ]);
  });

  it('in a fixed-width font are code', async () => {
    const automatic =
      '<style:style style:name="P1" style:family="paragraph"><style:text-properties style:font-name="Courier New"/></style:style>';
    const line = (text: string): string => `<text:p text:style-name="P1">${text}</text:p>`;
    expect(
      (
        await blocks(`${line('if x:')}${line('<text:s text:c="2"/>go()')}<text:p>end</text:p>`, { automatic })
      ).join('\n\n'),
    ).toBe('```\nif x:\n  go()\n```\n\nend');
  });

  it('that are hidden are left out and reported', async () => {
    const automatic = textStyle('T1', 'text:display="none"');
    const body =
      '<text:p>seen<text:span text:style-name="T1"> secret</text:span></text:p><text:section text:display="none"><text:p>lair</text:p></text:section>' +
      '<text:p>gone<text:hidden-paragraph text:is-hidden="true"/></text:p>';
    const { text, warnings } = await read(packageOf('text', body, { automatic }));
    expect(text).toBe('seen\n');
    expect(warnings).toEqual([
      {
        code: 'HIDDEN_TEXT',
        message: 'Hidden text is left out: 15 characters in 3 places, starting with `secret lair gone`.',
      },
    ]);
  });

  it('have notes and comments at the end', async () => {
    const note =
      '<text:note><text:note-citation>*</text:note-citation><text:note-body><text:p>first</text:p><text:p>second</text:p></text:note-body></text:note>';
    const comment =
      '<office:annotation><dc:creator>Bo</dc:creator><dc:date>2026-01-02T03:04</dc:date><text:p>why?</text:p></office:annotation>';
    expect(await blocks(`<text:p>a${note}b${comment}</text:p>`)).toEqual([
      'a[^1]b[^c1]',
      '[^1]: first\n    second',
      '[^c1]: Bo (2026-01-02): why?',
    ]);
  });

  it('have the words that a comment stands on beside its author', async () => {
    const comment =
      '<office:annotation office:name="a"><dc:creator>Bo</dc:creator><text:p>why?</text:p></office:annotation>';
    const end = '<office:annotation-end office:name="a"/>';
    expect(await blocks(`<text:p>The ${comment}old  </text:p><text:p>harbour${end} wall</text:p>`)).toEqual([
      'The [^c1]old',
      'harbour wall',
      '[^c1]: Bo on "old harbour": why?',
    ]);
  });
});

const LISTS =
  '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="1" style:num-suffix="." text:display-levels="2"/></text:list-style>' +
  '<text:list-style style:name="A"><text:list-level-style-number text:level="1" style:num-format="a" style:num-suffix=")"/></text:list-style>' +
  '<text:list-style style:name="Z"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>';
const item = (text: string, more = ''): string =>
  `<text:list-item${more}><text:p>${text}</text:p></text:list-item>`;
const list = (style: string, items: string, more = ''): string =>
  `<text:list text:style-name="${style}"${more}>${items}</text:list>`;

describe('lists of an OpenDocument', () => {
  it.each<[string, string, readonly string[]]>([
    ['bullets without a style', `<text:list>${item('a')}${item('b')}</text:list>`, ['- a\n- b']],
    [
      'numbers, several levels of them',
      list(
        'N',
        `<text:list-item><text:p>a</text:p><text:list>${item('b')}${item('c')}</text:list></text:list-item>${item('d')}`,
      ),
      ['1. a\n   - 1.1. b\n   - 1.2. c\n2. d'],
    ],
    ['letters', list('A', item('a') + item('b')), ['- a) a\n- b) b']],
    ['a start of its own', list('N', item('a', ' text:start-value="5"') + item('b')), ['5. a\n6. b']],
    [
      'going on after a paragraph',
      `${list('N', item('a'))}<text:p>x</text:p>${list('N', item('b'), ' text:continue-numbering="true"')}<text:p>y</text:p>${list('N', item('c'))}`,
      ['1. a', 'x', '2. b', 'y', '1. c'],
    ],
    [
      'going on with a list by its id',
      `${list('N', item('a'), ' xml:id="l1"')}${list('A', item('x'))}${list('N', item('b'), ' text:continue-list="l1"')}`,
      ['1. a\n- a) x\n2. b'],
    ],
    ['no label, no item', list('Z', item('a')), ['a']],
    [
      'a header without a number',
      list('N', `<text:list-header><text:p>head</text:p></text:list-header>${item('a')}`),
      ['head', '1. a'],
    ],
    [
      'headings are headings, numbered',
      list('N', '<text:list-item><text:h text:outline-level="2">H</text:h></text:list-item>'),
      ['## 1. H'],
    ],
    [
      'several paragraphs are one item',
      list('N', '<text:list-item><text:p>a</text:p><text:p>b</text:p></text:list-item>'),
      ['1. a  \n   b'],
    ],
  ])('writes %s', async (_, body, expected) => {
    expect(await blocks(body, { automatic: LISTS })).toEqual(expected);
  });
});

const cell = (text: string, more = ''): string =>
  `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
const row = (cells: string, more = ''): string => `<table:table-row ${more}>${cells}</table:table-row>`;
const COVERED = '<table:covered-table-cell/>';

describe('tables of an OpenDocument', () => {
  it.each<[string, string, string]>([
    [
      'merged cells repeat their text',
      row(cell('wide', 'table:number-columns-spanned="2"') + COVERED + cell('c')) +
        row(cell('tall', 'table:number-rows-spanned="2"') + cell('x') + cell('y')) +
        row(COVERED + cell('z')),
      '| wide | wide | c |\n| --- | --- | --- |\n| tall | x | y |\n| tall | z |  |',
    ],
    [
      'a block of merged cells',
      row(cell('b', 'table:number-columns-spanned="2" table:number-rows-spanned="2"') + COVERED + cell('1')) +
        row(COVERED + COVERED + cell('2')),
      '| b | b | 1 |\n| --- | --- | --- |\n| b | b | 2 |',
    ],
    [
      'repeated cells and rows',
      row(cell('a', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"'),
      '| a | a |\n| --- | --- |\n| a | a |',
    ],
    [
      'empty ends are dropped',
      row(cell('a') + cell('', 'table:number-columns-repeated="16000"')) +
        row(cell(''), 'table:number-rows-repeated="1048000"'),
      '| a |\n| --- |',
    ],
    [
      'header rows and groups',
      `<table:table-header-rows>${row(cell('h'))}</table:table-header-rows><table:table-row-group>${row(cell('r'))}</table:table-row-group>`,
      '| h |\n| --- |\n| r |',
    ],
    [
      'paragraphs and bars in a cell',
      row(`<table:table-cell><text:p>a|b</text:p><text:p>c</text:p></table:table-cell>`),
      '| a\\|b<br>c |\n| --- |',
    ],
    [
      'a table in a cell',
      row(
        `<table:table-cell><table:table>${row(cell('in') + cell('side'))}</table:table></table:table-cell>`,
      ),
      '| in / side |\n| --- |',
    ],
  ])('writes %s', async (_, rows, expected) => {
    expect(await blocks(`<table:table>${rows}</table:table>`)).toEqual([expected]);
  });

  it('stay small if a cell claims many repetitions', async () => {
    const body = `<table:table>${row(cell('x'.repeat(50), 'table:number-columns-repeated="1000000000"'), 'table:number-rows-repeated="1000000000"')}</table:table>`;
    const { text, warnings } = await read(packageOf('text', body));
    expect(text.length).toBeLessThan(20_000_000);
    expect(warnings).toEqual([expect.objectContaining({ code: 'SKIPPED_CONTENT' })]);
  });

  it('nested with repetitions at every level stay small', async () => {
    let inside = cell('x'.repeat(40));
    for (let depth = 0; depth < 30; depth += 1)
      inside = `<table:table-cell table:number-columns-repeated="900"><table:table>${row(inside)}</table:table></table:table-cell>`;
    const { text } = await read(
      packageOf('text', `<table:table>${row(inside)}</table:table><text:p>end</text:p>`),
    );
    expect(text.length).toBeLessThan(20_000_000);
    expect(text).toContain('end\n');
  });
});

describe('headings and margins', () => {
  it('are also paragraphs of styles that descend from one', async () => {
    const style = (name: string, more: string): string =>
      `<style:style style:family="paragraph" style:name="${name}" ${more}/>`;
    const styles =
      `<office:styles>${style('Heading_20_2', 'style:display-name="Heading 2"')}` +
      `${style('Mine', 'style:default-outline-level="3"')}` +
      `${style('Flat', 'style:parent-style-name="Mine" style:default-outline-level=""')}</office:styles>`;
    const automatic =
      `${style('P1', 'style:parent-style-name="Heading_20_2"')}` +
      `${style('P2', 'style:parent-style-name="Mine"')}${style('P3', 'style:parent-style-name="Flat"')}`;
    const p = (name: string): string => `<text:p text:style-name="${name}">${name}</text:p>`;
    expect(await blocks(p('P1') + p('P2') + p('P3'), { styles, automatic })).toEqual([
      '## P1',
      '### P2',
      'P3',
    ]);
  });

  const outline =
    '<office:styles><text:outline-style style:name="O"><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:styles>';

  it('are numbered by the outline', async () => {
    const h = (level: number, text: string, more = ''): string =>
      `<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
    expect(
      await blocks(
        h(1, 'A') +
          h(2, 'B') +
          h(2, 'C') +
          h(1, 'D') +
          h(2, 'E') +
          h(1, 'F', 'text:is-list-header="true"') +
          h(99, 'G'),
        { styles: outline },
      ),
    ).toEqual(['# 1. A', '## 1.1 B', '## 1.2 C', '# 2. D', '## 2.1 E', '# F', '###### G']);
  });

  it('of master pages are shown once, also without letters', async () => {
    const page = (header: string): string =>
      `<style:master-page><style:header><text:p>${header}</text:p></style:header><style:footer><text:p>030 1234-5</text:p></style:footer></style:master-page>`;
    const styles = `<office:master-styles>${page('Board')}${page('Board')}${page('Annex')}</office:master-styles>`;
    expect(await blocks('<text:p>x</text:p>', { styles })).toEqual([
      'Page header: Board',
      'Page header: Annex',
      'x',
      'Page footer: 030 1234-5',
    ]);
  });

  it('are hidden text where no page prints them', async () => {
    const first = (text: string): string =>
      `<style:header-first style:display="false"><text:p>${text}</text:p></style:header-first>`;
    const styles = `<office:master-styles><style:master-page><style:header><text:p>Board</text:p></style:header>${first('Board')}</style:master-page><style:master-page>${first('Opening')}</style:master-page></office:master-styles>`;
    const { text, warnings } = await read(packageOf('text', '<text:p>x</text:p>', { styles }));
    expect(text).toBe('Page header: Board\n\nx\n');
    expect(warnings).toEqual([
      {
        code: 'HIDDEN_TEXT',
        message: 'Hidden text is left out: 7 characters in 1 place, starting with `Opening`.',
      },
    ]);
  });
});

describe('objects in a text', () => {
  const object = (name: string): string =>
    `<text:p>see <draw:frame><draw:object xlink:href="./${name}"/></draw:frame></text:p>`;

  it('include a formula as TeX', async () => {
    const math =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>';
    expect(
      await blocks(object('Object 1'), { more: [{ name: 'Object 1/content.xml', data: math }] }),
    ).toEqual(['see $\\frac{a}{b}$']);
  });

  it('separate letters of a formula from its commands', async () => {
    const math =
      '<math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:mi>nπx</math:mi></math:math>';
    expect(
      await blocks(object('Object 1'), { more: [{ name: 'Object 1/content.xml', data: math }] }),
    ).toEqual(['see $n\\pi x$']);
  });

  it('include a chart as its table', async () => {
    const chart = contentOf(
      'chart',
      `<chart:chart><chart:title><text:p>Gates</text:p></chart:title><chart:plot-area><chart:axis><chart:title><text:p>cm</text:p></chart:title></chart:axis></chart:plot-area><table:table>${row(cell('') + cell('2025'))}${row(cell('North') + cell('4'))}</table:table></chart:chart>`,
    );
    expect(
      await blocks(object('Object 1'), { more: [{ name: 'Object 1/content.xml', data: chart }] }),
    ).toEqual(['see', 'Chart: Gates; cm', '|  | 2025 |\n| --- | --- |\n| North | 4 |']);
  });

  it('are named if unreadable, and never read from outside the package', async () => {
    expect(await blocks(object('../../etc/passwd'))).toEqual(['see', '(embedded object: unnamed)']);
  });

  it('include a text box at its anchor', async () => {
    const frame = '<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>';
    expect(await blocks(`<text:p>${frame}after</text:p><text:p>before${frame}</text:p>`)).toEqual([
      'boxed',
      'after',
      'before',
      'boxed',
    ]);
  });
});

describe('slides of an OpenDocument presentation', () => {
  const frame = (text: string, x: number, y: number, role = ''): string =>
    `<draw:frame svg:x="${x}cm" svg:y="${y}cm" ${role === '' ? '' : `presentation:class="${role}"`}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

  it('are sections with title, shapes in reading order and notes', async () => {
    const hidden =
      '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
    const body =
      `<draw:page>${frame('right', 15, 5)}${frame('left', 1, 5.2)}${frame('Title', 1, 1, 'title')}${frame('7', 1, 20, 'page-number')}<draw:frame presentation:placeholder="true"><draw:text-box><text:p>Click</text:p></draw:text-box></draw:frame>` +
      `<presentation:notes>${frame('Say it', 1, 12, 'notes')}</presentation:notes></draw:page>` +
      `<draw:page draw:style-name="dp2"><draw:g><draw:rect svg:x="5cm" svg:y="1cm"><text:p>b</text:p></draw:rect><draw:rect svg:x="1cm" svg:y="1cm"><text:p>a</text:p></draw:rect></draw:g></draw:page>`;
    const { text, facts } = await read(packageOf('presentation', body, { automatic: hidden }), odp);
    expect(text).toBe('## Title\n\nleft\n\nright\n\n### Notes\n\nSay it\n\n(hidden slide)\n\na\n\nb\n');
    expect(facts).toMatchObject({ slides: 2, hiddenSlides: '2' });
  });
});

it('a footer of slides is shown where it changes', async () => {
  const own =
    '<draw:frame presentation:class="date-time"><draw:text-box><text:p>May 2024</text:p></draw:text-box></draw:frame>';
  const body =
    '<presentation:footer-decl presentation:name="f1">Board only</presentation:footer-decl>' +
    '<draw:page presentation:use-footer-name="f1"/>'.repeat(2) +
    `<draw:page presentation:use-footer-name="f1">${own}</draw:page>`;
  const { text } = await read(packageOf('presentation', body), odp);
  expect(text).toBe('Slide footer: Board only\n\nSlide footer: May 2024\n');
});

describe('damaged and hostile OpenDocuments', () => {
  it('a template of styles only shows their headers, and another document without text is damaged', async () => {
    const styles = `<office:document-styles ${NAMESPACES}><office:master-styles><style:master-page style:name="Standard"><style:header><text:p>Harbour office</text:p></style:header></style:master-page></office:master-styles></office:document-styles>`;
    const without = (kind: string): Buffer =>
      zipOf([
        { name: 'mimetype', data: `application/vnd.oasis.opendocument.${kind}`, stored: true },
        { name: 'styles.xml', data: styles },
      ]);
    expect((await read(without('text-template'))).text).toBe('Page header: Harbour office\n');
    await expect(read(without('text'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it.each<[string, Uint8Array, ReaderError['code']]>([
    [
      'one under a password',
      packageOf('text', '', {
        more: [
          {
            name: 'META-INF/manifest.xml',
            data: '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
          },
        ],
      }),
      'ENCRYPTED_FILE',
    ],
    [
      'one without content',
      zipOf([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }]),
      'CORRUPT_FILE',
    ],
    ['half of one', packageOf('text', '').subarray(0, 90), 'CORRUPT_FILE'],
  ])('%s is refused by its code', async (_, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code });
  });

  it.each<[string, Uint8Array]>([
    [
      'a spreadsheet',
      zipOf([
        { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
        { name: 'content.xml', data: '<a/>' },
      ]),
    ],
    ['another zip', zipOf([{ name: 'a.txt', data: 'x' }])],
    ['other XML', Buffer.from('<feed/>')],
  ])('%s is not an OpenDocument', async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ name: 'NotThisFormat' });
  });

  it('is read up to the end of truncated XML', async () => {
    const xml = contentOf('text', '<text:p>one</text:p><text:p>two</text:p>');
    const cut = xml.slice(0, xml.indexOf('two') + 2);
    const bytes = zipOf([
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
      { name: 'content.xml', data: cut },
    ]);
    const { text, warnings } = await read(bytes);
    expect(text).toBe('one\n\ntw\n');
    expect(warnings).toEqual([expect.objectContaining({ code: 'SKIPPED_CONTENT' })]);
  });

  it('reads flat XML the same way', async () => {
    const flat = `<?xml version="1.0"?><office:document ${NAMESPACES} office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>flat</text:p></office:text></office:body></office:document>`;
    expect((await read(Buffer.from(flat))).text).toBe('flat\n');
  });

  it('bounds depth, and says so', async () => {
    const deep = `${'<text:section>'.repeat(3000)}<text:p>deep</text:p>${'</text:section>'.repeat(3000)}<text:p>end</text:p>`;
    const { text, warnings } = await read(packageOf('text', deep));
    expect(text).toBe('end\n');
    expect(warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });

  it('stops on abort while walking', async () => {
    const body = '<text:p>some words of a paragraph</text:p>'.repeat(100_000);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await expect(
      run(odt, memorySource(packageOf('text', body), 'a.odt'), {
        selection: { all: true },
        signal: controller.signal,
      }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('tracked changes', () => {
  const info = '<office:change-info><dc:creator>Ada</dc:creator><dc:date>2026-05-01T10:00:00</dc:date>';
  const body = `<text:tracked-changes>
<text:changed-region text:id="c1"><text:deletion>${info}</office:change-info><text:p>cheap </text:p></text:deletion></text:changed-region>
<text:changed-region xml:id="c2"><text:insertion>${info}<text:p>As agreed.</text:p></office:change-info></text:insertion></text:changed-region>
<text:changed-region text:id="c3"><text:deletion>${info}</office:change-info><text:p>Old one</text:p><text:p>Old two</text:p></text:deletion></text:changed-region>
<text:changed-region text:id="c4"><text:deletion>${info}</office:change-info><text:p>Nowhere</text:p></text:deletion></text:changed-region>
</text:tracked-changes>
<text:p>The <text:change text:change-id="c1"/>house <text:change-start text:change-id="c2"/>by the</text:p>
<text:p>lake<text:change-end text:change-id="c2"/> stands.</text:p><text:change text:change-id="c3"/><text:p>End</text:p>`;

  it('are accepted, and the deletions named', async () => {
    const { text, warnings } = await read(packageOf('text', body));
    expect(text).toBe('The house by the\n\nlake stands.\n\nEnd\n');
    expect(warnings).toContainEqual({
      code: 'SKIPPED_CONTENT',
      message:
        'Tracked changes are shown as accepted: 3 deletions left out. Use `changes` "mark" to see them.',
    });
  });

  it('are marked on request, across paragraphs, with remarks', async () => {
    const { text, warnings } = await read(packageOf('text', body), odt, 'mark');
    expect(text).toBe(
      'The {--cheap --}house {++by the++}\n\n{++lake++}[^c1] stands.\n\n{--Old one\nOld two--}\n\nEnd\n\n{--Nowhere--}\n\n[^c1]: Ada (2026-05-01): As agreed.\n',
    );
    expect(warnings).toEqual([]);
  });

  it('that contain each other end', async () => {
    const region = (id: string, inner: string): string =>
      `<text:changed-region text:id="${id}"><text:deletion><text:p>${id}<text:change text:change-id="${inner}"/></text:p></text:deletion></text:changed-region>`;
    const { text } = await read(
      packageOf(
        'text',
        `<text:tracked-changes>${region('a', 'b')}${region('b', 'a')}</text:tracked-changes><text:p>x<text:change text:change-id="a"/><text:change text:change-id="a"/></text:p>`,
      ),
      odt,
      'mark',
    );
    expect(text).toBe('x{--a{--b--}--}\n');
  });
});

it('keeps the cells of a table in a cell apart and in place', async () => {
  const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const row = (...texts: string[]): string =>
    `<table:table-row>${texts.map(cell).join('')}</table:table-row>`;
  const inner = `<table:table>${row('a', '', 'b', 'c')}${row('', '', 'd', '')}</table:table>`;
  const { text } = await read(
    packageOf(
      'text',
      `<table:table><table:table-row>${cell('x')}<table:table-cell>${inner}</table:table-cell></table:table-row></table:table>`,
    ),
  );
  expect(text).toBe('| x | a / b / c<br>/ d |\n| --- | --- |\n');
});
