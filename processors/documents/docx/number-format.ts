// List number formats (ECMA-376 part 1, 17.18.59): formats a number like Word.

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const RUSSIAN = 'абвгдежзиклмнопрстуфхцчшщыэюя';
const HEBREW = 'אבגדהוזחטיכלמנסעפצקרשת';
const ARABIC = 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي';
const GANADA = '가나다라마바사아자차카타파하';
const AIUEO = 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン';
const IROHA =
  'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン';
const STEMS = '甲乙丙丁戊己庚辛壬癸';
const BRANCHES = '子丑寅卯辰巳午未申酉戌亥';
const IDEOGRAPHS = '〇一二三四五六七八九';
const UNITS = ['', '十', '百', '千'];

/** Formats `value`; plain digits if the format is unknown or cannot represent the number. */
export function formatNumber(value: number, format: string): string {
  switch (format) {
    case 'lowerRoman':
      return roman(value);
    case 'upperRoman':
      return roman(value).toUpperCase();
    case 'lowerLetter':
      return repeated(value, LATIN);
    case 'upperLetter':
      return repeated(value, LATIN).toUpperCase();
    case 'russianLower':
      return repeated(value, RUSSIAN);
    case 'russianUpper':
      return repeated(value, RUSSIAN).toUpperCase();
    case 'hebrew1':
    case 'hebrew2':
      return repeated(value, HEBREW);
    case 'arabicAlpha':
    case 'arabicAbjad':
      return repeated(value, ARABIC);
    case 'ganada':
      return repeated(value, GANADA);
    case 'aiueo':
    case 'aiueoFullWidth':
      return repeated(value, AIUEO);
    case 'iroha':
    case 'irohaFullWidth':
      return repeated(value, IROHA);
    case 'ideographTraditional':
      return repeated(value, STEMS);
    case 'ideographZodiac':
      return repeated(value, BRANCHES);
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
    case 'ideographDigital':
    case 'japaneseDigitalTenThousand':
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'japaneseCounting':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
    case 'koreanCounting':
      return ideographic(value, format);
    case 'none':
      return '';
    default:
      return String(value);
  }
}

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let rest = value;
  let text = '';
  for (const [size, letters] of ROMAN)
    while (rest >= size) {
      text += letters;
      rest -= size;
    }
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
