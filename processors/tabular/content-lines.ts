// The lines of iCalendar and vCard files: folded `name;parameter=value:value`, and blocks between BEGIN and END.

/** One property, with its value as written. */
export interface Property {
  /** Upper case, without the group of a vCard property. */
  readonly name: string;
  /** By name in upper case; the values of a repeated parameter are joined with commas. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

/** A block of properties: an event, a time zone, a contact. */
export interface Block {
  /** Upper case: `VEVENT`. */
  readonly kind: string;
  readonly properties: readonly Property[];
  readonly blocks: readonly Block[];
}

/** Blocks in a file, and lines that are not properties. */
export interface Blocks {
  readonly blocks: readonly Block[];
  readonly unread: number;
}

/** Deeper blocks are read as part of the block at this depth. Calendars, events and alarms need three. */
const MAX_DEPTH = 8;

/** Reads all blocks of `text`. A block that does not end, ends with the file. */
export function blocksOf(text: string): Blocks {
  const top: Block[] = [];
  const open: { kind: string; properties: Property[]; blocks: Block[] }[] = [];
  let unread = 0;
  for (const line of logicalLines(text)) {
    const property = propertyOf(line);
    if (!property) {
      unread += 1;
      continue;
    }
    const kind = property.value.trim().toUpperCase();
    if (property.name === 'BEGIN' && open.length < MAX_DEPTH) {
      const block = { kind, properties: [], blocks: [] };
      (open.at(-1)?.blocks ?? top).push(block);
      open.push(block);
    } else if (property.name === 'END') {
      const at = open.findLastIndex((block) => block.kind === kind);
      if (at >= 0) open.length = at;
    } else if (open.length > 0) open.at(-1)?.properties.push(property);
    else unread += 1;
  }
  return { blocks: top, unread };
}

/** Lines with their continuations: a line that starts with white space continues the one before it. */
function* logicalLines(text: string): Generator<string> {
  let pieces: string[] = [];
  let isSoft = false;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const isFolded = /^[ \t]/.test(line);
    if (pieces.length > 0 && (isFolded || isSoft)) pieces.push(isFolded && !isSoft ? line.slice(1) : line);
    else {
      if (pieces.length > 0) yield pieces.join('');
      pieces = line.trim() === '' ? [] : [line];
    }
    // vCard 2.1 breaks quoted-printable values with a final `=`.
    isSoft = /=$/.test(line) && /;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(pieces[0] ?? '');
    const last = pieces.at(-1);
    if (isSoft && last !== undefined) pieces[pieces.length - 1] = last.slice(0, -1);
  }
  if (pieces.length > 0) yield pieces.join('');
}

function propertyOf(line: string): Property | undefined {
  const head = /^(?:[\w-]{1,100}\.)?([\w-]{1,100})/.exec(line);
  if (!head) return undefined;
  const parameters = new Map<string, string>();
  let at = head[0].length;
  while (line[at] === ';') {
    const parameter = /;([\w-]{1,100})(?:=((?:"[^"]*"|[^";:,])*(?:,(?:"[^"]*"|[^";:,])*)*))?/y;
    parameter.lastIndex = at;
    const found = parameter.exec(line);
    if (!found) return undefined;
    at = parameter.lastIndex;
    // vCard 2.1 writes a type or an encoding without its name.
    const [, name = '', value] = found;
    const key =
      value === undefined ? (/^(?:QUOTED-PRINTABLE|BASE64|8BIT)$/i.test(name) ? 'ENCODING' : 'TYPE') : name;
    const text = (value ?? name).replaceAll('"', '');
    const before = parameters.get(key.toUpperCase());
    parameters.set(key.toUpperCase(), before === undefined ? text : `${before},${text}`);
  }
  if (line[at] !== ':') return undefined;
  return { name: (head[1] ?? '').toUpperCase(), parameters, value: line.slice(at + 1) };
}
