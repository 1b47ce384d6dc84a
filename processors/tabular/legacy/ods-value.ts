// Values of cells in an OpenDocument spreadsheet (OpenDocument 1.3 part 3, 19.387 office:value-type).

import { general } from '../xlsx/number-format/decimal.ts';

interface Stored {
  readonly type: 'n' | 'b';
  readonly value: number | boolean;
  /** The value where the file does not hold what its program showed. */
  readonly shown: string;
  readonly year?: number;
}

/** The value of a cell; undefined for a text. */
export function storedValue(attributes: ReadonlyMap<string, string>): Stored | undefined {
  const type = attributes.get('office:value-type') ?? attributes.get('value-type');
  const number = Number(attributes.get('value') ?? Number.NaN);
  switch (type) {
    case 'float':
    case 'currency':
    case 'percentage':
      if (Number.isNaN(number)) return undefined;
      return {
        type: 'n',
        value: number,
        shown: type === 'percentage' ? `${general(number * 100)}%` : general(number),
      };
    case 'boolean': {
      const value = /^(?:true|1)$/.test(attributes.get('boolean-value') ?? '');
      return { type: 'b', value, shown: value ? 'TRUE' : 'FALSE' };
    }
    case 'date': {
      const date = attributes.get('date-value') ?? '';
      const year = /^(\d{4})-/.exec(date)?.[1];
      return {
        type: 'n',
        value: 0,
        shown: date.replace(/T00:00:00(?:\.0+)?$/, '').replace('T', ' '),
        ...(year !== undefined && { year: Number(year) }),
      };
    }
    case 'time': {
      const time = attributes.get('time-value') ?? '';
      const [, hours = '0', minutes = '0', seconds = '0'] =
        /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,12})?S)?$/.exec(time) ?? [];
      const shown = time.startsWith('PT')
        ? [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':')
        : time;
      return { type: 'n', value: 0, shown };
    }
    default:
      return undefined;
  }
}

/** A date with the year in full where the text ends it in two digits, which leave the century open. */
export function inFull(text: string, year: number): string {
  return text.replace(
    /^(\d{1,2}[/.-](?:\d{1,2}|\p{L}{3,12})[/.-])(\d\d)(?=\s|$)/u,
    (whole, before: string, digits: string) => (Number(digits) === year % 100 ? `${before}${year}` : whole),
  );
}
