// Whether the value of a setting that is called a password, a key or a token is one: names alone are in every program.

/** Words that stand where a secret would be. */
const STAND_IN =
  /example|sample|dummy|placeholder|redacted|change.?me|your[_-]?|insert|replace|x{4}|\*{3}|\.{3}|0{8}|1234567|abcdefg/i;
/** References to a value somewhere else. */
const REFERENCE =
  /^\$\w+$|^\{\w*\}$|[$#{]\{|^%\w*%?$|^<|>$|^[\w.$]+\(|^=|&&|\|\||^(?:process|os|env|self|this|config|var|local|data)\./;
/** Of a value in a program. */
const PATH = /^[A-Za-z_$][\w$]*(?:\[\w*\]|[.:]{1,2}[A-Za-z_$][\w$]*)+$/;
const UUID = /^(?:urn:uuid:|\{)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const WORDS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'pass',
  'pwd',
  'pw',
  'secret',
  'token',
  'null',
  'none',
  'nil',
  'true',
  'false',
  'undefined',
  'string',
  'required',
  'optional',
  'user',
  'username',
  'empty',
  'hidden',
  'masked',
  'guest',
  'test',
]);

/** True for text that stands for a value, such as `<your-key>`, `${KEY}` or `xxxx`. */
export function isStandIn(value: string): boolean {
  const word = value.toLowerCase().replace(/^(?:my|some|the|auth|user|db|admin)[_-]?/, '');
  return STAND_IN.test(value) || REFERENCE.test(value) || WORDS.has(word) || isMonotone(value);
}

/** True for a token in a public format whose characters show that it was written for an example. */
export function isExampleToken(token: string): boolean {
  return /EXAMPLE|example|x{8}|X{8}|\*{4}|\.{3}/.test(token) || isMonotone(token.slice(8));
}

/** Fewer than four different characters. */
const isMonotone = (text: string): boolean => text.length >= 6 && new Set(text.slice(0, 64)).size < 4;

/** Changes between small letters, capitals, digits and other characters; separators of words do not count. */
function changesIn(value: string): number {
  let changes = 0;
  let before = '';
  for (const character of value) {
    const kind = /[a-z]/.test(character)
      ? 'a'
      : /[A-Z]/.test(character)
        ? 'A'
        : /[0-9]/.test(character)
          ? '0'
          : /[-_./:\\ ]/.test(character)
            ? before
            : '!';
    if (before !== '' && kind !== before) changes += 1;
    before = kind;
  }
  return changes;
}

/** Bits for each character, by the frequencies in the text itself. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Share of `value` in words of five letters or more: names of a program consist of them. */
export function wordsIn(value: string): number {
  let letters = 0;
  for (const [word] of value.matchAll(/[A-Za-z][a-z]{4,}/g)) letters += word.length;
  return letters / value.length;
}

const LEAST_PASSWORD = 8;
const LEAST_KEY = 16;
/** A longer value is judged by its first characters. */
const LOOKED_AT = 128;

/** True for a password that stands alone on a line of settings. */
export const isPlainPassword = (value: string): boolean =>
  /[0-9]/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !isStandIn(value) &&
  !PATH.test(value) &&
  !UUID.test(value);

/** True if `value` looks random enough to be a secret: words, versions, numbers, paths and UUIDs do not. */
export function looksRandom(given: string, isPassword: boolean, isQuoted: boolean): boolean {
  const value = given.slice(0, LOOKED_AT);
  if (value.length < (isPassword ? LEAST_PASSWORD : LEAST_KEY) || isStandIn(value) || UUID.test(value))
    return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value) || /^\d+(?:\.\d+)*[a-z]*$/i.test(value)) return false;
  if (/^(?:[.~]{1,2}\/|\/[\w.-]+\/|[a-z]+:\/\/|sha\d+-)/i.test(value)) return false;
  if (isPassword && !isQuoted && value.length < 12 && /^[A-Za-z_]\w*$/.test(value)) return false;
  if (!(isPassword && isQuoted) && wordsIn(value) > 0.5) return false;
  if (PATH.test(value) && (!isQuoted || wordsIn(value) > 0.3)) return false;
  return changesIn(value) / value.length >= 0.14 && entropyOf(value) >= (value.length < 16 ? 2.5 : 3);
}
