// Full well-formedness checks for documents small enough to be read whole: saxes for the document, `doctype.ts` for the
// document type. Entities are neither expanded nor looked up.

import { type Bytes, type TextSource, throwIfAborted } from '../../../src/contract/index.ts';
import { isName } from './doctype.ts';
import { notWellFormed } from './document.ts';

/** Documents up to this size are validated completely. */
export const VALIDATED_BYTES: number = 16 * 1024 * 1024;

/** How far into a larger document the position of an error is searched. */
const SEARCHED_BYTES = 64 * 1024 * 1024;

/** Beyond these limits saxes would use too much memory for a document of this size, so it is left unvalidated. */
const MAX_DEPTH = 50_000;
const MAX_ATTRIBUTES = 50_000;

/** Ends a parse at its first error, or when continuing would cost too much. */
class TooMuch extends Error {}

/**
 * Parses chunks of text as one document. `declared`: entities may be declared elsewhere. `unfinished`: more text
 * follows.
 * @returns the error; `'unknown'` if it is nested too deeply to check; undefined if it is well-formed
 */
async function faultIn(
  pieces: AsyncIterable<string> | Iterable<string>,
  options: { readonly declared?: boolean; readonly unfinished?: boolean } = {},
): Promise<
  { readonly what: string; readonly line: number; readonly column: number } | 'unknown' | undefined
> {
  const { SaxesParser } = await import('saxes');
  const parser = new SaxesParser({ xmlns: false, position: true });
  let fault: { what: string; line: number; column: number } | undefined;
  let depth = 0;
  let attributes = 0;
  parser.on('error', (error) => {
    if (fault) return;
    const [, line = '1', column = '1', what = error.message] =
      /^(\d+):(\d+): (.*)$/s.exec(error.message) ?? [];
    fault = {
      what: what.replace(/\.$/, '').slice(0, 120),
      line: Number(line),
      column: Math.max(1, Number(column)),
    };
    throw new TooMuch();
  });
  // With a document type, entities may be declared in places that are not read: none counts as undeclared.
  const declare = (): void => {
    parser.ENTITIES = new Proxy(
      {},
      { get: (_, name) => (typeof name === 'string' && isName(name) ? '' : undefined) },
    );
  };
  if (options.declared) declare();
  parser.on('doctype', declare);
  parser.on('opentagstart', () => {
    attributes = 0;
    if (++depth > MAX_DEPTH) throw new TooMuch();
  });
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw new TooMuch();
  });
  parser.on('closetag', () => {
    depth--;
  });
  try {
    for await (const piece of pieces) parser.write(piece);
    if (!options.unfinished) parser.close();
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return fault ?? 'unknown';
  }
  return fault;
}

async function* textOf(source: TextSource, signal: AbortSignal, most: Bytes): AsyncGenerator<string> {
  let read = 0;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    yield decoder.decode(chunk, { stream: true });
    read += chunk.length;
    if (read >= most) return;
  }
  yield decoder.decode();
}

/**
 * False if the document was too large or too deep to validate.
 * @throws {NotThisFormat} with the position of the first error
 */
export async function validate(source: TextSource, signal: AbortSignal): Promise<boolean> {
  if (source.size > VALIDATED_BYTES) return false;
  const fault = await faultIn(textOf(source, signal, VALIDATED_BYTES));
  if (fault === 'unknown') return false;
  if (fault) throw notWellFormed(fault.what, fault.line, fault.column);
  return true;
}

/**
 * Validates the shown part of a document that is too large to validate whole.
 * @throws {NotThisFormat} with the position, if it is close enough to the start to be found
 */
export async function validateShown(source: TextSource, shown: string, signal: AbortSignal): Promise<void> {
  const fault = await faultIn([shown], { declared: true });
  if (!fault || fault === 'unknown') return;
  const placed = await faultIn(textOf(source, signal, SEARCHED_BYTES), { declared: true, unfinished: true });
  if (placed && placed !== 'unknown') throw notWellFormed(placed.what, placed.line, placed.column);
  throw notWellFormed(`${fault.what}, in the part that would be shown`);
}
