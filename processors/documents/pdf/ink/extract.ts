// Reads one page of a PDF into ink, without rendering or layout.

import type { PDFPageProxy } from 'pdfjs-dist';
import type { Pdf } from '../open.ts';
import { withActualText } from './actual-text.ts';
import type { Ink } from './ink.ts';
import { IDENTITY, matrixOf } from './matrix.ts';
import { Walk } from './page-walk.ts';
import { linksOf, structureOf } from './structure.ts';

/** The content of one page. Pass its annotations if they are needed for more than links. */
export async function inkOf(pdf: Pdf, page: PDFPageProxy, annotations?: readonly unknown[]): Promise<Ink> {
  const viewport = page.getViewport({ scale: 1 });
  const { document, pdfjs } = pdf;
  const layers = await document.getOptionalContentConfig();
  const operators = await page.getOperatorList({ annotationMode: pdfjs.AnnotationMode.DISABLE });
  const walk = new Walk(
    pdf,
    page,
    matrixOf(viewport.transform) ?? IDENTITY,
    viewport.width,
    viewport.height,
    layers,
  );
  walk.run(operators);
  const structure = await structureOf(page);
  const links = await linksOf(document, annotations ?? (await page.getAnnotations()), viewport);
  return {
    page: page.pageNumber,
    width: viewport.width,
    height: viewport.height,
    ...withActualText(walk.ink(), walk.actualTexts, structure),
    links,
    ...(structure && { structure }),
  };
}
