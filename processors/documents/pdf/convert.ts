// Converts PDF to blocks, page by page. A worker thread (`worker.ts`) processes the document; this module handles
// threads that must be terminated: the page at fault is retried in a simpler way, and the rest continues in a new
// thread.

import type { Source } from '../../../src/contract/index.ts';
import {
  isLasting,
  OCR_EDGE,
  passwordNeeded,
  ReaderError,
  recognizedUpright,
  type TurnPicture,
  throwIfAborted,
  wrongPassword,
} from '../../../src/contract/index.ts';
import type {
  ConvertContext,
  Converter,
  OpenDocument,
  OutlineEntry,
  PictureOptions,
  Section,
} from '../document.ts';
import { brokenPage } from './broken-page.ts';
import type { Opened, PagePicture, PictureShape } from './messages.ts';
import type { Mode } from './open.ts';
import { type Ending, PdfFailure, PdfThread, ThreadEnded, type ThreadOptions } from './thread.ts';

export const converter: Converter = {
  async open(source: Source, context: ConvertContext): Promise<OpenDocument> {
    const document = new PdfDocument(source, context);
    try {
      await document.open();
    } catch (error) {
      await document.close();
      throw error;
    }
    return document;
  },
};

/** pdf.js holds a file in one array. */
const MOST_BYTES = 2 ** 31 - 1;
/**
 * Number of threads a document's pages may bring down before its pages are only read as plain text, and then not at
 * all.
 */
const MOST_ENDINGS = 4;

class PdfDocument implements OpenDocument {
  readonly #source: Source;
  readonly #context: ConvertContext;
  #thread: PdfThread | undefined;
  #opened: Opened = { pages: 1, facts: {}, warnings: [] };
  #shy = false;
  /** Why the engine is not asked again. */
  #ocrFailure: string | undefined;
  /** Set once the document did not open without one. */
  #password: string | undefined;
  /** Pages that brought down a thread, in a full walk and as plain text. */
  readonly #spoilt = new Map<number, Ending>();
  readonly #lost = new Map<number, Ending>();
  /** One request at a time: terminating a thread would lose another request's page. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(source: Source, context: ConvertContext) {
    this.#source = source;
    this.#context = context;
  }

  get facts(): Opened['facts'] {
    return this.#opened.facts;
  }

  get sections(): number {
    return this.#opened.pages;
  }

  async open(): Promise<void> {
    if (this.#source.size > MOST_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The PDF has ${this.#source.size} bytes; at most ${MOST_BYTES} can be read.`,
        'Split the document.',
      );
    await this.#running();
    for (const warning of this.#opened.warnings) this.#context.warn(warning);
  }

  section(number: number): Promise<Section> {
    return this.#alone(() => this.#section(number));
  }

  outline(): Promise<readonly OutlineEntry[]> {
    return this.#alone(async () => {
      try {
        return await (await this.#running()).ask<'outline'>({ kind: 'outline' });
      } catch (error) {
        if (!(error instanceof ThreadEnded || error instanceof PdfFailure)) throw error;
        await this.#drop();
        this.#context.warn({
          code: 'SKIPPED_CONTENT',
          message: 'The outline of the document could not be read; it is left out.',
        });
        return [];
      }
    });
  }

  async picture(
    number: number,
    options: PictureOptions,
  ): Promise<Pick<PagePicture, 'data' | 'mimeType'> | undefined> {
    const picture = await this.#picture(number, this.#shape(options));
    return picture && { data: picture.data, mimeType: picture.mimeType };
  }

  async #picture(number: number, shape: PictureShape): Promise<PagePicture | undefined> {
    const thread = await PdfThread.start(this.#options('pictures'));
    try {
      await thread.open({ spoilt: [], shy: true, ...this.#key() });
      return await thread.ask<'picture'>({ kind: 'picture', number, shape });
    } catch (error) {
      if (!(error instanceof ThreadEnded || error instanceof PdfFailure)) throw error;
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `The picture of page ${number} could not be read and is left out.`,
      });
      return undefined;
    } finally {
      await thread.close();
    }
  }

  async close(): Promise<void> {
    await this.#drop();
  }

  async #section(number: number): Promise<Section> {
    for (;;) {
      const lost = this.#lost.get(number) ?? (this.#lost.size >= MOST_ENDINGS ? 'crashed' : undefined);
      if (lost) return brokenPage(number, REASONS[lost]);
      const plain = this.#spoilt.has(number) || this.#spoilt.size >= MOST_ENDINGS;
      try {
        const thread = await this.#running();
        const section = await thread.ask<'page'>({ kind: 'page', number, plain });
        if (section.kind === 'scan' && this.#context.ocr) return await this.#recognized(number, section);
        const cause = this.#spoilt.get(number);
        return cause && section.kind === 'broken' ? brokenPage(number, REASONS[cause]) : section;
      } catch (error) {
        if (error instanceof PdfFailure) return brokenPage(number);
        if (!(error instanceof ThreadEnded)) throw error;
        throwIfAborted(this.#context.signal);
        await this.#drop();
        this.#blame(error, number, plain);
      }
    }
  }

  /** The page with the text of its picture; as it was if that cannot be recognized. */
  async #recognized(number: number, scan: Section): Promise<Section> {
    const { ocr, limits, signal } = this.#context;
    const { maxImagePixels, maxBytesInMemory } = limits;
    if (!ocr) return scan;
    if (this.#ocrFailure !== undefined)
      return { ...scan, recognition: { by: ocr.name, failure: this.#ocrFailure } };
    const shape = {
      longestEdge: OCR_EDGE,
      maxBytes: maxBytesInMemory,
      maxPixels: maxImagePixels,
      lossless: true,
    };
    const picture = await this.#picture(number, shape);
    if (!picture) return scan;
    try {
      const reading = await recognizedUpright(ocr, picture, turning(picture), signal);
      if (reading.lines.length === 0) return scan;
      const thread = await this.#running();
      return await thread.ask<'recognized'>({
        kind: 'recognized',
        number,
        recognized: { ...reading, box: picture.box, by: ocr.name },
      });
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof ThreadEnded) throw error;
      const failure =
        error instanceof ReaderError ? `${error.message} ${error.hint}` : 'The page could not be laid out.';
      if (error instanceof ReaderError && isLasting(error)) this.#ocrFailure = failure;
      return { ...scan, recognition: { by: ocr.name, failure } };
    }
  }

  /** Records what brought down the thread: the page being processed, which may not be the requested one. */
  #blame({ ending, page }: ThreadEnded, asked: number, plain: boolean): void {
    const at = page === 0 ? asked : page;
    if (plain || this.#spoilt.has(at)) this.#lost.set(at, ending);
    else this.#spoilt.set(at, ending);
  }

  #mayBlame(page: number): boolean {
    return page > 0 && !this.#spoilt.has(page) && this.#spoilt.size < MOST_ENDINGS;
  }

