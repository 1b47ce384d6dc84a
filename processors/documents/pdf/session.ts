// One open PDF inside the pdf.js thread: facts, pages as Markdown, outline. Learns the document's profile from a fixed
// sample of pages, so that a page reads the same regardless of which was requested first.

import type { PDFPageProxy } from 'pdfjs-dist';
import { confidenceOf, type Warning } from '../../../src/contract/index.ts';
import { type Block, paragraphBlock } from '../../../src/document/index.ts';
import type { OutlineEntry, Rectangle, Section, SectionLayout } from '../document.ts';
import { annotationBlocks } from './annotations.ts';
import { brokenPage } from './broken-page.ts';
import { attachmentsOf, factsOf } from './facts.ts';
import { inkOf } from './ink/extract.ts';
import type { Box, Ink, Picture } from './ink/ink.ts';
import { linksOf } from './ink/structure.ts';
import { type Direction, turnedBack } from './ink/turned.ts';
import { layOut } from './layout/layout.ts';
import { learnProfile, type Profile } from './layout/profile.ts';
import type { LaidBlock } from './layout/words.ts';
import type { Opened, RecognizedPage } from './messages.ts';
import type { Pdf } from './open.ts';
import { outlineOf } from './outline.ts';
import { contradictionsOf, decoded, hiddenTextOf, kindOf, pictureShare } from './page-class.ts';
import { plainBlocks } from './plain-page.ts';
import { directionOf, withRecognized } from './recognized-page.ts';
import { inReadingDirection } from './table-direction.ts';
import { namelessTable, type Tail, tailOf, underNames } from './tables/continued.ts';
import { findTables } from './tables/find-tables.ts';
import type { Table } from './tables/table.ts';
import { tableBlock } from './tables/table-block.ts';

/** The page count is only a claim of the file; longer documents are truncated here. */
const MOST_PAGES = 50_000;
/** Pages sampled for the document's profile. */
const SAMPLE_PAGES = 8;
const SAMPLE_FIRST = 4;
/** Pages a table's names are looked for before the page on which it goes on. */
const MOST_PAGES_BACK = 10;

export class Session {
  readonly #pdf: Pdf;
  readonly #spoilt: ReadonlySet<number>;
  /** Announces what is processed next: a page number, or 0. */
  readonly #stage: (page: number) => void;
  readonly #pages: number;
  /** Ink of sample pages, kept until they are requested. */
  readonly #held = new Map<number, Ink>();
  /** The tables that end pages. */
  readonly #tails = new Map<number, Tail | undefined>();
  #profile: Promise<Profile> | undefined;
  #outline: Promise<OutlineEntry[]> | undefined;

  constructor(pdf: Pdf, spoilt: readonly number[], stage: (page: number) => void) {
    this.#pdf = pdf;
    this.#spoilt = new Set(spoilt);
    this.#stage = stage;
    this.#pages = Math.max(1, Math.min(MOST_PAGES, pdf.document.numPages));
  }

