import { describe, expect, it } from 'vitest';
import { pptxConverter } from '../../../processors/documents/pptx/convert.ts';
import { pptx } from '../../../processors/documents/pptx.ts';
import type { ReaderError, Source, Warning } from '../../../src/contract/index.ts';
import { type Block, markdownOf, paragraphBlock } from '../../../src/document/index.ts';
import { memorySource, run, testContext } from '../../support/context.ts';
import { zipOf } from '../../support/zip.ts';
import { box, type Deck, deckOf, NAMESPACES, para, relationships } from './deck.ts';

async function read(
  deck: Deck | Uint8Array,
): Promise<{ text: string; warnings: readonly Warning[]; facts: Record<string, unknown> }> {
  const bytes = deck instanceof Uint8Array ? deck : deckOf(deck);
  const { text, context } = await run(pptx, memorySource(bytes, 'deck.pptx'), { selection: { all: true } });
  return { text, warnings: context.warnings, facts: context.facts };
}

/** Blocks of a slide. */
async function blocks(
  shapes: string,
  more: Partial<Deck['slides'][number]> & { parts?: Record<string, string> } = {},
): Promise<string[]> {
  const { parts, ...slide } = more;
  const { text } = await read({ slides: [{ ...slide, shapes }], ...(parts && { parts }) });
  return text.trimEnd().split('\n\n');
}

const LAYOUT = {
  relations: [['rId1', 'slideLayout', '../slideLayouts/slideLayout1.xml']] as const,
  parts: {
    'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout ${NAMESPACES}><p:cSld><p:spTree>${box(`<a:lstStyle><a:lvl2pPr><a:buNone/></a:lvl2pPr></a:lstStyle>${para('Click to edit')}`, [0, 3], 'type="body" idx="7"')}${box('<a:lstStyle/>', [0, 0], 'type="title"')}</p:spTree></p:cSld></p:sldLayout>`,
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships([
      ['rId1', 'slideMaster', '../slideMasters/slideMaster1.xml'],
    ]),
    'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster ${NAMESPACES}><p:cSld><p:spTree/></p:cSld><p:txStyles><p:titleStyle/><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="-"/></a:lvl2pPr><a:lvl3pPr><a:buAutoNum type="arabicPeriod"/></a:lvl3pPr></p:bodyStyle></p:txStyles></p:sldMaster>`,
  },
};

