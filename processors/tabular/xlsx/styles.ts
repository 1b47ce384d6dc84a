// The styles part of a workbook, reduced to the number format of each cell style.

import { XmlWalk } from '../../../src/package/index.ts';
import { general } from './number-format/decimal.ts';
import { compileFormat, type NumberFormat } from './number-format/format.ts';

/**
 * Built-in formats that files refer to by number (ECMA-376 part 1, 18.8.30), as in Excel with English (United States)
 * settings; 5 to 8 and 41 to 44 are missing from the standard's table but present in every Excel. Formats that follow the
 * reader's locale are written without ambiguity: years in full, and for East Asian and Thai dates, whose language the
 * file does not name, as ISO 8601.
 */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0_);\\("$"#,##0\\)',
  6: '"$"#,##0_);[Red]\\("$"#,##0\\)',
  7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
  8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0 ;(#,##0)',
  38: '#,##0 ;[Red](#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;[Red](#,##0.00)',
  41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mmss.0',
  48: '##0.0E+0',
  49: '@',
  ...sameFormat('yyyy-mm-dd', 27, 28, 29, 30, 31, 36, 50, 51, 54, 57, 58),
  ...sameFormat('h:mm', 32),
  ...sameFormat('h:mm:ss', 33),
  // A time in Chinese, a date in Japanese and Korean.
  ...sameFormat('[<1]h:mm;yyyy-mm-dd', 34, 52, 55),
  ...sameFormat('[<1]h:mm:ss;yyyy-mm-dd', 35, 53, 56),
  59: '0',
  60: '0.00',
  61: '#,##0',
  62: '#,##0.00',
  67: '0%',
  68: '0.00%',
  69: '# ?/?',
  70: '# ??/??',
  71: 'yyyy-mm-dd',
  72: 'd-mmm-yy',
  73: 'd-mmm',
  74: 'mmm-yy',
  75: 'h:mm',
  76: 'h:mm:ss',
  77: 'yyyy-mm-dd h:mm',
  78: 'mm:ss',
  79: '[h]:mm:ss',
  80: 'mm:ss.0',
  81: 'yyyy-mm-dd',
};

/** Excel's own limit is 65 490 cell styles. */
const MAX_STYLES = 70_000;

const GENERAL: NumberFormat = { isDate: false, number: general, text: (value) => value };

/** Formats values by style. Formats are compiled on first use. */
export class Styles {
  readonly #date1904: boolean;
  readonly #codes = new Map<number, string>();
  readonly #styles: number[] = [];
  readonly #compiled = new Map<string, NumberFormat>();

  /** `xml` is undefined for a workbook without styles: everything is General. */
  constructor(xml: string | undefined, date1904: boolean) {
    this.#date1904 = date1904;
    if (xml === undefined) return;
    const walk = new XmlWalk(xml);
    let inside = '';
    while (walk.next()) {
      if (walk.kind === 'close' && walk.name === inside) inside = '';
      if (walk.kind !== 'open') continue;
      if ((walk.name === 'cellXfs' || walk.name === 'numFmts' || walk.name === 'dxfs') && !walk.empty)
        inside = walk.name;
      else if (inside === 'numFmts' && walk.name === 'numFmt') {
        const id = Number(walk.attribute('numFmtId') ?? Number.NaN);
        const code = walk.attribute('formatCode');
        if (Number.isInteger(id) && code !== undefined && this.#codes.size < MAX_STYLES)
          this.#codes.set(id, code);
      } else if (inside === 'cellXfs' && walk.name === 'xf' && this.#styles.length < MAX_STYLES)
        this.#styles.push(Number(walk.attribute('numFmtId') ?? 0));
    }
  }

  /** The format of a cell's style index; General for an unknown index. */
  of(style: number): NumberFormat {
    return this.ofId(this.#styles[style] ?? 0);
  }

  /** Compiles a format code from another part. */
  ofCode(code: string): NumberFormat {
    if (code === '' || /^general$/i.test(code)) return GENERAL;
    let format = this.#compiled.get(code);
    if (!format) {
      format = compileFormat(code, this.#date1904);
      this.#compiled.set(code, format);
    }
    return format;
  }

  /** The format with this number: one of the workbook, or a built-in one. */
  ofId(id: number): NumberFormat {
    return this.ofCode(this.#codes.get(id) ?? BUILT_IN[id] ?? '');
  }
}

function sameFormat(code: string, ...ids: readonly number[]): Record<number, string> {
  return Object.fromEntries(ids.map((id) => [id, code]));
}
