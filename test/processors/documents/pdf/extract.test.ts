// What is read off one page: places, characters, lines, areas, and what of it nobody sees.

import { describe, expect, it } from 'vitest';
import { dataFile } from '../../../../processors/documents/pdf/data-files.ts';
import { inkOf } from '../../../../processors/documents/pdf/ink/extract.ts';
import {
  fontOf,
  type PageFont,
  withDrawnWeights,
  withFixedWidths,
} from '../../../../processors/documents/pdf/ink/font.ts';
import type { Glyph, Ink } from '../../../../processors/documents/pdf/ink/ink.ts';
import { openPdf } from '../../../../processors/documents/pdf/open.ts';
import { onePage, type PageOptions } from '../../../support/pdf.ts';

async function ink(content: string, options?: PageOptions): Promise<Ink> {
  const pdf = await openPdf(new Uint8Array(onePage(content, options)), dataFile);
  try {
    return await inkOf(pdf, await pdf.document.getPage(1));
  } finally {
    await pdf.close();
  }
}

const textOf = (page: Ink, hiding?: string): string =>
  page.glyphs
    .filter((glyph) => glyph.hiding === hiding)
    .map((glyph) => glyph.text)
    .join('');

describe('weight', () => {
  it('is that of the outline, for text that is filled and stroked in one colour', async () => {
    const bold = async (content: string): Promise<boolean[]> => {
      const { glyphs, fonts } = await ink(content);
      return glyphs.map(({ font }) => fonts[font]?.bold === true);
    };
    expect(await bold('BT /F 10 Tf 100 700 Td (a) Tj 2 Tr 0.4 w (b) Tj 0 Tr (c) Tj ET')).toEqual([
      false,
      true,
      false,
    ]);
    expect(await bold('1 0 0 RG BT /F 10 Tf 2 Tr 0.4 w 100 700 Td (a) Tj ET')).toEqual([false]);
  });

  it('is bold for a drawn font beside an embedded one of the same name', () => {
    const font = (name: string, isType3Font: boolean): PageFont => fontOf({ name, isType3Font }, 0);
    const weights = (...fonts: PageFont[]): boolean[] => withDrawnWeights(fonts).map(({ bold }) => bold);
    expect(weights(font('Song', false), font('Song', true))).toEqual([false, true]);
    expect(weights(font('Song', true), font('Other', false))).toEqual([false, false]);
    expect(weights(font('', true), font('', false))).toEqual([false, false]);
  });
});

describe('a font of fixed width', () => {
  it.each([
    ['whose narrow and wide letters are equally wide', 5, true],
    ['not whose letters differ', 3, false],
    ['not of which only wide letters are known', 0, false],
  ])('is one %s', (_, narrow, monospace) => {
    const { font } = fontOf({ name: '24a158+Any-Regular' }, 0);
    const glyph = (text: string, width: number): Glyph => ({
      ...{ text, width, x: 0, y: 0, size: 10, font: 0, angle: 0, color: 0, mcid: -1, artifact: false },
    });
    const glyphs = [glyph('m', 5), ...(narrow > 0 ? [glyph('i', narrow)] : [])];
    expect(withFixedWidths([font], glyphs)).toMatchObject([{ name: 'Any-Regular', monospace }]);
  });
});

