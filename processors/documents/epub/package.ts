// The structure of an EPUB (EPUB 3.3, OCF and package document; OPF 2.0.1): the text files and their order, metadata,
// and which files are encrypted.

import { type FormatFacts, ReaderError, type Source } from '../../../src/contract/index.ts';
import { cleanText } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { ConvertContext } from '../document.ts';
import { cutOffBefore, isCorrupt, resolvePath, XmlParts } from '../xml-parts.ts';

/** A text file of the book. */
export interface Chapter {
  /** Path inside the container. */
  readonly path: string;
  /** True for a table of contents that is also a page of the book. */
  readonly isNavigation: boolean;
}

const MAX_CHAPTERS = 20_000;
const MAX_VALUE = 1000;

/** Font obfuscation, which does not affect text (EPUB 3.3, 4.3). */
const FONT_OBFUSCATION: ReadonlySet<string> = new Set([
  'http://www.idpf.org/2008/embedding',
  'http://ns.adobe.com/pdf/enc#RC',
]);

/** An open book. */
export class EpubPackage extends XmlParts {
  readonly facts: FormatFacts;
  readonly chapters: readonly Chapter[];
  /** Spine items that are missing from the book, or outside it. */
  readonly missing: readonly string[];
  /** The EPUB 3 navigation document or the EPUB 2 NCX; undefined if there is none. */
  readonly navigation: { readonly path: string; readonly isNcx: boolean } | undefined;
  readonly #encrypted: ReadonlySet<string>;

  private constructor(
    { zip }: XmlParts,
    context: ConvertContext,
    encrypted: ReadonlySet<string>,
    path: string,
    root: XmlElement,
  ) {
    super(zip, context);
    this.#encrypted = encrypted;
    const items = itemsOf(root, path);
    const missing: string[] = [];
    const chapters: Chapter[] = [];
    const spine = root.child('spine');
    for (const reference of spine?.elements('itemref') ?? []) {
      if (chapters.length >= MAX_CHAPTERS) break;
      const id = reference.get('idref') ?? '';
      const item = items.get(id);
      if (item?.path !== undefined && this.has(item.path))
        chapters.push({
          path: item.path,
          isNavigation: item.properties.includes(' nav '),
        });
      else missing.push(item?.href ?? id);
    }
    this.chapters = chapters;
    this.missing = missing;
    this.facts = factsOf(root.child('metadata'));
    const nav = [...items.values()].find((item) => item.properties.includes(' nav '));
    const ncx =
      items.get(spine?.get('toc') ?? '') ??
      [...items.values()].find((item) => item.mediaType === 'application/x-dtbncx+xml');
    const found = nav ?? ncx;
    this.navigation = found?.path === undefined ? undefined : { path: found.path, isNcx: found !== nav };
  }

  /** @throws {ReaderError} CORRUPT_FILE without a package document; ENCRYPTED_FILE; as `ZipFile` */
  static async open(source: Source, context: ConvertContext): Promise<EpubPackage> {
    const parts = new XmlParts(await XmlParts.openZip(source, context), context);
    const path = await packagePath(parts);
    const root = path === undefined ? undefined : await parts.xml(path);
    if (path !== undefined && root)
      return new EpubPackage(parts, context, await encryptedNames(parts), path, root);
    if (parts.zip.salvaged) throw cutOffBefore('the package document of the book');
    throw new ReaderError(
      'CORRUPT_FILE',
      'The zip archive is not an EPUB book: it has no package document (`.opf`).',
      'Read it as a zip archive, or get another copy of the book.',
    );
  }

  /** True for a file protected by DRM. */
  isEncrypted(path: string): boolean {
    return this.#encrypted.has(path) || this.zip.get(path)?.encrypted === true;
  }
}

interface Item {
  readonly href: string;
  /** Undefined for a target outside the container. */
  readonly path: string | undefined;
  readonly mediaType: string;
  /** Each preceded and followed by a space. */
  readonly properties: string;
}

function itemsOf(root: XmlElement, path: string): Map<string, Item> {
  const items = new Map<string, Item>();
  for (const element of root.child('manifest')?.elements('item') ?? []) {
    const href = element.get('href') ?? '';
    items.set(element.get('id') ?? '', {
      href,
      path: resolvePath(path, href),
      mediaType: (element.get('media-type') ?? '').toLowerCase(),
      properties: ` ${element.get('properties') ?? ''} `,
    });
  }
  return items;
}

async function packagePath(parts: XmlParts): Promise<string | undefined> {
  try {
    const container = await parts.xml('META-INF/container.xml');
    for (const file of container?.descendants('rootfile') ?? []) {
      const path = resolvePath('', file.get('full-path') ?? '');
      if (path !== undefined && parts.has(path)) return path;
    }
  } catch (error) {
    // The container document is not XML, but the package document may still be there.
    if (!isCorrupt(error)) throw error;
  }
  for (const name of parts.zip.entries.keys()) if (/\.opf$/i.test(name)) return name;
  return undefined;
}

async function encryptedNames(parts: XmlParts): Promise<Set<string>> {
  const names = new Set<string>();
  const root = await parts.xml('META-INF/encryption.xml');
  for (const data of root?.descendants('EncryptedData') ?? []) {
    const algorithm = data.child('EncryptionMethod')?.get('Algorithm') ?? '';
    if (FONT_OBFUSCATION.has(algorithm)) continue;
    const path = resolvePath('', data.at('CipherData', 'CipherReference')?.get('URI') ?? '');
    if (path !== undefined) names.add(path);
  }
  return names;
}

/** Dublin Core metadata present in the book: title, author, language and so on. */
function factsOf(metadata: XmlElement | undefined): FormatFacts {
  const facts: Record<string, string> = {};
  if (!metadata) return facts;
  const values = (name: string): string[] => {
    // OPF 1 nests them in `dc-metadata`.
    const elements = [metadata, ...metadata.elements('dc-metadata')].flatMap((parent) =>
      parent.elements(name),
    );
    return elements.map((element) => tidy(element.text())).filter((value) => value !== '');
  };
  const add = (fact: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') facts[fact] = value.slice(0, MAX_VALUE);
  };
  add('title', values('title')[0]);
  add('author', values('creator').slice(0, 20).join('; '));
  add('language', values('language')[0]);
  add('publisher', values('publisher')[0]);
  add('published', values('date')[0]);
  add('description', tidy(values('description')[0]?.replace(/<[^<>]{0,200}>/g, ' ') ?? ''));
  for (const meta of metadata.elements('meta'))
    if (meta.get('property') === 'dcterms:modified') add('documentModified', tidy(meta.text()));
  return facts;
}

function tidy(value: string): string {
  return cleanText(value).replace(/\s+/g, ' ').trim();
}