describe('slides of a presentation', () => {
  it('follow the order of the slide list, not of file names, each with its marker and title', async () => {
    const { text, facts } = await read({
      slides: ['One', 'Two', 'Three'].map((title) => ({
        shapes: box(para(title), [0, 0], 'type="ctrTitle"'),
      })),
    });
    expect(text).toBe('## One\n\n## Two\n\n## Three\n');
    expect(facts).toMatchObject({ slides: 3 });
  });

  it('have their title in an outline, and without one their first text', async () => {
    const title = (text: string): string => box(para(text), [0, 0], 'type="title"');
    const deck = deckOf({
      slides: [
        { shapes: title('Gates') + box(para('North')) },
        { shapes: box(para('A chapter')) + box(para('and more')) },
        { shapes: box(para('Above')) + title('Locks') },
      ],
    });
    const lines: string[] = [];
    const context = testContext({ selection: { outline: true } });
    for await (const { text } of pptx.outline?.(memorySource(deck, 'deck.pptx'), context) ?? [])
      lines.push(text);
    expect(lines).toEqual(['#slide=1: ## Gates', '#slide=2: A chapter', '#slide=3: ## Locks']);
  });

  it('are shown and reported if hidden', async () => {
    const { text, facts } = await read({
      slides: [{ shapes: box(para('a')) }, { shapes: box(para('b')), attributes: 'show="0"' }],
    });
    expect(text).toContain('(hidden slide)\n\nb\n');
    expect(facts).toMatchObject({ hiddenSlides: '2' });
  });

  it('give the same blocks in any order of requests', async () => {
    const footer = (text: string): string => box(para(text), [0, 7], 'type="ftr" idx="11"');
    const slides = ['x', 'x', 'y', 'x'].map((text, at) => ({ shapes: box(para(`s${at}`)) + footer(text) }));
    const source = memorySource(deckOf({ slides }), 'deck.pptx');
    const inOrder = async (numbers: readonly number[]): Promise<Map<number, readonly Block[]>> => {
      const document = await pptxConverter.open(source, testContext());
      const found = new Map<number, readonly Block[]>();
      for (const number of numbers) found.set(number, (await document.section(number)).blocks);
      return found;
    };
    const forward = await inOrder([1, 2, 3, 4]);
    const back = await inOrder([4, 2, 3, 1]);
    for (const number of [1, 2, 3, 4]) expect(back.get(number)).toEqual(forward.get(number));
    expect(forward.get(2)?.map(markdownOf).join('')).not.toContain('footer');
    expect(forward.get(3)).toContainEqual(paragraphBlock('Slide footer: y'));
  });

  it('show the text of their layout and master once, unless they hide it', async () => {
    const relations = [['rId1', 'slideLayout', '../slideLayouts/slideLayout1.xml']] as const;
    const tree = (shape: string): string => `<p:cSld><p:spTree>${shape}</p:spTree></p:cSld>`;
    const parts = {
      'ppt/slideLayouts/slideLayout1.xml': `<p:sldLayout ${NAMESPACES}>${tree(box(para('Draft')) + box(para('Click'), undefined, 'type="title"'))}</p:sldLayout>`,
      'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships([
        ['rId1', 'slideMaster', '../slideMasters/slideMaster1.xml'],
      ]),
      'ppt/slideMasters/slideMaster1.xml': `<p:sldMaster ${NAMESPACES}>${tree(box(para('Secret')))}</p:sldMaster>`,
    };
    const slide = { shapes: box(para('a')), relations };
    const { text } = await read({ slides: [slide, slide], parts });
    expect(text.match(/Slide footer: (?:Draft|Secret)\n/g)).toEqual([
      'Slide footer: Draft\n',
      'Slide footer: Secret\n',
    ]);
    const hiding = await read({ slides: [{ ...slide, attributes: 'showMasterSp="0"' }], parts });
    expect(hiding.text).not.toContain('footer');
  });

  it('name their sections', async () => {
    const presentation = `<p:presentation ${NAMESPACES}><p:sldIdLst><p:sldId id="256" r:id="rId1"/><p:sldId id="257" r:id="rId2"/></p:sldIdLst><p:extLst><p:ext uri="x"><p14:sectionLst><p14:section name="Intro"><p14:sldIdLst><p14:sldId id="256"/><p14:sldId id="257"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>`;
    const { facts } = await read({ slides: [{}, {}], parts: { 'ppt/presentation.xml': presentation } });
    expect(facts).toMatchObject({ sections: [{ name: 'Intro', slides: '1-2' }] });
  });
});

