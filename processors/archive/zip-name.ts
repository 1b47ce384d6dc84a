// Names of zip entries as text, and what their methods of packing are called.

import { crc32 } from 'node:zlib';

/** Code page 437, from 0x80 on: what a name is in where nothing says otherwise (APPNOTE, appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 where the flag or an extra field says so or the bytes are valid in it, else code page 437. */
export function zipName(bytes: Uint8Array, extra: Uint8Array, flagged: boolean): string {
  if (flagged) return lossy.decode(bytes);
  const unicode = unicodePath(bytes, extra);
  if (unicode !== undefined) return unicode;
  try {
    return utf8.decode(bytes);
  } catch {
    let name = '';
    for (const byte of bytes) name += byte < 0x80 ? String.fromCharCode(byte) : CP437.charAt(byte - 0x80);
    return name;
  }
}

/** Info-ZIP's Unicode path, where its checksum says that it is of this very name. */
function unicodePath(name: Uint8Array, extra: Uint8Array): string | undefined {
  const data = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + data.getUint16(at + 2, true);
    if (data.getUint16(at, true) === 0x7075 && at + 9 <= end && end <= extra.length)
      return data.getUint32(at + 5, true) === crc32(name)
        ? lossy.decode(extra.subarray(at + 9, end))
        : undefined;
    at = end;
  }
  return undefined;
}

/** APPNOTE 4.4.5. */
const METHODS: Readonly<Record<number, string>> = {
  1: 'shrink',
  2: 'reduce',
  3: 'reduce',
  4: 'reduce',
  5: 'reduce',
  6: 'implode',
  9: 'deflate64',
  10: 'PKWARE implode',
  12: 'bzip2',
  14: 'LZMA',
  16: 'IBM CMPSC',
  18: 'IBM TERSE',
  19: 'IBM LZ77',
  93: 'Zstandard',
  94: 'MP3',
  95: 'XZ',
  96: 'JPEG',
  97: 'WavPack',
  98: 'PPMd',
  99: 'AES',
};

export function methodName(method: number): string {
  return METHODS[method] ?? `method ${method}`;
}
