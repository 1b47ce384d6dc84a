// Source to Processor: by extension or bare name, then by declared MIME type, then by content. Content that
// contradicts the name wins when the named processor cannot read the bytes. Reads only the head.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type Extension,
  type MimeType,
  type Processor,
  quoted,
  ReaderError,
  type Source,
  type Warning,
} from '../contract/index.ts';
import { isText, wideWithoutMark } from './decode.ts';
import { binaryFormatOf } from './magic.ts';
import { strayControls } from './plausible-text.ts';

/** The processors, found by what they claim. Keys are lower case; an extension has its dot. */
export interface Registry {
  readonly processors: readonly Processor[];
  byExtension(extension: string): Processor | undefined;
  byMimeType(mimeType: string): Processor | undefined;
  byFileName(name: string): Processor | undefined;
  byProcessorName(name: string): Processor | undefined;
  /** The processor that draws files of this type, which another reads as text. */
  byDrawing(mimeType: string): Processor | undefined;
}

/** @throws {Error} when two processors claim one extension, MIME type, file name or processor name */
export function createRegistry(processors: readonly Processor[]): Registry {
  const keys = new Map<string, Processor>();
  const claim = (key: string, processor: Processor): void => {
    const owner = keys.get(key);
    if (owner) throw new Error(`${key} is claimed by ${owner.name} and by ${processor.name}`);
    keys.set(key, processor);
  };
  for (const processor of processors) {
    claim(`processor ${processor.name}`, processor);
    for (const extension of processor.extensions) claim(`extension ${extension}`, processor);
    for (const mimeType of processor.mimeTypes) claim(`type ${mimeType}`, processor);
    for (const name of processor.names ?? []) claim(`name ${name}`, processor);
    for (const mimeType of processor.draws ?? []) claim(`drawing ${mimeType}`, processor);
  }
  return {
    processors,
    byExtension: (extension) => keys.get(`extension ${extension}`),
    byMimeType: (mimeType) => keys.get(`type ${mimeType}`) ?? keys.get(`type ${suffixType(mimeType)}`),
    byFileName: (name) => keys.get(`name ${name.toLowerCase()}`),
    byProcessorName: (name) => keys.get(`processor ${name}`),
    byDrawing: (mimeType) => keys.get(`drawing ${mimeType}`),
  };
}

/** RFC 6839: `application/geo+json` is read as `application/json`; any other `text/` as plain text. */
function suffixType(mimeType: string): MimeType {
  if (mimeType.endsWith('+json')) return 'application/json';
  if (mimeType.endsWith('+xml')) return 'application/xml';
  if (mimeType.endsWith('+yaml')) return 'application/yaml';
  return mimeType.startsWith('text/') ? 'text/plain' : 'application/octet-stream';
}

/** The processor for a file, the type to tell, and what name and content disagree on. */
export interface Detected {
  readonly processor: Processor;
  readonly mimeType: MimeType;
  readonly warnings: readonly Warning[];
}

/** What detection may look at. */
const HEAD_BYTES = 64 * 1024;

/**
 * The processor for `source`; `encoded` says that the caller named an encoding, so that it is text.
 * @throws {ReaderError} UNSUPPORTED_FORMAT, naming what the content is where that is known; CORRUPT_FILE when a file of a
 * binary format does not start like one
 */
