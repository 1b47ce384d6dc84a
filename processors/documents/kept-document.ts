// A document seen section by section, each converted at most once: sections come from what earlier reads kept, else from
// the converter, which is opened only when something is missing. What was converted is kept for the next read.

import {
  type Conversion,
  type FormatFacts,
  type ProcessContext,
  quoted,
  ReaderError,
  type Source,
  type TextSource,
  type Warning,
} from '../../src/contract/index.ts';
import type {
  Converter,
  OpenDocument,
  OutlineEntry,
  PictureOptions,
  Section,
  SectionLayout,
} from './document.ts';
import { withMembers } from './member.ts';

/** Sections kept as one entry: few enough to rewrite cheaply, many enough that a long document makes few files. */
const SECTIONS_TOGETHER = 16;
/** In memory at a time; a walk over all of a document lets go of what it has passed. */
const MAX_GROUPS = 4;

interface Summary {
  readonly facts: FormatFacts;
  readonly sections: number;
  readonly warnings: readonly Warning[];
  /** Of a format that is text. */
  readonly encoding?: TextSource['encoding'];
}

interface Group {
  readonly sections: Record<string, Section>;
  changed: boolean;
}

/** How a document is converted: what its conversions are kept under, and the converter, loaded when it is needed. */
export interface DocumentConversion {
  readonly version: string;
  load(): Promise<Converter>;
}

/** One document during one read; see the head of this file. */
export class KeptDocument {
  readonly #load: () => Promise<Converter>;
  readonly #source: Source;
  readonly #context: ProcessContext;
  readonly #conversion: Conversion;
  readonly #groups = new Map<number, Group>();
  #opened: Promise<OpenDocument> | undefined;
  #summary: Summary | undefined;
  readonly #warnings: Warning[] = [];
  /** Told while a section is converted, and kept with it. */
  #told: Warning[] = [];
  #encoding: TextSource['encoding'] | undefined;

  private constructor(
    load: () => Promise<Converter>,
    source: Source,
    context: ProcessContext,
    conversion: Conversion,
  ) {
    this.#load = load;
    this.#source = source;
    this.#context = context;
    this.#conversion = conversion;
  }

  /** Opens nothing yet. Close it in any case. */
  static async of(
    { version, load }: DocumentConversion,
    source: Source,
    context: ProcessContext,
  ): Promise<KeptDocument> {
    const conversion = await context.conversion(source, version);
    return new KeptDocument(load, source, context, conversion);
  }

