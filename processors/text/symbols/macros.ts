// Blanks out C and C++ macros, which a grammar cannot parse because their definitions are elsewhere. They are replaced
// by spaces to keep all offsets. A macro is recognised by its capitals and position, never by its name.

/** A name in capitals, or a compiler-reserved one. */
const CAPITALS = String.raw`\b_*[A-Z][A-Z0-9_]{2,}\b`;
const ARGUMENTS = String.raw`(?:[ \t]*\([^()\n]{0,120}\))?`;
const NAME = String.raw`[A-Za-z_]\w*`;
/** Words before a declaration: keywords, and further macros. */
const BEFORE = String.raw`^[ \t]*(?:[a-z]+[ \t]+|template[ \t]*<[^<>\n]{0,80}>[ \t]*|${CAPITALS}[ \t]+){0,3}`;

/** Its letter comes first, or each character of a run of spaces would look back over the run. */
const STANDING = new RegExp(
  String.raw`\b(?=[A-Z_])(?:${[
    // `class API Name {`, `namespace std VISIBILITY(default) {`
    String.raw`(?<=\b(?:class|struct|union)[ \t]+)${CAPITALS}${ARGUMENTS}(?=\s+${NAME}\s*(?:final\s*)?[:{])`,
    String.raw`(?<=\bnamespace[ \t]+[\w:]{1,80}[ \t]+)${CAPITALS}${ARGUMENTS}(?=\s*\{)`,
    // `API int name(`, `BEGIN_NAMESPACE class Name;`
    String.raw`(?<=${BEFORE})${CAPITALS}(?=[ \t]+[A-Za-z_][\w:]*(?:<[^<>;(){}\n]*>)?(?:[ \t*&]+|[ \t]*\r?\n[ \t]*)[A-Za-z_])`,
    // A macro alone on its line before a declaration. An enumerator is followed by a comma or a brace.
    String.raw`(?<=^[ \t]*(?:${CAPITALS}[ \t]+){0,3})${CAPITALS}${ARGUMENTS}(?=[ \t]*(?:\r?\n[ \t]*){1,4}[A-Za-z_~])`,
    String.raw`(?<=[{};]\s{0,40}^[ \t]*)${CAPITALS}(?=[ \t]*(?:\r?\n[ \t]*){1,4}(?:#|//|/\*))`,
  ].join('|')})`,
  'gm',
);

/** After the parameters: `int f(void) NOEXCEPT;`, `int f(int) __nonnull ((1));` */
const ATTRIBUTE = String.raw`(?:${CAPITALS}|\b__[a-z]\w*\b)(?:[ \t]*\((?:[^()\n]|\([^()\n]{0,80}\)){0,120}\))?`;
const TRAILING = new RegExp(
  String.raw`(?<=\)(?:\s{1,20}const)?)\s{1,80}${ATTRIBUTE}(?:\s{1,80}${ATTRIBUTE}){0,6}(?=\s{0,80}(?:[;{]|=[ \t]*(?:0|default|delete)\b))`,
  'g',
);
/** Parameters wrapped in a macro for pre-ANSI compilers: `int f OF((int a));` */
const PACKED = new RegExp(
  String.raw`\b(?=[A-Z])(?<=\b${NAME}[ \t]+)([A-Z][A-Z0-9_]+\()(\([^;{}]{0,400}\))\)(?=\s*;)`,
  'g',
);

/** An expression or a directive: a capitalised name after a bracket is a value there. */
const NO_DECLARATION = /^\s*#|\breturn\b|(?<!\boperator\s?[-=!<>+*/%&|^]{0,3})=/;
const LINE = 300;

const spaces = (text: string): string => text.replaceAll(/[^\r\n]/g, ' ');

const CONDITIONAL = /^[ \t]*#[ \t]*(if|endif).*$/gm;
const GUARD = /^[ \t]*#[ \t]*ifndef[ \t]+(\w+)(?:[^\w\n][^\n]*)?\n\s{0,80}#[ \t]*define[ \t]+\1\b/;

/** `text` without its include guard: otherwise one error inside it would affect the whole file. */
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

/** `text` with spaces in place of what a grammar cannot parse. */
export function withoutMacros(text: string): string {
  const standing = withoutGuard(text).replace(STANDING, spaces);
  const trailing = standing.replace(TRAILING, (macros: string, at: number) => {
    const line = standing.slice(Math.max(standing.lastIndexOf('\n', at - 1) + 1, at - LINE), at);
    return NO_DECLARATION.test(line) ? macros : spaces(macros);
  });
  return trailing.replace(PACKED, (_, open: string, parameters: string) => `${spaces(open)}${parameters} `);
}
