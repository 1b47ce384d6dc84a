// Writes small PDF files for tests, sound ones and hostile ones.

export interface PdfStream {
  /** What stands in the stream's dictionary, besides its length. */
  readonly dictionary?: string;
  readonly bytes: Uint8Array | string;
}

export interface PdfOptions {
  /** What stands in the trailer, besides size and root; `@` is the offset of the cross-reference table. */
  readonly trailer?: string;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A file of the objects, numbered from 1; the first is the catalog. */
export function pdfFile(objects: readonly (string | PdfStream)[], options: PdfOptions = {}): Buffer {
  const pieces: Buffer[] = [latin1('%PDF-1.4\n')];
  const offsets: number[] = [];
  let at = 9;
  objects.forEach((object, index) => {
    const body =
      typeof object === 'string'
        ? latin1(object)
        : Buffer.concat([
            latin1(`<< ${object.dictionary ?? ''} /Length ${object.bytes.length} >>\nstream\n`),
            typeof object.bytes === 'string' ? latin1(object.bytes) : object.bytes,
            latin1('\nendstream'),
          ]);
    const piece = Buffer.concat([latin1(`${index + 1} 0 obj\n`), body, latin1('\nendobj\n')]);
    offsets.push(at);
    pieces.push(piece);
    at += piece.length;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = (options.trailer ?? '').replaceAll('@', String(at));
  pieces.push(
    latin1(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} ` +
        `/Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

export interface PageOptions {
  /** Entries of the page's dictionary: `/Rotate 90`. */
  readonly page?: string;
  /** Resources besides the fonts `F` (Helvetica) and `B` (Helvetica-Bold). */
  readonly resources?: string;
  /** Entries of the content stream's dictionary. */
  readonly content?: string;
  /** Objects from number 7 on. */
  readonly more?: readonly (string | PdfStream)[];
  /** Entries of the catalog. */
  readonly catalog?: string;
}

/** One page of 600 by 800 points with this content. */
export function onePage(content: Uint8Array | string, options: PageOptions = {}): Buffer {
  return pdfFile([
    `<< /Type /Catalog /Pages 2 0 R ${options.catalog ?? ''} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R ${options.page ?? ''} ` +
      `/Resources << /Font << /F 5 0 R /B 6 0 R >> ${options.resources ?? ''} >> >>`,
    { bytes: content, ...(options.content !== undefined && { dictionary: options.content }) },
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    ...(options.more ?? []),
  ]);
}

/** Pages of one line each: `Line n`. */
export function manyPages(count: number, padding = 0): Buffer {
  const first = 5;
  const kids = Array.from({ length: count }, (_, index) => `${first + 2 * index} 0 R`).join(' ');
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    { bytes: Buffer.alloc(padding, 0x20) },
    ...Array.from({ length: count }, (_, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${first + 2 * index + 1} 0 R ` +
        `/Resources << /Font << /F 3 0 R >> >> >>`,
      { bytes: `BT /F 12 Tf 72 700 Td (Line ${index + 1}) Tj ET` },
    ]).flat(),
  ]);
}
