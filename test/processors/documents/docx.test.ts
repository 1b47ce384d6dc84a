import { describe, expect, test } from 'vitest';
import { docx } from '../../../processors/documents/docx.ts';
import { memorySource, run } from '../../support/context.ts';
import { zipOf } from '../../support/zip.ts';
import { convertWord, p, part, r, word, wordFile } from './word-file.ts';

const field = (code: string, result: string): string =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const box = (inside: string): string =>
  `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${inside}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
const shape = (inside: string): string =>
  `<w:drawing><wp:inline><wp:docPr id="1" name="Box"/><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>${inside}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>`;

describe('text', () => {
  test.each<readonly [string, string, string]>([
    ['marks', p(r('a ') + r('b', '<w:b/>') + r('c', '<w:b/>') + r(' d', '<w:i/>')), 'a **bc** *d*\n'],
    ['a mark switched off', p(r('a', '<w:b w:val="0"/>') + r(' b', '<w:b w:val="on"/>')), 'a **b**\n'],
    ['scripts', p(r('x') + r('2', '<w:vertAlign w:val="superscript"/>')), 'x<sup>2</sup>\n'],
    ['struck text', p(r('old', '<w:strike/>')), '~~old~~\n'],
    [
      'breaks',
      p(`${r('a')}<w:r><w:br/></w:r>${r('b')}<w:r><w:br w:type="page"/></w:r>${r('c')}`),
      'a  \nbc\n',
    ],
    [
      'blank lines made of breaks',
      p(
        `${r('a', '<w:b/>')}<w:r><w:br/><w:t> </w:t><w:br/></w:r>${r('b', '<w:b/>')}<w:r><w:br/></w:r>${r('c')}`,
      ),
      '**a**\n\n**b**  \nc\n',
    ],
    ['hyphens', p(`${r('a')}<w:r><w:noBreakHyphen/><w:softHyphen/></w:r>${r('b')}`), 'a-b\n'],
    [
      'symbols',
      p('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'),
      'α☑\n',
    ],
    ['a symbol font', p(r('\uf0b7 \uf0ae', '<w:rFonts w:ascii="Symbol"/>')), '• →\n'],
    [
      'ruby',
      p(
        '<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>',
      ),
      '漢(かん)\n',
    ],
    [
      'wrappers',
      p(
        `<w:smartTag>${r('a')}</w:smartTag><w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${r('b')}</w:sdtContent></w:sdt><w:bdo>${r('c')}</w:bdo>`,
      ),
      'abc\n',
    ],
    ['markup in text', p(r('# 1. *a* &lt;b>')), '\\# 1. \\*a\\* \\<b>\n'],
    ['long rows of spaces', p(r('a       b')), 'a b\n'],
    ['a right-to-left run', p(r('שלום', '<w:rtl/>')), 'שלום\n'],
    ['control characters', p(r('a&#1;b&#x7;c')), 'abc\n'],
  ])('writes %s', async (_, body, expected) => {
    expect((await word(body)).text).toBe(expected);
  });

  test('reads strict files and any prefix alike', async () => {
    const xml =
      '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>Hello</x:t></x:r></x:p></x:body></x:document>';
    const bytes = zipOf([{ name: 'word/document.xml', data: xml }]);
    expect((await convertWord(bytes)).text).toBe('Hello\n');
  });

  test('joins a drop cap to its paragraph', async () => {
    const body = p('T', '<w:framePr w:dropCap="drop"/>') + p('he end');
    expect((await word(body)).text).toBe('The end\n');
  });

  test('reports text boxes that are nested too deep', async () => {
    const inside = Array.from({ length: 17 }).reduce<string>((text) => p(box(text)), p(r('deep')));
    const { text, warnings } = await word(inside);
    expect(text).not.toContain('deep');
    expect(warnings).toMatchObject([{ message: expect.stringContaining('text boxes more than 16') }]);
  });

  test('leaves hidden text out and says so', async () => {
    const { text, warnings } = await word(
      p(r('seen') + r('unseen', '<w:vanish/>') + r('tiny', '<w:sz w:val="2"/>')) +
        p(r('white', '<w:color w:val="FFFFFF"/>')) +
        p(r('on black', '<w:color w:val="FFFFFF"/>'), '<w:shd w:val="clear" w:fill="000000"/>'),
    );
    expect(text).toBe('seen\n\non black\n');
    expect(warnings).toEqual([
      {
        code: 'HIDDEN_TEXT',
        message: 'Hidden text is left out: 15 characters in 3 places, starting with `unseentinywhite`.',
      },
    ]);
  });
});

describe('styles', () => {
  const styles = [
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My heading"/><w:basedOn w:val="berschrift1"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="Lvl"><w:name w:val="Odd"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>',
    '<w:style w:type="paragraph" w:styleId="TocHead"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>',
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Intense Quote"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Source Code"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="TOC2"><w:name w:val="toc 2"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>',
    '<w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>',
    '<w:style w:type="character" w:styleId="S"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>',
    '<w:style w:type="character" w:styleId="V"><w:name w:val="Verbatim Char"/></w:style>',
  ].join('');
  const styled = (id: string): string => p('text', `<w:pStyle w:val="${id}"/>`);

  test.each([
    ['berschrift1', '# text\n'],
    ['Mine', '# text\n'],
    ['Lvl', '### text\n'],
    ['TocHead', 'text\n'],
    ['T', '# text\n'],
    ['Q', '> text\n'],
    ['C', '```\ntext\n```\n'],
    ['TOC2', '- text\n'],
    ['A', 'text\n'],
    ['Heading4', '#### text\n'],
    ['Missing', 'text\n'],
  ])('takes the kind of a paragraph from the style %s', async (id, expected) => {
    expect((await word({ body: styled(id), styles })).text).toBe(expected);
  });

  test('character styles mark runs, whole headings are not marked', async () => {
    const body =
      p(r('a ') + r('b', '<w:rStyle w:val="S"/>') + r(' ') + r('c_d', '<w:rStyle w:val="V"/>')) +
      p(r('bold', '<w:b/>'), '<w:outlineLvl w:val="1"/>');
    expect((await word({ body, styles })).text).toBe('a **b** `c_d`\n\n## bold\n');
  });

  test('merges lines of code into one block, but not prose in a monospaced font', async () => {
    const mono = '<w:rFonts w:ascii="Courier New"/>';
    const body =
      p(r('for (;;) {', mono)) +
      p(r('   next', mono)) +
      '<w:p/>' +
      p(r('}', mono)) +
      p('after') +
      p(r('Dear all', mono));
    expect((await word(body)).text).toBe('```\nfor (;;) {\n   next\n\n}\n```\n\nafter\n\nDear all\n');
  });
});

describe('links and fields', () => {
  test.each<readonly [string, string, string]>([
    [
      'a link',
      p(`<w:hyperlink r:id="web">${r('a')}${r('b', '<w:b/>')}</w:hyperlink>`),
      '[a**b**](https://example.org/x)\n',
    ],
    [
      'a link with a place',
      p(`<w:hyperlink r:id="web" w:anchor="top">${r('a')}</w:hyperlink>`),
      '[a](https://example.org/x#top)\n',
    ],
    ['a link inside the document', p(`<w:hyperlink w:anchor="_Toc1">${r('a')}</w:hyperlink>`), 'a\n'],
    ['a script', p(`<w:hyperlink r:id="evil">${r('a')}</w:hyperlink>`), 'a\n'],
    ['a file', p(`<w:hyperlink r:id="file">${r('a')}</w:hyperlink>`), 'a\n'],
    [
      'a link field',
      p(field(' HYPERLINK "https://example.org/" \\o "tip" ', r('a'))),
      '[a](https://example.org/)\n',
    ],
    [
      'a table of contents',
      `<w:sdt><w:sdtContent>${p('Contents', '<w:pStyle w:val="TOCHeading"/>')}${p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \\o "1-3" \\h</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:hyperlink w:anchor="_Toc1">${r('1')}<w:r><w:tab/></w:r>${r('Scope')}<w:r><w:tab/></w:r>${field('PAGEREF _Toc1 \\h', r('4', '<w:webHidden/>'))}</w:hyperlink>`, '<w:pStyle w:val="TOC1"/>')}${p(`<w:hyperlink w:anchor="_Toc2">${r('Method')}<w:r><w:tab/></w:r>${field('PAGEREF _Toc2', r('5'))}</w:hyperlink>`, '<w:pStyle w:val="TOC2"/>')}${p('<w:r><w:fldChar w:fldCharType="end"/></w:r>')}</w:sdtContent></w:sdt>${p('After')}`,
      'Contents\n\n- 1 Scope 4\n  - Method 5\n\nAfter\n',
    ],
    ['a simple field', p(`<w:fldSimple w:instr=" AUTHOR ">${r('Ann')}</w:fldSimple>`), 'Ann\n'],
    [
      'a field without result',
      p(
        `${r('a')}<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>XE "x"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>${r('b')}`,
      ),
      'ab\n',
    ],
    [
      'nested fields',
      p(field(`IF ${'</w:instrText></w:r>'}${field('X', r('no'))}${'<w:r><w:instrText>'}`, r('yes'))),
      'yes\n',
    ],
    [
      'a field never closed',
      p('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>X</w:instrText></w:r>') + p('kept'),
      'kept\n',
    ],
    [
      'a form box',
      p(
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
      ),
      '☒\n',
    ],
  ])('writes %s', async (_, body, expected) => {
    const links = [
      ['web', 'hyperlink', 'https://example.org/x'],
      ['evil', 'hyperlink', 'javascript:alert(1)'],
      ['file', 'hyperlink', 'file:///etc/passwd'],
    ] as const;
    expect((await word({ body, links })).text).toBe(expected);
  });
});

