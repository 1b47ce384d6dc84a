// Decodes the transfer encoding of a part's body (RFC 2045, 6).

/** The decoded bytes of a body. Unknown encodings are returned unchanged; damaged ones as far as possible. */
export function decodeTransfer(body: Uint8Array, encoding: string): Uint8Array {
  switch (encoding) {
    case 'base64':
      return base64(body);
    case 'quoted-printable':
      return quotedPrintable(body);
    case 'x-uuencode':
    case 'uuencode':
    case 'x-uue':
    case 'uue':
      return uudecode(body);
    default:
      return body;
  }
}

/** Skips invalid digits and restarts after padding, as between concatenated stretches. */
function base64(body: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(Math.ceil((body.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (const byte of body) {
    const digit = DIGITS[byte] ?? -1;
    if (digit >= 0) {
      held = ((held << 6) | digit) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      out[length++] = (held >> bits) & 0xff;
    } else if (byte === PAD) bits = 0;
  }
  return out.subarray(0, length);
}

const PAD = 0x3d;
const DIGITS = new Int8Array(256).fill(-1);
for (const [value, digit] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  DIGITS[digit.charCodeAt(0)] = value;

function quotedPrintable(body: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; ) {
    const byte = body[at] ?? 0;
    if (byte !== 0x3d) {
      out[length++] = byte;
      at += 1;
      continue;
    }
    const high = hex(body[at + 1]);
    const low = hex(body[at + 2]);
    if (high >= 0 && low >= 0) {
      out[length++] = high * 16 + low;
      at += 3;
      continue;
    }
    // A soft line break: blanks may separate the sign from the line end.
    let end = at + 1;
    while (body[end] === 0x20 || body[end] === 0x09) end += 1;
    if (body[end] === 0x0d && body[end + 1] === 0x0a) at = end + 2;
    else if (body[end] === 0x0a || body[end] === 0x0d) at = end + 1;
    else if (end >= body.length) at = end;
    else {
      out[length++] = byte;
      at += 1;
    }
  }
  return out.subarray(0, length);
}

function hex(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const upper = byte & 0xdf;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}

function uudecode(body: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  let begun = false;
  for (const line of Buffer.from(body)
    .toString('latin1')
    .split(/\r\n|\n|\r/)) {
    if (!begun) {
      begun = /^begin \d{3,4} /.test(line);
      continue;
    }
    if (line === 'end') break;
    const count = (line.charCodeAt(0) - 0x20) & 0x3f;
    const digit = (at: number): number => ((line.charCodeAt(at) || 0x20) - 0x20) & 0x3f;
    for (let made = 0, at = 1; made < count && at < line.length; at += 4) {
      const group = (digit(at) << 18) | (digit(at + 1) << 12) | (digit(at + 2) << 6) | digit(at + 3);
      for (let shift = 16; shift >= 0 && made < count; shift -= 8, made += 1)
        out[length++] = (group >> shift) & 0xff;
    }
  }
  return out.subarray(0, length);
}
