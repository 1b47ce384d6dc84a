// One file's turn: which of the ways to give it is taken. Keeps to the allowance; the order of the files is not its
// business.

import type { ClassifiedFile } from './classify.ts';
import { givePdf } from './document.ts';
import type { Outcome, Turn } from './outcome.ts';
import { giveImage, picturesOf } from './picture.ts';
import { scansBy } from './scans.ts';
import { giveSound } from './sound.ts';
import { giveText } from './text.ts';

/** Decides, and takes what it uses from the allowance, tokens included. @throws {ReaderError} of this file, or ABORTED */
export async function give(file: ClassifiedFile, turn: Turn): Promise<Outcome> {
  switch (file.kind) {
    case 'failed':
      return {
        given: 'nothing',
        tokens: 0,
        note: `Not given: ${file.error.message}`,
        error: file.error,
        parts: [],
        ...(file.path !== undefined && { given: 'reference' }),
        ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
      };
    case 'empty':
      return { given: 'nothing', tokens: 0, note: 'Not given: the file is empty, 0 bytes.', parts: [] };
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
