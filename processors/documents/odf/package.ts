// Opens an OpenDocument file (ODF 1.3 part 2 and 3): its XML as text, from a zip package or a flat XML file, and
// embedded objects. Does not interpret the XML.

import {
  cannotDecrypt,
  type FormatFacts,
  NotThisFormat,
  quoted,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import { readXml, type XmlElement } from '../../../src/package/index.ts';
import type { ConvertContext } from '../document.ts';
import { pairs } from '../words.ts';
import { cutOffBefore, isCorrupt, MAX_XML_BYTES, resolvePath, statedFacts, XmlParts } from '../xml-parts.ts';

/** The kind of document stated by its body. */
export type OdfKind = 'text' | 'presentation';

const MAX_OBJECT_BYTES = 4 * 1024 * 1024;
const MIME = 'application/vnd.oasis.opendocument.';
/** The content of a template of styles only, whose headers and footers are in the styles. */
const NO_TEXT =
  '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"><office:body><office:text/></office:body></office:document-content>';

/** An open file. In a flat file all three parts are the same. */
export interface OdfPackage {
  /** The part with the body. */
  readonly content: string;
  /** Common styles and master pages; undefined if missing, or part of `content` as in a flat file. */
  readonly styles: string | undefined;
  readonly meta: XmlElement | undefined;
  readonly flat: boolean;
  /** The name of the file `href` refers to in the package; undefined if it is not in the package. */
  member(href: string): string | undefined;
  /** XML of the object embedded under `href` (`./Object 1`); undefined if it is missing, damaged or too large. */
  object(href: string): Promise<string | undefined>;
}

/**
 * @throws {ReaderError} ENCRYPTED_FILE, CORRUPT_FILE, LIMIT_EXCEEDED; NotThisFormat if it is not an OpenDocument, or
 * one of another kind
 */
export async function openOdf(source: Source, context: ConvertContext, kind: OdfKind): Promise<OdfPackage> {
  const head = await source.read(0, 4);
  if (head[0] !== 0x50 || head[1] !== 0x4b) return openFlat(source, context, kind);
  const zip = await XmlParts.openZip(source, context);
  const parts = new XmlParts(zip, context);
  const type = (await parts.tryText('mimetype'))?.trim() ?? '';
  if (type.startsWith(MIME) && !type.startsWith(MIME + kind))
    throw otherKind(quoted(type.slice(MIME.length, MIME.length + 40)), kind);
  const manifest = await parts.tryText('META-INF/manifest.xml');
  if (manifest !== undefined && /<(?:[\w.-]+:)?encryption-data[\s/>]/.test(manifest))
    throw cannotDecrypt('The document is protected with a password.');
  const styles = await parts.tryText('styles.xml');
  const content =
    (await parts.text('content.xml')) ??
    (styles !== undefined && !zip.salvaged && type === `${MIME}text-template` ? NO_TEXT : undefined);
  if (content === undefined)
    throw zip.salvaged ? cutOffBefore('`content.xml`, the part with its text') : withoutContent(type);
  const meta = await parts.tryText('meta.xml');
  return {
    content,
    styles,
    meta: meta === undefined ? undefined : metaOf(meta),
    flat: false,
    member: (href) => {
      const name = resolvePath('', href);
      return name !== undefined && parts.has(name) ? name : undefined;
    },
    object: (href) => objectIn(parts, href),
  };
}

async function objectIn(parts: XmlParts, href: string): Promise<string | undefined> {
  const name = resolvePath('', href);
  if (name === undefined) return undefined;
  try {
    return (
      (await parts.text(`${name}/content.xml`, MAX_OBJECT_BYTES)) ??
      (await parts.text(name, MAX_OBJECT_BYTES))
    );
  } catch (error) {
    if (error instanceof ReaderError && error.code !== 'ABORTED') return undefined;
    throw error;
  }
}

function withoutContent(type: string): Error {
  return type.startsWith(MIME)
    ? new ReaderError(
        'CORRUPT_FILE',
        'The document has no `content.xml`, the part with its text.',
        'Open the file in the program that made it and save it again.',
      )
    : new NotThisFormat({
        code: 'FORMAT_MISMATCH',
        message: 'The file is a zip archive, but not an OpenDocument.',
      });
}

async function openFlat(source: Source, context: ConvertContext, kind: OdfKind): Promise<OdfPackage> {
  const utf8 = await context.text(source);
  const head = Buffer.from(await utf8.read(0, 64 * 1024)).toString('utf8');
  const root = /<(?:[\w.-]+:)?document[\s>]/.test(head);
  if (!root || !head.includes('opendocument'))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file is not an OpenDocument: it is neither a zip archive nor flat XML.',
    });
  const type = /mimetype\s*=\s*["']application\/vnd\.oasis\.opendocument\.([\w-]{1,40})/.exec(head)?.[1];
  if (type !== undefined && !type.startsWith(kind)) throw otherKind(quoted(type), kind);
  if (utf8.size > MAX_XML_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The XML of the document is larger than ${MAX_XML_BYTES} bytes.`,
      'Save it as a regular OpenDocument file, which stores pictures separately.',
    );
  const bytes = await utf8.bytes();
  const content = new TextDecoder('utf-8').decode(bytes);
  const meta = /<(?:[\w.-]+:)?meta>[\s\S]{0,65536}?<\/(?:[\w.-]+:)?meta>/.exec(content.slice(0, 200_000));
  return {
    content,
    styles: undefined,
    meta: meta ? metaOf(meta[0]) : undefined,
    flat: true,
    member: () => undefined,
    object: () => Promise.resolve(undefined),
  };
}

function otherKind(found: string, kind: OdfKind): NotThisFormat {
  return new NotThisFormat({
    code: 'FORMAT_MISMATCH',
    message: `The file is an OpenDocument of kind ${found}; expected \`${kind}\`.`,
  });
}

function metaOf(xml: string): XmlElement | undefined {
  try {
    const root = readXml(xml);
    return root.name === 'meta' ? root : (root.child('meta') ?? root);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return undefined;
  }
}

/** Facts in `meta.xml` (ODF 1.3 part 3, 4.3) and its Dublin Core elements. */
const FACTS = pairs(
  'title title subject subject author initial-creator created creation-date documentModified date ' +
    'lastModifiedBy creator language language generator generator',
);

/** `title`, `author`, `created`, ... as far as stated. */
export function odfFacts(meta: XmlElement | undefined): FormatFacts {
  const facts = statedFacts(meta, FACTS);
  const author = facts['author'] ?? facts['lastModifiedBy'];
  const words = Number(meta?.child('document-statistic')?.get('word-count'));
  return {
    ...facts,
    ...(author !== undefined && { author }),
    ...(Number.isSafeInteger(words) && words > 0 && { words }),
  };
}