describe('glyphs', () => {
  it('are positioned where they are drawn, from the upper left corner', async () => {
    const { glyphs, fonts, width, height } = await ink('BT /B 20 Tf 100 700 Td (Hi) Tj ET');
    expect([width, height]).toEqual([600, 800]);
    expect(glyphs).toHaveLength(2);
    expect(glyphs[0]).toMatchObject({ text: 'H', x: 100, y: 100, size: 20, angle: 0, color: 0, mcid: -1 });
    expect(glyphs[1]?.x).toBeCloseTo(100 + 0.722 * 20, 3);
    expect(fonts[glyphs[0]?.font ?? -1]).toMatchObject({ name: 'Helvetica-Bold', bold: true, italic: false });
  });

  it.each([
    ['character spacing', '3 Tc (ab) Tj', 0.556 * 10 + 3],
    ['word spacing on a space', '5 Tw ( b) Tj', 0.278 * 10 + 5],
    ['a kerning number', '[(a) -500 (b)] TJ', 0.556 * 10 + 5],
    ['horizontal scaling', '50 Tz (ab) Tj', 0.556 * 5],
  ])('move by %s', async (_name, show, distance) => {
    const { glyphs } = await ink(`BT /F 10 Tf 100 700 Td ${show} ET`);
    expect((glyphs[1]?.x ?? 0) - (glyphs[0]?.x ?? 0)).toBeCloseTo(distance, 3);
  });

  it.each([
    ['a rotated page', 'BT /F 10 Tf 100 700 Td (a) Tj ET', '/Rotate 90', { x: 700, y: 100, angle: 90 }],
    ['a turned text matrix', 'BT /F 10 Tf 0 1 -1 0 100 700 Tm (a) Tj ET', '', { x: 100, y: 100, angle: -90 }],
    [
      'a crop box',
      'BT /F 10 Tf 100 700 Td (a) Tj ET',
      '/CropBox [50 50 550 750]',
      { x: 50, y: 50, angle: 0 },
    ],
    ['a negative size', 'BT /F -10 Tf -1 0 0 -1 100 700 Tm (a) Tj ET', '', { x: 100, y: 100, angle: 0 }],
    [
      'a scaled matrix',
      'q 2 0 0 2 0 0 cm BT /F 5 Tf 50 350 Td (a) Tj ET Q',
      '',
      { x: 100, y: 100, size: 10 },
    ],
    ['a rise', 'BT /F 10 Tf 4 Ts 100 696 Td (a) Tj ET', '', { x: 100, y: 100, angle: 0 }],
  ])('follow %s', async (_name, content, page, expected) => {
    const { glyphs } = await ink(content, { page });
    expect(glyphs[0]).toMatchObject(expected);
  });

  it('come from forms inside forms, once each', async () => {
    const form = (matrix: string, resources: string, bytes: string) => ({
      dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Matrix [${matrix}] /Resources << ${resources} >>`,
      bytes,
    });
    const page = await ink('q 1 0 0 1 10 0 cm /Outer Do Q', {
      resources: '/XObject << /Outer 7 0 R >>',
      more: [
        form('1 0 0 1 20 0', '/XObject << /Inner 8 0 R >>', '/Inner Do'),
        form('1 0 0 1 30 0', '/Font << /F 5 0 R >>', 'BT /F 10 Tf 40 700 Td (x) Tj ET'),
      ],
    });
    expect(page.glyphs.map(({ text, x, y }) => ({ text, x, y }))).toEqual([{ text: 'x', x: 100, y: 100 }]);
  });

  it('carry the marks of the file', async () => {
    const page = await ink(
      '/P << /MCID 3 >> BDC BT /F 10 Tf 50 700 Td (a) Tj ET EMC /Artifact BMC BT /F 10 Tf 50 20 Td (b) Tj ET EMC',
    );
    expect(page.glyphs.map(({ text, mcid, artifact }) => [text, mcid, artifact])).toEqual([
      ['a', 3, false],
      ['b', -1, true],
    ]);
  });
});

describe('hidden text', () => {
  const line = (before: string): string => `BT /F 12 Tf 72 700 Td ${before} (secret) Tj ET`;
  it.each([
    ['invisible', line('3 Tr')],
    ['invisible', `/Clear gs ${line('')}`],
    ['off-page', 'BT /F 12 Tf -500 700 Td (secret) Tj ET'],
    ['tiny', 'BT /F 0.5 Tf 72 700 Td (secret) Tj ET'],
    ['background-color', line('1 g')],
    ['background-color', `0 0 1 rg 50 650 200 100 re f ${line('0 0 1 rg')}`],
    ['clipped', `q 0 0 50 50 re W n ${line('')} Q`],
    ['covered', `${line('')} 0.9 g 60 690 200 30 re f`],
    ['hidden-layer', `/OC /Layer BDC ${line('')} EMC`],
  ])('is reported: %s', async (hiding, content) => {
    const page = await ink(`BT /F 12 Tf 72 600 Td (seen) Tj ET ${content}`, {
      resources: '/Properties << /Layer 7 0 R >> /ExtGState << /Clear << /ca 0 >> >>',
      more: ['<< /Type /OCG /Name (Layer) >>'],
      catalog: '/OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] >> >>',
    });
    expect(textOf(page, hiding)).toBe('secret');
    expect(textOf(page)).toBe('seen');
  });

  it.each([
    ['white on a dark area', '0 g 50 650 200 100 re f BT 1 g /F 12 Tf 72 700 Td (seen) Tj ET'],
    ['white on a thick line', '0 G 40 w 50 700 m 300 700 l S BT 1 g /F 12 Tf 72 696 Td (seen) Tj ET'],
    [
      'under something that lets it through',
      'BT /F 12 Tf 72 700 Td (seen) Tj ET /Faint gs 1 1 0 rg 60 690 200 30 re f',
    ],
    ['after what covered it', '1 g 60 690 200 30 re f 0 g BT /F 12 Tf 72 700 Td (seen) Tj ET'],
  ])('does not include visible text: %s', async (_name, content) => {
    const page = await ink(content, { resources: '/ExtGState << /Faint << /ca 0.4 >> >>' });
    expect(textOf(page)).toBe('seen');
  });

  it('is not the text layer of a scan', async () => {
    const image = {
      dictionary:
        '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
      bytes: Buffer.from([200]),
    };
    const options = { resources: '/XObject << /Im 7 0 R >>', more: [image] };
    const layer = 'BT 3 Tr /F 12 Tf 72 700 Td (recognised) Tj ET';
    expect(textOf(await ink(`q 600 0 0 800 0 0 cm /Im Do Q ${layer}`, options))).toBe('recognised');
    expect(textOf(await ink(`q 30 0 0 30 60 690 cm /Im Do Q ${layer}`, options))).toBe('');
  });
});

describe('lines and areas', () => {
  it('are distinguished by thickness', async () => {
    const { rules, fills } = await ink(
      '2 w 100 700 m 300 700 l S 100 600 1 50 re f 0.5 g 100 400 200 100 re f 1 w 10 10 50 50 re S',
    );
    expect(rules.slice(0, 2)).toEqual([
      { horizontal: true, at: 100, from: 100, to: 300, thickness: 2 },
      { horizontal: false, at: 100.5, from: 150, to: 200, thickness: 1 },
    ]);
    expect(rules).toHaveLength(6);
    expect(fills).toEqual([{ left: 100, top: 300, right: 300, bottom: 400, color: 0x808080 }]);
  });

  it('end at the clip, and are ignored in white on white', async () => {
    const { rules, fills } = await ink(
      'q 0 0 200 800 re W n 100 700 m 300 700 l S Q 1 g 1 G 50 50 100 100 re f 20 20 m 90 20 l S',
    );
    expect(rules).toEqual([{ horizontal: true, at: 100, from: 100, to: 200, thickness: 1 }]);
    expect(fills).toEqual([]);
  });

  it('are the borders of frames, whose ends are slanted where two meet', async () => {
    const drawn = async (path: string): Promise<unknown> => {
      const { rules, fills } = await ink(path);
      const round = (x: number): number => Math.round(10 * x) / 10;
      return [
        fills.length,
        ...rules.map(({ horizontal, at, from, to }) =>
          [horizontal ? 'across' : 'down', at, from, to].map((x) => (typeof x === 'number' ? round(x) : x)),
        ),
      ];
    };
    const frame = [
      ['across', 99.5, 100, 300],
      ['across', 200.5, 100, 300],
      ['down', 100.5, 99, 201],
      ['down', 299.5, 99, 201],
    ];
    expect(await drawn('100 700 m 300 700 l 299 699 l 101 699 l h f')).toEqual([
      0,
      ['across', 100.5, 100, 300],
    ]);
    expect(await drawn('100 599 200 102 re 101 600 198 100 re f*')).toEqual([0, ...frame]);
    expect(
      await drawn(
        '100 599 m 100 701 l 300 701 l 300 599 l 100 599 l 101 600 l 299 600 l 299 700 l 101 700 l 101 600 l h f',
      ),
    ).toEqual([0, ...frame]);
    expect(await drawn('100 600 m 300 600 l 200 700 l h f')).toEqual([0]);
  });

  const circle = (x: number, y: number): string =>
    `${x} ${y} m ${x} ${y + 2} ${x + 4} ${y + 2} ${x + 4} ${y} c ${x + 4} ${y - 2} ${x} ${y - 2} ${x} ${y} c`;

  it.each([
    ['disc', `${circle(60, 704)} f`],
    ['circle', `${circle(60, 704)} s`],
    ['square', '60 702 4 4 re f'],
  ])('are bullets if text follows a %s', async (_name, shape) => {
    const page = await ink(`${shape} BT /F 12 Tf 72 700 Td (item) Tj ET ${circle(400, 200)} f`);
    expect(textOf(page)).toBe('•item');
  });

  it('are no bullets where they stand apart, as the points of a chart', async () => {
    const label = (text: string, x: number, y: number): string =>
      `${circle(x - 8, y + 4)} f BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET`;
    const points = await ink([label('12', 80, 500), label('48', 130, 620), label('37', 180, 580)].join(' '));
    expect(textOf(points)).not.toContain('\u2022');
    const list = await ink(
      [label('one', 80, 600), label('two', 80, 580), label('inner', 100, 560)].join(' '),
    );
    expect(textOf(list).match(/\u2022/gu)).toHaveLength(3);
  });
});

it('positions pictures without decoding them', async () => {
  const page = await ink('q 200 0 0 100 50 600 cm /Im Do Q', {
    resources: '/XObject << /Im 7 0 R >>',
    more: [
      {
        dictionary:
          '/Type /XObject /Subtype /Image /Width 4000 /Height 3000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode',
        bytes: Buffer.from('ffd8ffc0001108000100010301220002110103110100ffd9', 'hex'),
      },
    ],
  });
  expect(page.pictures).toHaveLength(1);
  expect(page.pictures[0]).toMatchObject({ left: 50, top: 100, right: 250, bottom: 200 });
});

it('reads characters that a font maps, and reports unmapped ones', async () => {
  const map =
    '1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <FB01> <42> <F0B7> endbfchar';
  const page = await ink('BT /T 10 Tf 72 700 Td (ABC) Tj ET', {
    resources: '/Font << /T 7 0 R >>',
    more: [
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 67 /Widths [1 1 1] ' +
        '/CharProcs << >> /Encoding << /Type /Encoding /Differences [65 /g1 /g2 /g3] >> /Resources << >> /ToUnicode 8 0 R >>',
      { bytes: map },
    ],
  });
  expect(page.glyphs.map(({ text }) => text).slice(0, 2)).toEqual(['fi', '•']);
  expect(page.glyphs[1]?.x).toBeCloseTo(82, 3);
});
