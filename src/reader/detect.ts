// Chooses the processor for a source: by extension or bare name, then by declared MIME type, then by content. If
// content contradicts the name, content wins when the named processor cannot read the bytes. Reads only the head, and
// knows no format.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type MimeType,
  type Processor,
  quoted,
  ReaderError,
  type Source,
  type Warning,
} from '../contract/index.ts';
import { isText, markOf, strayControls, wideWithoutMark } from '../encoding/index.ts';
import { mimeOf, type Registry } from './registry.ts';

/** The processor for a file, the type to report, and any mismatch between name and content. */
export interface Detected {
  readonly processor: Processor;
  readonly mimeType: MimeType;
  readonly warnings: readonly Warning[];
}

/** Bytes inspected for detection. */
const HEAD_BYTES: Bytes = 64 * 1024;
/** Minimum length of a run of NUL bytes that is a hole in a file. */
const HOLE: Bytes = 32;
/** Range searched for signatures of binary files. */
const MAGIC_BYTES: Bytes = 1024 * 1024;

/** What the request says about a file. */
export interface Claims {
  /** It names an encoding, so the file is text. */
  readonly encoded?: boolean;
  /** It asks for rows, which plain text has if it is delimited. */
  readonly tabular?: boolean;
}

/**
 * The processor for `source`.
 * @throws {ReaderError} UNSUPPORTED_FORMAT, naming the content if known; CORRUPT_FILE when a file of a binary format
 * does not start with its signature
 */
export async function detect(
  source: Source,
  registry: Registry,
  { encoded = false, tabular = false }: Claims,
): Promise<Detected> {
  const head = await source.read(0, HEAD_BYTES);
  const named = byName(source, registry);
  const signed = registry.byMagic(head, source.size);
  // A PDF of uncompressed pages, a zip of stored text or a picture with a long comment is mostly printable, and a quiet
  // recording looks like UTF-16, but none of them is text.
  const textual =
    encoded ||
    (signed === undefined && (await looksLikeText(head))) ||
    (named !== undefined && mayBeDamaged(named, head));
  const isPlain = !named || (named.selects.includes('lines') && !named.selects.includes('rows'));
  if (tabular && textual && isPlain) {
    const table = byTextContent(head, registry.processors.filter(hasRows), (answer) => answer !== false);
    if (table) return settled(table, source, []);
  }
  if (named && ((named.textual && textual) || confirms(named, head, signed?.processor)))
    return settled(named, source, []);
  if (source.size === 0) {
    const processor = named ?? textProcessor(registry);
    return settled(processor, source, []);
  }
  if (textual) {
    const processor =
      byTextContent(head, registry.processors, (answer) => answer === true) ??
      (named ? undefined : byTextContent(head, registry.processors, (answer) => answer === 'maybe')) ??
      textProcessor(registry);
    const what = processor.textual && processor.name !== 'text' ? processor.name : 'text';
    return settled(processor, source, named ? [mismatch(source, named, what)] : []);
  }
  const content = await byContent(source, registry);
  if (!content && named?.textual && (await looksLikeText(withoutHoles(head))))
    return settled(named, source, []);
  if (!content?.processor) throw unsupported(source, content, named);
  const { processor, mimeType, what } = content;
  const { extension } = source;
  const shared = extension !== '' && processor.sharedExtensions?.includes(extension) === true;
  const expected = processor === named || extension === '' || (shared && !named);
  return { processor, mimeType, warnings: expected ? [] : [mismatch(source, named, what)] };
}

/**
 * A textual format may have a binary form that its `matches` confirms. A binary format without a signature accepts
 * anything.
 */
function confirms(named: Processor, head: Uint8Array, signed: Processor | undefined): boolean {
  if (named.matches) return named.matches(head);
  return named.magic ? signed === named : !named.textual;
}

function settled(processor: Processor, source: Source, warnings: readonly Warning[]): Detected {
  const declared = source.mimeType;
  const claimed = declared !== undefined && processor.mimeTypes.includes(declared) ? declared : undefined;
  return {
    processor,
    mimeType: claimed ?? mimeOf(processor, source.extension),
    warnings,
  };
}

