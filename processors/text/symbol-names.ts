// Parses names of definitions as callers write them: `read`, `Reader.read`, `(*Reader).Read`, `Reader::read`, `def
// read`.

import { withoutEnd } from '../../src/contract/index.ts';

/** One definition of a file. */
interface Named {
  readonly name: string;
  readonly owner?: string;
}

/** A name qualified by its owner. Prototype methods belong to their class. */
export const pathOf = ({ name, owner }: Named): string =>
  owner === undefined ? name : `${owner}.${name}`.replaceAll(/\.prototype(?=\.)/g, '');

/** The parts of a name, outermost first. */
export const partsOf = (name: string): string[] =>
  name
    .replaceAll(/\.prototype(?=\.)/g, '')
    .split(/::|->|[.#/\\]/)
    .filter((part) => part !== '');

/** `(*Route).Match` and `func (r *Route) Match` mean `Route.Match`. */
const RECEIVER =
  /^(?:func\s*)?\(\s*(?:[\w$]+\s+(?=[\w$*&]))?(?:[*&]+\s*)?([\w$]+)[^()]{0,80}\)\s*(?:\.\s*)?(?=[\w$])/;
const WORDS_BEFORE = /^(?:[a-z_]+\s+)+[*&]*/;

/**
 * The paths `asked` may mean, most likely first: its literal form, then the declared name if it is written like a
 * declaration, with keywords before the name or with parameters.
 */
export function pathsAsked(asked: string): string[][] {
  const path = asked.trim().replace(RECEIVER, '$1.');
  const named = path.replace(/\(.*/s, '').trim();
  const declared = named.replace(WORDS_BEFORE, '');
  // In a full signature the name is the last word before the parameters; without parameters it is the first.
  const words = declared.split(/\s+/);
  const likely = (named === path ? words[0] : words.at(-1)) ?? '';
  return [...new Set([path, named, declared, withoutEnd(likely.replace(/^[*&]+/, ''), ':{;=')])]
    .map(partsOf)
    .filter((parts) => parts.length > 0);
}
