// Why a text is not YAML, as a typed error with line and column.

import { NotThisFormat, oneLine } from '../../../src/contract/index.ts';

const MAX_MESSAGE = 150;

/** Why the source is not YAML, and where. */
export class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function refusalOf(error: unknown, source: string): unknown {
  if (error instanceof RangeError)
    return new NotThisFormat(
      { code: 'INVALID_SYNTAX', message: 'Not read as YAML: nested too deeply.' },
      error,
    );
  if (!(error instanceof Refusal)) return error;
  const offset = Math.min(error.offset, source.length);
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  // The package's message may quote the file.
  const what = oneLine(error.message).replaceAll('`', "'").slice(0, MAX_MESSAGE);
  return new NotThisFormat({
    code: 'INVALID_SYNTAX',
    message: `Not valid YAML: ${what} at line ${line}, column ${column}.`,
  });
}
