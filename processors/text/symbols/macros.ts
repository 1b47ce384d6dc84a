// Macros of C and C++ that no grammar can know: what they stand for is elsewhere. Each is parsed as spaces, so that places
// stay where they are. A macro is known by its capitals and by where it stands, never by its name.

/** A name in capitals, or of the compiler's own. */
const CAPITALS = String.raw`\b_*[A-Z][A-Z0-9_]{2,}\b`;
const ARGUMENTS = String.raw`(?:[ \t]*\([^()\n]{0,120}\))?`;
const NAME = String.raw`[A-Za-z_]\w*`;
/** Words before a declaration: keywords, and macros again. */
const BEFORE = String.raw`^[ \t]*(?:[a-z]+[ \t]+|template[ \t]*<[^<>\n]{0,80}>[ \t]*|${CAPITALS}[ \t]+){0,3}`;

const STANDING = new RegExp(
  [
    // `class API Name {`, `namespace std VISIBILITY(default) {`
    String.raw`(?<=\b(?:class|struct|union)[ \t]+)${CAPITALS}${ARGUMENTS}(?=\s+${NAME}\s*(?:final\s*)?[:{])`,
    String.raw`(?<=\bnamespace[ \t]+[\w:]{1,80}[ \t]+)${CAPITALS}${ARGUMENTS}(?=\s*\{)`,
    // `API int name(`, `BEGIN_NAMESPACE class Name;`
    String.raw`(?<=${BEFORE})${CAPITALS}(?=[ \t]+[A-Za-z_][\w:]*(?:<[^<>;(){}\n]*>)?(?:[ \t*&]+|[ \t]*\r?\n[ \t]*)[A-Za-z_])`,
    // One alone on its line before a declaration. An enumerator has a comma or a brace after it.
    String.raw`(?<=^[ \t]*(?:${CAPITALS}[ \t]+){0,3})${CAPITALS}${ARGUMENTS}(?=[ \t]*(?:\r?\n[ \t]*){1,4}[A-Za-z_~])`,
    String.raw`(?<=[{};]\s{0,40}^[ \t]*)${CAPITALS}(?=[ \t]*(?:\r?\n[ \t]*){1,4}(?:#|//|/\*))`,
  ].join('|'),
  'gm',
);

/** After the parameters: `int f(void) NOEXCEPT;`, `int f(int) __nonnull ((1));` */
const ATTRIBUTE = String.raw`(?:${CAPITALS}|\b__[a-z]\w*\b)(?:[ \t]*\((?:[^()\n]|\([^()\n]{0,80}\)){0,120}\))?`;
const TRAILING = new RegExp(
  String.raw`(?<=\)(?:\s{1,20}const)?)\s{1,80}${ATTRIBUTE}(?:\s{1,80}${ATTRIBUTE}){0,6}(?=\s{0,80}(?:[;{]|=[ \t]*(?:0|default|delete)\b))`,
  'g',
);
/** Parameters in a macro for compilers without any: `int f OF((int a));` */
const PACKED = new RegExp(
  String.raw`(?<=\b${NAME}[ \t]+)(\b[A-Z][A-Z0-9_]+\()(\([^;{}]{0,400}\))\)(?=\s*;)`,
  'g',
);

/** An expression, or a directive: a name in capitals after a bracket is a value there. */
const NO_DECLARATION = /^\s*#|\breturn\b|(?<!\boperator\s?[-=!<>+*/%&|^]{0,3})=/;
const LINE = 300;

const spaces = (text: string): string => text.replaceAll(/[^\r\n]/g, ' ');

const CONDITIONAL = /^[ \t]*#[ \t]*(if|endif)\w*.*$/gm;
const GUARD = /^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n\s{0,80}#[ \t]*define[ \t]+\1\b/;

/** `text` without the condition around a header: one error in it would be an error of the whole file. */
function withoutGuard(text: string): string {
  let open: number | undefined;
  let depth = 0;
  for (const { 0: line, 1: word, index } of text.matchAll(CONDITIONAL)) {
    if (open === undefined && !GUARD.test(text.slice(index, index + LINE))) return text;
    open ??= index;
    depth += word === 'if' ? 1 : -1;
    if (depth > 0) continue;
    const first = text.indexOf('\n', open);
    return [
      text.slice(0, open),
      spaces(text.slice(open, first)),
      text.slice(first, index),
      spaces(line),
      text.slice(index + line.length),
    ].join('');
  }
  return text;
}

/** `text` with spaces for what a grammar cannot read. */
export function withoutMacros(text: string): string {
  const standing = withoutGuard(text).replace(STANDING, spaces);
  const trailing = standing.replace(TRAILING, (macros: string, at: number) => {
    const line = standing.slice(Math.max(standing.lastIndexOf('\n', at - 1) + 1, at - LINE), at);
    return NO_DECLARATION.test(line) ? macros : spaces(macros);
  });
  return trailing.replace(PACKED, (_, open: string, parameters: string) => `${spaces(open)}${parameters} `);
}
