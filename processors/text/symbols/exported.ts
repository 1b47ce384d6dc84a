// Decides which definitions are public: by keyword, by export statement, or by naming convention.

import type { GrammarName } from './languages.ts';

/** `module.exports = A`, `exports.a = A`, `export default A`, `export { A, B }` */
const LISTS =
  /^(?:(?:module\.)?exports(?:\.[\w$]{1,80})?\s{0,20}=\s{0,20}|export\s{1,20}(?:default\s{1,20})?)(?:\{([^}]{0,4000})|([\w$]{1,80})\s{0,20}(?:;|$))/gm;
const KEYWORD = /^(?:export|pub|public)\b/;
const BY_NAME: Readonly<Partial<Record<GrammarName, RegExp>>> = { go: /^\p{Lu}/u, python: /^[^_]/ };
const ECMASCRIPT: ReadonlySet<GrammarName> = new Set(['javascript', 'typescript', 'tsx']);

/** Returns a predicate: whether a definition with this name and signature is public in a file with this text. */
export function exportsOf(text: string, grammar: GrammarName): (name: string, signature: string) => boolean {
  const named = new Set(
    ECMASCRIPT.has(grammar)
      ? [...text.matchAll(LISTS)].flatMap(([, list, name]) => name ?? list?.match(/[\w$]+/g) ?? [])
      : [],
  );
  const byName = BY_NAME[grammar];
  return (name, signature) => named.has(name) || KEYWORD.test(signature) || byName?.test(name) === true;
}
