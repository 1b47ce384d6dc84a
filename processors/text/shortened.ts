// Shortens a line for a list of lines.

import { safeCut } from '../../src/contract/index.ts';

const MAX_LINE = 200;

export function shortened(line: string, most: number = MAX_LINE): string {
  const end = safeCut(line, most);
  return end < line.length ? `${line.slice(0, end).trimEnd()}…` : line.trimEnd();
}
