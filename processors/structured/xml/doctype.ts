// Validates the grammar of a document type declaration and its internal subset (XML 1.0, 2.8 to 4.7), which
// non-validating parsers skip. Resolves nothing: no entity is expanded and no external file is opened.

const NAME_START =
  ':A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const NAME_PART = `${NAME_START}\\-.0-9\\xb7\\u0300-\\u036f\\u203f-\\u2040`;

const NAME = new RegExp(`[${NAME_START}][${NAME_PART}]*`, 'yu');
const NMTOKEN = new RegExp(`[${NAME_PART}]+`, 'yu');
const SPACE = /[ \t\r\n]+/y;
const LITERAL = /"[^"]*"|'[^']*'/y;
const PUBLIC_LITERAL = /"[- \r\na-zA-Z0-9'()+,./:=?;!*#@$_%]*"|'[- \r\na-zA-Z0-9()+,./:=?;!*#@$_%]*'/y;
const INSTRUCTION_START = /<\?/y;
const ATTRIBUTE_TYPE = /CDATA|IDREFS|IDREF|ID|ENTITY|ENTITIES|NMTOKENS|NMTOKEN/y;
const DEFAULT_KEYWORD = /#REQUIRED|#IMPLIED/y;
const REFERENCE = new RegExp(`&(?![${NAME_START}][${NAME_PART}]*;|#[0-9]+;|#x[0-9a-fA-F]+;)`, 'u');

const WHOLE_NAME = new RegExp(`^[${NAME_START}][${NAME_PART}]*$`, 'u');

/** True for a name of XML 1.0 (production 5). */
export function isName(text: string): boolean {
  return WHOLE_NAME.test(text);
}

class Fault extends Error {
  readonly at: number;

  constructor(what: string, at: number) {
    super(what);
    this.at = at;
  }
}

/** The error in `text`, a complete `<!DOCTYPE ...>`, and its offset; undefined if it is valid. Linear time. */
export function doctypeFault(text: string): { readonly what: string; readonly at: number } | undefined {
  try {
    new Checker(text).doctype();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return { what: error.message, at: error.at };
    throw error;
  }
}

class Checker {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  doctype(): void {
    this.#need(/<!DOCTYPE/y, '`<!DOCTYPE`');
    this.#space();
    this.#need(NAME, 'the name of the root element');
    if (this.#take(SPACE) && this.#sees(/SYSTEM|PUBLIC/y)) {
      this.#externalId(false);
      this.#take(SPACE);
    }
    if (this.#take(/\[/y)) {
      while (!this.#take(/\]/y)) this.#declaration();
      this.#take(SPACE);
    }
    this.#need(/>/y, '`>`');
  }

