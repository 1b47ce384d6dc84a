import { describe, expect, test } from 'vitest';
import { list, p, part, r, type WordParts, word } from './word-file.ts';

const nested = (times: number, open: string, close: string, inside: string): string =>
  `${open.repeat(times)}${inside}${close.repeat(times)}`;
const AFTER = p('after');

describe('hostile documents stay bounded', () => {
  test.each<readonly [string, string]>([
    ['300 000 paragraphs', p('x').repeat(300_000)],
    [
      '100 000 nested content controls',
      nested(100_000, '<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>', p('x')),
    ],
    ['100 000 merged paragraphs', p('x', '<w:rPr><w:del/></w:rPr>').repeat(100_000)],
    [
      'a table of 100 000 cells',
      `<w:tbl>${`<w:tr>${`<w:tc>${p('x')}</w:tc>`.repeat(10)}</w:tr>`.repeat(10_000)}</w:tbl>`,
    ],
    ['100 000 runs', p(`${r('x', '<w:b/>')}${r('y')}`.repeat(50_000))],
    ['a formula of 50 000 runs', p(`<m:oMath>${'<m:r><m:t>x</m:t></m:r>'.repeat(50_000)}</m:oMath>`)],
    ['50 000 list items', p('x', list(1)).repeat(50_000)],
  ])(
    '%s',
    async (_, body) => {
      const { text, warnings } = await word({ body: body + AFTER, stored: true });
      expect(text).toMatch(/x/);
      expect(text).toMatch(/after\n$/);
      expect(warnings).toEqual([]);
    },
    60_000,
  );

  test.each<readonly [string, string]>([
    ['tables', nested(3000, `<w:tbl><w:tr><w:tc>${p('x')}</w:tc><w:tc>`, '</w:tc></w:tr></w:tbl>', p('y'))],
    [
      'text boxes',
      nested(2000, '<w:p><w:r><w:pict><w:txbxContent>', '</w:txbxContent></w:pict></w:r></w:p>', p('y')),
    ],
    [
      'content controls in a paragraph',
      p(nested(100_000, '<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>', r('y'))),
    ],
    [
      'scripts',
      p(`<m:oMath>${nested(5000, '<m:sSup><m:e>', '</m:e></m:sSup>', '<m:r><m:t>y</m:t></m:r>')}</m:oMath>`),
    ],
  ])('nesting of %s is cut and reported', async (_, body) => {
    const { text, warnings } = await word({ body: body + AFTER, stored: true });
    expect(text).toMatch(/after\n$/);
    expect(warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });

  test('spans and merges cannot multiply text', async () => {
    const row = `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/><w:vMerge/></w:tcPr>${p('abc')}</w:tc></w:tr>`;
    const { text } = await word({ body: `<w:tbl>${row.repeat(5000)}</w:tbl>`, stored: true });
    expect(text.length).toBeLessThan(1_000_000);
  });

  test.each<readonly [string, WordParts]>([
    [
      'styles',
      {
        body: p('x', '<w:pStyle w:val="S1"/>'),
        styles: Array.from(
          { length: 3000 },
          (_, at) =>
            `<w:style w:type="paragraph" w:styleId="S${at}"><w:basedOn w:val="S${(at + 1) % 3000}"/></w:style>`,
        ).join(''),
      },
    ],
    [
      'notes',
      {
        body: p('x<w:r/>').replace('x', 'x') + p('<w:r><w:footnoteReference w:id="1"/></w:r>'),
        footnotes: `<w:footnote w:id="1">${p('<w:r><w:footnoteReference w:id="1"/></w:r>')}</w:footnote>`,
      },
    ],
    [
      'comments',
      {
        body: p('x') + p('<w:r><w:commentReference w:id="1"/></w:r>'),
        comments: `<w:comment w:id="1"><w:p w14:paraId="A"><w:r><w:commentReference w:id="1"/></w:r></w:p></w:comment>`,
        commentsExtended: '<w15:commentEx w15:paraId="A" w15:paraIdParent="A"/>',
      },
    ],
    [
      'parts',
      {
        body: p('x'),
        links: [
          ['a', 'chart', 'document.xml'],
          ['b', 'footnotes', 'document.xml'],
        ],
      },
    ],
    ['parts outside the package', { body: p('x'), links: [['a', 'styles', '../../../../etc/passwd']] }],
    [
      'names that objects inherit',
      { body: p('x', '<w:pStyle w:val="__proto__"/>') + p('y', list('constructor')) },
    ],
    [
      'a header that is the body',
      {
        body: `${p('x')}<w:sectPr><w:headerReference r:id="h"/></w:sectPr>`,
        links: [['h', 'header', 'document.xml']],
      },
    ],
  ])('circles of %s end', async (_, parts) => {
    const { text } = await word(parts);
    expect(text).toMatch(/x/);
  });

  test('entities of a document type are not expanded', async () => {
    const { text } = await word({
      body: p('x'),
      parts: {
        'word/footnotes.xml':
          '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "&x;&x;">]><w:footnotes/>',
      },
    });
    expect(text).toBe('x\n');
    const { text: own } = await word(p('&lol; &amp;'));
    expect(own).toMatch(/&lol; &/);
  });

  test('an abort stops the work', async () => {
    const controller = new AbortController();
    const { convertWord, wordFile } = await import('./word-file.ts');
    const bytes = wordFile({ body: p('x').repeat(200_000), stored: true });
    const converting = convertWord(bytes, { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    await expect(converting).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('a chart of hostile indices is bounded', async () => {
    const points =
      '<c:pt idx="-1"><c:v>a</c:v></c:pt><c:pt idx="4294967295"><c:v>b</c:v></c:pt><c:pt idx="x"><c:v>c</c:v></c:pt>';
    const { text } = await word({
      body: p(
        '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
      ),
      links: [['c', 'chart', 'chart.xml']],
      parts: {
        'word/chart.xml': part(
          'c:chartSpace',
          `<c:chart><c:plotArea><c:pieChart><c:ser><c:cat><c:strRef><c:strCache>${points}</c:strCache></c:strRef></c:cat></c:ser></c:pieChart></c:plotArea></c:chart>`,
        ),
      },
    });
    expect(text).toBe('Pie chart\n\n|  |  |\n| --- | --- |\n| b |  |\n');
  });
});
