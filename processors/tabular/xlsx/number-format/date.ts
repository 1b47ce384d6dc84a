// Formats a serial date by a section with date tokens.

import { plain, type Section } from './section.ts';
import { type Clock, clockOf, datePiece } from './serial-date.ts';

/** Undefined for a date outside 1900 to 9999. */
export function showDate({ tokens }: Section, value: number, date1904: boolean): string | undefined {
  let timed = false;
  let subseconds = 0;
  let twelve = false;
  for (const token of tokens) {
    if (token.kind === 'subsecond') subseconds = Math.max(subseconds, token.digits);
    else if (token.kind === 'meridiem') twelve = true;
    else if ((token.kind === 'date' || token.kind === 'elapsed') && /^[hns]/.test(token.text)) timed = true;
  }
  // A time is rounded to the precision shown, at least to the second; a date alone is not rounded up.
  const clock: Clock | undefined = clockOf(value, date1904, timed ? subseconds : 3);
  if (!clock) return undefined;
  return tokens
    .map((token) => {
      switch (token.kind) {
        case 'date':
          return datePiece(token.text, clock, twelve);
        case 'elapsed': {
          const whole =
            token.text[0] === 'h'
              ? clock.elapsedHours
              : token.text[0] === 'n'
                ? clock.elapsedMinutes
                : clock.elapsedSeconds;
          return String(whole).padStart(token.text.length, '0');
        }
        case 'subsecond':
          return `.${String(clock.millisecond).padStart(3, '0').slice(0, token.digits)}`;
        case 'meridiem':
          return token.text.split('/')[clock.hour < 12 ? 0 : 1] ?? '';
        case 'digit':
          return token.text;
        default:
          return plain(token, value);
      }
    })
    .join('');
}
