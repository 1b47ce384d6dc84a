// What the bytes of a picture, a PDF file or a recording are, found without any of lectern's code: for rules that hold
// its answers against what providers document.

import { createHash } from 'node:crypto';

import { fileTypeFromBuffer } from 'file-type';
import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';

export interface ImageFacts {
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Why it does not decode. */
  readonly broken?: string;
}

export interface PdfFacts {
  readonly pages: number;
  readonly encrypted: boolean;
  readonly broken?: string;
}

export interface AudioFacts {
  readonly mimeType: string;
  readonly seconds: number;
  readonly broken?: string;
}

const known = new Map<string, Promise<unknown>>();

/** The same bytes are looked at once. */
function once<Facts>(kind: string, bytes: Uint8Array, look: () => Promise<Facts>): Promise<Facts> {
  const key = `${kind} ${createHash('sha1').update(bytes).digest('base64')}`;
  const facts = known.get(key) ?? look();
  known.set(key, facts);
  // What stands under a key of this kind was put there by this function, for the same kind.
  return facts as Promise<Facts>;
}

/** Type by its first bytes; size and frames as decoded. The whole picture is decoded. */
export function imageFacts(bytes: Uint8Array): Promise<ImageFacts> {
  return once('image', bytes, () => lookAtImage(bytes));
}

async function lookAtImage(bytes: Uint8Array): Promise<ImageFacts> {
  const mimeType = (await fileTypeFromBuffer(bytes))?.mime ?? 'unknown';
  try {
    const options = { failOn: 'error', limitInputPixels: false, sequentialRead: true } as const;
    const { width, height, pages = 1 } = await sharp(bytes, options).metadata();
    await sharp(bytes, options).stats();
    return { mimeType: mimeType === 'image/apng' ? 'image/png' : mimeType, width, height, frames: pages };
  } catch (error) {
    return { mimeType, width: 0, height: 0, frames: 0, broken: String(error) };
  }
}

type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs');
let loading: Promise<PdfJs> | undefined;

/** pdf.js without the classes of a canvas, which only drawing needs and for which it looks as it loads. */
function pdfJs(): Promise<PdfJs> {
  loading ??= (async () => {
    Object.assign(globalThis, { DOMMatrix: class {}, ImageData: class {}, Path2D: class {} });
    const { getBuiltinModule } = process;
    Object.assign(process, { getBuiltinModule: () => ({ createRequire: () => () => ({}) }) });
    try {
      return await import('pdfjs-dist/legacy/build/pdf.mjs');
    } finally {
      Object.assign(process, { getBuiltinModule });
    }
  })();
  return loading;
}

/** As pdf.js, asked to mend nothing, opens it; its first and last page are parsed. */
export function pdfFacts(bytes: Uint8Array): Promise<PdfFacts> {
  return once('pdf', bytes, () => lookAtPdf(bytes));
}

async function lookAtPdf(bytes: Uint8Array): Promise<PdfFacts> {
  if (!Buffer.from(bytes.subarray(0, 5)).equals(Buffer.from('%PDF-')))
    return { pages: 0, encrypted: false, broken: 'no %PDF- at its start' };
  if (!Buffer.from(bytes.subarray(-1024)).includes('%%EOF'))
    return { pages: 0, encrypted: false, broken: 'no %%EOF at its end' };
  const { getDocument, VerbosityLevel } = await pdfJs();
  const task = getDocument({
    data: new Uint8Array(bytes),
    stopAtErrors: true,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
  });
  try {
    const document = await task.promise;
    const { info } = await document.getMetadata();
    const encrypted = 'EncryptFilterName' in info && info.EncryptFilterName !== null;
    await document.getPage(1);
    await document.getPage(document.numPages);
    return { pages: document.numPages, encrypted };
  } catch (error) {
    const encrypted = error instanceof Error && error.name === 'PasswordException';
    return { pages: 0, encrypted, ...(!encrypted && { broken: String(error) }) };
  } finally {
    await task.destroy();
  }
}

/** Type by its first bytes, length by its frames; a WAV file's sizes must be those of its bytes. */
export async function audioFacts(bytes: Uint8Array): Promise<AudioFacts> {
  const mimeType = (await fileTypeFromBuffer(bytes))?.mime ?? 'unknown';
  try {
    const { format } = await parseBuffer(bytes, { mimeType }, { duration: true, skipCovers: true });
    const riff = mimeType === 'audio/wav' ? riffTrouble(Buffer.from(bytes)) : undefined;
    const seconds = mimeType === 'audio/aac' ? adtsSeconds(Buffer.from(bytes)) : (format.duration ?? 0);
    const broken = riff ?? (seconds > 0 ? undefined : 'no sound in it');
    return { mimeType, seconds, ...(broken !== undefined && { broken }) };
  } catch (error) {
    return { mimeType, seconds: 0, broken: String(error) };
  }
}

/** Frames of 1024 samples, each of the length that it says. */
function adtsSeconds(bytes: Buffer): number {
  const rates = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8];
  const rate = rates[(bytes.readUInt8(2) >> 2) & 15] ?? 48;
  let frames = 0;
  for (let at = 0; at + 7 <= bytes.length; frames += 1)
    at += Math.max(7, ((bytes.readUInt8(at + 3) & 3) << 11) | (bytes.readUInt16BE(at + 4) >> 5));
  return (frames * 1.024) / rate;
}

function riffTrouble(bytes: Buffer): string | undefined {
  if (bytes.readUInt32LE(4) + 8 !== bytes.length)
    return `its RIFF size is ${bytes.readUInt32LE(4)} of ${bytes.length} bytes`;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    if (at + 8 + size > bytes.length) return `its chunk at ${at} ends behind the file`;
    at += 8 + size + (size & 1);
  }
  return undefined;
}
