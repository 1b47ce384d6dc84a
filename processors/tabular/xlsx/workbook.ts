// An Office Open XML workbook package: sheets in order, date system, styles, shared strings, comments and drawings.
// `sheet.ts` reads the sheets.

import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import { XmlWalk, type ZipFile } from '../../../src/package/index.ts';
import { withLink } from '../book/links.ts';
import type { Comment, Drawn } from '../book/remarks.ts';
import { diagramText, MAX_DRAWINGS, readChartFacts, readDrawings } from './drawings.ts';
import { richTexts } from './rich-values.ts';
import { SharedStrings } from './shared-strings.ts';
import { MAX_SHEETS, type SheetEntry } from './sheet-entry.ts';
import { Styles } from './styles.ts';
import {
  nothing,
  partOf,
  type Relation,
  readBook,
  readNotes,
  readPart,
  readThreads,
  relationsOf,
  utf8Pieces,
} from './workbook-parts.ts';

/** Maximum charts and diagrams per sheet whose parts are opened for their texts. */
const MAX_OPENED = 20;

/** An open package. Parts are inflated on demand, styles once. */
export class Workbook {
  readonly sheets: readonly SheetEntry[];
  readonly date1904: boolean;
  readonly strings: SharedStrings;
  /** Cache key for repeated reads of the same file; see `kept-scans.ts`. */
  readonly key: string;
  readonly #zip: ZipFile;
  readonly #context: ProcessContext;
  readonly #relations: ReadonlyMap<string, Relation>;
  #styles: Styles | undefined;
  #rich: readonly (string | undefined)[] | undefined;

  private constructor(
    zip: ZipFile,
    context: ProcessContext,
    key: string,
    relations: ReadonlyMap<string, Relation>,
    book: { readonly sheets: readonly SheetEntry[]; readonly date1904: boolean },
    base: string,
  ) {
    this.#zip = zip;
    this.#context = context;
    this.#relations = relations;
    this.key = key;
    this.sheets = book.sheets;
    this.date1904 = book.date1904;
    const part = partOf(zip, relations, 'sharedStrings') ?? zip.get(`${base}sharedStrings.xml`)?.name;
    this.strings = new SharedStrings(
      () => (part === undefined ? nothing() : this.pieces(part)),
      context.limits.maxBytesInMemory,
    );
  }

