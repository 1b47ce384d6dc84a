// Converts presentations to blocks, one section per slide. A slide's parts are inflated only when it is requested.

import {
  BoundedMap,
  type FormatFacts,
  NotThisFormat,
  type Source,
  throwIfAborted,
  type Warning,
} from '../../../src/contract/index.ts';
import { type Block, cleanText } from '../../../src/document/index.ts';
import { readXml, type XmlElement } from '../../../src/package/index.ts';
import type { ConvertContext, Converter, OpenDocument, Section } from '../document.ts';
import { OoxmlPackage } from '../ooxml/package.ts';
import { NO_SLIDES, type Slide, slideFacts, slideSection } from '../slides.ts';
import { cutOffBefore, isCorrupt } from '../xml-parts.ts';
import { Frame } from './box.ts';
import { hidesMaster, Layout } from './layout.ts';
import { type Presentation, readPresentation } from './presentation.ts';
import { commentAuthors, commentBlocks, notesBlocks } from './remarks.ts';
import { SlideWalk } from './slide-walk.ts';
import type { Relations } from './text.ts';

/** Converts PPTX and its variants. */
export const pptxConverter: Converter = {
  open,
};

async function open(source: Source, context: ConvertContext): Promise<OpenDocument> {
  // Warnings issued while a slide is read are attached to the slide, so that they are repeated when it comes from the
  // cache.
  const slideWarnings: Warning[] = [];
  let warn = context.warn;
  const pack = await OoxmlPackage.open(source, {
    limits: context.limits,
    signal: context.signal,
    warn: (warning) => warn(warning),
  });
  const presentation = await readPresentation(pack, warn);
  if (
    presentation.slides.length === 0 &&
    !pack.has('ppt/presentation.xml') &&
    !(await isPresentation(pack))
  ) {
    if (pack.zip.salvaged) throw cutOffBefore('its presentation');
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file is a zip archive, but not a presentation.',
    });
  }
  if (presentation.slides.length === 0) warn(NO_SLIDES);
  const hidden = await hiddenSlides(presentation, pack, context.signal);
  const facts: Record<string, unknown> = {
    ...(await pack.properties()),
    ...slideFacts(presentation.slides.length, hidden),
    ...(presentation.sections.length > 0 && { sections: presentation.sections }),
  };
  const deck = new Deck(pack, presentation, context.signal, slideWarnings);
  warn = (warning) => slideWarnings.push(warning);
  return {
    facts: facts as FormatFacts,
    sections: Math.max(1, presentation.slides.length),
    section: (number) => deck.section(number),
  };
}

async function isPresentation(pack: OoxmlPackage): Promise<boolean> {
  const main = await pack.mainPart();
  return main !== undefined && (await pack.tryXml(main))?.name === 'presentation';
}

/** With more slides, checking each would cost more than a response with the first few. */
const MAX_SLIDES_LOOKED_AT = 500;

