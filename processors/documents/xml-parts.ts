// The XML files of a package (OOXML, ODF, EPUB) by name, each read on demand.

import {
  type FormatFacts,
  type Limits,
  quoted,
  ReaderError,
  type Source,
  type Warning,
} from '../../src/contract/index.ts';
import { decodeStandard } from '../../src/encoding/index.ts';
import { CUT_OFF, readXml, type XmlElement, ZipFile } from '../../src/package/index.ts';

/** What opening a package requires. */
export interface PackageContext {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  warn(warning: Warning): void;
}

/** Parts are held as text and tree: 64 MiB is a thousand pages of dense markup. */
export const MAX_XML_BYTES: number = 64 * 1024 * 1024;

/** Only the directory is read in advance. */
export class XmlParts {
  readonly zip: ZipFile;
  readonly #context: PackageContext;
  #toldDeep = false;

  constructor(zip: ZipFile, context: PackageContext) {
    this.zip = zip;
    this.#context = context;
  }

  /** @throws {ReaderError} as `ZipFile.open` */
  static async openZip(source: Source, context: PackageContext): Promise<ZipFile> {
    const zip = await ZipFile.open(source, context);
    if (zip.salvaged) context.warn(CUT_OFF);
    return zip;
  }

  has(name: string): boolean {
    return this.zip.get(name) !== undefined;
  }

  /** A part as text; undefined if it is missing. @throws {ReaderError} as `ZipFile.bytes` */
  async text(name: string, maxBytes: number = MAX_XML_BYTES): Promise<string | undefined> {
    const entry = this.zip.get(name);
    return entry && decodeXml(await this.zip.bytes(entry, maxBytes, this.#context.signal));
  }

  /** Root element of a part; undefined if it is missing. @throws {ReaderError} as `ZipFile.bytes` and `readXml` */
  async xml(name: string): Promise<XmlElement | undefined> {
    const text = await this.text(name);
    return text === undefined ? undefined : readXml(text, () => this.tellTooDeep());
  }

  /** Like `text`, but undefined for a damaged part too, with a warning. @throws {ReaderError} as `tryXml` */
  tryText(name: string): Promise<string | undefined> {
    return this.#orLeftOut(name, () => this.text(name));
  }

  /**
   * Like `xml`, but undefined for a damaged part too, with a warning. @throws {ReaderError} LIMIT_EXCEEDED, ABORTED,
   * ENCRYPTED_FILE
   */
  tryXml(name: string): Promise<XmlElement | undefined> {
    return this.#orLeftOut(name, () => this.xml(name));
  }

  async #orLeftOut<T>(name: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `${quoted(name)} inside the file is damaged and was left out.`,
      });
      return undefined;
    }
  }

  /** Warns once per package about elements nested too deep; for callers that build trees from `text`. */
  tellTooDeep(): void {
    if (this.#toldDeep) return;
    this.#toldDeep = true;
    this.#context.warn({
      code: 'SKIPPED_CONTENT',
      message: 'Elements nested more than 256 levels deep, or text boxes more than 16, were left out.',
    });
  }
}

export const isCorrupt = (error: unknown): boolean =>
  error instanceof ReaderError && error.code === 'CORRUPT_FILE';

/** The error of a package that ends before `part`. */
export const cutOffBefore = (part: string): ReaderError =>
  new ReaderError(
    'CORRUPT_FILE',
    `The file is truncated before ${part}.`,
    'Get a complete copy of the file.',
  );

/** Facts by the child of `element` that states each, as far as stated. */
export function statedFacts(
  element: XmlElement | undefined,
  names: ReadonlyMap<string, string>,
): FormatFacts {
  const facts: Record<string, string> = {};
  for (const [fact, name] of names) {
    const value = element?.child(name)?.text().trim().slice(0, 1000);
    if (value) facts[fact] = value;
  }
  return facts;
}

/**
 * The path inside a package that `href` refers to from the part `from`; undefined for external addresses and for paths
 * that leave the package.
 */
export function resolvePath(from: string, href: string): string | undefined {
  const bare = href.replace(/[#?].*/s, '');
  if (bare === '' || /^[A-Za-z][A-Za-z\d+.-]*:|^\/\//.test(bare)) return undefined;
  const path = decodedPath(bare);
  const steps = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.length === 0) return undefined;
      steps.pop();
    } else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Percent-decoded; a single percent sign is part of the name. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An XML part as text: UTF-8 unless it starts with UTF-16 or declares another encoding. */
export function decodeXml(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return new TextDecoder('utf-16le').decode(bytes);
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return new TextDecoder('utf-16be').decode(bytes);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(200, bytes.length)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // Parts with an unknown encoding name are usually UTF-8.
  const label = declared === undefined || /^utf-?(?:8|16)/i.test(declared) ? 'utf-8' : declared;
  return decodeStandard(bytes, label) ?? new TextDecoder('utf-8').decode(bytes);
}
