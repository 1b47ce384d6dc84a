// The XML parts of a written workbook (ECMA-376 part 1, 18).

import { marked } from './sink.ts';

export const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
export const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Every XML part is a worksheet unless listed, so this can be written first and sheets added later. */
export const CONTENT_TYPES: string = `${PROLOG}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`;
export const ROOT_RELATIONS: string = `${PROLOG}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
/** Cell styles: 0 general, 1 a day, 2 to the second, 3 to the millisecond. */
export const STYLES: string = `${PROLOG}<styleSheet xmlns="${NAMESPACE}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${[164, 165, 166].map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
const DAY = 86_400_000;
/** Serial number of 1 January 1970 where 1 January 1900 is 1 and 1900 counts as a leap year (part 1, 18.17.4.1). */
const EPOCH = 25_569;
/** Before FIRST_TIME the non-existent leap day makes serial numbers ambiguous; after the last time there are none. */
const FIRST_TIME = Date.UTC(1900, 2, 1);
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function dateXml(value: Date): string {
  const time = value.getTime();
  if (time < FIRST_TIME || time > LAST_TIME) return textXml(value.toISOString());
  const style = time % DAY === 0 ? 1 : time % 1000 === 0 ? 2 : 3;
  return ` s="${style}"><v>${EPOCH + time / DAY}</v></c>`;
}

/** Follows a cell reference: the cell is text, even if it looks like a number. */
export const TEXT_START = ' t="inlineStr"><is><t xml:space="preserve">';
export const TEXT_END = '</t></is></c>';

export function textXml(text: string): string {
  return TEXT_START + xmlOf(text) + TEXT_END;
}

export function xmlOf(text: string): string {
  return UNSAFE.test(text) ? text.replace(EACH_UNSAFE, escaped) : text;
}

/** Characters XML cannot represent or reads differently, and text that looks like the escape for them. */
const UNSAFE = /[&<>\p{Cc}\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/u;
export const MARKED: Uint8Array = marked(/[&<>_\p{Cc}]/u);
const EACH_UNSAFE = new RegExp(UNSAFE, 'gu');
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** `_xHHHH_` is how a cell's text holds any UTF-16 unit (ECMA-376 part 1, 22.9.2.19, ST_Xstring). */
function escaped(found: string): string {
  if (found.length > 1) return `_x005F${found}`;
  const entity = ENTITIES[found];
  if (entity !== undefined) return entity;
  const unit = found.charCodeAt(0);
  if (found === '\t' || found === '\n' || (unit >= 0x7f && unit < 0xfffe)) return found;
  return `_x${unit.toString(16).toUpperCase().padStart(4, '0')}_`;
}