/** Numbers of the slides excluded from the slide show; none if there are too many slides to check. */
async function hiddenSlides(
  { slides }: Presentation,
  pack: OoxmlPackage,
  signal: AbortSignal,
): Promise<number[]> {
  const hidden: number[] = [];
  if (slides.length > MAX_SLIDES_LOOKED_AT) return hidden;
  for (const [at, part] of slides.entries()) {
    const entry = part === undefined ? undefined : pack.zip.get(part);
    if (!entry) continue;
    throwIfAborted(signal);
    try {
      for await (const piece of pack.zip.inflate(entry, signal)) {
        const head = piece.subarray(0, 4096).toString('latin1');
        const tag = /<(?:\w+:)?sld\s[^>]*>/.exec(head)?.[0];
        if (tag && /\sshow\s*=\s*["'](?:0|false)["']/.test(tag)) hidden.push(at + 1);
        break;
      }
    } catch (error) {
      // The slide itself reports that it is damaged.
      if (!isCorrupt(error)) throw error;
    }
  }
  return hidden;
}

/** Layouts cached; presentations use a handful. */
const MAX_LAYOUTS = 16;

class Deck {
  readonly #pack: OoxmlPackage;
  readonly #presentation: Presentation;
  readonly #signal: AbortSignal;
  readonly #slideWarnings: Warning[];
  readonly #layouts = new BoundedMap<string, Promise<Layout>>({ most: MAX_LAYOUTS });
  #authors: Promise<ReadonlyMap<string, string>> | undefined;
  /** Footers of the last slide read, to detect repeated ones. */
  #last: { readonly number: number; readonly footers: readonly string[] } | undefined;

  constructor(pack: OoxmlPackage, presentation: Presentation, signal: AbortSignal, slideWarnings: Warning[]) {
    this.#pack = pack;
    this.#presentation = presentation;
    this.#signal = signal;
    this.#slideWarnings = slideWarnings;
  }

  async section(number: number): Promise<Section> {
    if (this.#presentation.slides.length === 0) return { blocks: [] };
    this.#slideWarnings.length = 0;
    const slide = await this.#slide(number);
    // What is before the first slide does not exist, and what has no footers need not be compared.
    const before = slide?.footers.length ? await this.#footers(number - 1) : [];
    this.#last = { number, footers: slide?.footers ?? [] };
    return slideSection(number, slide, before, this.#presentation.size);
  }

  async #footers(number: number): Promise<readonly string[]> {
    if (number < 1) return [];
    return this.#last?.number === number ? this.#last.footers : ((await this.#slide(number))?.footers ?? []);
  }

  async #slide(number: number): Promise<Slide | undefined> {
    throwIfAborted(this.#signal);
    const part = this.#presentation.slides[number - 1];
    const root = part === undefined ? undefined : await this.#root(part);
    if (!root || part === undefined) return undefined;
    const relations = await this.#pack.relationships(part);
    const layout = await this.#layoutOf(relations);
    const walk = new SlideWalk(layout, relations, this.#pack, this.#signal);
    const tree = root.at('cSld', 'spTree');
    const items = tree ? await walk.items(tree, Frame.SLIDE, 0) : [];
    const texts = hidesMaster(root) ? [] : layout.texts.map((text) => cleanText(text));
    return {
      title: walk.title,
      titleBox: walk.titleBox,
      isHidden: /^(?:0|false)$/.test(root.get('show') ?? ''),
      items,
      footers: [...walk.footers, ...texts],
      notes: await this.#notes(relations),
      remarks: await this.#comments(number, relations),
      warnings: [...walk.warnings(), ...this.#slideWarnings],
    };
  }

  async #root(part: string): Promise<XmlElement | undefined> {
    try {
      const xml = await this.#pack.text(part);
      if (xml === undefined) return undefined;
      if (!/(?:<\/(?:[\w.-]+:)?sld\s*|\/)>\s*$/.test(xml.slice(-200)))
        this.#slideWarnings.push({
          code: 'SKIPPED_CONTENT',
          message: 'its XML is truncated; the rest is missing.',
        });
      return readXml(xml, () => this.#pack.tellTooDeep());
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return undefined;
    }
  }

  #layoutOf(relations: Relations): Promise<Layout> {
    const part = targetOf(relations, 'slideLayout') ?? '';
    const known = this.#layouts.get(part);
    if (known) return known;
    const reading = this.#readLayout(part);
    this.#layouts.set(part, reading);
    return reading;
  }

  async #readLayout(part: string): Promise<Layout> {
    const { defaultTextStyle } = this.#presentation;
    const layout = part === '' ? undefined : await this.#pack.tryXml(part);
    const master = layout && targetOf(await this.#pack.relationships(part), 'slideMaster');
    return new Layout(layout, master ? await this.#pack.tryXml(master) : undefined, defaultTextStyle);
  }

  async #notes(relations: Relations): Promise<Block[]> {
    const part = targetOf(relations, 'notesSlide');
    if (part === undefined) return [];
    return notesBlocks(await this.#pack.tryXml(part), await this.#pack.relationships(part));
  }

  async #comments(number: number, relations: Relations): Promise<Block[]> {
    const lists: XmlElement[] = [];
    for (const { type, target, external } of relations.values()) {
      if (type !== 'comments' || external) continue;
      const list = await this.#pack.tryXml(target);
      if (list) lists.push(list);
    }
    if (lists.length === 0) return [];
    this.#authors ??= commentAuthors(this.#presentation.relations, this.#pack);
    return commentBlocks(lists, await this.#authors, number);
  }
}

function targetOf(relations: Relations, type: string): string | undefined {
  for (const relation of relations.values())
    if (relation.type === type && !relation.external) return relation.target;
  return undefined;
}
