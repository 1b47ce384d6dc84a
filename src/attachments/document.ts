// PDF files: included unchanged if the request accepts them and the share pays for them, else as text.

import { headingOf, plural, throwIfAborted } from '../contract/index.ts';
import type { ClassifiedFile } from './classify.ts';
import { CHANGED, contentOf, left, type Outcome, type Turn } from './outcome.ts';
import { type GivePictures, giveText } from './text.ts';

/** A PDF. */
export async function givePdf(
  file: ClassifiedFile & { readonly kind: 'pdf' },
  turn: Turn,
  pictures: GivePictures,
): Promise<Outcome> {
  const { allowance, tools, share } = turn;
  const refusal = file.refused ?? allowance.refusesDocument(file.bytes, file.pages);
  const heading = headingOf(file.name);
  const around = tools.count(heading);
  const cost = file.pages * allowance.limits.pdfTokensPerPage.value;
  if (refusal !== undefined) return giveText(file, turn, refusal, pictures);
  if (around + cost > share)
    return {
      ...(await giveText(file, turn, `as a PDF it would take about ${plural(cost, 'token')}`, pictures)),
      wants: around + cost,
    };
  const data = await contentOf(file, turn);
  if (!data) return left(file, CHANGED, turn);
  if (!(await opens(data, file.pages, turn)))
    return giveText(file, turn, 'not all of its pages can be opened', pictures);
  allowance.takeDocument(data.length, file.pages);
  allowance.takeText(heading);
  allowance.takeTokens(around + cost);
  return {
    given: 'native',
    tokens: around + cost,
    note: `Included unchanged: a PDF of ${plural(file.pages, 'page')}.`,
    mimeType: 'application/pdf',
    parts: [
      { kind: 'label', text: heading },
      { kind: 'document', data, mimeType: 'application/pdf', name: file.name, pages: file.pages },
    ],
  };
}

/** True if the first and the last page of exactly these bytes can be opened. */
async function opens(bytes: Uint8Array, pages: number, { tools, signal }: Turn): Promise<boolean> {
  for (const page of new Set([1, pages])) {
    const read = await tools.reader.read(
      { name: 'document.pdf', bytes },
      { pages: String(page), maxTokens: 100, signal },
    );
    throwIfAborted(signal);
    // Other content may also be skipped: attached files, forms. A warning about a page starts with its number.
    const lost = (message: string): boolean => message.startsWith(`Page ${page} `);
    if (
      !read.success ||
      read.warnings.some(({ code, message }) => code === 'SKIPPED_CONTENT' && lost(message))
    )
      return false;
  }
  return true;
}
