// PDF files: as they are where the request takes them and the share pays for them, else their text.

import { plural } from '../contract/index.ts';
import type { Look } from './look.ts';
import { CHANGED, contentOf, headingOf, left, type Outcome, type Turn } from './outcome.ts';
import { type GivePictures, giveText } from './text.ts';

/** A PDF. */
export async function givePdf(
  look: Look & { readonly kind: 'pdf' },
  turn: Turn,
  pictures: GivePictures,
): Promise<Outcome> {
  const { allowance, tools, share } = turn;
  const refusal = look.refused ?? allowance.refusesDocument(look.bytes, look.pages);
  const heading = headingOf(look.name);
  const around = tools.count(heading);
  const cost = look.pages * allowance.limits.pdfTokensPerPage.value;
  if (refusal !== undefined) return giveText(look, turn, refusal, pictures);
  if (around + cost > share)
    return giveText(look, turn, `as a PDF it would take about ${plural(cost, 'token')}`, pictures);
  const data = await contentOf(look, turn);
  if (!data) return left(look, CHANGED, turn);
  allowance.takeDocument(data.length, look.pages);
  allowance.takeText(heading);
  allowance.takeTokens(around + cost);
  return {
    given: 'native',
    tokens: around + cost,
    note: `Given as it is: a PDF of ${plural(look.pages, 'page')}.`,
    mimeType: 'application/pdf',
    parts: [
      { kind: 'label', text: heading },
      { kind: 'document', data, mimeType: 'application/pdf', name: look.name, pages: look.pages },
    ],
  };
}