describe('text on a slide', () => {
  it('inherits bullets from paragraph, shape, layout and master, in that order', async () => {
    const own = '<a:pPr><a:buNone/></a:pPr>';
    const shapes = box(
      para('top') +
        para('in layout none', '<a:pPr lvl="1"/>') +
        para('three', '<a:pPr lvl="2"/>') +
        para('four', '<a:pPr lvl="2"/>') +
        para('plain', own),
      undefined,
      'idx="7"',
    );
    expect(await blocks(shapes, LAYOUT)).toEqual(['- top', 'in layout none', '1. three\n2. four', 'plain']);
  });

  it.each([
    ['arabicParenR', '1) a\n2) b'],
    ['alphaLcParenR', '- a) a\n- b) b'],
    ['romanUcPeriod', '- I. a\n- II. b'],
    ['arabicPeriod" startAt="7', '7. a\n8. b'],
    ['arabicPeriod" startAt="4000000000', '1. a\n2. b'],
  ])('is numbered by %s', async (type, list) => {
    const numbered = `<a:pPr><a:buAutoNum type="${type}"/></a:pPr>`;
    expect(await blocks(box(para('a', numbered) + para('b', numbered)))).toEqual([list]);
  });

  it('takes its bullets from the style of its own shape', async () => {
    const style = '<a:lstStyle><a:lvl1pPr><a:buChar char="*"/></a:lvl1pPr></a:lstStyle>';
    expect(await blocks(box(style + para('item')))).toEqual(['- item']);
  });

  it('marks runs, unless all of them are bold', async () => {
    const bold = '<a:rPr b="1"/>';
    const mixed = `<a:p><a:r><a:t>so </a:t></a:r><a:r><a:rPr i="1"/><a:t>it</a:t></a:r></a:p>`;
    expect(await blocks(box(para('all', '', bold), [0, 0]) + box(mixed, [0, 2]))).toEqual(['all', 'so *it*']);
  });

  it('keeps safe links and drops other targets', async () => {
    const link = (id: string): string => `<a:rPr><a:hlinkClick r:id="${id}"/></a:rPr>`;
    const shapes = box(
      para('good', '', link('rId1')) + para('bad', '', link('rId2')) + para('jump', '', link('rId3')),
    );
    const relations = [
      ['rId1', 'hyperlink', 'https://example.org/'],
      ['rId2', 'hyperlink', 'javascript:alert(1)'],
      ['rId3', 'slide', 'slide2.xml'],
    ] as const;
    expect(await blocks(shapes, { relations })).toEqual(['[good](https://example.org/)', 'bad', 'jump']);
  });

  it('contains formulas, line breaks and fields', async () => {
    const math =
      '<mc:AlternateContent xmlns:mc="m" xmlns:a14="n"><mc:Choice Requires="a14"><a14:m><m:oMath xmlns:m="o"><m:r><m:t>x=1</m:t></m:r></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>lost</a:t></a:r></mc:Fallback></mc:AlternateContent>';
    const shapes = box(
      `<a:p><a:r><a:t>so</a:t></a:r><a:br/>${math}<a:fld type="datetime1"><a:t> now</a:t></a:fld></a:p>`,
    );
    expect((await blocks(shapes)).map((block) => block.replace(/ +\n/g, '\n'))).toEqual(['so\n$x=1$ now']);
  });

  it('is read with other prefixes and strict namespaces', async () => {
    const slide =
      '<x:sld xmlns:x="http://purl.oclc.org/ooxml/presentationml/main" xmlns:y="http://purl.oclc.org/ooxml/drawingml/main"><x:cSld><x:spTree><x:sp><x:nvSpPr><x:cNvPr id="1" name=""/><x:nvPr><x:ph type="title"/></x:nvPr></x:nvSpPr><x:txBody><y:p><y:r><y:t>Strict</y:t></y:r></y:p></x:txBody></x:sp></x:spTree></x:cSld></x:sld>';
    const { text } = await read({ slides: [{}], parts: { 'ppt/slides/slide1.xml': slide } });
    expect(text).toBe('## Strict\n');
  });
});

