// ISO-2022-KR (RFC 1557) and ISO-2022-CN (RFC 1922): text of 7 bits, in which shifts choose between ASCII and a Korean or
// Chinese set. TextDecoder and iconv-lite have neither.

export type Shifted = 'iso-2022-kr' | 'iso-2022-cn';

export const isShifted = (name: string): name is Shifted => name === 'iso-2022-kr' || name === 'iso-2022-cn';

const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const LINE_FEED = 0x0a;
/** For characters of CNS 11643, which has no table here. */
const UNKNOWN = '\ufffd';

/** A byte of a set of 94 times 94 characters. */
const isSetByte = (byte: number): boolean => byte > 0x20 && byte < 0x7f;

/** The text; characters of CNS 11643 and invalid ones become U+FFFD. */
export function decodeShifted(bytes: Uint8Array, name: Shifted): string {
  const isKorean = name === 'iso-2022-kr';
  const target = new Uint8Array(bytes.length);
  const decoder = new TextDecoder(isKorean ? 'euc-kr' : 'gbk');
  let text = '';
  let length = 0;
  const endWith = (unknown: string): void => {
    text += decoder.decode(target.subarray(0, length)) + unknown;
    length = 0;
  };
  let isOut = false;
  let isKnown = true;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === SHIFT_OUT || byte === SHIFT_IN) isOut = byte === SHIFT_OUT;
    else if (
      byte === ESCAPE &&
      bytes[at + 1] === 0x24 &&
      (bytes[at + 2] === 0x29 || bytes[at + 2] === 0x2a)
    ) {
      // `ESC $ ) F` designates what shift out chooses: A is GB 2312, C is KS X 1001.
      if (bytes[at + 2] === 0x29) isKnown = bytes[at + 3] === (isKorean ? 0x43 : 0x41);
      at += 3;
    } else if (byte === ESCAPE && bytes[at + 1] === 0x4e) {
      // A single shift to CNS 11643, plane 2.
      endWith(UNKNOWN);
      at += 3;
    } else if (isOut && isSetByte(byte)) {
      const second = bytes[at + 1] ?? 0;
      if (!isSetByte(second)) endWith(UNKNOWN);
      else {
        at += 1;
        if (isKnown) {
          target.set([byte | 0x80, second | 0x80], length);
          length += 2;
        } else endWith(UNKNOWN);
      }
    } else {
      // A line starts in ASCII.
      if (byte === LINE_FEED) isOut = false;
      target[length] = byte;
      length += 1;
    }
  }
  endWith('');
  return text;
}
