// The rich body of an Outlook message: decompresses RTF ([MS-OXRTFCP]), and extracts HTML wrapped in RTF
// ([MS-OXRTFEX]).

import { decodeWord } from '../mail/charset.ts';
import { charsetOfCodePage } from '../rtf/charset.ts';
import { RtfTokens } from '../rtf/token.ts';
import { words } from '../words.ts';

/** Initial content of the dictionary ([MS-OXRTFCP] 2.1.3.1). */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const PACKED = 0x75465a4c;
const PLAIN = 0x414c454d;
const WINDOW = 4096;

/**
 * Decompresses RTF; undefined if it is not compressed RTF. A 2-byte reference produces at most 17 bytes, which bounds
 * the output.
 */
export function unpackRtf(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 16) return undefined;
  const magic = bytes.readUInt32LE(8);
  if (magic === PLAIN) return bytes.subarray(16);
  if (magic !== PACKED) return undefined;
  const window = Buffer.alloc(WINDOW);
  let write = window.write(DICTIONARY, 'latin1');
  // The stated length may be wrong, so limit it to the most that references can produce.
  const out = Buffer.alloc(Math.min(bytes.readUInt32LE(4), (bytes.length - 16) * 9));
  let length = 0;
  const put = (byte: number): void => {
    out[length++] = byte;
    window[write] = byte;
    write = (write + 1) % WINDOW;
  };
  for (let at = 16; at < bytes.length && length < out.length; ) {
    const control = bytes[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < bytes.length; bit += 1) {
      if ((control & (1 << bit)) === 0) {
        put(bytes[at++] ?? 0);
        continue;
      }
      if (at + 2 > bytes.length) return out.subarray(0, length);
      const reference = bytes.readUInt16BE(at);
      at += 2;
      const from = reference >> 4;
      // A reference to the current write position marks the end.
      if (from === write) return out.subarray(0, length);
      for (let i = 0; i < (reference & 0xf) + 2; i += 1) put(window[(from + i) % WINDOW] ?? 0);
    }
  }
  return out.subarray(0, length);
}

/** Groups without page text. */
const SILENT: ReadonlySet<string> = new Set(
  words('fonttbl colortbl stylesheet info pntext pict object mhtmltag generator'),
);
const CHARACTERS: Readonly<Record<string, string>> = {
  par: '\r\n',
  line: '\r\n',
  tab: '\t',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  endash: '\u2013',
  emdash: '\u2014',
  emspace: '\u2003',
  enspace: '\u2002',
};

interface Group {
  /** True if its text is not part of the page. */
  silent: boolean;
  /** Inside `\*\htmltag`: literal HTML. */
  tag: boolean;
  /** Inside `\htmlrtf`: content for RTF readers only. */
  hidden: boolean;
  /** Number of fallback characters after a `\u`. */
  fallback: number;
}

/** The HTML wrapped in the RTF; undefined if it was not created from HTML. */
export function htmlOfRtf(rtf: Uint8Array): string | undefined {
  const head = Buffer.from(rtf.subarray(0, 4096)).toString('latin1');
  if (!/\\fromhtml1?\b/.test(head)) return undefined;
  const codePage = /\\ansicpg(\d{2,5})/.exec(head)?.[1];
  const charset = charsetOfCodePage(Number(codePage ?? 1252));
  const tokens = new RtfTokens(rtf);
  const groups: Group[] = [];
  let group: Group = { silent: false, tag: false, hidden: false, fallback: 1 };
  const pieces: string[] = [];
  let bytes: number[] = [];
  let skip = 0;
  let starred = false;
  const flush = (): void => {
    if (bytes.length > 0) pieces.push(decodeWord(Uint8Array.from(bytes), charset));
    bytes = [];
  };
  const say = (text: string): void => {
    if (group.silent || group.hidden) return;
    flush();
    pieces.push(text);
  };
  while (tokens.next()) {
    const { kind, word, value } = tokens;
    if (kind === 'open') {
      if (groups.length < MAX_DEPTH) groups.push(group);
      group = { ...group };
      starred = false;
    } else if (kind === 'close') {
      group = groups.pop() ?? group;
      skip = 0;
    } else if (kind === 'byte' || kind === 'text') {
      const from = kind === 'byte' ? [tokens.byte] : rtf.subarray(tokens.from, tokens.to);
      for (const byte of from) {
        if (skip > 0) skip -= 1;
        else if (!group.silent && !group.hidden) bytes.push(byte);
      }
    } else if (kind === 'symbol') {
      if (word === '*') starred = true;
      else if (word === '~') say('\u00a0');
      else if (word === '_') say('\u00ad');
      else if ('{}\\'.includes(word)) say(word);
    } else if (word === 'htmltag' && starred) {
      group.tag = true;
      group.silent = false;
    } else if (word === 'htmlrtf') group.hidden = value !== 0;
    else if (SILENT.has(word) || (starred && !group.tag)) group.silent = true;
    else if (word === 'uc') group.fallback = Math.min(10, Math.max(0, value ?? 1));
    else if (word === 'u' && value !== undefined) {
      say(String.fromCharCode(value & 0xffff));
      skip = group.fallback;
    } else {
      const character = CHARACTERS[word];
      if (character !== undefined) say(character);
    }
    if (kind === 'word') starred = false;
  }
  flush();
  return pieces.join('');
}

/** Deeper groups are read as part of their parent. */
const MAX_DEPTH = 10_000;
