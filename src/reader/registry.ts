// The list of formats, indexed by extension, MIME type, file name and signature. Reads no file.

import type { Bytes, Extension, Format, Magic, MimeType, Processor } from '../contract/index.ts';

/** Looks up formats by what they claim. Keys are lower case; an extension includes its dot. */
export interface Registry {
  readonly processors: readonly Processor[];
  byExtension(extension: string): Processor | undefined;
  byMimeType(mimeType: string): Processor | undefined;
  byFileName(name: string): Processor | undefined;
  byProcessorName(name: string): Processor | undefined;
  /** The processor that draws files of this type, which another processor reads as text. */
  byDrawing(mimeType: string): Processor | undefined;
  /** The type under which a textual file can be drawn. */
  drawingOf(head: Uint8Array, extension: Extension | ''): MimeType | undefined;
  /** The format of a file of `size` bytes by its signature; `head` is up to its first MiB. */
  byMagic(head: Uint8Array, size: Bytes): Signed | undefined;
  /** Advice for files of an unsupported format. */
  adviceFor(extension: string): string | undefined;
}

/** A format and the signature that chose it. */
export interface Signed {
  readonly magic: Magic;
  /** Undefined for an unsupported format. */
  readonly processor: Processor | undefined;
  readonly advice: string | undefined;
}

/** @throws {Error} when two formats claim one extension, MIME type, file name or processor name */
export function createRegistry(formats: readonly Format[]): Registry {
  const keys = new Map<string, Processor>();
  const claimed = new Map<string, string>();
  const advice = new Map<string, string>();
  const signed: Signed[] = [];
  const claim = (key: string, owner: string, processor?: Processor): void => {
    const other = claimed.get(key);
    if (other !== undefined) throw new Error(`${key} is claimed by ${other} and by ${owner}`);
    claimed.set(key, owner);
    if (processor) keys.set(key, processor);
  };
  for (const format of formats) {
    const processor = 'process' in format ? format : undefined;
    const unread = 'process' in format ? undefined : format;
    const owner = processor?.name ?? 'an unsupported format';
    if (processor) claim(`processor ${owner}`, owner, processor);
    for (const extension of format.extensions) {
      claim(`extension ${extension}`, owner, processor);
      if (unread?.advice !== undefined) advice.set(extension, unread.advice);
    }
    for (const mimeType of processor?.mimeTypes ?? []) claim(`type ${mimeType}`, owner, processor);
    for (const name of processor?.names ?? []) claim(`name ${name}`, owner, processor);
    for (const mimeType of processor?.draws ?? []) claim(`drawing ${mimeType}`, owner, processor);
    for (const magic of format.magic ?? []) signed.push({ magic, processor, advice: unread?.advice });
  }
  const processors = formats.filter((format) => 'process' in format);
  return {
    processors,
    byExtension: (extension) => keys.get(`extension ${extension}`),
    byMimeType: (mimeType) => keys.get(`type ${mimeType}`) ?? keys.get(`type ${suffixType(mimeType)}`),
    byFileName: (name) => keys.get(`name ${name.toLowerCase()}`),
    byProcessorName: (name) => keys.get(`processor ${name}`),
    byDrawing: (mimeType) => keys.get(`drawing ${mimeType}`),
    drawingOf: (head, extension) =>
      processors.map(({ drawing }) => drawing?.(head, extension)).find((type) => type !== undefined),
    byMagic: (head, size) => signed.find(({ magic }) => hasMagic(head, size, magic)),
    adviceFor: (extension) => advice.get(extension),
  };
}

/** RFC 6839: `application/geo+json` is read as `application/json`; any other `text/` as plain text. */
function suffixType(mimeType: string): string {
  const suffix = /\+([a-z]+)$/.exec(mimeType)?.[1];
  if (suffix !== undefined) return `application/${suffix}`;
  return mimeType.startsWith('text/') ? 'text/plain' : '';
}

/** The default MIME type of a processor's files with this extension. */
export function mimeOf(processor: Processor, extension: string = ''): MimeType {
  const types: Readonly<Record<string, MimeType | undefined>> = processor.types ?? {};
  const fallback = processor.textual ? 'text/plain' : 'application/octet-stream';
  return types[extension] ?? types[''] ?? processor.mimeTypes[0] ?? fallback;
}

function hasMagic(head: Uint8Array, size: Bytes, { starts, holds }: Magic): boolean {
  if (typeof starts === 'string' ? !startsLike(head, starts) : !starts(head, size)) return false;
  return (
    holds === undefined || Buffer.from(head.buffer, head.byteOffset, head.length).includes(holds, 0, 'latin1')
  );
}

function startsLike(head: Uint8Array, starts: string): boolean {
  for (let i = 0; i < starts.length; i += 1)
    if (starts[i] !== '?' && head[i] !== starts.charCodeAt(i)) return false;
  return true;
}