export async function detect(source: Source, registry: Registry, encoded: boolean): Promise<Detected> {
  const head = await source.read(0, HEAD_BYTES);
  const named = byName(source, registry);
  const textual =
    encoded || (await looksLikeText(head, source.size)) || (named !== undefined && mayBeDamaged(named, head));
  // A textual format may have a binary form that its `matches` confirms; a binary one need not confirm anything.
  if (named && ((named.textual && textual) || (named.matches?.(head) ?? !named.textual)))
    return settled(named, source, []);
  if (source.size === 0) {
    const processor = named ?? textProcessor(registry);
    return settled(processor, source, []);
  }
  if (textual) {
    const processor = byTextContent(head, registry, named === undefined) ?? textProcessor(registry);
    return settled(processor, source, named ? [mismatch(source, named, 'text')] : []);
  }
  const sniffed = await sniff(source, head);
  // A zip of a kind that has no reader of its own still lists as a zip.
  const found =
    sniffed && (bySniffed(sniffed, registry) ?? (isZip(head) ? registry.byExtension('.zip') : undefined));
  if (sniffed && found)
    return {
      processor: found,
      mimeType: sniffed.mimeType,
      warnings: found === named || source.extension === '' ? [] : [mismatch(source, named, sniffed.what)],
    };
  const what = sniffed?.what ?? binaryFormatOf(head, source.size)?.what;
  throw unsupported(source, sniffed, what, named);
}

/** By ending before type; not as text, which it is not: `.ts` is a video's ending as well. */
function bySniffed({ extension, mimeType }: Sniffed, registry: Registry): Processor | undefined {
  const claims = [registry.byExtension(extension), registry.byMimeType(mimeType)];
  return claims.find((processor) => processor && !processor.textual);
}

function settled(processor: Processor, source: Source, warnings: readonly Warning[]): Detected {
  const declared = source.mimeType;
  const claimed = declared !== undefined && processor.mimeTypes.includes(declared) ? declared : undefined;
  return {
    processor,
    mimeType: claimed ?? MIME_OF[source.extension] ?? mimeOf(processor),
    warnings,
  };
}

/** What the many kinds of source code that people serve are called (IANA, and WHATWG MIME Sniffing for scripts). */
const MIME_OF: Readonly<Record<string, MimeType>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.cjs': 'text/javascript',
  '.xhtml': 'application/xhtml+xml',
  '.css': 'text/css',
  '.sql': 'application/sql',
  '.tsv': 'text/tab-separated-values',
  '.svg': 'image/svg+xml',
  '.xls': 'application/vnd.ms-excel',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
};

/** What a file of the processor is called where nothing says more. */
export function mimeOf(processor: Processor): MimeType {
  if (processor.fileType === 'code') return 'text/plain';
  return processor.mimeTypes[0] ?? (processor.textual ? 'text/plain' : 'application/octet-stream');
}

function byName(source: Source, registry: Registry): Processor | undefined {
  // Of `archive.zip!/dir/makefile` the last name.
  const name = source.name.slice(source.name.lastIndexOf('/') + 1).toLowerCase();
  const parts = name.split('.');
  const compound = parts.length > 2 ? registry.byExtension(`.${parts.slice(-2).join('.')}`) : undefined;
  return (
    registry.byFileName(name) ??
    compound ??
    (source.extension === '' ? undefined : registry.byExtension(source.extension)) ??
    (source.mimeType === undefined ? undefined : registry.byMimeType(source.mimeType))
  );
}

function textProcessor(registry: Registry): Processor {
  const text = registry.byProcessorName('text');
  if (text) return text;
  throw new ReaderError(
    'INTERNAL',
    'No processor for plain text is registered.',
    'Register the text processor.',
  );
}

