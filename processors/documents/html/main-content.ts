// Finds the main content of a web page.

import type { Warning } from '../../../src/contract/index.ts';
import type { Survey } from './survey.ts';

/** Marks what is left out as `CHROME`. */
export function leaveOutChrome(_survey: Survey): Warning | undefined {
  return undefined;
}