describe('changes', () => {
  const body =
    p(
      `${r('a ')}<w:ins w:author="x">${r('new ')}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del><w:moveFrom>${r('from')}</w:moveFrom><w:moveTo>${r('to')}</w:moveTo>`,
    ) +
    p('first', '<w:rPr><w:del/></w:rPr>') +
    p('second');

  test('are shown as accepted, and deletions are reported', async () => {
    const { text, warnings } = await word(body);
    expect(text).toBe('a new to\n\nfirstsecond\n');
    expect(warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });

  test('are marked on demand', async () => {
    const { text, warnings } = await word(body, { trackedChanges: 'mark' });
    expect(text).toBe('a {++new ++}{--old --}{--from--}{++to++}\n\nfirst\n\nsecond\n');
    expect(warnings).toEqual([]);
  });
});

describe('outside the text', () => {
  const links = [
    ['pic', 'image', 'media/image1.png'],
    ['out', 'image', 'https://example.org/logo.png'],
    ['chart', 'chart', 'charts/chart1.xml'],
    ['art', 'diagramData', 'diagrams/data1.xml'],
    ['up', 'image', '../../../../etc/passwd'],
    ['encoded', 'image', 'media/a%20b.png'],
    ['decoded', 'image', 'media/c%20d.png'],
  ] as const;
  const inline = (id: string): string =>
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="A duck"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  const picture = (id: string): string => p(inline(id));
  const floating = inline('pic').replaceAll('wp:inline', 'wp:anchor');
  const DUCK = '![A duck](letter.docx!/word/media/image1.png)';
  const parts = {
    'word/media/image1.png': 'x',
    'word/media/a%20b.png': 'x',
    'word/media/c d.png': 'x',
    'word/charts/chart1.xml': part(
      'c:chartSpace',
      '<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4.4000000000000004</c:v></c:pt><c:pt idx="1"><c:v>2</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart>',
    ),
    'word/diagrams/data1.xml': part(
      'dgm:dataModel',
      '<dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>One</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Below</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="2" srcOrd="0"/><dgm:cxn srcId="2" destId="1" srcOrd="0"/></dgm:cxnLst>',
    ),
  };
  const graphic = (inside: string): string =>
    p(
      `<w:r><w:drawing><wp:inline><a:graphic><a:graphicData>${inside}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`,
    );

  test.each<readonly [string, string, string]>([
    ['a picture', picture('pic'), '![A duck](letter.docx!/word/media/image1.png)\n'],
    ['a percent-encoded part', picture('encoded'), '![A duck](letter.docx!/word/media/a%20b.png)\n'],
    ['a percent-encoded target', picture('decoded'), '![A duck](<letter.docx!/word/media/c d.png>)\n'],
    ['a picture elsewhere', picture('out'), '![A duck](https://example.org/logo.png)\n'],
    ['a picture outside the package', picture('up'), '![A duck]()\n'],
    [
      'a chart',
      graphic('<c:chart r:id="chart"/>'),
      'Bar chart: Sales\n\n|  | 2024 |\n| --- | --- |\n| North | 4.4 |\n| South | 2 |\n',
    ],
    ['a diagram', graphic('<dgm:relIds r:dm="art"/>'), '- One\n  - Below\n'],
    ['a floating picture before text', p(`${floating}${r('a')}`), `${DUCK}\n\na\n`],
    ['a floating picture in text', p(`${r('a')}${floating}${r('b')}`), `ab\n\n${DUCK}\n`],
    ['a picture in a line', p(`${r('a ')}${inline('pic')}${r(' b')}`), `a ${DUCK} b\n`],
    [
      'a picture in a heading',
      p(`${inline('pic')}${r('a')}`, '<w:outlineLvl w:val="0"/>'),
      `# a\n\n${DUCK}\n`,
    ],
    ['a heading of a picture', p(inline('pic'), '<w:outlineLvl w:val="0"/>'), `${DUCK}\n`],
    ['a text box', p(r('a') + box(p('b'))), 'a\n\nb\n'],
    [
      'a shape in two spellings',
      p(
        `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${shape(p('b'))}</mc:Choice><mc:Fallback>${box(p('b'))}</mc:Fallback></mc:AlternateContent></w:r>`,
      ),
      'b\n',
    ],
    [
      'a spelling that gives nothing',
      p(
        `<w:r><mc:AlternateContent><mc:Choice Requires="zz"/><mc:Fallback>${r('b')}</mc:Fallback></mc:AlternateContent></w:r>`,
      ),
      'b\n',
    ],
    [
      'an inline formula',
      p(
        `${r('a ')}<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>`,
      ),
      'a $x^{2}$\n',
    ],
    ['a formula of its own', p('<m:oMath><m:r><m:t>α</m:t></m:r></m:oMath>'), '$$\\alpha$$\n'],
    ['a text file inside', '<w:altChunk r:id="txt"/>', 'one\n\ntwo\n'],
    ['a page inside', '<w:altChunk r:id="htm"/>', 'a **b**\n'],
  ])('writes %s', async (_, body, expected) => {
    const more = { 'word/a.txt': 'one\r\n\r\ntwo', 'word/a.html': '<p>a <b>b</b></p>' };
    const chunks = [
      ['txt', 'aFChunk', 'a.txt'],
      ['htm', 'aFChunk', 'a.html'],
    ] as const;
    const { text, warnings } = await word({
      body,
      links: [...links, ...chunks],
      parts: { ...parts, ...more },
    });
    expect(text).toBe(expected);
    expect(warnings).toEqual([]);
  });

  test('reports that an imported document is left out', async () => {
    const { warnings } = await word({
      body: `${p('a')}<w:altChunk r:id="doc"/>`,
      links: [['doc', 'aFChunk', 'a.docx']],
    });
    expect(warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });
});

describe('notes and comments', () => {
  test('notes appear once, in the order of their marks, including those referenced by notes', async () => {
    const note = (id: number, inside: string): string => `<w:footnote w:id="${id}">${inside}</w:footnote>`;
    const mark = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const { text } = await word({
      body: p(r('a') + mark(7) + r(' b') + mark(3) + mark(7) + mark(99)),
      footnotes:
        '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>' +
        note(3, p('three')) +
        note(7, p(r('seven') + mark(7) + mark(4)) + p('more')) +
        note(4, p('four')),
      endnotes: `<w:endnote w:id="3">${p('unused')}</w:endnote>`,
    });
    expect(text).toBe('a[^1] b[^2][^1]\n\n[^1]: seven[^1][^3]\n    more\n\n[^2]: three\n\n[^3]: four\n');
  });

  test('endnotes have separate marks from footnotes', async () => {
    const { text } = await word({
      body: p('<w:r><w:footnoteReference w:id="1"/><w:endnoteReference w:id="1"/></w:r>'),
      footnotes: `<w:footnote w:id="1">${p('foot')}</w:footnote>`,
      endnotes: `<w:endnote w:id="1">${p('end')}</w:endnote>`,
    });
    expect(text).toBe('[^1][^e1]\n\n[^1]: foot\n\n[^e1]: end\n');
  });

  test('comments name their authors, and include replies', async () => {
    const comment = (id: number, author: string, text: string): string =>
      `<w:comment w:id="${id}" w:author="${author}" w:date="2024-05-01T10:00:00Z"><w:p w14:paraId="P${id}">${r(text)}</w:p></w:comment>`;
    const mark = (id: number): string => `<w:r><w:commentReference w:id="${id}"/></w:r>`;
    const { text } = await word({
      body: p(r('a') + mark(0) + mark(1)),
      comments: comment(0, 'Ann', 'Why?') + comment(1, 'Bob', 'Because.'),
      commentsExtended:
        '<w15:commentEx w15:paraId="P0"/><w15:commentEx w15:paraId="P1" w15:paraIdParent="P0"/>',
    });
    expect(text).toBe('a[^c1]\n\n[^c1]: Ann (2024-05-01): Why?\n    Bob (2024-05-01): Because.\n');
  });

  test('comments have the words they stand on, also across paragraphs', async () => {
    const range = (text: string, id: number): string =>
      `<w:commentRangeStart w:id="${id}"/>${text}<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>`;
    const { text } = await word({
      body:
        p(`${r('The ')}${range(r('old harbour'), 0)}${r(' wall')}`) +
        `<w:p><w:commentRangeStart w:id="1"/>${r('first')}</w:p>${p(`${r('second')}<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>`)}`,
      comments: [0, 1]
        .map((id) => `<w:comment w:id="${id}" w:author="Ann"><w:p>${r('Why?')}</w:p></w:comment>`)
        .join(''),
    });
    expect(text).toBe(
      'The old harbour[^c1] wall\n\nfirst\n\nsecond[^c2]\n\n[^c1]: Ann on "old harbour": Why?\n\n[^c2]: Ann on "first second": Why?\n',
    );
  });

  test('page headers and footers appear once, also a number alone', async () => {
    const section = (...ids: readonly string[]): string =>
      `<w:sectPr>${ids.map((id) => `<w:${id.startsWith('f') ? 'footer' : 'header'}Reference w:type="default" r:id="${id}"/>`).join('')}</w:sectPr>`;
    const { text } = await word({
      body: p('a', section('h1', 'f1')) + p('b') + section('h2', 'h3', 'f2'),
      links: [
        ['h1', 'header', 'header1.xml'],
        ['h2', 'header', 'header2.xml'],
        ['h3', 'header', 'header3.xml'],
        ['f1', 'footer', 'footer1.xml'],
        ['f2', 'footer', 'footer2.xml'],
      ],
      parts: {
        'word/header1.xml': part('w:hdr', p('ACME') + p('Secret')),
        'word/header2.xml': part('w:hdr', p('ACME') + p('Secret')),
        'word/header3.xml': part('w:hdr', p('Annex')),
        'word/footer1.xml': part('w:ftr', p(field('PAGE', r('3')))),
        'word/footer2.xml': part('w:ftr', p(`${r('Page ')}${field('PAGE', r('3'))}`)),
      },
    });
    expect(text).toBe(
      'Page header: ACME  \nSecret\n\nPage header: Annex\n\na\n\nb\n\nPage footer: 3\n\nPage footer: Page 3\n',
    );
  });

  test('headers that no page prints are hidden text', async () => {
    const refs = ['default', 'first', 'even'].map(
      (type) => `<w:headerReference w:type="${type}" r:id="${type}"/>`,
    );
    const links = ['default', 'first', 'even'].map((type) => [type, 'header', `${type}.xml`] as const);
    const read = async (switches: string, settings: string): ReturnType<typeof word> =>
      word({
        body: `${p('a', `<w:sectPr>${refs.join('')}</w:sectPr>`)}${p('b')}<w:sectPr>${switches}</w:sectPr>`,
        links: [...links, ['s', 'settings', 'settings.xml']],
        parts: {
          'word/default.xml': part('w:hdr', p('Every')),
          'word/first.xml': part('w:hdr', p('Opening')),
          'word/even.xml': part('w:hdr', p('Left')),
          'word/settings.xml': part('w:settings', settings),
        },
      });
    const off = await read(
      '<w:titlePg w:val="0"/><w:sectPrChange><w:sectPr><w:titlePg/></w:sectPr></w:sectPrChange>',
      '<w:evenAndOddHeaders w:val="false"/>',
    );
    expect(off.text).toBe('Page header: Every\n\na\n\nb\n');
    expect(off.warnings).toEqual([
      {
        code: 'HIDDEN_TEXT',
        message: 'Hidden text is left out: 11 characters in 2 places, starting with `OpeningLeft`.',
      },
    ]);
    // The second section has the headers of the first.
    const on = await read('<w:titlePg/>', '<w:evenAndOddHeaders/>');
    expect(on.text).toBe('Page header: Every\n\nPage header: Opening\n\nPage header: Left\n\na\n\nb\n');
    expect(on.warnings).toEqual([]);
  });

  test('table cells past the last column are in it', async () => {
    const cell = `<w:tc>${p('x')}</w:tc>`;
    const { text, warnings } = await word({ body: `<w:tbl><w:tr>${cell.repeat(1030)}</w:tr></w:tbl>` });
    expect(text).toContain(`| ${'x<br>'.repeat(30)}x |\n`);
    expect(warnings).toEqual([]);
  });
});

describe('the package', () => {
  test('reports properties, macros, embedded files and remote templates', async () => {
    const { facts } = await word({
      body: p('a'),
      links: [['s', 'settings', 'settings.xml']],
      parts: {
        'docProps/core.xml':
          '<cp:coreProperties xmlns:dc="d"><dc:title>Plan</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>',
        'word/settings.xml': part('w:settings', ''),
        'word/_rels/settings.xml.rels':
          '<Relationships><Relationship Id="a" Type="x/attachedTemplate" Target="http://evil.test/t.dotm" TargetMode="External"/></Relationships>',
        'word/vbaProject.bin': 'x',
        'word/embeddings/Sheet1.xlsx': 'x',
      },
    });
    expect(facts).toMatchObject({
      title: 'Plan',
      author: 'Ann',
      macros: true,
      embedded: ['Sheet1.xlsx'],
      remoteTemplate: 'http://evil.test/t.dotm',
    });
  });

  test('reports a password', async () => {
    const ole = Buffer.alloc(1536);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(ole);
    ole.writeUInt16LE(9, 30);
    ole.writeUInt32LE(1, 48);
    ole.write('EncryptedPackage', 1024, 'utf16le');
    await expect(convertWord(ole)).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
  });

  test.each<readonly [string, Buffer]>([
    [
      'no relationships',
      zipOf([{ name: 'word/document.xml', data: part('w:document', `<w:body>${p('a')}</w:body>`) }]),
    ],
    ['damaged styles', wordFile({ body: p('a'), parts: { 'word/styles.xml': 'nonsense' } })],
    [
      'a body cut off',
      zipOf([{ name: 'word/document.xml', data: '<w:document><w:body><w:p><w:r><w:t>a</w:t></w:r>' }]),
    ],
    [
      'another encoding',
      zipOf([
        {
          name: 'word/document.xml',
          data: Buffer.from(
            `<?xml version="1.0" encoding="windows-1252"?><w:document><w:body>${p('a')}</w:body></w:document>`,
            'latin1',
          ),
        },
      ]),
    ],
    [
      'UTF-16',
      zipOf([
        {
          name: 'word/document.xml',
          data: Buffer.from(`\ufeff${part('w:document', `<w:body>${p('a')}</w:body>`)}`, 'utf16le'),
        },
      ]),
    ],
    ['paragraphs outside a body', zipOf([{ name: 'word/document.xml', data: part('w:document', p('a')) }])],
  ])('is read despite %s', async (_, bytes) => {
    expect((await convertWord(bytes)).text).toBe('a\n');
  });

  test.each<readonly [string, Buffer]>([
    ['a zip without a document', zipOf([{ name: 'a.txt', data: 'a' }])],
    ['an empty document part', zipOf([{ name: 'word/document.xml', data: '' }])],
  ])('%s is CORRUPT_FILE', async (_, bytes) => {
    await expect(convertWord(bytes)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  test('reads as a document through its processor', async () => {
    const { text, context } = await run(docx, memorySource(wordFile({ body: p('Hello') }), 'a.docx'));
    expect(text).toBe('Hello\n');
    expect(context.warnings).toEqual([]);
  });
});
