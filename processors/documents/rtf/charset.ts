// Code pages of RTF: by `\ansicpg`, and by the character set of a font (RTF 1.9.1, `\fcharset`).

import { pairs } from '../words.ts';

const BY_CHARSET = pairs(
  '77 macroman 78 cp932 79 cp949 80 cp936 81 cp950 128 cp932 129 cp949 134 cp936 136 cp950 ' +
    '161 cp1253 162 cp1254 163 cp1258 177 cp1255 178 cp1256 186 cp1257 204 cp1251 222 cp874 ' +
    '238 cp1250 255 cp437',
);

const BY_CODE_PAGE = pairs(
  '1361 cp949 10000 macroman 10001 cp932 10002 cp950 10003 cp949 10006 macgreek 10007 maccyrillic ' +
    '10008 cp936 10029 maccenteuro 10081 macturkish 65001 utf-8',
);

/** The iconv-lite name of a font's character set; undefined for 0 and 1, which mean the document's own. */
export function charsetOfFont(number: number): string | undefined {
  return BY_CHARSET.get(`${number}`);
}

/** The iconv-lite name of a Windows or DOS code page. */
export function charsetOfCodePage(number: number): string {
  return BY_CODE_PAGE.get(`${number}`) ?? `cp${number}`;
}
