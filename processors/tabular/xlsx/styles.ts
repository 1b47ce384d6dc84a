// The styles part of a workbook, reduced to the number format of each cell style.

import { XmlWalk } from '../../../src/package/index.ts';
import { general } from './number-format/decimal.ts';
import { compileFormat, type NumberFormat } from './number-format/format.ts';

/**
 * Built-in formats that files refer to by number (ECMA-376 part 1, 18.8.30), as in Excel with English (United States)
 * settings; 5 to 8 and 41 to 44 are missing from the standard's table but present in every Excel.
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
  14: 'm/d/yy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
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
};

const DATE_FORMAT = 14;
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
    return this.#format(this.#styles[style] ?? 0);
  }

  /** The format of a date cell without a date format of its own. */
  get date(): NumberFormat {
    return this.#format(DATE_FORMAT);
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

  #format(id: number): NumberFormat {
    return this.ofCode(this.#codes.get(id) ?? BUILT_IN[id] ?? '');
  }
}

/** Formats a number, in General if Excel would fill the cell with `#` and hide the value. */
export function showNumber(format: NumberFormat, value: number): string {
  return format.number(value) ?? general(value);
}
