// Writes a new text in the form of the file it replaces: its encoding, byte order mark and line breaks. Says what was
// kept, and what could not be.

import { ReaderError } from '../contract/index.ts';
import type { TextFile } from './text-file.ts';

/** A text as bytes, and a clause about its form: `, keeping its CRLF line breaks`; empty if nothing is unusual. */
export interface Formed {
  readonly bytes: Uint8Array;
  readonly words: string;
}

const MARK = '\uFEFF';

/** `content` in the form of `file`. */
export function inFormOf(file: TextFile, content: string): Formed {
  const kept: string[] = [];
  let text = content;
  const isMarked = file.text.startsWith(MARK);
  if (isMarked) {
    if (!text.startsWith(MARK)) text = MARK + text;
    kept.push('byte order mark');
  }
  const lost: string[] = [];
  const breaks = breaksOf(file.text);
  if (breaks !== 'LF' && text.includes('\n') && breaksOf(text) !== breaks) {
    if (breaks === 'mixed' || text.includes('\r')) lost.push(`had ${breaks} line breaks, now as given`);
    else {
      text = text.replaceAll('\n', breaks === 'CR' ? '\r' : '\r\n');
      kept.push(`${breaks} line breaks`);
    }
  }
  const encoded = encodedLike(file, text);
  if (encoded && file.encoding !== 'utf-8') kept.unshift(`encoding ${file.encoding}`);
  const bytes = encoded ?? Buffer.from(text, 'utf8');
  if (!encoded) lost.push(`was ${file.encoding} and is now UTF-8`);
  const keeping = kept.length > 0 ? `, keeping its ${kept.join(' and ')}` : '';
  return { bytes, words: keeping + lost.map((one) => `; it ${one}`).join('') };
}

/** `LF` also for a text without line breaks. */
function breaksOf(text: string): 'LF' | 'CRLF' | 'CR' | 'mixed' {
  const crlf = text.includes('\r\n');
  const cr = /\r(?!\n)/.test(text);
  const lf = /(?<!\r)\n/.test(text);
  if (Number(crlf) + Number(cr) + Number(lf) > 1) return 'mixed';
  return crlf ? 'CRLF' : cr ? 'CR' : 'LF';
}

/** Undefined if the encoding is a guess or does not have a character of `text`. */
function encodedLike(file: TextFile, text: string): Uint8Array | undefined {
  if (file.unsureOf && /[^\0-\x7f]/.test(text)) return undefined;
  try {
    return file.encode(text);
  } catch (error) {
    if (error instanceof ReaderError) return undefined;
    throw error;
  }
}
