// Serial dates: days since the start of 1900 (including the nonexistent 29 February 1900) or of 1904, and the pieces a
// date format shows of them. English names.

/** A serial date split into fields. `day` 0 and 29 February 1900 occur, as in Excel. */
export interface Clock {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly elapsedHours: number;
  readonly elapsedMinutes: number;
  readonly elapsedSeconds: number;
}

const DAY_MS = 86_400_000;
/** 31 December 9999. */
const LAST_SERIAL = 2_958_465;
const SHIFT_1904 = 1462;
const EPOCH = Date.UTC(1899, 11, 30);
/** From 1 March of year 0 to 30 December 1899. */
const DAYS_TO_1900 = 693_899;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Keeps `digits` (0 to 3) decimals of the second and rounds the rest. Undefined outside 1900 to 9999. */
export function clockOf(value: number, date1904: boolean, digits: number): Clock | undefined {
  if (!(value >= 0) || value >= LAST_SERIAL + 1) return undefined;
  let elapsedDays = Math.floor(value);
  const unit = 10 ** (3 - digits);
  let time = Math.round(((value - elapsedDays) * DAY_MS) / unit) * unit;
  if (time >= DAY_MS) {
    time -= DAY_MS;
    elapsedDays++;
  }
  const serial = elapsedDays + (date1904 ? SHIFT_1904 : 0);
  if (serial > LAST_SERIAL) return undefined;
  const minutes = Math.floor(time / 60_000);
  let year = 1900;
  let month = serial === 60 ? 2 : 1;
  let day = serial === 60 ? 29 : 0;
  if (serial !== 0 && serial !== 60) {
    // Computes the civil date from a day count, in years that start in March, without a Date.
    const days = serial + (serial > 60 ? DAYS_TO_1900 : DAYS_TO_1900 + 1);
    const era = Math.floor(days / 146_097);
    const dayOfEra = days - era * 146_097;
    const yearOfEra = Math.floor(
      (dayOfEra -
        Math.floor(dayOfEra / 1460) +
        Math.floor(dayOfEra / 36_524) -
        Math.floor(dayOfEra / 146_096)) /
        365,
    );
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const shifted = Math.floor((5 * dayOfYear + 2) / 153);
    day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
    month = shifted < 10 ? shifted + 3 : shifted - 9;
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  }
  return {
    year,
    month,
    day,
    weekday: (serial + 6) % 7,
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
    second: Math.floor(time / 1000) % 60,
    millisecond: time % 1000,
    elapsedHours: elapsedDays * 24 + Math.floor(minutes / 60),
    elapsedMinutes: elapsedDays * 1440 + minutes,
    elapsedSeconds: elapsedDays * 86_400 + Math.floor(time / 1000),
  };
}

/** Formats a run of date letters: `yyyy`, `mmm`, `dd`, `h`, `nn` (minutes), `ss`. */
export function datePiece(letters: string, clock: Clock, twelveHours: boolean): string {
  const two = (value: number): string =>
    letters.length > 1 ? String(value).padStart(2, '0') : String(value);
  switch (letters.charAt(0)) {
    case 'y':
      // Excel reads two digits as 1930 to 2029; a year that they would turn into another one is written in full.
      return letters.length <= 2 && clock.year >= 1930 && clock.year <= 2029
        ? String(clock.year % 100).padStart(2, '0')
        : String(clock.year).padStart(4, '0');
    case 'b':
      return letters.length <= 2
        ? String((clock.year + 543) % 100).padStart(2, '0')
        : String(clock.year + 543).padStart(4, '0');
    case 'm': {
      const name = MONTHS[clock.month - 1] ?? '';
      if (letters.length <= 2) return two(clock.month);
      return letters.length === 3 ? name.slice(0, 3) : letters.length === 5 ? name.slice(0, 1) : name;
    }
    case 'd': {
      const name = DAYS[clock.weekday] ?? '';
      if (letters.length <= 2) return two(clock.day);
      return letters.length === 3 ? name.slice(0, 3) : name;
    }
    case 'h':
      return two(twelveHours ? ((clock.hour + 11) % 12) + 1 : clock.hour);
    case 'n':
      return two(clock.minute);
    case 's':
      return two(clock.second);
    default:
      return '';
  }
}

/** The serial number of an ISO 8601 date, time or both (`t="d"` cells); undefined if invalid. */
export function serialOf(iso: string, date1904: boolean): number | undefined {
  const match =
    /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:T?(\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?)?(?:Z|[-+]\d{2}:?\d{2})?$/.exec(
      iso.trim(),
    );
  if (!match || (match[1] === undefined && match[4] === undefined)) return undefined;
  const time = (Number(match[4] ?? 0) * 3600 + Number(match[5] ?? 0) * 60 + Number(match[6] ?? 0)) / 86_400;
  if (match[1] === undefined) return time;
  const day = (Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) - EPOCH) / DAY_MS;
  return (day > 60 ? day : day - 1) - (date1904 ? SHIFT_1904 : 0) + time;
}
