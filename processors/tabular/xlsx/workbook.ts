// An Office Open XML workbook as a package: its sheets in order, its date system, its styles and shared strings, and
// what stands beside a sheet (comments). Sheets themselves are `sheet.ts`.

import { StringDecoder } from 'node:string_decoder';
import {
  type Bytes,
  type ProcessContext,
  quoted,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import { gathered, XmlWalk, type ZipEntry, type ZipFile } from '../../../src/package/index.ts';
import type { BookSheet } from '../book/sheets.ts';
import { SharedStrings } from './shared-strings.ts';
import { Styles } from './styles.ts';
import { runText } from './text-run.ts';

/** A sheet as the workbook lists it. */
export interface SheetEntry {
  readonly name: string;
  readonly state: BookSheet['state'];
  /** Only a `worksheet` holds cells. */
  readonly kind: BookSheet['kind'];
  /** Undefined when the package lacks the part. */
  readonly part: string | undefined;
}

/** A note or a threaded comment on a cell. */
export interface Comment {
  readonly cell: string;
  readonly author: string;
  readonly text: string;
}

interface Relation {
  readonly type: string;
  readonly target: string;
}

/** Parts read as a whole (workbook, relations, styles, comments) may inflate to this. */
const MAX_PART_BYTES: Bytes = 32 * 1024 * 1024;
const MAX_SHEETS = 10_000;
const MAX_NAME_LENGTH = 255;

/** An opened package. Parts are inflated when they are asked for, styles once. */
export class Workbook {
  readonly sheets: readonly SheetEntry[];
  readonly date1904: boolean;
  readonly strings: SharedStrings;
  /** What a second read of the same file may find again; see `kept-scans.ts`. */
  readonly key: string;
  readonly #zip: ZipFile;
  readonly #context: ProcessContext;
  readonly #relations: ReadonlyMap<string, Relation>;
  #styles: Styles | undefined;

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

  /** Undefined when the zip file holds no such workbook. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED. */
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
        message: `The file holds several parts named ${quoted(zip.duplicates[0] ?? '')}; the first is read.`,
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

  /** The sheets that are left of a file cut off before the part that names them; undefined without any. */
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
        'The names of the sheets are in a part that is cut off: they are called after their files instead, and which are hidden is not known.',
    });
    return new Workbook(zip, context, await source.identity(), new Map(), { sheets, date1904: false }, 'xl/');
  }

  /** The inflated bytes of a part as UTF-8. */
  async *pieces(part: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#zip.get(part);
    if (!entry) return;
    yield* utf8Pieces(this.#zip.inflate(entry, this.#context.signal));
  }

  /** Declared bytes of a part once inflated: a guess of its cost, nothing more. */
  sizeOf(part: string): Bytes {
    return this.#zip.get(part)?.size ?? 0;
  }

  /** Number formats; General for everything, with a warning, when the part is too large to be read. */
  async styles(): Promise<Styles> {
    if (this.#styles) return this.#styles;
    const part = partOf(this.#zip, this.#relations, 'styles') ?? this.#zip.get('xl/styles.xml')?.name;
    const xml = part === undefined ? undefined : await this.#optional(part, 'number formats');
    if (part === undefined && this.#zip.salvaged)
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message:
          'The number formats are in the part that is cut off: dates and times are shown as plain numbers.',
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
        if (xml !== undefined) notes.push(...readNotes(xml));
      } else if (type === 'threadedComment') {
        people ??= await this.#people();
        const xml = await this.#optional(target, 'comments');
        if (xml !== undefined) threads.push(...readThreads(xml, people));
      }
    }
    // Beside a thread stands a plain note with the same text, for programs that know no threads.
    const threaded = new Set(threads.map(({ cell }) => cell));
    return [...threads, ...notes.filter(({ cell }) => !threaded.has(cell))];
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

async function* nothing(): AsyncGenerator<Buffer, void, undefined> {}

/** Parts are UTF-8 or UTF-16 (Open Packaging Conventions, annex on XML); UTF-16 is told by its byte order mark. */
async function* utf8Pieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let decoder: StringDecoder | undefined;
  let first = true;
  let swap = false;
  let odd: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    let bytes = piece;
    if (first) {
      first = false;
      const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
      swap = mark === 0xfeff;
      if (swap || mark === 0xfffe) {
        decoder = new StringDecoder('utf16le');
        bytes = bytes.subarray(2);
      }
    }
    if (!decoder) {
      yield bytes;
      continue;
    }
    if (swap) {
      bytes = Buffer.concat([odd, bytes]);
      const even = bytes.length - (bytes.length % 2);
      odd = bytes.subarray(even);
      bytes = Buffer.from(bytes.subarray(0, even)).swap16();
    }
    yield Buffer.from(decoder.write(bytes), 'utf8');
  }
}

async function readPart(zip: ZipFile, entry: ZipEntry, context: ProcessContext): Promise<string> {
  const pieces = utf8Pieces(zip.inflate(entry, context.signal));
  return (await gathered(pieces, entry, MAX_PART_BYTES)).toString('utf8');
}

/** The relations of a part by id, types by their last word. External targets are left out: nothing is fetched. */
async function relationsOf(
  zip: ZipFile,
  part: string,
  context: ProcessContext,
): Promise<ReadonlyMap<string, Relation>> {
  const cut = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, cut);
  const entry = zip.get(`${folder}_rels/${part.slice(cut)}.rels`);
  const relations = new Map<string, Relation>();
  if (!entry) return relations;
  const walk = new XmlWalk(await readPart(zip, entry, context));
  while (walk.next()) {
    if (walk.kind !== 'open' || walk.name !== 'Relationship') continue;
    if (walk.attribute('TargetMode')?.toLowerCase() === 'external') continue;
    const type = walk.attribute('Type') ?? '';
    relations.set(walk.attribute('Id') ?? '', {
      type: type.slice(type.lastIndexOf('/') + 1),
      target: resolveTarget(folder, walk.attribute('Target') ?? ''),
    });
  }
  return relations;
}