  /** Facts and page count. `shy` leaves out potentially expensive ones: attachment names. */
  async opened(shy: boolean): Promise<Opened> {
    const warnings: Warning[] = [];
    const { numPages } = this.#pdf.document;
    if (numPages > MOST_PAGES)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `The document states ${numPages} pages; only the first ${MOST_PAGES} can be read.`,
      });
    this.#stage(0);
    let facts = {};
    try {
      facts = await factsOf(this.#pdf, warnings);
      if (shy)
        warnings.push({
          code: 'SKIPPED_CONTENT',
          message: 'Listing attachments exceeded the limits; any attachments are left out.',
        });
      else facts = { ...facts, ...(await attachmentsOf(this.#pdf, warnings)) };
    } catch {
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: 'The metadata of the document is partly damaged.',
      });
    }
    return { pages: this.#pages, facts, warnings };
  }

  outline(): Promise<OutlineEntry[]> {
    this.#stage(0);
    this.#outline ??= outlineOf(this.#pdf);
    return this.#outline;
  }

  /**
   * One page's section. If it fails, it is read as plain lines, then marked `broken`; it never throws because of page
   * content.
   */
  async page(number: number, plain: boolean): Promise<Section> {
    const marker = markerOf(number);
    let reason: unknown;
    if (!plain && !this.#spoilt.has(number))
      try {
        this.#profile ??= this.#learn();
        const profile = await this.#profile;
        const outline = await this.outline();
        const page = await this.#pdf.document.getPage(number);
        const annotations: readonly unknown[] = await page.getAnnotations();
        const bare = this.#held.get(number) ?? (await this.#ink(page));
        this.#held.delete(number);
        this.#stage(number);
        const links = await linksOf(this.#pdf.document, annotations, page.getViewport({ scale: 1 }));
        page.cleanup();
        const ink = { ...bare, links };
        return sectionOf(
          marker,
          ink,
          await this.#tables(ink, MOST_PAGES_BACK),
          annotations,
          profile,
          outline.filter((entry) => entry.section === number),
        );
      } catch (error) {
        reason = error;
      }
    this.#stage(number);
    try {
      const page = await this.#pdf.document.getPage(number);
      const blocks = await plainBlocks(page);
      page.cleanup();
      if (blocks.length === 0) return brokenPage(number, messageOf(reason));
      return {
        blocks: [...marker, ...blocks],
        kind: 'text',
        warnings: [
          {
            code: 'SKIPPED_CONTENT',
            message: `Page ${number} could not be read in full: its text is shown as plain lines, without tables, headings and pictures.`,
          },
        ],
      };
    } catch (error) {
      return brokenPage(number, messageOf(error) ?? messageOf(reason));
    }
  }

  /** One page whose text was recognized from its picture. Its sizes are its own: other pages may have no text yet. */
  async recognized(number: number, recognized: RecognizedPage): Promise<Section> {
    this.#stage(number);
    const page = await this.#pdf.document.getPage(number);
    const annotations: readonly unknown[] = await page.getAnnotations();
    const whole = await inkOf(this.#pdf, page, annotations);
    const ink = withRecognized(whole, recognized);
    page.cleanup();
    const outline = (await this.outline()).filter((entry) => entry.section === number);
    const tables = findTables(ink);
    const section = sectionOf(markerOf(number), ink, tables, annotations, learnProfile([ink]), outline);
    const { by, lines } = recognized;
    const direction = directionOf(recognized);
    const layout =
      section.layout && direction ? turnedLayout(section.layout, whole, direction) : section.layout;
    return {
      ...section,
      ...(layout && { layout }),
      kind: 'scan',
      recognition: { by, confidence: confidenceOf(lines) },
    };
  }

  /** The page's tables; one that goes on from the page before has that page's names, found at most `back` pages before. */
  async #tables(ink: Ink, back: number): Promise<Table[]> {
    const tables = findTables(decoded(ink).ink);
    const first = namelessTable(tables, ink);
    const before = first === undefined ? undefined : await this.#tail(ink.page - 1, back);
    this.#stage(ink.page);
    const joined = first && before && before.pages < MOST_PAGES_BACK ? underNames(first, before) : undefined;
    const all = joined ? tables.map((table) => (table === first ? joined : table)) : tables;
    // A tail that was looked for less far back is not that of the page.
    if (joined || !first || back === MOST_PAGES_BACK)
      this.#tails.set(ink.page, tailOf(all, ink, joined && before ? before.pages + 1 : 0));
    return all;
  }

  async #tail(number: number, back: number): Promise<Tail | undefined> {
    if (this.#tails.has(number)) return this.#tails.get(number);
    if (number < 1 || back === 0 || this.#spoilt.has(number)) return undefined;
    const held = this.#held.get(number);
    if (held) await this.#tables(held, back - 1);
    else {
      this.#stage(number);
      const page = await this.#pdf.document.getPage(number);
      const ink = await this.#ink(page);
      page.cleanup();
      await this.#tables(ink, back - 1);
    }
    return this.#tails.get(number);
  }

  /** Without links: pdf.js processes them slowly, and a sample does not need them. */
  #ink(page: PDFPageProxy): Promise<Ink> {
    this.#stage(page.pageNumber);
    return inkOf(this.#pdf, page, []);
  }

  async #learn(): Promise<Profile> {
    const inks: Ink[] = [];
    for (const number of sampleOf(this.#pages)) {
      if (this.#spoilt.has(number)) continue;
      try {
        this.#stage(number);
        const page = await this.#pdf.document.getPage(number);
        const ink = await this.#ink(page);
        page.cleanup();
        this.#held.set(number, ink);
        inks.push(ink);
      } catch {
        // An unreadable page adds nothing to the profile; it reports itself when it is requested.
      }
    }
    this.#stage(0);
    return learnProfile(inks);
  }
}

/** The first pages and some spread over the rest; all of a short document. */
export function sampleOf(pages: number): number[] {
  if (pages <= SAMPLE_PAGES) return Array.from({ length: pages }, (_, index) => index + 1);
  const rest = SAMPLE_PAGES - SAMPLE_FIRST;
  const spread = Array.from(
    { length: rest },
    (_, index) => SAMPLE_FIRST + Math.ceil(((index + 1) * (pages - SAMPLE_FIRST)) / (rest + 1)),
  );
  return [...new Set([1, 2, 3, 4, ...spread])];
}

/** The first page needs no marker. */
const markerOf = (number: number): readonly Block[] => (number === 1 ? [] : [{ kind: 'page', number }]);

function sectionOf(
  marker: readonly Block[],
  ink: Ink,
  found: readonly Table[],
  annotations: readonly unknown[],
  profile: Profile,
  outline: readonly OutlineEntry[],
): Section {
  const kind = kindOf(ink);
  const { ink: readable, lost } = decoded(ink);
  const shown = { ...readable, pictures: namedPictures(ink) };
  const tables = found.map((table) => ({
    ...table,
    block: tableBlock(inReadingDirection(table), { ...shown, profile }),
  }));
  const warnings: Warning[] = [];
  for (const warning of [hiddenTextOf(ink), contradictionsOf(ink)]) if (warning) warnings.push(warning);
  if (ink.truncated === true)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `Page ${ink.page} exceeds the limit on characters per page; its end is left out.`,
    });
  const { blocks, repeated, pageNumber, unmarked: small } = layOut(shown, profile, tables, outline);
  const laid: readonly LaidBlock[] = [
    ...marker.map((block) => ({ block })),
    ...(lost > 0 ? [{ block: lostText(lost) }] : []),
    ...blocks,
    ...annotationBlocks(annotations, ink.page, (warning) => warnings.push(warning)).map((block) => ({
      block,
    })),
  ];
  const unmarked = ink.pictures.length > 0 && shown.pictures.length === 0 ? 1 : small;
  return {
    blocks: laid.map(({ block }) => block),
    layout: {
      width: tenths(ink.width),
      height: tenths(ink.height),
      boxes: laid.map(({ box }) => (box ? rectangleOf(box) : null)),
    },
    kind,
    ...(repeated.length > 0 && { repeated }),
    ...(pageNumber !== undefined && { pageNumber }),
    ...(unmarked > 0 && { unmarked }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The places of blocks on the page itself, of a page that was turned. */
function turnedLayout({ boxes }: SectionLayout, page: Ink, direction: Direction): SectionLayout {
  return {
    width: tenths(page.width),
    height: tenths(page.height),
    boxes: boxes.map((box) => {
      if (!box) return null;
      const [left, top, right, bottom] = box;
      return rectangleOf(turnedBack({ left, top, right, bottom }, page, direction));
    }),
  };
}

/** Stands for text whose font does not state its characters. */
const lostText = (count: number): Block =>
  paragraphBlock(`[${count} characters cannot be decoded: their font does not state their Unicode values.]`);

/** Rounds points to a tenth: finer than any screen pixel. */
const tenths = (points: number): number => Math.round(points * 10) / 10;
const rectangleOf = ({ left, top, right, bottom }: Box): Rectangle => [
  tenths(left),
  tenths(top),
  tenths(right),
  tenths(bottom),
];

/** Pictures that fill the page are the page itself. */
const WHOLE_PAGE = 0.8;

/** The page's pictures with names that do not depend on which pages were read before. */
function namedPictures(ink: Ink): Picture[] {
  if (pictureShare(ink) >= WHOLE_PAGE) return [];
  return ink.pictures.map((picture, index) => ({ ...picture, object: `image-${ink.page}-${index + 1}` }));
}

/** The message of pdf.js, without quoted files and addresses. */
function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message.replace(/[^\w .,:'()-]/g, ' ').slice(0, 100) : undefined;
}