/** What nameless text is: JSON, XML or HTML when it opens like one, a table when its lines agree on a delimiter. */
function byTextContent(head: Uint8Array, registry: Registry, nameless: boolean): Processor | undefined {
  if (!nameless) return undefined;
  const text = new TextDecoder().decode(head);
  const start = text.slice(0, 256).trimStart();
  if (start.startsWith('<?xml')) return registry.byMimeType('application/xml');
  if (/^(?:\{\s*["}]|\[\s*(?:["{[\]\d-]|true|false|null))/.test(start))
    return registry.byMimeType('application/json');
  if (/^(?:<!doctype html|<html[\s>])/i.test(start)) return registry.byMimeType('text/html');
  if (looksLikeMail(text)) return registry.byMimeType('message/rfc822');
  return looksDelimited(text, head.length === HEAD_BYTES) ? registry.byMimeType('text/csv') : undefined;
}

const MAIL_FIELDS = /^(?:received|return-path|delivered-to|message-id|mime-version|from|to|subject|date):/i;

/** Header fields and nothing else at the start, at least three of them those of a mail. */
function looksLikeMail(text: string): boolean {
  const [header = ''] = text.slice(0, 8192).split(/\r?\n\r?\n/, 1);
  const lines = header.split(/\r?\n/);
  if (lines.length < 3 || !lines.every((line) => /^[!-9;-~]+:|^[ \t]/.test(line))) return false;
  return lines.filter((line) => MAIL_FIELDS.test(line)).length >= 3;
}

const LINES_COMPARED = 20;

/**
 * True when the first lines hold the same number of one delimiter: two or more of it in at least 3 lines, or one in at
 * least 6. Commas and semicolons before a space are prose or code, and so are lines that end in one.
 */
function looksDelimited(text: string, cutOff: boolean): boolean {
  const lines = text.split(/\r\n|\n|\r/, LINES_COMPARED + 1);
  if (cutOff || lines.length > LINES_COMPARED) lines.pop();
  const filled = lines.filter((line) => line.trim() !== '');
  return [/\t/g, /,(?![ ]|$)/g, /;(?![ ]|$)/g].some((delimiter) => {
    const counts = new Set(filled.map((line) => countOutsideQuotes(line, delimiter)));
    const [count = 0] = counts;
    return counts.size === 1 && (count >= 2 ? filled.length >= 3 : count === 1 && filled.length >= 6);
  });
}

function countOutsideQuotes(line: string, delimiter: RegExp): number {
  return line.replace(/"(?:[^"]|"")*"/g, 'quoted').match(delimiter)?.length ?? 0;
}

function mismatch(source: Source, named: Processor | undefined, what: string): Warning {
  const claim = named ? `its name says ${named.name}` : `its name ends in ${quoted(source.extension)}`;
  return {
    code: 'FORMAT_MISMATCH',
    message: `The content is ${what}, though ${claim}; it was read as ${what}.`,
  };
}

/**
 * False for a known binary format, for NUL bytes outside UTF-16 and UTF-32, for more than 1 in 50 control characters that
 * text does not use, and for what no encoding makes text of.
 */
async function looksLikeText(head: Uint8Array, size: Bytes): Promise<boolean> {
  // A PDF of uncompressed pages, a zip of stored text or a picture with a long comment is nearly all printable, a quiet
  // recording looks like UTF-16, and still none is text.
  if (isZip(head) || binaryFormatOf(head, size)) return false;
  const [a, b, c, d] = head;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0xef && b === 0xbb && c === 0xbf))
    return true;
  // UTF-32, big endian.
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return true;
  let nul = 0;
  for (const byte of head) if (byte === 0) nul += 1;
  if (nul > 0 && wideWithoutMark(head)) return true;
  // A stray NUL in a log is still a log; a file of nothing else is not.
  if (nul * 512 > head.length || nul === head.length || (strayControls(head) + nul) * 50 > head.length)
    return false;
  return isText(head);
}

/**
 * A short file of a format that is parsed, not just shown, with a control character or two: its parser says what is
 * wrong and where, which helps more than that it is binary.
 */
function mayBeDamaged(named: Processor, head: Uint8Array): boolean {
  if (!named.textual || named.selects.includes('lines') || head.length >= HEAD_BYTES || !isUtf8(head))
    return false;
  let nul = 0;
  for (const byte of head) if (byte === 0) nul += 1;
  return (strayControls(head) + nul) * 2 < head.length;
}

/** A zip container: `PK` and a local header, or an empty directory (APPNOTE 4.3.7, 4.3.16). */
export function isZip(head: Uint8Array): boolean {
  const [p, k, a, b] = head;
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}

interface Sniffed {
  readonly extension: string;
  readonly mimeType: MimeType;
  /** In words a model understands: `a PNG image`. */
  readonly what: string;
}

