// Opens a PDF with pdf.js, without a canvas, a network or rendering. Runs in a thread of its own (`worker.ts`); never
// import it into the host.

import type { PDFDataRangeTransport, PDFDocumentProxy } from 'pdfjs-dist';
import {
  clonedMessage,
  PassingDecoder,
  QuickInflate,
  SmallShorts,
  STILL_DOCUMENT,
  StillFace,
  StillImage,
  StillMatrix,
  StillPath,
  StillResponse,
} from './browser.ts';
import { addNewerJavaScript } from './newer-javascript.ts';

type PdfJs = typeof import('pdfjs-dist');

/** `layout` places pictures without decoding them if possible; `pictures` decodes them, and passes JPEG through. */
export type Mode = 'layout' | 'pictures';

let loading: Promise<PdfJs> | undefined;

/** Both modules cache in global scope, so a thread has one mode. */
async function load(mode: Mode): Promise<PdfJs> {
  addNewerJavaScript();
  const scope: Record<string, unknown> = globalThis;
  scope['DOMMatrix'] = StillMatrix;
  scope['Path2D'] = StillPath;
  scope['ImageData'] = StillImage;
  scope['FontFace'] = StillFace;
  scope['DecompressionStream'] = QuickInflate;
  scope['Response'] = StillResponse;
  if (mode === 'layout') {
    scope['Int16Array'] = SmallShorts;
    // Without pictures and fonts to draw; see `.config/build-pdf.mjs`.
    scope['forLayout'] = true;
    scope['structuredClone'] = clonedMessage;
  } else {
    scope['ImageDecoder'] = PassingDecoder;
    // Its result must be transferable, and pdf.js closes it at the end.
    Object.defineProperty(ArrayBuffer.prototype, 'close', { value: () => undefined, configurable: true });
  }
  // pdf.js loads an installed native canvas, which costs 90 ms and 33 MB and is never used: hide it.
  const { getBuiltinModule } = process;
  Object.assign(process, { getBuiltinModule: () => ({ createRequire: () => () => ({}) }) });
  try {
    const [pdfjs] = await Promise.all([
      import('pdfjs-dist/build/pdf.min.mjs'),
      // Registers its message handler on globalThis, where pdf.js finds it and does not start a worker.
      import('pdfjs-dist/build/pdf.worker.min.mjs'),
    ]);
    return pdfjs;
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
}

/** Loads pdf.js once. The first call decides the mode. */
export function loadPdf(mode: Mode): Promise<PdfJs> {
  loading ??= load(mode);
  return loading;
}

/** The source of the bytes: the whole file, or its length and ranges on demand. */
export type PdfBytes = Uint8Array | RangedBytes;

/** A file that is read by ranges. */
export interface RangedBytes {
  readonly size: number;
  /** The bytes of `[from, to)`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** An open document; `close` releases its resources. */
export interface Pdf {
  readonly pdfjs: PdfJs;
  readonly document: PDFDocumentProxy;
  close(): Promise<void>;
}

/** Bytes requested at once. pdf.js requests runs of chunks; its own default for the web is 64 KiB. */
const CHUNK_BYTES = 256 * 1024;

export interface PdfOptions {
  readonly mode: Mode;
  /** Of the user or the owner. Default: the empty one. */
  readonly password?: string;
}

/**
 * @throws what pdf.js throws: `PasswordException`, `InvalidPDFException`, ...
 */
export async function openPdf(
  bytes: PdfBytes,
  data: DataFiles,
  { mode, password }: PdfOptions = { mode: 'layout' },
): Promise<Pdf> {
  const pdfjs = await loadPdf(mode);
  const task = pdfjs.getDocument({
    ...(bytes instanceof Uint8Array ? { data: bytes } : { range: ranged(pdfjs, bytes) }),
    ...(password !== undefined && { password }),
    rangeChunkSize: CHUNK_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    // Only names for pdf.js; `factoryOf` finds the files.
    cMapUrl: 'cmaps/',
    cMapPacked: true,
    wasmUrl: 'wasm/',
    BinaryDataFactory: factoryOf(data, mode),
    useWorkerFetch: false,
    useSystemFonts: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: mode === 'pictures',
    // False avoids computing the outline of every glyph; the stand-ins below accept the fonts.
    disableFontFace: false,
    ownerDocument: STILL_DOCUMENT,
    verbosity: 0,
  });
  try {
    const document = await task.promise;
    return { pdfjs, document, close: () => task.destroy() };
  } catch (error) {
    await task.destroy();
    throw error;
  }
}

function ranged(pdfjs: PdfJs, bytes: RangedBytes): PDFDataRangeTransport {
  const transport = new pdfjs.PDFDataRangeTransport(bytes.size, new Uint8Array(0));
  transport.requestDataRange = (begin: number, end: number): void => {
    bytes.read(begin, end).then(
      (chunk) => transport.onDataRange(begin, chunk),
      () => transport.abort(),
    );
  };
  return transport;
}

/** Reads a file of `pdfjs-dist` by its path inside it: character maps and decoders. */
export type DataFiles = (path: string) => Promise<Uint8Array>;

/** Without the standard fonts, which only drawing needs: pdf.js has their widths and characters. */
const FOLDERS: Readonly<Record<string, string>> = {
  cMapUrl: 'cmaps/',
  wasmUrl: 'wasm/',
};

function factoryOf(data: DataFiles, mode: Mode): object {
  return class {
    async fetch({
      kind,
      filename,
    }: {
      readonly kind: string;
      readonly filename: string;
    }): Promise<Uint8Array> {
      const folder = FOLDERS[kind];
      // Names come from the document, so only plain ones are accepted.
      if (folder === undefined || !/^[\w-]+(?:\.\w+)?$/.test(filename)) throw new Error('no such file');
      // JPEG 2000 takes half a second per page, and is never a stencil, which could not be placed without decoding.
      if (mode === 'layout' && filename === 'openjpeg.wasm') throw new Error('not decoded for layout');
      return data(`${folder}${filename}`);
    }
  };
}
