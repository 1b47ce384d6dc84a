// Decodes any text file: a Source of its UTF-8 bytes, the detected encoding, and the number of invalid sequences.

import { type Limits, plural, type Source, type TextSource, type Warning } from '../../contract/index.ts';
import { chosen, detectEncoding, type Guess, loadCodec } from '../../encoding/index.ts';
import { MemorySource } from '../source/memory.ts';
import type { Label } from '../source/random-access.ts';
import { WindowSource } from '../source/window.ts';
import { convertInPieces } from './pieces.ts';

/** A file as UTF-8, and how it was decoded. */
export interface Decoded {
  readonly source: TextSource;
  readonly warnings: readonly Warning[];
}

const MIB = 1024 * 1024;
/** Files in another encoding are converted at once up to this size, larger ones in pieces. */
const CONVERTED_BYTES = 32 * MIB;

/**
 * `source` as UTF-8. `override` names the encoding and disables detection.
 * @throws {ReaderError} BAD_INPUT for an unknown encoding
 */
export async function decode(
  source: Source,
  override: string | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<Decoded> {
  const head = await source.read(0, Math.min(source.size, MIB));
  const guess = override === undefined ? await detectEncoding(source, head, signal) : chosen(override, head);
  const warnings: Warning[] = [];
  if (guess.name === 'utf-8' && !guess.damaged) {
    const unmarked = { head: 0, from: guess.mark, to: source.size };
    const bytes = guess.mark === 0 ? source : new WindowSource(source, unmarked, limits.maxBytesInMemory);
    return { source: asText(bytes, guess), warnings };
  }
  if (guess.confidence <= 0.5) {
    const others = guess.others?.length ? `, perhaps ${guess.others.join(', ')}` : '';
    warnings.push({
      code: 'ENCODING_GUESSED',
      message: `The encoding is a guess: ${guess.name}, ${Math.round(guess.confidence * 100)} % sure${others}. Ask again with \`encoding\` if the text looks wrong.`,
    });
  }
  const codec = await loadCodec(guess.name);
  let lost = 0;
  const convert = (bytes: Uint8Array): Uint8Array => {
    const text = codec(bytes);
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) lost += 1;
    return Buffer.from(text, 'utf8');
  };
  const label: Label = {
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    maxBytesInMemory: limits.maxBytesInMemory,
  };
  let converted: Source;
  if (source.size <= CONVERTED_BYTES) {
    const whole = convert((await source.read(0, source.size)).subarray(guess.mark));
    converted = new MemorySource(label, whole);
  } else converted = await convertInPieces(source, guess, convert, label, signal);
  if (lost > 0)
    warnings.push({
      code: 'LOSSY_DECODE',
      message: `${plural(lost, 'place')} ${lost === 1 ? 'is' : 'are'} not valid ${guess.name} and ${lost === 1 ? 'is' : 'are'} shown as \ufffd.`,
    });
  return { source: asText(converted, guess), warnings };
}

function asText(source: Source, guess: Guess): TextSource {
  const encoding = {
    name: guess.name,
    confidence: Math.round(guess.confidence * 100) / 100,
    ...(guess.others && guess.others.length > 0 && { others: guess.others }),
  };
  return {
    encoding,
    name: source.name,
    extension: source.extension,
    mimeType: source.mimeType,
    size: source.size,
    identity: async () => `${await source.identity()}/${guess.name}`,
    read: (position, length) => source.read(position, length),
    readInto: (target, position) => source.readInto(target, position),
    chunks: (from) => source.chunks(from),
    bytes: () => source.bytes(),
  };
}

const MEMORY: Label = { name: '', extension: '', mimeType: undefined, maxBytesInMemory: CONVERTED_BYTES };

/**
 * The text of a whole file in memory, decoded as a read decodes it; undefined for UTF-8, and for data with zero bytes that
 * is not UTF-16 or UTF-32.
 */
export async function decodedText(bytes: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const guess = await detectEncoding(new MemorySource(MEMORY, bytes), bytes.subarray(0, MIB), signal);
  if (guess.name === 'utf-8' || (bytes.includes(0) && !guess.name.startsWith('utf-'))) return undefined;
  return (await loadCodec(guess.name))(bytes.subarray(guess.mark));
}
