// Opens a PDF with pdf.js, without a canvas and without a network. Nothing is drawn: what pdf.js wants of a browser is
// stood in for by empty classes. Runs in a thread of its own (`worker.ts`); never import it into the host.

import type { PDFDataRangeTransport, PDFDocumentProxy } from 'pdfjs-dist';

type PdfJs = typeof import('pdfjs-dist');

/** A matrix that keeps its six numbers and never computes: pdf.js makes some while it is imported and while it reads. */
class StillMatrix {
  a = 1;
  b = 0;
  c = 0;
  d = 1;
  e = 0;
  f = 0;

  constructor(values: readonly number[] = []) {
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values;
    Object.assign(this, { a, b, c, d, e, f });
  }

  translate(): this {
    return this;
  }
  scale(): this {
    return this;
  }
  translateSelf(): this {
    return this;
  }
  scaleSelf(): this {
    return this;
  }
  multiplySelf(): this {
    return this;
  }
  preMultiplySelf(): this {
    return this;
  }
  invertSelf(): this {
    return this;
  }
}

class StillPath {
  addPath(): void {}
  moveTo(): void {}
  lineTo(): void {}
  bezierCurveTo(): void {}
  quadraticCurveTo(): void {}
  closePath(): void {}
  rect(): void {}
}

class StillImage {}

/** A font face that is ready at once: fonts are read for their metrics and names, never drawn. */
class StillFace {
  readonly loaded: Promise<void> = Promise.resolve();
  load(): Promise<void> {
    return this.loaded;
  }
}

const STILL_DOCUMENT = { fonts: { add(): void {}, delete(): void {} } };

let loading: Promise<PdfJs> | undefined;

async function load(): Promise<PdfJs> {
  const scope: Record<string, unknown> = globalThis;
  // Set whatever the machine has: with these, pdf.js never looks for a native canvas, which costs 30 ms and 33 MB.
  scope['DOMMatrix'] = StillMatrix;
  scope['Path2D'] = StillPath;
  scope['ImageData'] = StillImage;
  scope['FontFace'] ??= StillFace;
  const [pdfjs] = await Promise.all([
    import('pdfjs-dist/legacy/build/pdf.mjs'),
    // Puts its message handler on globalThis, where pdf.js finds it in place of starting a worker.
    import(WORKER_MODULE),
  ]);
  return pdfjs;
}

/** Not a literal: the module has no types, and none of its exports is used. */
const WORKER_MODULE: string = 'pdfjs-dist/legacy/build/pdf.worker.mjs';

/** Where the bytes come from: the whole file, or its length and pieces of it on demand. */
export type PdfBytes = Uint8Array | RangedBytes;

/** A file that is read piece by piece. */
export interface RangedBytes {
  readonly size: number;
  /** The bytes of `[from, to)`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** An open document; `close` frees what it holds. */
export interface Pdf {
  readonly pdfjs: PdfJs;
  readonly document: PDFDocumentProxy;
  close(): Promise<void>;
}

/** Bytes asked for at once. pdf.js asks for runs of chunks; 64 KiB is its own choice for the web. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Opens the document with the empty user password.
 * @param pdfjsFolder file URL of the installed `pdfjs-dist`, with a slash at its end
 * @throws what pdf.js throws: `PasswordException`, `InvalidPDFException`, ...
 */
export async function openPdf(bytes: PdfBytes, pdfjsFolder: string): Promise<Pdf> {
  loading ??= load();
  const pdfjs = await loading;
  const task = pdfjs.getDocument({
    ...(bytes instanceof Uint8Array ? { data: bytes } : { range: ranged(pdfjs, bytes) }),
    rangeChunkSize: CHUNK_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    cMapUrl: `${pdfjsFolder}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${pdfjsFolder}standard_fonts/`,
    wasmUrl: `${pdfjsFolder}wasm/`,
    iccUrl: `${pdfjsFolder}iccs/`,
    useWorkerFetch: false,
    useSystemFonts: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    // False spares the outlines of every glyph; the stand-ins below take the fonts.
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
