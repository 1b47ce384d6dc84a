// List number formats (ECMA-376 part 1, 17.18.59): formats a number like Word.

import { pairs } from '../words.ts';

const ROMAN = [...pairs('m 1000 cm 900 d 500 cd 400 c 100 xc 90 l 50 xl 40 x 10 ix 9 v 5 iv 4 i 1')];
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const RUSSIAN = 'абвгдежзиклмнопрстуфхцчшщыэюя';
/** Letters by the format that counts with them. */
const ALPHABETS: ReadonlyMap<string, string> = pairs(
  `lowerLetter ${LATIN} upperLetter ${LATIN.toUpperCase()} russianLower ${RUSSIAN} russianUpper ${RUSSIAN.toUpperCase()} ` +
    'hebrew1 אבגדהוזחטיכלמנסעפצקרשת hebrew2 אבגדהוזחטיכלמנסעפצקרשת ' +
    'arabicAlpha أبتثجحخدذرزسشصضطظعغفقكلمنهوي arabicAbjad أبتثجحخدذرزسشصضطظعغفقكلمنهوي ' +
    'ganada 가나다라마바사아자차카타파하 ' +
    'aiueo アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン ' +
    'iroha イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン ' +
    'ideographTraditional 甲乙丙丁戊己庚辛壬癸 ideographZodiac 子丑寅卯辰巳午未申酉戌亥',
);
const IDEOGRAPHS = '〇一二三四五六七八九';
const UNITS = ['', '十', '百', '千'];

const IDEOGRAPHIC =
  /^(?:ideographDigital|japaneseDigitalTenThousand|(?:chinese|taiwanese)Counting(?:Thousand)?|(?:japanese|korean)Counting)$/;

/** Formats `value`; plain digits if the format is unknown or cannot represent the number. */
export function formatNumber(value: number, format: string): string {
  const alphabet = ALPHABETS.get(format.replace(/FullWidth$/, ''));
  if (alphabet !== undefined) return repeated(value, alphabet);
  switch (format) {
    case 'lowerRoman':
      return roman(value);
    case 'upperRoman':
      return roman(value).toUpperCase();
    case 'decimalZero':
      return value >= 0 && value < 10 ? `0${value}` : String(value);
    case 'ordinal':
      return `${value}${ordinalEnding(value)}`;
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return value >= 1 && value <= 20 ? String.fromCodePoint(0x2460 + value - 1) : String(value);
    case 'decimalEnclosedParen':
      return `(${value})`;
    case 'decimalFullWidth':
    case 'decimalFullWidth2':
      return String(value).replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
    case 'none':
      return '';
    default:
      return IDEOGRAPHIC.test(format) ? ideographic(value, format) : String(value);
  }
}

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let rest = value;
  let text = '';
  for (const [letters, size] of ROMAN) for (; rest >= Number(size); rest -= Number(size)) text += letters;
  return text;
}

/** `a` to `z`, then `aa`, `bb`, ... as in Word; digits beyond 8 letters. */
function repeated(value: number, alphabet: string): string {
  const times = Math.ceil(value / alphabet.length);
  if (value < 1 || times > 8) return String(value);
  return (alphabet[(value - 1) % alphabet.length] ?? '').repeat(times);
}

function ordinalEnding(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th';
}

function ideographic(value: number, format: string): string {
  const digits = String(value);
  if (!/^\d{1,4}$/.test(digits)) return digits;
  if (format === 'ideographDigital' || format === 'japaneseDigitalTenThousand' || value === 0)
    return digits.replace(/\d/g, (digit) => IDEOGRAPHS[Number(digit)] ?? digit);
  let text = '';
  let zero = false;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[at]);
    const unit = digits.length - 1 - at;
    if (digit === 0) {
      zero = text !== '';
      continue;
    }
    if (zero && format !== 'japaneseCounting' && format !== 'koreanCounting') text += '〇';
    zero = false;
    const silent =
      digit === 1 && ((unit === 1 && text === '') || (unit > 0 && format === 'japaneseCounting'));
    text += `${silent ? '' : (IDEOGRAPHS[digit] ?? '')}${UNITS[unit] ?? ''}`;
  }
  return text;
}
