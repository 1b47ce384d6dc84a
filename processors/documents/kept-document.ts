// A document accessed section by section, each converted at most once: sections come from the cache, else from the
// converter, which is opened only if something is missing. New sections are added to the cache.

import type {
  Conversion,
  FormatFacts,
  ProcessContext,
  Source,
  TextSource,
  Warning,
} from '../../src/contract/index.ts';
import { type Block, bareText, mapText, respanned, textsIn } from '../../src/document/index.ts';
import type { Converter, OpenDocument, OutlineEntry, PictureOptions, Section } from './document.ts';
import { SectionText } from './section-text.ts';

/** Sections per cache entry: few enough to rewrite cheaply, many enough that a long document needs few files. */
const SECTIONS_TOGETHER = 16;
/** Groups in memory; a walk over a whole document releases what it has passed. */
const MAX_GROUPS = 4;

interface Summary {
  readonly facts: FormatFacts;
  readonly sections: number;
  readonly warnings: readonly Warning[];
  /** For text formats. */
  readonly encoding?: TextSource['encoding'];
}

interface Group {
  readonly sections: Record<string, Section>;
  changed: boolean;
}

/** What is known of a document while it is read. */
interface Known {
  readonly version: string;
  readonly groups: Map<number, Group>;
  summary?: Summary;
  /** Null if its format has none. */
  outline?: readonly OutlineEntry[] | null;
}

/**
 * By opened file: an answer asks for the same content again where its notes need more room than expected, and then for
 * the outline. Without this, each would open and convert the document anew where no cache keeps it.
 */
const KNOWN = new WeakMap<Source, Known>();

/** By the blocks of a section. */
const TEXTS = new WeakMap<readonly Block[], SectionText>();

function knownOf(source: Source, version: string): Known {
  const known = KNOWN.get(source);
  if (known?.version === version) return known;
  const empty = { version, groups: new Map<number, Group>() };
  KNOWN.set(source, empty);
  return empty;
}

/** How a document is converted: the cache key of its conversions, and the converter, loaded on demand. */
export interface DocumentConversion {
  readonly version: string;
  load(): Promise<Converter>;
}

/** One document during one read; see the file comment. */
export class KeptDocument {
  readonly #load: DocumentConversion['load'];
  readonly #source: Source;
  readonly #context: ProcessContext;
  readonly #conversion: Conversion;
  readonly #known: Known;
  #opened: Promise<OpenDocument> | undefined;
  readonly #warnings: Warning[] = [];
  /** Warnings issued while a section is converted, cached with it. */
  #sectionWarnings: Warning[] = [];
  #encoding: TextSource['encoding'] | undefined;

  private constructor(
    { version, load }: DocumentConversion,
    source: Source,
    context: ProcessContext,
    conversion: Conversion,
  ) {
    this.#load = load;
    this.#source = source;
    this.#context = context;
    this.#conversion = conversion;
    this.#known = knownOf(source, version);
  }

  /** The name of its file. */
  get name(): string {
    return this.#source.name;
  }

  /** Does not open the document yet. Must be closed in any case. */
  static async of(
    format: DocumentConversion,
    source: Source,
    context: ProcessContext,
  ): Promise<KeptDocument> {
    return new KeptDocument(format, source, context, await context.conversion(source, format.version));
  }

