// What stands in the place of a page that cannot be read.

import type { Section } from '../document.ts';

/** A page of which nothing can be read. */
export function brokenPage(number: number, reason?: string): Section {
  return {
    blocks: [`<!-- page ${number} -->\n`],
    kind: 'broken',
    warnings: [
      {
        code: 'SKIPPED_CONTENT',
        message: `Page ${number} could not be read${reason === undefined ? '' : ` (${reason})`} and is left out.`,
      },
    ],
  };
}