async function sniff(source: Source, head: Uint8Array): Promise<Sniffed | undefined> {
  if (OLE_MAGIC.every((byte, i) => head[i] === byte)) return sniffOle(await source.read(0, 1024 * 1024));
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (!type) return undefined;
  const kind = type.mime.split('/')[0];
  const name = type.ext.toUpperCase();
  const noun =
    kind === 'image' || kind === 'audio' || kind === 'video' || kind === 'font' ? ` ${kind}` : ' file';
  // file-type's own union of MIME types is lower case by construction.
  return {
    extension: `.${type.ext}`,
    mimeType: type.mime as MimeType,
    what: `${/^[AEFILMNORSX]/.test(name) ? 'an' : 'a'} ${name}${noun}`,
  };
}

/** [MS-CFB] 2.2, header signature. */
const OLE_MAGIC = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/** What an OLE container holds, by the names of its streams ([MS-CFB] 2.6.1: UTF-16LE). */
function sniffOle(bytes: Uint8Array): Sniffed | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const has = (name: string): boolean => text.includes([...name].join('\0'));
  if (has('EncryptedPackage'))
    return { extension: '.xlsx', mimeType: 'application/x-ole-encrypted', what: 'an encrypted Office file' };
  if (has('Workbook') || has('Book\0\0'))
    return { extension: '.xls', mimeType: 'application/vnd.ms-excel', what: 'an Excel 97 workbook' };
  if (has('WordDocument'))
    return { extension: '.doc', mimeType: 'application/msword', what: 'a Word 97 document' };
  if (has('PowerPoint Document'))
    return {
      extension: '.ppt',
      mimeType: 'application/vnd.ms-powerpoint',
      what: 'a PowerPoint 97 presentation',
    };
  if (has('__properties_version1'))
    return { extension: '.msg', mimeType: 'application/vnd.ms-outlook', what: 'an Outlook message' };
  return { extension: '.ole', mimeType: 'application/x-cfb', what: 'an OLE container' };
}

/** What to do with formats people often have and this version does not read. */
const ADVICE: Readonly<Partial<Record<Extension, string>>> = {
  '.doc': 'Save it as plain text and read that.',
  '.docx': 'Save it as plain text and read that.',
  '.ppt': 'Export its text and read that.',
  '.pptx': 'Export its text and read that.',
  '.pdf': 'Extract its text (for example with `pdftotext`) and read that.',
  '.bz2': 'Decompress it (for example with `bunzip2`) and read the result.',
  '.xz': 'Decompress it (for example with `unxz`) and read the result.',
  '.zst': 'Decompress it (for example with `unzstd`) and read the result.',
  '.lz4': 'Decompress it (for example with `unlz4`) and read the result.',
  '.lz': 'Decompress it (for example with `lzip -d`) and read the result.',
  '.z': 'Decompress it (for example with `gunzip`) and read the result.',
  '.7z': 'Unpack it (for example with `7z x`) and read one of its files.',
  '.rar': 'Unpack it (for example with `unrar x`) and read one of its files.',
  '.cab': 'Unpack it (for example with `cabextract`) and read one of its files.',
  '.parquet': 'Export it as CSV and read that.',
  '.sqlite': 'Query it and save the rows as CSV.',
  '.db': 'Query it and save the rows as CSV.',
};

function unsupported(
  source: Source,
  sniffed: Sniffed | undefined,
  what: string | undefined,
  named: Processor | undefined,
): ReaderError {
  if (named && !named.textual && what === undefined)
    return new ReaderError(
      'CORRUPT_FILE',
      `${quoted(source.name)} does not start like the ${source.extension} file its name says it is.`,
      'Check that it was saved or transferred completely.',
    );
  const advice: Readonly<Record<string, string | undefined>> = ADVICE;
  // A name advises where the content says nothing.
  const extension = what === undefined ? source.extension : sniffed?.extension;
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${quoted(source.name)} is ${what ?? 'binary data of an unknown kind'}, which is not among the formats that can be read.`,
    (extension && advice[extension]) ||
      'Convert it to a format that `lectern formats` lists, or read another file.',
  );
}
