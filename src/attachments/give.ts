// Decides how one file is included, within the allowance. The order of the files is decided elsewhere.

import type { ClassifiedFile } from './classify.ts';
import { givePdf } from './document.ts';
import type { Outcome, Turn } from './outcome.ts';
import { giveImage, picturesOf } from './picture.ts';
import { scansBy } from './scans.ts';
import { giveSound } from './sound.ts';
import { giveText } from './text.ts';

/**
 * Decides, and deducts what it uses, tokens included, from the allowance. @throws {ReaderError} for this file, or
 * ABORTED
 */
export async function give(file: ClassifiedFile, turn: Turn): Promise<Outcome> {
  switch (file.kind) {
    case 'failed':
      return {
        given: 'nothing',
        tokens: 0,
        note: `Not included: ${file.error.message}`,
        error: file.error,
        parts: [],
        ...(file.path !== undefined && { given: 'reference' }),
        ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
      };
    case 'empty':
      return { given: 'nothing', tokens: 0, note: 'Not included: the file is empty, 0 bytes.', parts: [] };
    case 'text':
      return giveText(file, turn, '', scansBy(picturesOf));
    case 'image':
      return giveImage(file, turn);
    case 'pdf':
      return givePdf(file, turn, scansBy(picturesOf));
    case 'audio':
      return giveSound(file, turn);
  }
}
