// The grammar of a document type declaration and its internal subset (XML 1.0, 2.8 to 4.7), which non-validating parsers
// skip. Resolves nothing: no entity is expanded and no external file is opened.

const NAME_START =
  ':A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const NAME_PART = `${NAME_START}\\-.0-9\\xb7\\u0300-\\u036f\\u203f-\\u2040`;

const NAME = `[${NAME_START}][${NAME_PART}]*`;
const S = '[ \\t\\r\\n]+';
const REFERENCE = `&(?:${NAME}|#[0-9]+|#x[0-9a-fA-F]+);`;
/** A quoted text without the characters of `not`, in which `&` only starts a reference. */
const quoted = (not: string): string => `(?:"(?:[^"&${not}]|${REFERENCE})*"|'(?:[^'&${not}]|${REFERENCE})*')`;

const SYSTEM_LITERAL = `(?:"[^"]*"|'[^']*')`;
const PUBLIC_LITERAL = `(?:"[- \\r\\na-zA-Z0-9'()+,./:=?;!*#@$_%]*"|'[- \\r\\na-zA-Z0-9()+,./:=?;!*#@$_%]*')`;
const EXTERNAL = `(?:SYSTEM|PUBLIC${S}${PUBLIC_LITERAL})${S}${SYSTEM_LITERAL}`;

const choice = (of: string): string => `\\((?:${S})?${of}(?:(?:${S})?\\|(?:${S})?${of})*(?:${S})?\\)`;
const MIXED = `\\((?:${S})?#PCDATA(?:(?:${S})?\\)\\*?|(?:(?:${S})?\\|(?:${S})?${NAME})+(?:${S})?\\)\\*)`;
const ATTRIBUTE_TYPE = `(?:CDATA|ID(?:REFS?)?|ENTIT(?:Y|IES)|NMTOKENS?|NOTATION${S}${choice(NAME)}|${choice(`[${NAME_PART}]+`)})`;
const DEFAULT = `(?:#REQUIRED|#IMPLIED|(?:#FIXED${S})?${quoted('<')})`;
const ENTITY = `(?:${quoted('%')}|${EXTERNAL}`;

const pattern = (source: string): RegExp => new RegExp(source, 'yu');

const START = pattern(`<!DOCTYPE${S}${NAME}(?:${S}${EXTERNAL})?(?:${S})?`);
const DECLARATION = pattern(
  [
    S,
    `%${NAME};`,
    '<!--(?:(?!--)[^])*-->',
    `<\\?(?![xX][mM][lL](?:[ \\t\\r\\n]|\\?>))${NAME}(?:\\?>|[ \\t\\r\\n](?:(?!\\?>)[^])*\\?>)`,
    `<!ELEMENT${S}${NAME}${S}(?:EMPTY|ANY|${MIXED}|(?<model>\\([^>]*))(?:${S})?>`,
    `<!ATTLIST${S}${NAME}(?:${S}${NAME}${S}${ATTRIBUTE_TYPE}${S}${DEFAULT})*(?:${S})?>`,
    `<!ENTITY${S}(?:${NAME}${S}${ENTITY}(?:${S}NDATA${S}${NAME})?)|%${S}${NAME}${S}${ENTITY}))(?:${S})?>`,
    `<!NOTATION${S}${NAME}${S}(?:${EXTERNAL}|PUBLIC${S}${PUBLIC_LITERAL})(?:${S})?>`,
  ].join('|'),
);
/** In a content model, of which the groups that were checked are replaced by `#`. */
const PARTICLE = `(?:${NAME}|#)[?*+]?`;
const separated = (by: string): string => `(?:(?:${S})?${by}(?:${S})?${PARTICLE})*`;
/** An innermost group of a content model: one kind of separator, `,` or `|`. */
const GROUP = new RegExp(
  `\\((?:${S})?${PARTICLE}(?:${separated(',')}|${separated('\\|')})(?:${S})?\\)`,
  'gu',
);
/** Nested deeper, a content model is not checked: each level takes one pass over it. */
const MAX_GROUPS = 64;

const WHOLE_NAME = new RegExp(`^${NAME}$`, 'u');

/** True for a name of XML 1.0 (production 5). */
export function isName(text: string): boolean {
  return WHOLE_NAME.test(text);
}

/**
 * The offset in `text`, a complete `<!DOCTYPE ...>`, of the first declaration that is not valid, 0 for its own start;
 * undefined if it is valid. The pattern matcher takes stack for each character, so that `text` must have at most a few
 * hundred thousand.
 */
export function doctypeFault(text: string): number | undefined {
  START.lastIndex = 0;
  if (!START.test(text)) return 0;
  let at = START.lastIndex;
  if (text[at] !== '[') return text.slice(at) === '>' ? undefined : 0;
  for (at++; text[at] !== ']'; at = DECLARATION.lastIndex) {
    DECLARATION.lastIndex = at;
    const found = DECLARATION.exec(text);
    const model = found?.groups?.['model'];
    if (!found || (model !== undefined && !isModel(model))) return at;
  }
  return /^\][ \t\r\n]*>$/.test(text.slice(at)) ? undefined : at;
}

/** True for a content model of names and groups, or one nested too deeply to check. */
function isModel(text: string): boolean {
  if (text.includes('#')) return false;
  let rest = text.trimEnd();
  for (let level = 0; level < MAX_GROUPS && rest.includes('('); level++) {
    const next = rest.replace(GROUP, '#');
    if (next === rest) return false;
    rest = next;
  }
  return rest.includes('(') || /^#[?*+]?$/.test(rest);
}
