// Random YAML in every style: the samples the YAML tests run on.

import fc from 'fast-check';

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Decides styles; the same numbers make the same text. */
class Choices {
  /** Anchors of the document so far, where aliases are wanted. */
  readonly anchors: string[] | undefined;
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[], aliases: boolean) {
    this.#numbers = numbers;
    this.anchors = aliases ? [] : undefined;
  }

  fresh(): number {
    return 100 + this.#at++;
  }

  next(of: number): number {
    const number = this.#numbers[this.#at++ % this.#numbers.length] ?? 0;
    return (number + this.#at * 7) % of;
  }
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.constantFrom('some words', 'line', '', '  two', "it's", 'a: b', '#no', '\\', '"'), {
      maxLength: 12,
    })
    .map((lines) => lines.join('\n')),
  fc.constantFrom(
    'yes',
    '~',
    '2024-01-01',
    '0o7',
    '…',
    '*x',
    '- a',
    '---',
    '{',
    "''",
    'a\tb',
    'x'.repeat(90),
    'word '.repeat(40),
  ),
);

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 8 }),
    fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z]{1,6}$/), text), tie('value'), {
      maxKeys: 8,
    }) as fc.Arbitrary<Value>,
  ),
}));

export interface Sample {
  readonly text: string;
  /** The values of its documents, aliases not followed. */
  readonly documents: Value[];
}

/** YAML text in every style, with aliases in place of some values where wanted. */
export function samples(aliases: boolean): fc.Arbitrary<Sample> {
  return fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: fc.tuple(value) }, fc.array(value, { minLength: 2, maxLength: 4 })),
      fc.array(fc.nat(1000), { minLength: 5, maxLength: 40 }),
      fc.constantFrom('\n', '\n', '\r\n'),
    )
    .map(([documents, numbers, lineEnd]) => {
      const choices = new Choices(numbers, aliases);
      const several = documents.length > 1;
      const texts = documents.map((document) => {
        choices.anchors?.splice(0);
        const body = write(document, 0, choices, true);
        const lead = several || choices.next(3) === 0 ? '---' : '';
        const glued = lead === '' ? body.replace(/^[ \n]/, '') : lead + body;
        return glued.endsWith('\n') ? glued : `${glued}\n`;
      });
      const head =
        choices.next(3) === 0 ? `${'# a comment line before everything\n'.repeat(choices.next(9))}` : '';
      return { text: (head + texts.join('')).replaceAll('\n', lineEnd), documents };
    });
}

const comment = (choices: Choices): string => (choices.next(4) === 0 ? ' # note' : '');

/** `value` after an indicator: it begins with a space or a line end. */
function write(value: Value, indent: number, choices: Choices, block: boolean): string {
  const known = choices.anchors?.at(choices.next(7));
  if (known !== undefined && choices.next(3) === 0) return ` *${known} `;
  // A collection's name is its own, so that nothing inside it can refer to it.
  const own = value !== null && typeof value === 'object';
  const anchor = choices.next(8) === 0 ? `a${own ? choices.fresh() : choices.next(5)}` : '';
  const written = writeNode(value, indent, choices, block, anchor && ` &${anchor}`);
  if (anchor) choices.anchors?.push(anchor);
  return written;
}

function writeNode(value: Value, indent: number, choices: Choices, block: boolean, props: string): string {
  const pad = ' '.repeat(indent);
  if (typeof value === 'string') return props + scalar(value, indent, choices, block);
  if (value === null || typeof value !== 'object')
    return `${props} ${String(value)}${block ? comment(choices) : ''}`;
  const entries: [string, Value][] = Array.isArray(value)
    ? value.map((item) => ['', item])
    : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${props} ${open}${close}`;
  if (!block || choices.next(4) === 0) {
    const inner = entries.map(([key, item]) => {
      const written = write(item, indent + 2, choices, false);
      return Array.isArray(value) ? written.trimStart() : `${JSON.stringify(key)}:${written}`;
    });
    const breaks = choices.next(3) === 0;
    const separator = breaks ? `,${choices.next(2) ? ' # in flow' : ''}\n${pad}  ` : ', ';
    return `${props} ${open}${inner.join(separator)}${choices.next(5) === 0 ? ', ' : ''}${close}${block ? comment(choices) : ''}`;
  }
  const lines = entries.map(([key, item]) => {
    const above = choices.next(6) === 0 ? `${pad}# about the next\n${choices.next(2) ? '\n' : ''}` : '';
    const written = write(item, indent + 2, choices, true);
    const name = JSON.stringify(key);
    return `${above}${pad}${Array.isArray(value) ? '-' : /^[a-z]+$/.test(key) && choices.next(2) ? `${key}:` : `${name}:`}${written}`;
  });
  return `${props}${choices.next(5) === 0 ? ' # of a block' : ''}\n${lines.join('\n')}`;
}

function scalar(value: string, indent: number, choices: Choices, block: boolean): string {
  const note = block ? comment(choices) : '';
  const pad = ' '.repeat(indent + 1);
  switch (choices.next(4)) {
    case 0:
      if (block && /^[\x20-\x7e\n]+$/.test(value) && /^\S/.test(value) && /\S$/.test(value))
        return ` |-${note}\n${value
          .split('\n')
          .map((line) => (line === '' ? '' : pad + line))
          .join('\n')}`;
      break;
    case 1:
      if (/^[\x20-\x7e]*$/.test(value)) return ` '${value.replaceAll("'", "''")}'${note}`;
      break;
    case 2:
      if (/^[a-z][a-z ]*[a-z]$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(value)) {
        const folded = choices.next(2) && value.includes(' ') ? value.replace(' ', `\n${pad}`) : value;
        return ` ${folded}${note}`;
      }
      break;
    default:
      break;
  }
  return ` ${JSON.stringify(value)}${note}`;
}
