// Decoders by name: the platform's where it is better, iconv-lite's for the rest.

import { quoted, ReaderError } from '../contract/index.ts';
import { decodeShifted, isShifted } from './iso-2022.ts';

/** Bytes to text. */
export type Codec = (bytes: Uint8Array) => string;

/** Decoded by the platform's TextDecoder (WHATWG Encoding): iconv-lite lacks ISO-2022-JP. */
const PLATFORM_ONLY: ReadonlySet<string> = new Set(['iso-2022-jp', 'euc-kr']);

/** iconv-lite's names for binary-to-text encodings, which are not file encodings. */
const TRANSFER_ENCODINGS: ReadonlySet<string> = new Set(['base64', 'hex']);

/** True for a known file encoding. */
export async function isKnown(name: string): Promise<boolean> {
  if (PLATFORM_ONLY.has(name) || isShifted(name)) return true;
  const { default: iconv } = await import('iconv-lite');
  return /^[a-z][\w.:-]*$/.test(name) && !TRANSFER_ENCODINGS.has(name) && iconv.encodingExists(name);
}

/** @throws {ReaderError} BAD_INPUT for an unknown name */
export async function loadCodec(name: string): Promise<Codec> {
  if (name === 'utf-8') {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return (bytes) => decoder.decode(bytes);
  }
  if (isShifted(name)) return (bytes) => decodeShifted(bytes, name);
  if (PLATFORM_ONLY.has(name)) return (bytes) => decodeStandard(bytes, name) ?? '';
  const { default: iconv } = await import('iconv-lite');
  if (!(await isKnown(name)))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(name)} is not a supported encoding.`,
      'Use one such as `utf-8`, `utf-16le`, `windows-1252`, `shift_jis`, `gb18030`, or omit `encoding`.',
    );
  return (bytes) =>
    iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), name, { stripBOM: false });
}

/** Bytes 0x80 to 0x9f of windows-1252. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Text by a label of the WHATWG Encoding standard; undefined for other labels. TextDecoder of Node 20 decodes
 * windows-1252, also under its labels `latin1` and `ascii`, as ISO-8859-1: quotation marks became control characters.
 */
export function decodeStandard(bytes: Uint8Array, label: string): string | undefined {
  try {
    const decoder = new TextDecoder(label);
    if (decoder.encoding !== 'windows-1252') return decoder.decode(bytes);
  } catch {
    return undefined;
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (one) => WINDOWS[one.charCodeAt(0) - 0x80] ?? one);
}
