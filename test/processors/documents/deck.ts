// Writes small presentations for tests, part by part.

import { zipOf } from '../../support/zip.ts';

export const NAMESPACES: string =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface DeckSlide {
  /** Shapes, the inside of its `spTree`. */
  readonly shapes?: string;
  /** Attributes of `sld`. */
  readonly attributes?: string;
  /** Id, type and target of each relationship; a target with a scheme is external. */
  readonly relations?: readonly (readonly [string, string, string])[];
}

export interface Deck {
  readonly slides: readonly DeckSlide[];
  /** More parts, or parts in place of the usual ones. An empty text leaves a part out. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** Relationships as a part. */
export function relationships(list: readonly (readonly [string, string, string])[]): string {
  const entries = list.map(
    ([id, type, target]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${/^[a-z]+:/.test(target) ? ' TargetMode="External"' : ''}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join('')}</Relationships>`;
}

/** A shape of one text box. `place` is left and top in inches; `paragraphs` is the inside of its `txBody`. */
export function box(paragraphs: string, place?: readonly [number, number], placeholder?: string): string {
  const at = place
    ? `<a:xfrm><a:off x="${place[0] * 914_400}" y="${place[1] * 914_400}"/><a:ext cx="914400" cy="914400"/></a:xfrm>`
    : '';
  const ph = placeholder === undefined ? '' : `<p:ph ${placeholder}/>`;
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:spPr>${at}</p:spPr><p:txBody><a:bodyPr/>${paragraphs}</p:txBody></p:sp>`;
}

/** One paragraph of one run; `properties` is a `pPr` element, `run` an `rPr` element. */
export function para(text: string, properties = '', run = ''): string {
  return `<a:p>${properties}<a:r>${run}<a:t>${text}</a:t></a:r></a:p>`;
}

/** The bytes of a presentation. Slide 1 is in the last file, so that only the list tells the order. */
export function deckOf({ slides, parts = {} }: Deck): Buffer {
  const file = (at: number): string => `slides/slide${slides.length - at}.xml`;
  const members: Record<string, string> = {
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation ${NAMESPACES}><p:sldIdLst>${slides
      .map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      slides.map((_, at) => [`rId${at + 1}`, 'slide', file(at)]),
    ),
  };
  for (const [at, slide] of slides.entries()) {
    members[`ppt/${file(at)}`] =
      `<p:sld ${NAMESPACES} ${slide.attributes ?? ''}><p:cSld><p:spTree>${slide.shapes ?? ''}</p:spTree></p:cSld></p:sld>`;
    if (slide.relations)
      members[`ppt/slides/_rels/slide${slides.length - at}.xml.rels`] = relationships(slide.relations);
  }
  const all = Object.entries({ ...members, ...parts }).filter(([, data]) => data !== '');
  return zipOf(all.map(([name, data]) => ({ name, data })));
}
