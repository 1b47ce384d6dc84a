// Finds secrets in a text. Linear: every expression is bounded and is tried only where one of its first words stands.

import { isExampleToken, isPlainPassword, isStandIn, looksRandom, wordsIn } from './evidence.ts';
import { type SecretKind, TOKEN_FORMATS, type TokenFormat } from './formats.ts';
import { unescaped } from './unescaped.ts';

/** A secret: UTF-16 units `from` up to `to`. Of a private key, the lines between its first and last. */
export interface Secret {
  readonly kind: SecretKind;
  readonly from: number;
  readonly to: number;
}

/** No secret is longer; what follows in a longer one is shown. */
export const MAX_SECRET: number = 24 * 1024;

const BY_START: ReadonlyMap<string, readonly TokenFormat[]> = new Map(
  [...new Set(TOKEN_FORMATS.flatMap(({ starts }) => starts))].map((start) => [
    start,
    // The longest start is found first: `sk-ant-` also begins with `sk-`.
    TOKEN_FORMATS.filter(({ starts }) => starts.some((one) => start.startsWith(one))),
  ]),
);
/** Base64 of `-----BEGIN `. */
const ENCODED = 'LS0tLS1CRUdJTi';
const KEY_LINES: readonly string[] = ['-----BEGIN ', '-----END ', 'Private-Lines: ', ENCODED];
const USERINFO = '://';
const STARTS = [...BY_START.keys(), ...KEY_LINES, USERINFO]
  .sort((a, b) => b.length - a.length)
  .map((start) => start.replace(/[./]/g, '\\$&'));
const START: RegExp = new RegExp(STARTS.join('|'), 'g');

/** The secrets in `text`, in order, without overlaps; also those with escapes inside, as in JSON and Markdown. */
export function secretsIn(text: string): readonly Secret[] {
  const found = secretsAsWritten(text);
  const more = unescaped(text).flatMap(({ plain, placeOf }) =>
    secretsAsWritten(plain).map(({ kind, from, to }) => ({
      kind,
      from: placeOf(from),
      to: placeOf(to - 1) + 1,
    })),
  );
  return more.length === 0 ? found : merged([...found, ...more]);
}

function secretsAsWritten(text: string): Secret[] {
  const found: Secret[] = [];
  START.lastIndex = 0;
  for (let start = START.exec(text); start; start = START.exec(text)) {
    const [word] = start;
    const secret = startsKey(word)
      ? privateKey(text, start.index, word)
      : word === USERINFO
        ? userinfo(text, start.index)
        : token(text, start.index, word);
    if (!secret) continue;
    found.push(secret);
    START.lastIndex = Math.max(START.lastIndex, secret.to);
  }
  return merged([...found, ...assignments(text)]);
}

const startsKey = (word: string): boolean => KEY_LINES.includes(word);

function merged(found: readonly Secret[]): Secret[] {
  const secrets: Secret[] = [];
  for (const secret of [...found].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = secrets.at(-1);
    if (!last || secret.from >= last.to) secrets.push(secret);
    else if (secret.to > last.to) secrets[secrets.length - 1] = { ...last, to: secret.to };
  }
  return secrets;
}

function token(text: string, at: number, word: string): Secret | undefined {
  for (const { kind, form, after = /[A-Za-z0-9]/ } of BY_START.get(word) ?? []) {
    form.lastIndex = at;
    const match = form.exec(text);
    if (after.test(text[at - 1] ?? ' ') && !isEscape(text, at)) continue;
    if (!match) {
      const to = wrappedEnd(text, at, form) ?? cutEnd(text, at, word);
      if (to !== undefined) return { kind, from: at, to };
    } else if (!isExampleToken(match[0])) {
      const [from, to] = match.indices?.groups?.['secret'] ?? [at, at + match[0].length];
      return { kind, from, to };
    }
  }
  return undefined;
}

/** Characters of a token beside its start from which a part of it is hidden. */
const LEAST_PART = 6;

/** The end of the first part of a token at `at`, where the text ends, or was cut, inside it. */
function cutEnd(text: string, at: number, word: string): number | undefined {
  const length = matchAt(RUN, text, at) ?? 0;
  const part = text.slice(at + word.length, at + length);
  const isCut = at + length === text.length || text[at + length] === '…';
  if (!isCut || word.length < 4 || part.length < LEAST_PART || wordsIn(part) > 0.5) return undefined;
  return /\d/.test(part) || /[a-z][A-Z]|[A-Z][a-z]/.test(part) ? at + length : undefined;
}

