// The code pages of RTF: by `\ansicpg`, and by the character set of a font (RTF 1.9.1, `\fcharset`).

const BY_CHARSET: Readonly<Record<number, string>> = {
  77: 'macroman',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
  255: 'cp437',
};

/** The name iconv-lite knows a font's character set by; undefined for 0 and 1, which mean the document's own. */
export function charsetOfFont(number: number): string | undefined {
  return BY_CHARSET[number];
}

/** The name iconv-lite knows a Windows or DOS code page by. */
export function charsetOfCodePage(number: number): string {
  if (number === 10000) return 'macroman';
  if (number === 65001) return 'utf-8';
  if (number === 1361) return 'cp949';
  return `cp${number}`;
}