  #declaration(): void {
    if (this.#take(SPACE)) return;
    if (this.#take(/%/y)) {
      this.#need(NAME, 'the name of a parameter entity');
      this.#need(/;/y, '`;` after the name of a parameter entity');
    } else if (this.#take(/<!--/y)) this.#comment();
    else if (this.#take(INSTRUCTION_START)) this.#instruction();
    else if (this.#take(/<!ELEMENT/y)) this.#element();
    else if (this.#take(/<!ATTLIST/y)) this.#attributes();
    else if (this.#take(/<!ENTITY/y)) this.#entity();
    else if (this.#take(/<!NOTATION/y)) this.#notation();
    else this.#fail('a declaration');
  }

  #comment(): void {
    const end = this.#text.indexOf('--', this.#at);
    if (end >= 0) this.#at = end;
    this.#need(/-->/y, 'the end of a comment, or holds `--` in one');
  }

  #instruction(): void {
    const start = this.#at;
    const target = this.#need(NAME, 'the target of a processing instruction');
    if (target.toLowerCase() === 'xml')
      throw new Fault('the target `xml` is reserved for the XML declaration', start);
    const end = this.#text.indexOf('?>', this.#at);
    if (end < 0) this.#fail('`?>`');
    if (end > this.#at && !this.#sees(SPACE)) this.#fail('white space after the target');
    this.#at = end + 2;
  }

  #element(): void {
    this.#space();
    this.#need(NAME, 'an element name');
    this.#space();
    if (!this.#take(/EMPTY|ANY/y)) this.#content();
    this.#end();
  }

  #content(): void {
    this.#need(/\(/y, 'a content model');
    this.#take(SPACE);
    if (this.#take(/#PCDATA/y)) {
      let names = 0;
      for (this.#take(SPACE); this.#take(/\|/y); this.#take(SPACE)) {
        this.#take(SPACE);
        this.#need(NAME, 'an element name');
        names++;
      }
      if (names > 0) this.#need(/\)\*/y, '`)*` after mixed content');
      else this.#need(/\)\*?/y, '`)`');
      return;
    }
    // One entry per open group: its separator, once known.
    const separators: string[] = [''];
    while (separators.length > 0) {
      if (this.#take(/\(/y)) {
        separators.push('');
        this.#take(SPACE);
        continue;
      }
      this.#need(NAME, 'an element name or a group');
      this.#take(/[?*+]/y);
      for (this.#take(SPACE); separators.length > 0 && this.#take(/\)/y); this.#take(SPACE)) {
        separators.pop();
        this.#take(/[?*+]/y);
        if (separators.length === 0) return;
      }
      const separator = this.#need(/[|,]/y, '`|`, `,` or `)`');
      const group = separators.length - 1;
      if (separators[group] !== '' && separators[group] !== separator)
        this.#fail('one kind of separator in a group');
      separators[group] = separator;
      this.#take(SPACE);
    }
  }

  #attributes(): void {
    this.#space();
    this.#need(NAME, 'an element name');
    while (this.#take(SPACE) && !this.#sees(/>/y)) {
      this.#need(NAME, 'an attribute name');
      this.#space();
      if (this.#take(/NOTATION/y)) {
        this.#space();
        this.#choices(NAME);
      } else if (this.#sees(/\(/y)) this.#choices(NMTOKEN);
      else this.#need(ATTRIBUTE_TYPE, 'an attribute type');
      this.#space();
      if (this.#take(DEFAULT_KEYWORD)) continue;
      if (this.#take(/#FIXED/y)) this.#space();
      const start = this.#at;
      const value = this.#need(LITERAL, 'a default value');
      if (value.includes('<')) throw new Fault('`<` stands in a default value', start);
      this.#references(value, start);
    }
    this.#end();
  }

  #choices(token: RegExp): void {
    this.#need(/\(/y, '`(`');
    do {
      this.#take(SPACE);
      this.#need(token, 'a name');
      this.#take(SPACE);
    } while (this.#take(/\|/y));
    this.#need(/\)/y, '`)`');
  }

  #entity(): void {
    this.#space();
    const parameter = this.#take(/%/y);
    if (parameter) this.#space();
    this.#need(NAME, 'an entity name');
    this.#space();
    if (this.#sees(/["']/y)) {
      const start = this.#at;
      const value = this.#need(LITERAL, 'an entity value');
      if (value.includes('%')) throw new Fault('`%` stands in an entity value', start);
      this.#references(value, start);
    } else {
      this.#externalId(false);
      if (!parameter && this.#take(SPACE) && this.#take(/NDATA/y)) {
        this.#space();
        this.#need(NAME, 'a notation name');
      }
    }
    this.#end();
  }

  #notation(): void {
    this.#space();
    this.#need(NAME, 'a notation name');
    this.#space();
    this.#externalId(true);
    this.#end();
  }

  #externalId(publicAlone: boolean): void {
    if (this.#take(/SYSTEM/y)) {
      this.#space();
      this.#need(LITERAL, 'a quoted system identifier');
      return;
    }
    this.#need(/PUBLIC/y, '`SYSTEM` or `PUBLIC`');
    this.#space();
    this.#need(PUBLIC_LITERAL, 'a quoted public identifier');
    if (publicAlone && (!this.#sees(/[ \t\r\n]+["']/y) || !this.#take(SPACE))) return;
    if (!publicAlone) this.#space();
    this.#need(LITERAL, 'a quoted system identifier');
  }

  #references(value: string, start: number): void {
    const found = REFERENCE.exec(value);
    if (found) throw new Fault('`&` starts no reference', start + found.index);
  }

  #end(): void {
    this.#take(SPACE);
    this.#need(/>/y, '`>`');
  }

  #space(): void {
    this.#need(SPACE, 'white space');
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #sees(pattern: RegExp): boolean {
    return this.#match(pattern) !== undefined;
  }

  #take(pattern: RegExp): boolean {
    const found = this.#match(pattern);
    if (found === undefined) return false;
    this.#at += found.length;
    return true;
  }

  #need(pattern: RegExp, what: string): string {
    const found = this.#match(pattern);
    if (found === undefined) return this.#fail(what);
    this.#at += found.length;
    return found;
  }

  #fail(what: string): never {
    throw new Fault(`the document type declaration lacks ${what}`, this.#at);
  }
}
