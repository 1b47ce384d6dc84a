// PDF files: included unchanged if the request accepts them and the share pays for them, else as text.

import { headingOf, plural, type Tokens, throwIfAborted } from '../contract/index.ts';
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
  if (refusal === undefined && turn.prefer === 'text')
    return giveText(file, turn, `as a PDF it would take about ${plural(cost, 'token')}`, pictures);
  if (refusal !== undefined) return giveText(file, turn, refusal, pictures);
  if (tools.reader.redactor)
    return giveText(file, turn, 'secrets can be replaced in its text only', pictures);
  if (around + cost > share)
    return {
      ...(await giveText(file, turn, `as a PDF it would take about ${plural(cost, 'token')}`, pictures)),
      wants: around + cost,
    };
  const data = await contentOf(file, turn);
  if (!data) return left(file, CHANGED, turn);
  const checked = await check(data, file.pages, cost, turn);
  if (!checked) return giveText(file, turn, 'not all of its pages can be opened', pictures);
  allowance.takeDocument(data.length, file.pages);
  allowance.takeText(heading);
  allowance.takeTokens(around + cost);
  return {
    given: 'native',
    tokens: around + cost,
    note: `Included unchanged: a PDF of ${plural(file.pages, 'page')}, about ${plural(cost, 'token')}${
      checked.text === undefined ? '' : ` (${checked.text} as text)`
    }.`,
    mimeType: 'application/pdf',
    parts: [
      { kind: 'label', text: heading },
      { kind: 'document', data, mimeType: 'application/pdf', name: file.name, pages: file.pages },
    ],
  };
}

/** A PDF of up to this many pages is read as a whole to say what its text would cost. */
const COUNTED_PAGES = 30;

/**
 * Opens exactly these bytes: all pages of a short file, else the first and the last. Undefined if a page does not open;
 * `text`: tokens of the file as text, if that is less than `cost`.
 */
async function check(
  bytes: Uint8Array,
  pages: number,
  cost: Tokens,
  { tools, signal }: Turn,
): Promise<{ readonly text: Tokens | undefined } | undefined> {
  const isShort = pages <= COUNTED_PAGES;
  const input = { name: 'document.pdf', bytes };
  const requests = isShort
    ? [{ maxTokens: cost }]
    : [1, pages].map((page) => ({ pages: String(page), maxTokens: 100 }));
  let text: Tokens | undefined;
  for (const request of requests) {
    const read = await tools.reader.read(input, { ...request, signal });
    throwIfAborted(signal);
    // Other content may also be skipped: attached files, forms. A warning about a page starts with its number.
    if (!read.success) return undefined;
    const isLost = read.warnings.some(
      ({ code, message }) => code === 'SKIPPED_CONTENT' && /^Page \d+ /.test(message),
    );
    if (isLost) return undefined;
    const isScanned = read.warnings.some(({ code }) => code === 'SCANNED_PAGES');
    if (isShort && read.truncation === null && !isScanned) text = tools.count(read.text);
  }
  return { text };
}
