// Converts OpenDocument presentations to blocks, one section per slide: title, shapes from top to bottom, speaker
// notes.

import type { Source } from '../../../src/contract/index.ts';
import { cleanText, linesBlock, withoutEmphasis } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { ConvertContext, Converter, OpenDocument } from '../document.ts';
import { LeftOut } from '../left-out.ts';
import { type Box, cornerOf, inReadingOrder } from '../slide-order.ts';
import { NO_SLIDES, type Slide, slideFacts, slideSection } from '../slides.ts';
import { words } from '../words.ts';
import { Changes } from './changes.ts';
import { walkBody } from './document.ts';
import { Embedded } from './embedded.ts';
import { isShape } from './inline.ts';
import { type OdfPackage, odfFacts, openOdf } from './package.ts';
import { Remarks } from './remarks.ts';
import { Styles } from './style.ts';
import { TextWalk } from './text-walk.ts';

/** Converts ODP and its variants. */
export const odpConverter: Converter = { open };

const MAX_SLIDES = 20_000;
const MAX_GROUPS = 32;
const MAX_STATED = 1000;

async function open(source: Source, context: ConvertContext): Promise<OpenDocument> {
  const pack = await openOdf(source, context, 'presentation');
  const pages: XmlElement[] = [];
  let known = new Styles();
  const stated = new Map<string, string>();
  let left = 0;
  const warnings = await walkBody(
    pack,
    {
      element: (element, styles) => {
        known = styles;
        if (/^(?:footer|header|date-time)-decl$/.test(element.name) && stated.size < MAX_STATED)
          stated.set(`${element.name} ${element.get('name') ?? ''}`, element.text().trim());
        if (element.name !== 'page') return;
        if (pages.length < MAX_SLIDES) pages.push(element);
        else left += 1;
      },
    },
    context.signal,
  );
  for (const warning of warnings) context.warn(warning);
  if (left > 0)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The ${left} slides after the first ${MAX_SLIDES} were left out.`,
    });
  if (pages.length === 0) context.warn(NO_SLIDES);
  const hidden = pages.flatMap((page, at) => (known.hidesPage(page.get('style-name')) ? [at + 1] : []));
  return {
    facts: {
      ...odfFacts(pack.meta),
      ...slideFacts(pages.length, hidden),
    },
    sections: Math.max(1, pages.length),
    section: async (number) => {
      const page = pages[number - 1];
      if (!page) return { blocks: [] };
      const before = pages[number - 2];
      const slide = await slideOf(page, number, footersOf(page, stated), known, pack, context.signal);
      return slideSection(number, slide, before ? footersOf(before, stated) : []);
    },
  };
}

interface Item {
  readonly box: Box | undefined;
  readonly element: XmlElement;
  /** Title, subtitle, outline, notes, ... if the shape is a placeholder. */
  readonly role: string;
}

async function slideOf(
  page: XmlElement,
  number: number,
  footers: readonly string[],
  styles: Styles,
  pack: OdfPackage,
  signal: AbortSignal,
): Promise<Slide> {
  const left = new LeftOut();
  const remarks = new Remarks(left, `${number}-`);
  const embedded = new Embedded(pack, signal);
  await embedded.load(page);
  const walk = new TextWalk({
    styles,
    left,
    remarks,
    changes: new Changes('accept', left, remarks),
    embedded,
  });
  const items = itemsOf(page, 0);
  const title = items.find(({ role, element }) => role === 'title' && element.text().trim() !== '');
  const heading = title ? plain(walk.lines(title.element)) : '';
  for (const { element } of inReadingOrder(items.filter((item) => item !== title))) walk.add(element);
  const blocks = walk.take();
  const notes = page.child('notes');
  for (const { element, role } of notes ? itemsOf(notes, 0) : [])
    if (role === 'notes' || role === '') walk.add(element);
  const said = walk.take();
  const marks = page
    .elements('annotation')
    .map((annotation) => remarks.comment(annotation))
    .filter((mark) => mark !== '');
  return {
    title: heading,
    isHidden: styles.hidesPage(page.get('style-name')),
    items: [{ box: undefined, blocks }],
    footers,
    notes: said,
    remarks: [...(marks.length > 0 ? [linesBlock(`Comments: ${marks.join(' ')}`)] : []), ...remarks.blocks()],
    warnings: left.warnings(),
  };
}

/** Header, footer and date of a slide, as inline content: those stated for several slides, and its own. */
function footersOf(page: XmlElement, stated: ReadonlyMap<string, string>): string[] {
  const names = ['header', 'footer', 'date-time'];
  const used = names.map((name) => stated.get(`${name}-decl ${page.get(`use-${name}-name`) ?? ''}`) ?? '');
  const own = page
    .elements('frame')
    .filter((frame) => names.includes(frame.get('presentation:class') ?? frame.get('class') ?? ''))
    .map((frame) => frame.text().replace(/\s+/g, ' ').trim());
  return [...used, ...own].filter((text) => text !== '').map((text) => cleanText(text));
}

/** Joins a title's lines and drops emphasis of the whole. */
function plain(lines: readonly string[]): string {
  return lines.map((line) => withoutEmphasis(line).replace(/^(?:-|\d+\.) /, '')).join(' ');
}

/** Shapes and frames of a page, including those in groups; empty placeholders are left out. */
function itemsOf(parent: XmlElement, depth: number): Item[] {
  const items: Item[] = [];
  for (const element of parent.elements()) {
    if (element.get('presentation:placeholder') === 'true' || element.get('placeholder') === 'true') continue;
    const role = element.get('presentation:class') ?? element.get('class') ?? '';
    if (MARGINS.has(role)) continue;
    if (element.name === 'g' && depth < MAX_GROUPS) {
      const inside = inReadingOrder(itemsOf(element, depth + 1));
      const box = cornerOf(inside);
      for (const item of inside) items.push({ ...item, box });
    } else if (element.name === 'a' && depth < MAX_GROUPS)
      for (const item of itemsOf(element, depth + 1)) items.push(item);
    else if (element.name === 'frame' || element.name === 'control' || isShape(element))
      items.push({ box: boxOf(element), element, role });
  }
  return items;
}

const MARGINS: ReadonlySet<string> = new Set(words('header footer date-time page-number page handout'));

/** English Metric Units per XSL length unit (5.9.13). */
const UNITS: Readonly<Record<string, number>> = {
  cm: 360_000,
  mm: 36_000,
  in: 914_400,
  pt: 12_700,
  pc: 152_400,
  px: 9525,
};

function boxOf(element: XmlElement): Box | undefined {
  const x = length(element.get('svg:x') ?? element.get('x') ?? element.get('x1'));
  const y = length(element.get('svg:y') ?? element.get('y') ?? element.get('y1'));
  if (x !== undefined && y !== undefined)
    return { x, y, width: length(element.get('width')) ?? 0, height: length(element.get('height')) ?? 0 };
  // A rotated shape is positioned by its last translation.
  const move = /translate\s*\(\s*(-?[\d.]+(?:[a-z]\w*)?)[\s,]+(-?[\d.]+(?:[a-z]\w*)?)\s*\)/.exec(
    element.get('transform') ?? '',
  );
  const moved = move && { x: length(move[1]), y: length(move[2]) };
  if (!moved || moved.x === undefined || moved.y === undefined) return undefined;
  return { x: moved.x, y: moved.y, width: 0, height: 0 };
}

function length(text: string | undefined): number | undefined {
  const match = /^(-?\d{0,12}(?:\.\d{0,12})?)\s*(cm|mm|in|pt|pc|px)$/.exec(text?.trim() ?? '');
  const value = Number(match?.[1]);
  const unit = UNITS[match?.[2] ?? ''];
  return unit === undefined || !Number.isFinite(value) ? undefined : value * unit;
}