  /** Facts and the count of sections. Repeats the warnings that opening gave. */
  async summary(): Promise<Summary> {
    if (this.#summary) return this.#summary;
    const kept = readSummary(await this.#conversion.get('summary'));
    if (kept) {
      for (const warning of kept.warnings) this.#context.warn(warning);
      if (kept.encoding) this.#context.describe({ encoding: kept.encoding });
      this.#summary = kept;
      return kept;
    }
    const { facts, sections } = await this.#document();
    const encoding = this.#encoding;
    this.#summary = { facts, sections, warnings: this.#warnings, ...(encoding && { encoding }) };
    await this.#conversion.put('summary', encode(this.#summary));
    return this.#summary;
  }

  /** With the addresses of the files inside, under the name that the document has now. */
  async section(number: number): Promise<Section & { readonly addressed: boolean }> {
    const { blocks, ...section } = await this.#section(number);
    let addressed = false;
    const named = blocks.map((block) => {
      const one = withMembers(block, this.#source.name);
      if (one !== block) addressed = true;
      return one;
    });
    return { ...section, blocks: named, addressed };
  }

  async #section(number: number): Promise<Section> {
    const group = await this.#group(Math.floor((number - 1) / SECTIONS_TOGETHER));
    const kept = group.sections[number];
    if (kept) return kept;
    const document = await this.#document();
    this.#told = [];
    const converted = await document.section(number);
    const warnings = [...(converted.warnings ?? []), ...this.#told];
    const section = warnings.length > 0 ? { ...converted, warnings } : converted;
    group.sections[number] = section;
    group.changed = true;
    return section;
  }

  /** A picture of a section is made anew each time. */
  async picture(number: number, options: PictureOptions): ReturnType<NonNullable<OpenDocument['picture']>> {
    const document = await this.#document();
    return document.picture?.(number, options);
  }

  /** The document's own outline; undefined where its format has none. */
  async outline(): Promise<readonly OutlineEntry[] | undefined> {
    const kept = readOutline(await this.#conversion.get('outline'));
    if (kept) return kept;
    const document = await this.#document();
    if (!document.outline) return undefined;
    const outline = await document.outline();
    await this.#conversion.put('outline', encode(outline));
    return outline;
  }

  /** Keeps what was converted and lets go of the document. */
  async close(): Promise<void> {
    try {
      for (const [number, group] of this.#groups) await this.#keep(number, group);
    } finally {
      // One that failed to open has closed itself, and its failure was already met where it was opened.
      const opened = await this.#opened?.catch(() => undefined);
      await opened?.close();
    }
  }

  #document(): Promise<OpenDocument> {
    if (this.#conversion.only)
      throw new ReaderError(
        'BAD_INPUT',
        `${quoted(this.#source.name)} was not read this far before.`,
        'Read it on, then try again.',
      );
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<OpenDocument> {
    const { limits, signal } = this.#context;
    const converter = await this.#load();
    return converter.open(this.#source, {
      limits,
      signal,
      text: async (source) => {
        const text = await this.#context.text(source);
        this.#encoding = text.encoding;
        return text;
      },
      warn: (warning) => {
        (this.#summary ? this.#told : this.#warnings).push(warning);
        this.#context.warn(warning);
      },
    });
  }

  async #group(number: number): Promise<Group> {
    const held = this.#groups.get(number);
    if (held) return held;
    for (const [oldest, group] of this.#groups) {
      if (this.#groups.size < MAX_GROUPS) break;
      await this.#keep(oldest, group);
      this.#groups.delete(oldest);
    }
    const sections = readSections(await this.#conversion.get(`sections-${number}`));
    const group = { sections: sections ?? {}, changed: false };
    this.#groups.set(number, group);
    return group;
  }

  async #keep(number: number, group: Group): Promise<void> {
    if (!group.changed) return;
    group.changed = false;
    await this.#conversion.put(`sections-${number}`, encode(group.sections));
  }
}

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** What the cache gives back is what was put there, by its checksum; the shape still guards against an older writer. */
function decode(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined; // no entry of ours: the document is converted again
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readSummary(bytes: Uint8Array | undefined): Summary | undefined {
  const value = decode(bytes);
  if (!isRecord(value) || !isRecord(value['facts']) || !Array.isArray(value['warnings'])) return undefined;
  const sections = value['sections'];
  if (typeof sections !== 'number' || !Number.isSafeInteger(sections) || sections < 1) return undefined;
  const isWarning = (item: unknown): item is Warning =>
    isRecord(item) && typeof item['code'] === 'string' && typeof item['message'] === 'string';
  const encoding = readEncoding(value['encoding']);
  return {
    facts: value['facts'],
    sections,
    warnings: value['warnings'].filter(isWarning),
    ...(encoding && { encoding }),
  };
}

function readEncoding(value: unknown): TextSource['encoding'] | undefined {
  if (!isRecord(value)) return undefined;
  const { name, confidence } = value;
  return typeof name === 'string' && typeof confidence === 'number' ? { name, confidence } : undefined;
}

function isLayout(value: unknown): value is SectionLayout {
  const numbers = (list: unknown): boolean =>
    Array.isArray(list) && list.length === 4 && list.every((entry) => typeof entry === 'number');
  return (
    isRecord(value) &&
    typeof value['width'] === 'number' &&
    typeof value['height'] === 'number' &&
    Array.isArray(value['boxes']) &&
    value['boxes'].every((box) => box === null || numbers(box))
  );
}

function readSections(bytes: Uint8Array | undefined): Record<string, Section> | undefined {
  const value = decode(bytes);
  const isSection = (item: unknown): item is Section =>
    isRecord(item) &&
    Array.isArray(item['blocks']) &&
    item['blocks'].every((block) => typeof block === 'string') &&
    (item['layout'] === undefined || isLayout(item['layout']));
  if (!isRecord(value)) return undefined;
  const sections: Record<string, Section> = {};
  for (const [number, section] of Object.entries(value)) if (isSection(section)) sections[number] = section;
  return sections;
}

function readOutline(bytes: Uint8Array | undefined): OutlineEntry[] | undefined {
  const value = decode(bytes);
  const isEntry = (item: unknown): item is OutlineEntry =>
    isRecord(item) && typeof item['level'] === 'number' && typeof item['title'] === 'string';
  return Array.isArray(value) && value.every(isEntry) ? value : undefined;
}