const WRAP = /[ \t]*(?:=?\r?\n[ \t>#*]{0,8}|[ \t])/y;
const RUN = /[\w+/.-]{1,512}/y;
const MAX_WRAPS = 3;

/** The end of a token at `at` that goes on behind one or more line ends, or the spaces that replaced them. */
function wrappedEnd(text: string, at: number, form: RegExp): number | undefined {
  const pieces: { readonly from: number; readonly text: string }[] = [];
  let place = at;
  for (let wraps = 0; wraps <= MAX_WRAPS; wraps += 1) {
    const length = matchAt(RUN, text, place);
    if (length === undefined || (wraps === 0 && length < 10)) return undefined;
    pieces.push({ from: place, text: text.slice(place, place + length) });
    place += length;
    const joined = pieces.map((piece) => piece.text).join('');
    form.lastIndex = 0;
    const match = wraps === 0 ? null : form.exec(joined);
    if (match) {
      if (!/\d/.test(joined) || wordsIn(match[0]) > 0.5 || isExampleToken(match[0])) return undefined;
      const last = pieces.at(-1);
      return last && last.from + match[0].length - (joined.length - last.text.length);
    }
    const gap = matchAt(WRAP, text, place);
    if (gap === undefined) return undefined;
    place += gap;
  }
  return undefined;
}

/** True if a letter before `at` belongs to an escape: `\n`, `%3D`. */
const isEscape = (text: string, at: number): boolean =>
  /(?:\\[nrt]|%[0-9A-Fa-f]{2})$/.test(text.slice(Math.max(0, at - 3), at));

/** Shorter ones are those of examples. */
const LEAST_PASSWORD = 4;
const AUTHORITY = /:\/\/[^\s/@:"'<>`\\]{0,255}:(?<secret>[^\s/"'<>`]{1,255})@(?=[\w[.-])/dy;

/** The password of `scheme://user:password@host`. */
function userinfo(text: string, at: number): Secret | undefined {
  AUTHORITY.lastIndex = at;
  const match = AUTHORITY.exec(text);
  const [from, to] = match?.indices?.groups?.['secret'] ?? [0, 0];
  if (to - from < LEAST_PASSWORD || !/[A-Za-z]/.test(text[at - 1] ?? '') || isStandIn(text.slice(from, to)))
    return undefined;
  // A port, and an address in the query after it.
  if (/^\d{1,5}[?#]|^(.)\1*$/.test(text.slice(from, to))) return undefined;
  return { kind: 'password', from, to };
}

const FIRST_LINE = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d{1,3}/y;
const LAST_LINE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/y;
/** What is between the lines of a key: line ends, also as escapes, indentation, quotes, comment and diff marks. */
const BETWEEN_LINES = /(?:[\s"'`,>#*|]|\\[nr]|<br ?\/?>){1,80}/y;
const KEY_LINE = /[A-Za-z0-9+/=]{16,24576}/y;
const KEY_HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): [^\n\\]{1,120}/y;
const KEY_REST = /[A-Za-z0-9+/]{1,15}={0,2}/y;
/** Shorter text after the first line is a sketch of a key. */
const LEAST_KEY = 40;

/** The lines of a key after its first line, also without the last; or before its last line, without the first. */
function privateKey(text: string, at: number, word: string): Secret | undefined {
  if (word === '-----END ') return keyBefore(text, at);
  if (word === ENCODED) return encodedKey(text, at);
  const first = matchAt(FIRST_LINE, text, at);
  if (first === undefined) return undefined;
  let place = at + first;
  let from: number | undefined;
  let length = 0;
  let to = place;
  for (;;) {
    place += matchAt(BETWEEN_LINES, text, place) ?? 0;
    if (place - at > MAX_SECRET) break;
    const header = length === 0 ? matchAt(KEY_HEADER, text, place) : undefined;
    if (header !== undefined) {
      place += header;
      continue;
    }
    const line = matchAt(KEY_LINE, text, place) ?? (length > 0 ? matchAt(KEY_REST, text, place) : undefined);
    if (line === undefined) break;
    from ??= place;
    place += line;
    length += line;
    to = place;
    if (line < 16 && text[place] !== '\n') break;
  }
  if (from === undefined || length < LEAST_KEY || isStandIn(text.slice(from, from + 64))) return undefined;
  return { kind: 'private-key', from, to: Math.min(to, from + MAX_SECRET) };
}

/** A key in Base64 once more, as Kubernetes keeps it. */
function encodedKey(text: string, at: number): Secret | undefined {
  const start = Buffer.from(text.slice(at, at + 80), 'base64').toString('latin1');
  if (!/PRIVATE KEY/.test(start)) return undefined;
  return { kind: 'private-key', from: at, to: at + (matchAt(KEY_LINE, text, at) ?? 0) };
}

/** The lines before the last line of a key, where a cut took the first away. */
function keyBefore(text: string, at: number): Secret | undefined {
  if (matchAt(LAST_LINE, text, at) === undefined) return undefined;
  const start = Math.max(0, at - MAX_SECRET);
  const before = text.slice(start, at);
  let from = before.length;
  let length = 0;
  for (let end = before.length; end > 0; ) {
    const gap = /(?:[\s"'`,>#*|]|\\[nr])$/.exec(before.slice(Math.max(0, end - 2), end));
    if (gap) {
      end -= gap[0].length;
      continue;
    }
    let line = end;
    while (line > 0 && /[A-Za-z0-9+/=]/.test(before[line - 1] ?? '')) line -= 1;
    // The letter of an escaped line end is not part of the line.
    const size = end - line - (before[line - 1] === '\\' ? 1 : 0);
    if (size < 16 && length > 0 && line > 0) break;
    if (size === 0) break;
    from = end - size;
    length += size;
    end = from;
    if (from === 0) break;
  }
  if (length < LEAST_KEY) return undefined;
  // What follows a first line was looked at from there.
  if (before.lastIndexOf('-----BEGIN ', from) > before.lastIndexOf('-----END ', from)) return undefined;
  return { kind: 'private-key', from: start + from, to: at };
}

function matchAt(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.exec(text)?.[0].length;
}

const NAME =
  /passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:api|access|account|auth|private|signing|encryption|master|service|storage)[_-]?key|authorization/gi;
/** From the name to the value. The rest of the name, and then an assignment in the way of many languages. */
const ASSIGNED =
  /(?<rest>[A-Za-z0-9_-]{0,24})(?:\\?["'\]`]|&quot;|&#3[49];){0,2}(?:[ \t]{0,8}(?:=>|:=|==?|:|,(?=[ \t]{0,4}["']))[ \t]{0,8}|(?<element>>(?=[^<\s]{6,256}<\/)|[ \t]{1,8}value[ \t]?=[ \t]?|[ \t]{0,4}\r?\n[ \t]{0,40}value:[ \t]{0,8}))(?<scheme>(?:Bearer|Basic|token)[ \t])?(?<quote>\\?["'`]{1,2}|&quot;|&#3[49];|&apos;)?/iy;
/** Names that end like this hold something about a secret. */
const ABOUT =
  /(?:file|path|name|ur[il]|hash|digest|count|length|type|field|policy|endpoint|arn|version|algorithm|expir\w*|ttl|size|limit|regex|pattern|hint|prompt|label|placeholder|izer|ize|ed|kind|index|id|ids|pos|list|map|set|s)$/i;
const QUOTED = /(?:[^"'`\s\\&]|&(?!quot;|#3[49];|apos;)){6,512}/y;
const BARE = /[^"'`\s\\,;<>()[\]{}]{6,512}/y;
/** `DB_PASSWORD=…` at the start of a line, as in a file of settings for a shell. */
const SETTING = /(?:^|\n)[ \t]{0,8}(?:export[ \t])?[A-Z0-9_]{0,60}$/;
const SERVER = /\b(?:server|data source|host|hostaddr|user id|uid|user|username|dbname|database)[ \t]{0,4}=/i;
const LOGIN =
  /login\s{1,16}\S{1,128}\s{1,16}password\s{1,16}(?<secret>\S{1,255})|\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user)[ =]{1,4}["']?[^\s:"']{1,64}:(?<other>[^\s"']{2,128})/dgi;
/** All between the quotes of a password in a file of settings, which may have spaces. */
const IN_QUOTES = /[^"'`\n\\]{6,256}(?=["'`])/y;
/** `spring.datasource.password=…` alone on its line, as in a file of settings. */
const SETTING_NAME = /(?:^|\n)[ \t]{0,32}(?:- )?[A-Za-z0-9_.-]{0,80}$/;
const LINE_END = /[ \t]{0,8}(?:\r?\n|$)/y;

/** Values of settings that are called secrets and look like one. */
function* assignments(text: string): Generator<Secret> {
  NAME.lastIndex = 0;
  for (let name = NAME.exec(text); name; name = NAME.exec(text)) {
    const word = name[0].toLowerCase();
    ASSIGNED.lastIndex = name.index + word.length;
    const assigned = ASSIGNED.exec(text);
    if (!assigned) continue;
    if (!/^(?:[A-Z]?[a-z]+|[A-Z_-]+|[A-Za-z][a-z]{2,}[_-]?[A-Z][a-z]+|[A-Z]?[a-z]+[_-][a-z]+)$/.test(name[0]))
      continue;
    const { rest = '', scheme, quote } = assigned.groups ?? {};
    const from = ASSIGNED.lastIndex;
    const isPassword = /^(?:pass|pwd)/.test(word);
    const pair =
      isPassword && rest === '' && quote === undefined
        ? inConnectionString(text, name.index, from)
        : undefined;
    if (pair) {
      yield pair;
      NAME.lastIndex = pair.to;
      continue;
    }
    if (ABOUT.test(rest) || (word === 'authorization' && scheme === undefined)) continue;
    const before = text.slice(Math.max(0, name.index - 120), name.index);
    const isSetting =
      isPassword && /^[A-Z0-9_]+$/.test(name[0] + rest) && assigned[0].includes('=') && SETTING.test(before);
    const spaced = isSetting && quote !== undefined ? matchAt(IN_QUOTES, text, from) : undefined;
    const length = spaced ?? matchAt(quote === undefined ? BARE : QUOTED, text, from);
    if (length === undefined) continue;
    const value = text.slice(from, from + length);
    const isLine = (): boolean =>
      isPassword &&
      quote === undefined &&
      rest === '' &&
      isPlainPassword(value) &&
      SETTING_NAME.test(before) &&
      matchAt(LINE_END, text, from + length) !== undefined;
    const isSecret = isSetting
      ? !isStandIn(value) && !/^\d{1,5}$/.test(value)
      : looksRandom(value, isPassword, quote !== undefined || assigned.groups?.['element'] !== undefined) ||
        isLine();
    if (!isSecret) continue;
    yield { kind: isPassword ? 'password' : 'secret', from, to: from + length };
    NAME.lastIndex = from + length;
  }
  LOGIN.lastIndex = 0;
  for (let login = LOGIN.exec(text); login; login = LOGIN.exec(text)) {
    const places = login.indices?.groups;
    const [from, to] = places?.['secret'] ?? places?.['other'] ?? [0, 0];
    if (to > from && !isStandIn(text.slice(from, to))) yield { kind: 'password', from, to };
  }
}

/** The password of `Server=db;User Id=app;Password=…;` or `host=db user=app password=…`. */
function inConnectionString(text: string, name: number, from: number): Secret | undefined {
  const sign = text.slice(name, from).replace(/^[a-z]+/i, '');
  const tail = text.slice(Math.max(0, name - 2), name);
  const isAfterPair = /^(?:.?[;&?]|; )$/.test(tail);
  if (sign.trim() !== '=' || !(isAfterPair || (sign === '=' && /(?:^|["'`\s])$/.test(tail))))
    return undefined;
  const stop = text.slice(from, from + 256).search(/[;&"'`\s<\\]/);
  const to = stop < 0 ? Math.min(text.length, from + 256) : from + stop;
  if (to === from || isStandIn(text.slice(from, to))) return undefined;
  const line = text.slice(Math.max(0, name - 300), name);
  const before = line.slice(line.lastIndexOf('\n') + 1);
  const after = text.slice(to, to + 300).split('\n', 1)[0] ?? '';
  return SERVER.test(before) || SERVER.test(after) ? { kind: 'password', from, to } : undefined;
}