function resolveTarget(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const steps = path.startsWith('/') ? [] : folder.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function partOf(zip: ZipFile, relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  for (const relation of relations.values())
    if (relation.type === type && zip.get(relation.target)) return relation.target;
  return undefined;
}

function readBook(
  xml: string,
  zip: ZipFile,
  relations: ReadonlyMap<string, Relation>,
  base: string,
): { readonly sheets: readonly SheetEntry[]; readonly date1904: boolean } {
  const sheets: SheetEntry[] = [];
  let date1904 = false;
  const walk = new XmlWalk(xml);
  while (walk.next()) {
    if (walk.kind !== 'open') continue;
    if (walk.name === 'workbookPr') date1904 = /^(?:1|true|on)$/.test(walk.attribute('date1904') ?? '');
    if (walk.name !== 'sheet' || sheets.length >= MAX_SHEETS) continue;
    const state = walk.attribute('state');
    const relation = relations.get(walk.attribute('id') ?? '');
    const target = relation?.target ?? `${base}worksheets/sheet${sheets.length + 1}.xml`;
    const type = relation?.type ?? 'worksheet';
    sheets.push({
      name: (walk.attribute('name') ?? `Sheet${sheets.length + 1}`).slice(0, MAX_NAME_LENGTH),
      state: state === 'hidden' || state === 'veryHidden' ? state : 'visible',
      kind:
        type === 'chartsheet' || type === 'dialogsheet'
          ? type
          : /macrosheet$/i.test(type)
            ? 'macrosheet'
            : 'worksheet',
      part: zip.get(target)?.name,
    });
  }
  return { sheets, date1904 };
}

function readNotes(xml: string): Comment[] {
  const authors: string[] = [];
  const comments: Comment[] = [];
  for (const [, author = ''] of xml.matchAll(/<(?:\w+:)?author(?:\s[^<>]*)?>([^<]*)</g))
    authors.push(runText(`<t>${author}</t>`));
  for (const piece of xml.split(/<(?:\w+:)?comment(?=\s)/).slice(1)) {
    const walk = new XmlWalk(`<comment${piece}`);
    if (!walk.next()) continue;
    const cell = walk.attribute('ref') ?? '';
    const author = authors[Number(walk.attribute('authorId') ?? -1)] ?? '';
    comments.push({ cell, author, text: runText(piece.slice(piece.indexOf('>') + 1)).trim() });
  }
  return comments;
}

function readThreads(xml: string, people: ReadonlyMap<string, string>): Comment[] {
  const comments: Comment[] = [];
  const walk = new XmlWalk(xml);
  let open: { cell: string; author: string; text: string } | undefined;
  let inText = false;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (open && inText) open.text += walk.text;
    } else if (walk.name === 'text') inText = walk.kind === 'open' && !walk.empty;
    else if (walk.name === 'threadedComment' && walk.kind === 'open')
      open = {
        cell: walk.attribute('ref') ?? '',
        author: people.get(walk.attribute('personId') ?? '') ?? '',
        text: '',
      };
    else if (walk.name === 'threadedComment' && open) {
      comments.push(open);
      open = undefined;
    }
  }
  return comments;
}
