// One file's turn: which of the ways to give it is taken. Keeps to the allowance; the order of the files is not its
// business.

import { givePdf } from './document.ts';
import type { Look } from './look.ts';
import type { Outcome, Turn } from './outcome.ts';
import { giveImage, picturesOf } from './picture.ts';
import { scansBy } from './scans.ts';
import { giveSound } from './sound.ts';
import { giveText } from './text.ts';

/** Decides, and takes what it uses from the allowance, tokens included. @throws {ReaderError} of this file, or ABORTED */
export async function give(look: Look, turn: Turn): Promise<Outcome> {
  switch (look.kind) {
    case 'failed':
      return {
        given: 'nothing',
        tokens: 0,
        note: `Not given: ${look.error.message}`,
        error: look.error,
        parts: [],
        ...(look.path !== undefined && { given: 'reference' }),
        ...(look.mimeType !== undefined && { mimeType: look.mimeType }),
      };
    case 'empty':
      return { given: 'nothing', tokens: 0, note: 'Not given: the file is empty, 0 bytes.', parts: [] };
    case 'text':
      return giveText(look, turn, '', scansBy(picturesOf));
    case 'image':
      return giveImage(look, turn);
    case 'pdf':
      return givePdf(look, turn, scansBy(picturesOf));
    case 'audio':
      return giveSound(look, turn);
  }
}
