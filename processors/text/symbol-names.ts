// Names of definitions as a reader writes them: `read`, `Reader.read`, `(*Reader).Read`, `Reader::read`, `def read`.

/** One definition among those of its file. */
interface Named {
  readonly name: string;
  readonly owner?: string;
}

/** A name with what it belongs to. A method of a prototype is one of its class. */
export const pathOf = ({ name, owner }: Named): string =>
  owner === undefined ? name : `${owner}.${name}`.replaceAll(/\.prototype(?=\.)/g, '');

/** The parts of a name, outermost first. */
export const partsOf = (name: string): string[] =>
  name
    .replaceAll(/\.prototype(?=\.)/g, '')
    .split(/::|->|[.#/\\]/)
    .filter((part) => part !== '');

/** `(*Route).Match` and `func (r *Route) Match` are `Route.Match`. */
const RECEIVER = /^(?:func\s*)?\(\s*(?:[\w$]+\s+)?[*&]*\s*([\w$]+)[^()]{0,80}\)\s*\.?\s*(?=[\w$])/;
const WORDS_BEFORE = /^(?:[a-z_]+\s+)+[*&]*/;

/**
 * The paths that `asked` may mean, the likeliest first: what it says, then what it declares where it is written like a
 * declaration, with the words before the name or with its parameters.
 */
export function pathsAsked(asked: string): string[][] {
  const path = asked.trim().replace(RECEIVER, '$1.');
  const named = path.replace(/\(.*$/s, '').trim();
  const declared = named.replace(WORDS_BEFORE, '');
  // Of a whole signature the name stands last before the parameters, and first without any.
  const words = declared.split(/\s+/);
  const likely = (named === path ? words[0] : words.at(-1)) ?? '';
  return [...new Set([path, named, declared, likely.replace(/^[*&]+|[:{;=]+$/g, '')])]
    .map(partsOf)
    .filter((parts) => parts.length > 0);
}
