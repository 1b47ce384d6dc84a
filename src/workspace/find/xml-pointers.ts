// Where in an XML document a match is: the pointer of the element whose tags or text it is in, as the reader writes it,
// `/root/item[3]/name`.

/** An element that is open. */
interface Open {
  readonly pointer: string;
  /** Number of its child elements by name. */
  readonly names: Map<string, number>;
}

/** Deeper elements have the pointer of the one at this depth. */
const MAX_DEPTH = 256;
const MAX_NAME = 500;
/** What ends at the first such text, by what it starts with. */
const ENDS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Scans an XML text once, as far as it is asked; text that is not XML gives pointers without meaning, but no error. */
export class XmlPointers {
  readonly #text: string;
  readonly #open: Open[] = [{ pointer: '', names: new Map() }];
  #depth = 0;
  #at = 0;
  /** The tag read last closes its element. */
  #closes = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Of what is at `offset`, in UTF-16 units; offsets are asked for in ascending order. `''` is the whole document. */
  of(offset: number): { readonly pointer: string; readonly shown: string } {
    while (this.#at <= offset && this.#at < this.#text.length) this.#step();
    const { pointer = '' } = this.#open.at(-1) ?? {};
    return { pointer, shown: pointer };
  }

  #step(): void {
    if (this.#closes) this.#close();
    if (this.#text[this.#at] !== '<') {
      this.#at = this.#behind('<', this.#at) - 1;
      return;
    }
    for (const [start, end] of ENDS)
      if (this.#text.startsWith(start, this.#at)) {
        this.#at = this.#behind(end, this.#at + start.length);
        return;
      }
    const from = this.#at + 1;
    const second = this.#text[from];
    this.#at = this.#tagEnd(from, second === '!');
    if (second === '/') this.#closes = true;
    else if (second !== '!') {
      const [name = ''] = /^[^\s/>]+/.exec(this.#text.slice(from, Math.min(from + MAX_NAME, this.#at))) ?? [];
      this.#enter(name);
      this.#closes = this.#text[this.#at - 2] === '/';
    }
  }

  #enter(name: string): void {
    this.#depth += 1;
    const above = this.#open.at(-1);
    if (!above || this.#depth > MAX_DEPTH) return;
    const number = (above.names.get(name) ?? 0) + 1;
    above.names.set(name, number);
    const step = number === 1 ? name : `${name}[${number}]`;
    this.#open.push({ pointer: `${above.pointer}/${step}`, names: new Map() });
  }

  #close(): void {
    this.#closes = false;
    if (this.#depth > 0 && this.#depth <= MAX_DEPTH) this.#open.pop();
    this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Behind the `>` of a tag, or of a document type with all that it declares. */
  #tagEnd(from: number, isDeclaration: boolean): number {
    let inside = 0;
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '"' || character === "'") at = this.#behind(character, at + 1) - 1;
      else if (character === '>' && inside === 0) return at + 1;
      else if (!isDeclaration) continue;
      else if (character === '[') inside += 1;
      else if (character === ']') inside = Math.max(0, inside - 1);
      else if (this.#text.startsWith('<!--', at)) at = this.#behind('-->', at + 4) - 1;
      else if (this.#text.startsWith('<?', at)) at = this.#behind('?>', at + 2) - 1;
    }
    return this.#text.length;
  }

  /** Behind the next `end`; behind the text if there is none. */
  #behind(end: string, from: number): number {
    const at = this.#text.indexOf(end, from);
    return at < 0 ? this.#text.length + 1 : at + end.length;
  }
}
