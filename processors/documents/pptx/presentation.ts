// The main part of a presentation (ECMA-376 part 1, 19.2): its slides in order, and their sections.

import type { Warning } from '../../../src/contract/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { inRanges } from '../number-ranges.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';

/** A section of the slide list. */
export interface SlideSection {
  readonly name: string;
  /** `1-3,7`; empty for a section without slides. */
  readonly slides: string;
}

/** The facts in the main part. */
export interface Presentation {
  /** Part name of each slide in order; undefined for one that is listed but missing. */
  readonly slides: readonly (string | undefined)[];
  readonly sections: readonly SlideSection[];
  /** In English Metric Units. */
  readonly size: { readonly width: number; readonly height: number };
  readonly defaultTextStyle: XmlElement | undefined;
  readonly relations: ReadonlyMap<string, Relationship>;
}

/** Far more than any program shows; the zip's 10 000 entries limit the parts themselves. */
const MAX_SLIDES = 20_000;
const MAX_SECTIONS = 1000;

/** Reads the main part; if it is damaged or missing, returns the slides in the package, ordered by file name. */
export async function readPresentation(
  pack: OoxmlPackage,
  warn: (warning: Warning) => void,
): Promise<Presentation> {
  const part = (await pack.mainPart()) ?? 'ppt/presentation.xml';
  const root = await pack.tryXml(part);
  const relations = await pack.relationships(part);
  const listed = root?.child('sldIdLst')?.elements('sldId') ?? [];
  const slides: (string | undefined)[] = [];
  const places = new Map<string, number>();
  for (const entry of listed.slice(0, MAX_SLIDES)) {
    // `id` identifies the slide here, `r:id` its part.
    const relation = relations.get(relationId(entry) ?? '');
    const found = relation && !relation.external && pack.has(relation.target);
    slides.push(found ? relation.target : undefined);
    const id = entry.get('id');
    if (id !== undefined) places.set(id, slides.length);
  }
  if (listed.length > MAX_SLIDES)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The presentation lists ${listed.length} slides; those after the first ${MAX_SLIDES} were left out.`,
    });
  const found = slides.some((slide) => slide !== undefined);
  if (!found) {
    const byName = slidesByName(pack);
    if (byName.length > 0) {
      warn({
        code: 'SKIPPED_CONTENT',
        message: 'The list of slides is missing or damaged; slides are ordered by file name.',
      });
      slides.splice(0, slides.length, ...byName);
      places.clear();
    }
  }
  return {
    slides,
    sections: root ? sectionsOf(root, places) : [],
    size: slideSize(root?.child('sldSz')),
    defaultTextStyle: root?.child('defaultTextStyle'),
    relations,
  };
}

/** 4:3, 10 by 7.5 inches, if no valid size is stated. */
function slideSize(stated: XmlElement | undefined): Presentation['size'] {
  const width = Number(stated?.get('cx'));
  const height = Number(stated?.get('cy'));
  return width > 0 && height > 0 ? { width, height } : { width: 9_144_000, height: 6_858_000 };
}

/** The relationship an element refers to, whatever its namespace prefix. */
function relationId(element: XmlElement): string | undefined {
  for (const [name, value] of element.attributes) if (name.endsWith(':id')) return value;
  return undefined;
}

function slidesByName(pack: OoxmlPackage): string[] {
  const found: { readonly name: string; readonly number: number }[] = [];
  for (const name of pack.zip.entries.keys()) {
    const match = /^ppt\/slides\/slide(\d{1,9})\.xml$/i.exec(name);
    if (match) found.push({ name, number: Number(match[1]) });
  }
  return found.sort((a, b) => a.number - b.number).map(({ name }) => name);
}

/** Sections are an extension of Office 2010 ([MS-PPTX] 2.7.7). */
function sectionsOf(root: XmlElement, places: ReadonlyMap<string, number>): SlideSection[] {
  const sections: SlideSection[] = [];
  for (const extension of root.child('extLst')?.elements('ext') ?? [])
    for (const section of extension.child('sectionLst')?.elements('section') ?? []) {
      if (sections.length >= MAX_SECTIONS) return sections;
      const numbers: number[] = [];
      for (const entry of section.child('sldIdLst')?.elements('sldId') ?? []) {
        const place = places.get(entry.get('id') ?? '');
        if (place !== undefined) numbers.push(place);
      }
      sections.push({ name: (section.get('name') ?? '').slice(0, 200), slides: inRanges(numbers) });
    }
  return sections;
}