  /** Undefined if the zip file has no such workbook. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED. */
  static async open(zip: ZipFile, source: Source, context: ProcessContext): Promise<Workbook | undefined> {
    const root = await relationsOf(zip, '', context);
    const main = partOf(zip, root, 'officeDocument') ?? zip.get('xl/workbook.xml')?.name;
    const entry = main === undefined ? undefined : zip.get(main);
    if (!entry && zip.salvaged) return Workbook.#salvaged(zip, source, context);
    if (!entry || main === undefined || main.endsWith('.bin')) return undefined;
    const xml = await readPart(zip, entry, context);
    const walk = new XmlWalk(xml.slice(0, 1024 * 1024));
    while (walk.next() && walk.kind !== 'open');
    if (walk.kind !== 'open' || walk.name !== 'workbook') return undefined;
    const relations = await relationsOf(zip, main, context);
    const base = main.slice(0, main.lastIndexOf('/') + 1);
    if (zip.duplicates.length > 0)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message: `The file holds several parts named ${quoted(zip.duplicates[0] ?? '')}; the first was read.`,
      });
    return new Workbook(
      zip,
      context,
      await source.identity(),
      relations,
      readBook(xml, zip, relations, base),
      base,
    );
  }

  /** A binary workbook, of which only drawings can be read. */
  static ofDrawings(zip: ZipFile, context: ProcessContext): Workbook {
    return new Workbook(zip, context, '', new Map(), { sheets: [], date1904: false }, 'xl/');
  }

  /** The recoverable sheets of a file truncated before the part with the sheet list; undefined if there are none. */
  static async #salvaged(
    zip: ZipFile,
    source: Source,
    context: ProcessContext,
  ): Promise<Workbook | undefined> {
    const sheets: SheetEntry[] = [];
    for (const part of zip.entries.keys()) {
      const number = /^xl\/worksheets\/sheet(\d{1,5})\.xml$/i.exec(part)?.[1];
      if (number !== undefined && sheets.length < MAX_SHEETS)
        sheets.push({ name: `Sheet${number}`, state: 'visible', kind: 'worksheet', part });
    }
    if (sheets.length === 0) return undefined;
    context.warn({
      code: 'SKIPPED_CONTENT',
      message:
        'The sheet list is missing from the truncated file: sheets are named after their files, and hidden sheets are unknown.',
    });
    return new Workbook(zip, context, await source.identity(), new Map(), { sheets, date1904: false }, 'xl/');
  }

  /** The inflated bytes of a part as UTF-8. */
  async *pieces(part: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#zip.get(part);
    if (!entry) return;
    yield* utf8Pieces(this.#zip.inflate(entry, this.#context.signal));
  }

  /** True for a part that was read to its end and does not match its checksum. */
  isDamaged(part: string): boolean {
    return this.#zip.isDamaged(part);
  }

  /** Warns about a damaged part that an earlier read detected. */
  tellDamaged(part: string): void {
    this.#zip.tellDamaged(part);
  }

  /** Declared inflated size of a part: only an estimate. */
  sizeOf(part: string): Bytes {
    return this.#zip.get(part)?.size ?? 0;
  }

  /** Number formats; General for everything, with a warning, if the part is too large. */
  async styles(): Promise<Styles> {
    if (this.#styles) return this.#styles;
    const part = partOf(this.#zip, this.#relations, 'styles') ?? this.#zip.get('xl/styles.xml')?.name;
    const xml = part === undefined ? undefined : await this.#optional(part, 'number formats');
    if (part === undefined && this.#zip.salvaged)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message:
          'The number formats are missing from the truncated file: dates and times are shown as plain numbers.',
      });
    this.#styles = new Styles(xml, this.date1904);
    return this.#styles;
  }

  /** Comments and threaded comments of a sheet in file order. */
  async comments(part: string): Promise<Comment[]> {
    const relations = await relationsOf(this.#zip, part, this.#context);
    const threads: Comment[] = [];
    const notes: Comment[] = [];
    let people: ReadonlyMap<string, string> | undefined;
    for (const { type, target } of relations.values()) {
      if (type === 'comments') {
        const xml = await this.#optional(target, 'comments');
        if (xml !== undefined) for (const note of readNotes(xml)) notes.push(note);
      } else if (type === 'threadedComment') {
        people ??= await this.#people();
        const xml = await this.#optional(target, 'comments');
        if (xml !== undefined) for (const thread of readThreads(xml, people)) threads.push(thread);
      }
    }
    // Each thread has a plain note with the same text, for programs without thread support.
    const threaded = new Set(threads.map(({ cell }) => cell));
    return [...threads, ...notes.filter(({ cell }) => !threaded.has(cell))];
  }

  /** The relationships of a sheet. */
  relations(part: string): Promise<ReadonlyMap<string, Relation>> {
    return relationsOf(this.#zip, part, this.#context);
  }

  /** Text boxes, pictures, charts, diagrams and embedded files of a sheet in file order. */
  async drawings(part: string): Promise<Drawn[]> {
    const drawn: Drawn[] = [];
    const embedded: Drawn[] = [];
    for (const { type, target } of (await this.relations(part)).values()) {
      const path = this.#zip.get(target)?.name;
      if (path === undefined) continue;
      if (type === 'drawing') drawn.push(...(await this.#drawn(path)));
      else if (type === 'oleObject' || type === 'package')
        embedded.push({ kind: 'embedded file', cell: '', text: '', path });
    }
    return [...drawn, ...embedded];
  }

  async #drawn(part: string): Promise<Drawn[]> {
    const xml = await this.#optional(part, 'text boxes, pictures and charts');
    if (xml === undefined) return [];
    const drawn: Drawn[] = [];
    const relations = await this.relations(part);
    const found = readDrawings(xml);
    if (found.length === MAX_DRAWINGS)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Of the objects on a sheet, only the first ${MAX_DRAWINGS} were read.`,
      });
    let opened = 0;
    for (const { kind, cell, text, relation } of found) {
      const target = relations.get(relation);
      const path = this.#zip.get(target?.target ?? '')?.name;
      if (relation !== '' && path === undefined && target?.address === undefined) continue;
      const isRead = (kind === 'chart' || kind === 'diagram') && path !== undefined;
      const xml = isRead && ++opened <= MAX_OPENED ? await this.#optional(path, `${kind}s`) : undefined;
      const { title, ...facts } =
        xml === undefined
          ? { title: '', ranges: [] }
          : kind === 'chart'
            ? readChartFacts(xml)
            : { title: diagramText(xml), ranges: [] };
      drawn.push({
        kind,
        cell,
        text: withLink(title === '' ? text : title, target?.address),
        ...(path !== undefined && { path }),
        ...(kind === 'chart' && facts),
      });
    }
    if (opened > MAX_OPENED)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Of ${opened} charts and diagrams on a sheet, only the first ${MAX_OPENED} were read; the others are listed without their text.`,
      });
    return drawn;
  }

  /** What cells with rich values show, by `vm` number less 1. */
  async richTexts(): Promise<readonly (string | undefined)[]> {
    if (!this.#rich) {
      const [metadata, values, structures, references] = await Promise.all(
        ['sheetMetadata', 'rdRichValue', 'rdRichValueStructure', 'richValueRel'].map(async (type) => {
          const part = partOf(this.#zip, this.#relations, type);
          return part === undefined ? undefined : { part, xml: await this.#optional(part, 'rich values') };
        }),
      );
      const pictures: (string | undefined)[] = [];
      if (references?.xml !== undefined) {
        const relations = await this.relations(references.part);
        const walk = new XmlWalk(references.xml);
        while (walk.next())
          if (walk.kind === 'open' && walk.name === 'rel')
            pictures.push(this.#zip.get(relations.get(walk.attribute('id') ?? '')?.target ?? '')?.name);
      }
      this.#rich = richTexts({
        metadata: metadata?.xml,
        values: values?.xml,
        structures: structures?.xml,
        pictures,
      });
    }
    return this.#rich;
  }

  async #people(): Promise<ReadonlyMap<string, string>> {
    const people = new Map<string, string>();
    const part = partOf(this.#zip, this.#relations, 'person');
    const xml = part === undefined ? undefined : await this.#optional(part, 'names of comment authors');
    if (xml === undefined) return people;
    const walk = new XmlWalk(xml);
    while (walk.next())
      if (walk.kind === 'open' && walk.name === 'person')
        people.set(walk.attribute('id') ?? '', walk.attribute('displayName') ?? '');
    return people;
  }

  async #optional(part: string, what: string): Promise<string | undefined> {
    const entry = this.#zip.get(part);
    if (!entry) return undefined;
    try {
      return await readPart(this.#zip, entry, this.#context);
    } catch (error) {
      if (
        !(error instanceof ReaderError) ||
        (error.code !== 'LIMIT_EXCEEDED' && error.code !== 'CORRUPT_FILE')
      )
        throw error;
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `The ${what} cannot be read: ${error.message}`,
      });
      return undefined;
    }
  }
}
