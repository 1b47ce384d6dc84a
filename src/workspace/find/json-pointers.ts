// Where in a JSON document a match is: the pointer of the value, or of the one whose key it is (RFC 6901).

/** A value being scanned: an array with the index reached, or an object with the key read last. */
interface Open {
  readonly isArray: boolean;
  index: number;
  key: string | undefined;
}

/** Deeper values have the pointer of the one at this depth. */
const MAX_DEPTH = 256;
const MAX_KEY_LENGTH = 500;

/** Scans a JSON text once, as far as it is asked; text that is not JSON gives pointers without meaning, but no error. */
export class JsonPointers {
  readonly #text: string;
  readonly #open: Open[] = [];
  #depth = 0;
  #at = 0;
  #isKey = false;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Of what is at `offset`, in UTF-16 units; offsets are asked for in ascending order. `''` is the whole document. `shown`
   * is the pointer of the value that shows it: of a key, the object.
   */
  of(offset: number): { readonly pointer: string; readonly shown: string } {
    while (this.#at <= offset && this.#at < this.#text.length) this.#step();
    let outer = '';
    let pointer = '';
    for (const { isArray, index, key } of this.#open) {
      const token = isArray ? `${index}` : key;
      if (token === undefined) break;
      outer = pointer;
      pointer += `/${escapedToken(token)}`;
    }
    return { pointer, shown: this.#isKey ? outer : pointer };
  }

  #step(): void {
    const character = this.#text[this.#at];
    const top = this.#depth > MAX_DEPTH ? undefined : this.#open.at(-1);
    if (character === '"') {
      const end = this.#stringEnd();
      if (this.#isKey && top)
        top.key = keyOf(this.#text.slice(this.#at, Math.min(end, this.#at + MAX_KEY_LENGTH)));
      this.#at = end;
      return;
    }
    this.#at += 1;
    if (character === '{' || character === '[') {
      this.#depth += 1;
      this.#isKey = character === '{';
      if (this.#depth <= MAX_DEPTH) this.#open.push({ isArray: character === '[', index: 0, key: undefined });
    } else if (character === '}' || character === ']') {
      if (this.#depth <= MAX_DEPTH) this.#open.pop();
      this.#depth = Math.max(0, this.#depth - 1);
      this.#isKey = false;
    } else if (character === ':') this.#isKey = false;
    else if (character === ',' && top) {
      if (top.isArray) top.index += 1;
      else this.#isKey = true;
    }
  }

  /** Behind the closing quote of the string that starts here. */
  #stringEnd(): number {
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === '\\') at += 1;
      else if (this.#text[at] === '"') return at + 1;
    }
    return this.#text.length;
  }
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1); // too long, or not JSON
  }
}

/** A key in a pointer (RFC 6901). */
export const escapedToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
