// The placeholder for an unreadable page.

import type { Section } from '../document.ts';

/** The section of an unreadable page. */
export function brokenPage(number: number, reason?: string): Section {
  return {
    blocks: [{ kind: 'page', number }],
    kind: 'broken',
    warnings: [
      {
        code: 'SKIPPED_CONTENT',
        message: `Page ${number} could not be read${reason === undefined ? '' : ` (${reason})`} and is left out.`,
      },
    ],
  };
}
