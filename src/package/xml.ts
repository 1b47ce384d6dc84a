// XML as the parts of a document need it: a flat walk over tags and text of a string already in memory. No tree, no
// validation, and a document type is skipped: entities other than the five of XML and character references stay as
// they are written.

const ENTITY = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));/g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const BREAK = /\r\n?/g;

/** Character data as it is meant: references resolved, line ends as LF (XML 1.0, 2.11). */
export function xmlText(raw: string): string {
  const text = raw.includes('\r') ? raw.replace(BREAK, '\n') : raw;
  if (!text.includes('&')) return text;
  return text.replace(
    ENTITY,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : whole;
    },
  );
}

/** Walks a document tag by tag. `next()` moves on; the fields tell where it stands. Namespace prefixes are dropped. */
export class XmlWalk {
  /** `text` covers character data and CDATA, which come as separate steps. */
  kind: 'open' | 'close' | 'text' = 'text';
  /** Local name of the tag. */
  name = '';
  /** The tag is both open and closed; no `close` step follows. */
  empty = false;
  /** Open tags around the current place, the current one included. */
  depth = 0;
  /** Text of a `text` step. */
  text = '';
  readonly #xml: string;
  #at = 0;
  #attributes = '';
  #closing = false;

  constructor(xml: string) {
    this.#xml = xml;
  }

  /** False at the end. A tag cut off by the end is dropped. */
  next(): boolean {
    const xml = this.#xml;
    if (this.#closing) {
      this.#closing = false;
      this.depth--;
    }
    while (this.#at < xml.length) {
      if (xml.charCodeAt(this.#at) !== 60) {
        const end = xml.indexOf('<', this.#at);
        const to = end < 0 ? xml.length : end;
        this.kind = 'text';
        this.text = xmlText(xml.slice(this.#at, to));
        this.#at = to;
        return true;
      }
      if (xml.startsWith('<![CDATA[', this.#at)) {
        const end = xml.indexOf(']]>', this.#at + 9);
        const to = end < 0 ? xml.length : end;
        this.kind = 'text';
        this.text = xml.slice(this.#at + 9, to);
        this.#at = to + 3;
        return true;
      }
      const mark = xml.charCodeAt(this.#at + 1);
      if (mark === 33 || mark === 63) {
        this.#at = skipMarkup(xml, this.#at);
        continue;
      }
      const end = tagEnd(xml, this.#at + 1);
      if (end < 0) {
        this.#at = xml.length;
        return false;
      }
      this.#readTag(this.#at + 1, end);
      this.#at = end + 1;
      return true;
    }
    return false;
  }

  /** The value of an attribute of the current tag, by local name; an attribute with a prefix is found too. */
  attribute(name: string): string | undefined {
    return attributeOf(this.#attributes, name);
  }

  /** The inside of the current tag after its name, as written. */
  get written(): string {
    return this.#attributes;
  }

  /** Every attribute of the current tag, under its name as written and under its local name; undefined without any. */
  attributes(): Map<string, string> | undefined {
    return attributesOf(this.#attributes);
  }

  #readTag(from: number, to: number): void {
    const xml = this.#xml;
    if (xml.charCodeAt(from) === 47) {
      this.kind = 'close';
      this.name = localName(xml.slice(from + 1, to).trim());
      this.#attributes = '';
      this.#closing = this.depth > 0;
      return;
    }
    let end = from;
    while (end < to && !isSpace(xml.charCodeAt(end)) && xml.charCodeAt(end) !== 47) end++;
    this.kind = 'open';
    this.name = localName(xml.slice(from, end));
    this.empty = xml.charCodeAt(to - 1) === 47;
    this.#attributes = xml.slice(end, this.empty ? to - 1 : to);
    this.depth++;
    this.#closing = this.empty;
  }
}

/** Where the tag that starts before `from` ends (its `>`), minding quotes; -1 when it does not. */
export function tagEnd(xml: string, from: number): number {
  let quote = 0;
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 62) return at;
    else if (code === 34 || code === 39) quote = code;
  }
  return -1;
}

/** The value of attribute `name` among `attributes` (the inside of a tag after its name), references resolved. */
export function attributeOf(attributes: string, name: string): string | undefined {
  let at = 0;
  while (at < attributes.length) {
    const equals = attributes.indexOf('=', at);
    if (equals < 0) return undefined;
    const found = localName(attributes.slice(at, equals).trim());
    let open = equals + 1;
    while (isSpace(attributes.charCodeAt(open))) open++;
    const quote = attributes.charCodeAt(open);
    if (quote !== 34 && quote !== 39) return undefined;
    const close = attributes.indexOf(quote === 34 ? '"' : "'", open + 1);
    if (close < 0) return undefined;
    if (found === name) return xmlText(attributes.slice(open + 1, close));
    at = close + 1;
  }
  return undefined;
}

/** Every attribute among `attributes` (the inside of a tag after its name); undefined without any. */
export function attributesOf(attributes: string): Map<string, string> | undefined {
  let found: Map<string, string> | undefined;
  let at = 0;
  while (at < attributes.length) {
    const equals = attributes.indexOf('=', at);
    if (equals < 0) break;
    const name = attributes.slice(at, equals).trim();
    let open = equals + 1;
    while (isSpace(attributes.charCodeAt(open))) open++;
    const quote = attributes.charCodeAt(open);
    if (quote !== 34 && quote !== 39) break;
    const close = attributes.indexOf(quote === 34 ? '"' : "'", open + 1);
    if (close < 0) break;
    const value = xmlText(attributes.slice(open + 1, close));
    found ??= new Map();
    const local = localName(name);
    // An attribute without a prefix wins its local name over one that has a prefix.
    if (local === name || !found.has(local)) found.set(local, value);
    if (local !== name) found.set(name, value);
    at = close + 1;
  }
  return found;
}

/** Past the comment, processing instruction, CDATA section or document type that starts at `at`. */
export function skipMarkup(xml: string, at: number): number {
  const [mark, length] = xml.startsWith('<!--', at)
    ? ['-->', 4]
    : xml.startsWith('<![CDATA[', at)
      ? [']]>', 9]
      : xml.charCodeAt(at + 1) === 63
        ? ['?>', 2]
        : ['', 0];
  if (mark !== '') {
    const end = xml.indexOf(mark, at + length);
    return end < 0 ? xml.length : end + mark.length;
  }
  // A document type: its internal subset stands in square brackets and is full of tags of its own.
  let quote = 0;
  let brackets = 0;
  for (let index = at + 2; index < xml.length; index++) {
    const code = xml.charCodeAt(index);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 34 || code === 39) quote = code;
    else if (code === 91) brackets++;
    else if (code === 93) brackets--;
    else if (code === 62 && brackets <= 0) return index + 1;
  }
  return xml.length;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