  async #alone<T>(task: () => Promise<T>): Promise<T> {
    const before = this.#queue;
    const result = before.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** The thread with the document open; starts one if needed. */
  async #running(): Promise<PdfThread> {
    if (this.#thread) return this.#thread;
    for (;;) {
      const thread = await PdfThread.start(this.#options('layout'));
      this.#thread = thread;
      try {
        const opened = await thread.open({
          spoilt: [...this.#spoilt.keys()],
          shy: this.#shy,
          ...this.#key(),
        });
        this.#opened = opened;
        return thread;
      } catch (error) {
        await this.#drop();
        throwIfAborted(this.#context.signal);
        // Retry without the page that was inspected for facts, then without optional facts.
        if (error instanceof ThreadEnded && this.#mayBlame(error.page))
          this.#spoilt.set(error.page, error.ending);
        else if (error instanceof ThreadEnded && !this.#shy) this.#shy = true;
        else if (isLocked(error) && this.#takePassword()) continue;
        else if (isLocked(error)) throw lockedError(this.#password);
        else throw openingError(error);
      }
    }
  }

  #key(): { readonly password?: string } {
    return this.#password === undefined ? {} : { password: this.#password };
  }

  /** True if the document is worth another try, with the password of the request. */
  #takePassword(): boolean {
    if (this.#password !== undefined) return false;
    const password = this.#context.password();
    if (!password) return false;
    this.#password = password;
    return true;
  }

  async #drop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }

  #options(mode: Mode): ThreadOptions {
    const { limits, signal } = this.#context;
    return {
      source: this.#source,
      signal,
      deadlineMs: limits.maxPageMilliseconds,
      maxBytes: limits.maxBytesInMemory,
      mode,
    };
  }

  #shape({ detail }: PictureOptions): PictureShape {
    const { maxImageBytes, maxImageEdge, maxImagePixels } = this.#context.limits;
    return {
      longestEdge: Math.min(maxImageEdge, EDGES[detail]),
      maxBytes: maxImageBytes,
      maxPixels: maxImagePixels,
    };
  }
}

/** Turns parts of the picture of a page. */
const turning =
  ({ data: whole }: PagePicture): TurnPicture =>
  async (part, turn) => {
    const { default: sharp } = await import('sharp');
    const { data, info } = await sharp(whole)
      .extract(part)
      .rotate(turn)
      .png({ compressionLevel: 1 })
      .toBuffer({ resolveWithObject: true });
    return { data, mimeType: 'image/png', width: info.width, height: info.height };
  };

/** Longest edge in pixels; 1568 is the maximum common vision models use without downscaling. */
const EDGES: Readonly<Record<PictureOptions['detail'], number>> = {
  low: 512,
  auto: 1568,
  full: Number.POSITIVE_INFINITY,
};

const REASONS: Readonly<Record<Ending, string>> = {
  hung: 'it takes too long',
  memory: 'it takes too much memory',
  crashed: 'its reader crashed',
};

const isLocked = (error: unknown): boolean =>
  error instanceof PdfFailure && error.name === 'PasswordException';

const lockedError = (password: string | undefined): ReaderError =>
  password === undefined
    ? passwordNeeded('The PDF is encrypted, and the empty password does not open it.')
    : wrongPassword('The password does not open the PDF.');

/** Why a document did not open, and what to do. */
const OPENING: Readonly<Record<Ending, ConstructorParameters<typeof ReaderError>>> = {
  hung: [
    'TIMED_OUT',
    'The PDF took too long to open.',
    'Raise the limit `maxPageMilliseconds`, or repair the file with another program.',
  ],
  memory: [
    'OUT_OF_MEMORY',
    'The PDF takes too much memory to open.',
    'Repair or split the file with another program.',
  ],
  crashed: [
    'CRASHED',
    'The PDF reader crashed while opening the file.',
    'Repair the file with another program.',
  ],
};

/** The error for a document that does not open. */
function openingError(error: unknown): unknown {
  if (error instanceof ThreadEnded) return new ReaderError(...OPENING[error.ending]);
  if (!(error instanceof PdfFailure)) return error;
  return new ReaderError(
    'CORRUPT_FILE',
    `The PDF cannot be read: ${reasonOf(error)}.`,
    'Check that the file is complete, or repair it with another program.',
    error,
  );
}

function reasonOf({ message }: PdfFailure): string {
  const reason = message
    .replace(/[^\w ,:'()-]/g, ' ')
    .trim()
    .slice(0, 100);
  return reason === '' ? 'its structure is damaged' : reason.charAt(0).toLowerCase() + reason.slice(1);
}