  /** Facts and the number of sections. Repeats the warnings issued on opening. */
  async summary(): Promise<Summary> {
    const kept = this.#known.summary ?? decode<Summary>(await this.#conversion.get('summary'));
    if (kept) {
      for (const warning of kept.warnings) this.#context.warn(warning);
      if (kept.encoding) this.#context.describe({ encoding: kept.encoding });
      this.#known.summary = kept;
      return kept;
    }
    const { facts, sections = 1 } = await this.#document();
    const encoding = this.#encoding;
    const summary = { facts, sections, warnings: this.#warnings, ...(encoding && { encoding }) };
    this.#known.summary = summary;
    await this.#conversion.put('summary', encode(summary));
    return summary;
  }

  /** Marks of files inside stand for their addresses: see `withMembers`. Without secrets, if they are not to be shown. */
  async section(number: number): Promise<Section> {
    const section = await this.#section(number);
    const { redact } = this.#context;
    return redact ? { ...section, blocks: redactedBlocks(section.blocks, redact) } : section;
  }

  /** The blocks of section `number` in Markdown, written once for an answer and its outline. */
  textOf(number: number, { blocks }: Section): SectionText {
    const text =
      TEXTS.get(blocks) ?? new SectionText(blocks, number === this.#known.summary?.sections, this.name);
    TEXTS.set(blocks, text);
    return text;
  }

  async #section(number: number): Promise<Section> {
    const group = await this.#group(Math.floor((number - 1) / SECTIONS_TOGETHER));
    const kept = group.sections[number];
    if (kept) return kept;
    const document = await this.#document();
    this.#sectionWarnings = [];
    const converted = await document.section(number);
    const warnings = [...(converted.warnings ?? []), ...this.#sectionWarnings];
    const section = warnings.length > 0 ? { ...converted, warnings } : converted;
    // Most answers ask for it after the content, and the converter needed it for the section.
    if (this.#known.outline === undefined) await this.#outline();
    if (section.recognition && 'failure' in section.recognition) return section;
    group.sections[number] = section;
    group.changed = true;
    return section;
  }

  /** Pictures of sections are not cached. */
  async picture(number: number, options: PictureOptions): ReturnType<NonNullable<OpenDocument['picture']>> {
    const document = await this.#document();
    return document.picture?.(number, options);
  }

  /** The document's own outline; undefined if its format has none. */
  async outline(): Promise<readonly OutlineEntry[] | undefined> {
    const outline = await this.#outline();
    const titles = this.#context.redact?.(outline?.map(({ title }) => title) ?? []);
    return titles ? outline?.map((entry, at) => ({ ...entry, title: titles[at] ?? '' })) : outline;
  }

  async #outline(): Promise<readonly OutlineEntry[] | undefined> {
    if (this.#known.outline !== undefined) return this.#known.outline ?? undefined;
    const kept = decode<OutlineEntry[]>(await this.#conversion.get('outline'));
    if (kept) return kept;
    const document = await this.#document();
    const outline = await document.outline?.();
    this.#known.outline = outline ?? null;
    if (!outline) return undefined;
    await this.#conversion.put('outline', encode(outline));
    return outline;
  }

  /** Caches what was converted and closes the document. */
  async close(): Promise<void> {
    try {
      for (const [number, group] of this.#known.groups) await this.#keep(number, group);
    } finally {
      // A document that failed to open closed itself, and reported the failure at the time.
      const opened = await this.#opened?.catch(() => undefined);
      await opened?.close?.();
    }
  }

  #document(): Promise<OpenDocument> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<OpenDocument> {
    const { limits, signal, ocr } = this.#context;
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
        (this.#known.summary ? this.#sectionWarnings : this.#warnings).push(warning);
        this.#context.warn(warning);
      },
      password: () => this.#context.password(),
      ...(ocr && { ocr }),
    });
  }

  async #group(number: number): Promise<Group> {
    const held = this.#known.groups.get(number);
    if (held) return held;
    for (const [oldest, group] of this.#known.groups) {
      if (this.#known.groups.size < MAX_GROUPS) break;
      await this.#keep(oldest, group);
      this.#known.groups.delete(oldest);
    }
    const kept = decode<Group['sections']>(await this.#conversion.get(`sections-${number}`));
    const group = { sections: kept ?? {}, changed: false };
    this.#known.groups.set(number, group);
    return group;
  }

  async #keep(number: number, group: Group): Promise<void> {
    if (!group.changed) return;
    group.changed = false;
    await this.#conversion.put(`sections-${number}`, encode(group.sections));
  }
}

/** Texts are looked at together, because a private key may take a paragraph for each of its lines. */
function redactedBlocks(
  blocks: readonly Block[],
  redact: NonNullable<ProcessContext['redact']>,
): readonly Block[] {
  const safe = redact(blocks.flatMap((block) => textsIn(block).map(bareText)));
  let at = 0;
  return blocks.map((block) => mapText(block, (text) => respanned(safe[at++] ?? '', text)));
}

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The cache checks what it returns, and its key names the version of the converter: an entry is what `encode` wrote. */
const decode = <T>(bytes: Uint8Array | undefined): T | undefined =>
  bytes && (JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as T);