describe('shapes on a slide', () => {
  it('are read from top to bottom and left to right, groups in place', async () => {
    const group = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g"/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="1828800"/><a:ext cx="914400" cy="914400"/><a:chOff x="0" y="0"/><a:chExt cx="9144000" cy="9144000"/></a:xfrm></p:grpSpPr>${box(para('g2'), [0, 9])}${box(para('g1'), [0, 0])}</p:grpSp>`;
    const shapes =
      box(para('last'), [0, 5]) + group + box(para('right'), [4, 0.1]) + box(para('left'), [0, 0]);
    expect(await blocks(shapes)).toEqual(['left', 'right', 'g1', 'g2', 'last']);
  });

  it('inherit their position from the layout', async () => {
    const shapes =
      box(para('text'), undefined, 'idx="7"') +
      box(para('above'), [0, 1]) +
      box(para('T'), undefined, 'type="title"');
    expect(await blocks(shapes, LAYOUT)).toEqual(['## T', 'above', '- text']);
  });

  it('repeat the text of merged cells', async () => {
    const cell = (text: string, attributes = ''): string =>
      `<a:tc ${attributes}><a:txBody>${para(text)}</a:txBody></a:tc>`;
    const table = `<a:tbl><a:tr>${cell('wide', 'gridSpan="2"')}${cell('', 'hMerge="1"')}${cell('tall', 'rowSpan="2"')}</a:tr><a:tr>${cell('a|b')}${cell('c')}${cell('', 'vMerge="1"')}</a:tr></a:tbl>`;
    const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="t"/><p:nvPr/></p:nvGraphicFramePr><a:graphic><a:graphicData>${table}</a:graphicData></a:graphic></p:graphicFrame>`;
    expect(await blocks(frame)).toEqual([
      '| wide | wide | tall |\n| --- | --- | --- |\n| a\\|b | c | tall |',
    ]);
  });

  it('name pictures, recordings and embedded objects', async () => {
    const about = (nv: string, more = ''): string =>
      `<p:${nv}><p:cNvPr id="3" name="n" descr="A bridge"/><p:nvPr>${more}</p:nvPr></p:${nv}>`;
    const shapes = `<p:pic>${about('nvPicPr')}<p:blipFill><a:blip r:embed="rId1"/></p:blipFill></p:pic><p:pic>${about('nvPicPr', '<a:videoFile r:link="rId2"/>')}<p:blipFill><a:blip r:embed="rId1"/></p:blipFill></p:pic><p:graphicFrame>${about('nvGraphicFramePr')}<a:graphic><a:graphicData><p:oleObj progId="Excel.Sheet.12" r:id="rId3"/></a:graphicData></a:graphic></p:graphicFrame>`;
    const relations = [
      ['rId1', 'image', '../media/image1.png'],
      ['rId2', 'video', 'file:///C:/films/river.mp4'],
      ['rId3', 'package', '../embeddings/sheet.xlsx'],
    ] as const;
    const parts = { 'ppt/media/image1.png': 'x', 'ppt/embeddings/sheet.xlsx': 'x' };
    expect(await blocks(shapes, { relations, parts })).toEqual([
      '![A bridge](deck.pptx!/ppt/media/image1.png)',
      '![A bridge](deck.pptx!/ppt/media/image1.png)',
      '(video: river.mp4)',
      '(embedded object: Excel.Sheet.12, `deck.pptx!/ppt/embeddings/sheet.xlsx`)',
      '![A bridge]()',
    ]);
  });

  it('leave out hidden shapes, with a warning that quotes them', async () => {
    const hidden = box(para('secret')).replace('name="x"', 'name="x" hidden="1"');
    const { text, warnings } = await read({ slides: [{ shapes: hidden + box(para('seen')) }] });
    expect(text).not.toContain('secret');
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'HIDDEN_TEXT', message: expect.stringContaining('secret') }),
    ]);
  });

  it('name a graphic that cannot be read', async () => {
    const frame = (about: string): string =>
      `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="t" ${about}/><p:nvPr/></p:nvGraphicFramePr><a:graphic><a:graphicData uri="other"><x:model/></a:graphicData></a:graphic></p:graphicFrame>`;
    const { text } = await read({ slides: [{ shapes: frame('descr="A 3D model"') + frame('') }] });
    expect(text).toContain('![A 3D model]()');
    expect(text).toContain('(graphic, not read)');
  });

  it('include charts and diagrams, and report one whose part is missing', async () => {
    const frame = (inside: string): string =>
      `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="t" descr="Sales"/><p:nvPr/></p:nvGraphicFramePr><a:graphic><a:graphicData>${inside}</a:graphicData></a:graphic></p:graphicFrame>`;
    const { text, warnings } = await read({
      slides: [
        {
          shapes:
            frame('<c:chart r:id="rId1"/>') +
            frame('<dgm:relIds r:dm="rId2"/>') +
            frame('<c:chart r:id="rId9"/>'),
          relations: [
            ['rId1', 'chart', '../charts/chart1.xml'],
            ['rId2', 'diagramData', '../diagrams/data1.xml'],
          ],
        },
      ],
      parts: {
        'ppt/charts/chart1.xml':
          '<c:chartSpace><c:chart><c:plotArea><c:barChart><c:ser><c:tx><c:v>Gates</c:v></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>',
        'ppt/diagrams/data1.xml':
          '<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst/></dgm:dataModel>',
      },
    });
    expect(text).toContain('Bar chart\n\n|  | Gates |\n| --- | --- |\n| North | 4 |');
    expect(text).toContain('- step\n');
    expect(text).toContain('![Sales]()');
    expect(warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });
});

describe('notes and comments of a slide', () => {
  it('include notes after the slide, without the slide number of the notes page', async () => {
    const notes = `<p:notes ${NAMESPACES}><p:cSld><p:spTree>${box(para('Say hello'), undefined, 'type="body" idx="1"')}${box(para('17'), undefined, 'type="sldNum" idx="5"')}</p:spTree></p:cSld></p:notes>`;
    expect(
      await blocks(box(para('body')), {
        relations: [['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml']],
        parts: { 'ppt/notesSlides/notesSlide1.xml': notes },
      }),
    ).toEqual(['body', '### Notes', 'Say hello']);
  });

  it('include comments, old and threaded, with their authors', async () => {
    const deck: Deck = {
      slides: [
        {
          shapes: box(para('body')),
          relations: [
            ['rId1', 'comments', '../comments/comment1.xml'],
            ['rId2', 'comments', '../comments/modern.xml'],
          ],
        },
      ],
      parts: {
        'ppt/_rels/presentation.xml.rels': relationships([
          ['rId1', 'slide', 'slides/slide1.xml'],
          ['rId7', 'commentAuthors', 'commentAuthors.xml'],
          ['rId8', 'authors', 'authors.xml'],
        ]),
        'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
        'ppt/authors.xml': '<p188:authorLst><p188:author id="{A}" name="Bo"/></p188:authorLst>',
        'ppt/comments/comment1.xml':
          '<p:cmLst><p:cm authorId="0" dt="2026-01-02T03:04:05"><p:text>Old one</p:text></p:cm></p:cmLst>',
        'ppt/comments/modern.xml':
          '<p188:cmLst><p188:cm authorId="{A}" created="2026-02-03T00:00:00"><p188:replyLst><p188:reply authorId="{A}"><p188:txBody><a:p><a:r><a:t>Done</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>New one</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
      },
    };
    expect((await read(deck)).text).toContain(
      'Comments: [^c1-1] [^c1-2] [^c1-3]\n\n[^c1-1]: Ann (2026-01-02): Old one\n\n[^c1-2]: Bo (2026-02-03): New one\n\n[^c1-3]: Reply by Bo: Done\n',
    );
  });
});

describe('damaged and hostile presentations', () => {
  it('are read as far as possible', async () => {
    const whole = { slides: [{ shapes: box(para('one')) }, { shapes: box(para('two')) }] };
    const missing = await read({ ...whole, parts: { 'ppt/slides/slide2.xml': '' } });
    expect(missing.text).toBe('two\n');
    expect(missing.warnings).toEqual([expect.objectContaining({ code: 'SKIPPED_CONTENT' })]);
    const listless = await read({ ...whole, parts: { 'ppt/presentation.xml': '' } });
    // Without the list the file names decide.
    expect(listless.text).toBe('two\n\none\n');
    expect(listless.warnings.map(({ code }) => code)).toEqual(['SKIPPED_CONTENT']);
  });

  it('report a slide whose end is missing', async () => {
    const { text, warnings } = await read({
      slides: [{}],
      parts: {
        'ppt/slides/slide1.xml': `<p:sld ${NAMESPACES}><p:cSld><p:spTree>${box(para('one'))}<p:sp><p:txB`,
      },
    });
    expect(text).toBe('one\n');
    expect(warnings).toEqual([expect.objectContaining({ code: 'SKIPPED_CONTENT' })]);
  });

  it('report that there are no slides', async () => {
    const { text, warnings, facts } = await read({ slides: [] });
    expect({ text, slides: facts['slides'] }).toEqual({ text: '', slides: 0 });
    expect(warnings.map(({ code }) => code)).toEqual(['EMPTY_FILE']);
  });

  it('never read outside the package', async () => {
    const { text } = await read({
      slides: [{ shapes: box(para('x')) }],
      parts: {
        'ppt/_rels/presentation.xml.rels': relationships([['rId1', 'slide', '../../../../etc/passwd']]),
        'etc/passwd': `<p:sld ${NAMESPACES}><p:cSld><p:spTree>${box(para('inside'))}</p:spTree></p:cSld></p:sld>`,
      },
    });
    expect(text).toContain('inside');
  });

  it.each<[string, Uint8Array, ReaderError['code']]>([
    ['an encrypted package', ole('EncryptedPackage'), 'ENCRYPTED_FILE'],
    ['a presentation of before 2007', ole('PowerPoint Document'), 'UNSUPPORTED_FORMAT'],
    ['half a file', deckOf({ slides: [{}] }).subarray(0, 200), 'CORRUPT_FILE'],
  ])('reject %s with its code', async (_, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code } satisfies Partial<ReaderError>);
  });

  it('are not detected in other containers', async () => {
    await expect(read(zipOf([{ name: 'a.txt', data: 'x' }]))).rejects.toMatchObject({
      name: 'NotThisFormat',
    });
  });

  it('bound nested groups, wide levels and names of objects', async () => {
    const open = '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g"/></p:nvGrpSpPr>';
    const nested = open.repeat(3000) + box(para('deep')) + '</p:grpSp>'.repeat(3000);
    const odd = box(
      para('__proto__', '<a:pPr lvl="99999999999"><a:buChar char="x"/></a:pPr>'),
      undefined,
      'type="__proto__" idx="constructor"',
    );
    const { text, warnings } = await read({ slides: [{ shapes: nested + odd }] });
    expect(text).toContain('- \\_\\_proto\\_\\_');
    expect(text).not.toContain('deep');
    expect(warnings.some(({ code }) => code === 'SKIPPED_CONTENT')).toBe(true);
  });

  it('do not multiply the text of merged cells', async () => {
    const cell = (text: string, attributes = ''): string =>
      `<a:tc ${attributes}><a:txBody>${para(text)}</a:txBody></a:tc>`;
    const row = `<a:tr>${cell('x'.repeat(100_000))}${cell('', 'hMerge="1"').repeat(900)}</a:tr>`;
    const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="t"/></p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl>${row.repeat(3)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const { text } = await read({ slides: [{ shapes: frame }] });
    expect(text.length).toBeLessThan(2_000_000);
  });

  it('inflate only the requested slides', async () => {
    const slides = Array.from({ length: 4000 }, (_, at) => ({
      shapes: box(para(`${at} ${'word '.repeat(40)}`)),
    }));
    const bytes = deckOf({ slides });
    const places = new Set<number>();
    const inner = memorySource(bytes, 'deck.pptx');
    const counted: Source = Object.assign(Object.create(inner) as Source, {
      size: inner.size,
      read: (position: number, length: number) => {
        places.add(position);
        return inner.read(position, length);
      },
    });
    const { text } = await run(pptx, counted, { selection: { pages: [{ from: 3000, to: 3001 }] } });
    expect(text).toContain('3000 word');
    expect(places.size).toBeLessThan(60);
  });
});

function ole(stream: string): Buffer {
  const bytes = Buffer.alloc(4096);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt32LE(0, 48);
  bytes.write(stream, 512, 'utf16le');
  return bytes;
}