function byName(source: Source, registry: Registry): Processor | undefined {
  // The last name in `archive.zip!/dir/makefile`.
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

/** True for a format that is nothing but rows. */
const hasRows = ({ selects }: Processor): boolean => selects.includes('rows') && !selects.includes('lines');

/**
 * The first of `processors` whose answer about the start of a text counts. Word and Excel open web pages under their own
 * extensions, so that programs export them as such.
 */
function byTextContent(
  head: Uint8Array,
  processors: readonly Processor[],
  counts: (answer: boolean | string) => boolean,
): Processor | undefined {
  const text = decodedStart(head);
  return processors.find(({ reads }) => counts(reads?.(text, head.length === HEAD_BYTES) ?? false));
}

/** The head as text, as UTF-8 unless its bytes are UTF-16. */
function decodedStart(head: Uint8Array): string {
  const { name } = markOf(head) ?? wideWithoutMark(head) ?? { name: 'utf-8' };
  return new TextDecoder(/^utf-16[lb]e$/.test(name) ? name : 'utf-8').decode(head);
}

function mismatch(source: Source, named: Processor | undefined, what: string): Warning {
  const claim = named ? `its name indicates ${named.name}` : `its name ends in ${quoted(source.extension)}`;
  return {
    code: 'FORMAT_MISMATCH',
    message: `The content is ${what}, although ${claim}; it was read as ${what}.`,
  };
}

/**
 * False for NUL bytes outside UTF-16 and UTF-32, for more than 1 in 50 control characters that text does not use, and
 * for bytes that no encoding decodes to text.
 */
async function looksLikeText(head: Uint8Array): Promise<boolean> {
  if (markOf(head)) return true;
  let nul = 0;
  for (const byte of head) if (byte === 0) nul += 1;
  if (nul > 0 && wideWithoutMark(head)) return true;
  // A log with a stray NUL is still a log; a file of NULs only is not text.
  if (nul * 512 > head.length || nul === head.length || (strayControls(head) + nul) * 50 > head.length)
    return false;
  return isText(head);
}

/**
 * The bytes of a file without its holes, which read as NUL bytes: in a log whose writer went on after a crash, or after
 * the file was emptied.
 */
function withoutHoles(head: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let from = 0;
  for (let at = head.indexOf(0); at >= 0; at = head.indexOf(0, at)) {
    let end = at;
    while (head[end] === 0) end += 1;
    if (end - at >= HOLE) {
      kept.push(head.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return from === 0 ? head : Buffer.concat([...kept, head.subarray(from)]);
}

/**
 * A short file of a parsed format with a control character or two: the parser's error, with its position, helps more
 * than reporting it as binary.
 */
function mayBeDamaged(named: Processor, head: Uint8Array): boolean {
  if (!named.textual || named.selects.includes('lines') || head.length >= HEAD_BYTES || !isUtf8(head))
    return false;
  let nul = 0;
  for (const byte of head) if (byte === 0) nul += 1;
  return (strayControls(head) + nul) * 2 < head.length;
}

/** What binary content is. */
interface Content {
  /** Undefined for an unsupported format. */
  readonly processor: Processor | undefined;
  readonly mimeType: MimeType;
  /** As shown to a model: `a PNG image`. */
  readonly what: string;
  readonly advice: string | undefined;
}

/** By the signatures of the formats, then by those of `file-type`. */
async function byContent(source: Source, registry: Registry): Promise<Content | undefined> {
  // Reads beyond the head, because the zip member that identifies the file may follow large ones.
  const head = await source.read(0, MAGIC_BYTES);
  const signed = registry.byMagic(head, source.size);
  const own = signed && {
    ...signed,
    what: signed.magic.what,
    mimeType:
      signed.magic.mimeType ?? (signed.processor ? mimeOf(signed.processor) : 'application/octet-stream'),
  };
  if (own && !own.magic.shared) return own;
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES)).catch(() => undefined);
  if (!type) return own;
  // file-type's own union of MIME types is lower case by construction.
  const mimeType = type.mime as MimeType;
  const extension = `.${type.ext}`;
  // By extension before type. Not as text, because the content is binary: `.ts` is also a video extension.
  const claims = [registry.byExtension(extension), registry.byMimeType(mimeType)];
  const processor = claims.find((claim) => claim && !claim.textual) ?? own?.processor;
  return { processor, mimeType, what: described(type), advice: registry.adviceFor(extension) ?? own?.advice };
}

function described({ ext, mime }: { readonly ext: string; readonly mime: string }): string {
  const name = ext.toUpperCase();
  const kind = mime.split('/')[0] ?? '';
  const noun = ['image', 'audio', 'video', 'font'].includes(kind) ? kind : 'file';
  return `${/^[AEFILMNORSX]/.test(name) ? 'an' : 'a'} ${name} ${noun}`;
}

function unsupported(
  source: Source,
  content: Content | undefined,
  named: Processor | undefined,
): ReaderError {
  if (named && !named.textual && !content)
    return new ReaderError(
      'CORRUPT_FILE',
      `${quoted(source.name)} is not a valid ${source.extension} file.`,
      'Check that it was saved or transferred completely.',
    );
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `${quoted(source.name)} is ${content?.what ?? 'binary data of an unknown format'}, which is not supported.`,
    content?.advice ?? 'Convert it to a format that `lectern formats` lists, or read another file.',
  );
}
