// Token count of a text file before it is read: exact for most, approximate for a large one.

import { TextDecoder } from 'node:util';
import { type Limits, type Tokens, throwIfAborted } from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';
import type { Converted } from './converter.ts';
import { decode } from './decoding/decode.ts';
import type { Session } from './session.ts';

/** Maximum bytes counted exactly; takes about a tenth of a second. */
const EXACT_BYTES = 1024 * 1024;
/** Number of samples counted in a larger file, spread evenly. */
const SAMPLES = 16;
const SAMPLE_BYTES = EXACT_BYTES / SAMPLES;

/** Known token count of a file. */
export type TextTokens = { readonly tokens?: Tokens; readonly tokensAbout?: Tokens };

/**
 * Tokens of a file whose text is shown unchanged; nothing for other files, nor for a file inside another, whose bytes
 * only the reading process has.
 */
export async function textTokens(
  { opened, entered, request, signal }: Session,
  { processor, encoding }: Converted,
  { counter, limits }: { readonly counter: TokenCounter; readonly limits: Limits },
): Promise<TextTokens> {
  const { source } = opened;
  const own = opened.entry === undefined && entered.source.name === source.name;
  if (!own || !processor.textual || processor.keeps || processor.converts || encoding === undefined)
    return {};
  const sized = source.size;
  if (sized <= EXACT_BYTES) {
    const decoded = await decode(source, request.encoding ?? encoding.name, limits, signal);
    return { tokens: counter.count(utf8(await decoded.source.read(0, decoded.source.size))) };
  }
  // In another encoding, a sample may start inside a character, which costs a few tokens at each end.
  const decoder = decoderFor(request.encoding ?? encoding.name);
  if (!decoder) return {};
  let tokens = 0;
  for (let at = 0; at < SAMPLES; at += 1) {
    throwIfAborted(signal);
    const start = Math.floor(((sized - SAMPLE_BYTES) * at) / (SAMPLES - 1) / 4) * 4;
    tokens += counter.count(decoder.decode(await source.read(start, SAMPLE_BYTES)));
  }
  const about = (tokens * sized) / (SAMPLES * SAMPLE_BYTES);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(about)) - 2);
  return { tokensAbout: Math.round(about / unit) * unit };
}

const utf8 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

function decoderFor(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding);
  } catch {
    return undefined; // not an encoding every Node supports
  }
}
