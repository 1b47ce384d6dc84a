// Random TOML in every style: the samples the TOML tests run on.

import fc from 'fast-check';

export type Value = string | number | bigint | boolean | Value[] | { [key: string]: Value };

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '…',
    'a\nb',
    '"""',
    "'",
    '\\',
    'x'.repeat(80),
    'words and '.repeat(30),
    '\t#',
    ']',
    '}',
  ),
);
const name = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-z]{1,4}$/) },
  fc.constantFrom('a.b', '', 'quoted key', '#', '[x]', '__proto__', 'constructor', '"', '…'),
);

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), fc.boolean()),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6, noNullPrototype: true }) as fc.Arbitrary<Value>,
  ),
}));

/** TOML text, and the value it stands for. */
export const tomlSample: fc.Arbitrary<{ text: string; value: { [key: string]: Value } }> = fc
  .tuple(
    fc.dictionary(name, value, { maxKeys: 8, noNullPrototype: true }),
    fc.array(fc.nat(1000), { minLength: 5, maxLength: 40 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([root, numbers, lineEnd]) => {
    let at = 0;
    const pick = (of: number): number => ((numbers[at++ % numbers.length] ?? 0) + at * 7) % of;
    const written = writeTable(root, [], pick);
    return { text: written.replaceAll('\n', lineEnd), value: root };
  });

type Pick = (of: number) => number;

const isTable = (value: Value): value is { [key: string]: Value } =>
  typeof value === 'object' && !Array.isArray(value);

function key(part: string, pick: Pick): string {
  if (/^[\w-]+$/.test(part) && pick(3) > 0) return part;
  if (!part.includes("'") && !/[\p{Cc}]/u.test(part) && pick(2)) return `'${part}'`;
  return JSON.stringify(part);
}

function writeTable(table: { [key: string]: Value }, path: string[], pick: Pick): string {
  let own = '';
  let below = '';
  for (const [member, value] of Object.entries(table)) {
    const note = pick(5) === 0 ? ' # note' : '';
    const above = pick(7) === 0 ? '# about the next line\n' : '';
    const tables = Array.isArray(value) && value.length > 0 && value.every(isTable);
    if (isTable(value) && pick(3) > 0) {
      const dotted = Object.entries(value);
      if (dotted.length > 0 && pick(4) === 0)
        for (const [inner, item] of dotted)
          own += `${above}${key(member, pick)}.${key(inner, pick)} = ${inline(item, pick, true)}${note}\n`;
      else {
        const inner = [...path, member];
        below += `${above}[${inner.map((part) => key(part, pick)).join(pick(2) ? '.' : ' . ')}]${note}\n`;
        below += writeTable(value, inner, pick);
      }
    } else if (tables && pick(3) > 0) {
      const inner = [...path, member];
      for (const item of value)
        below += `\n[[${inner.map((part) => key(part, pick)).join('.')}]]${note}\n${writeTable(item, inner, pick)}`;
    } else
      own += `${above}${pick(6) === 0 ? '  ' : ''}${key(member, pick)} = ${inline(value, pick, true)}${note}\n`;
  }
  return `${own}${pick(4) === 0 ? '\n' : ''}${below}`;
}

function inline(value: Value, pick: Pick, lines: boolean): string {
  if (typeof value === 'string') {
    if (!/[\p{Cc}']/u.test(value) && pick(3) === 0) return `'${value}'`;
    // Escapes beyond those of TOML 1.0 do not come from JSON.stringify.
    const basic = JSON.stringify(value).slice(1, -1);
    if (pick(4) === 0) return `"""${pick(2) ? '\n' : ''}${basic.replaceAll('\\n', '\n')}"""`;
    return `"${basic}"`;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => inline(item, pick, lines));
    if (items.length > 0 && pick(2))
      return `[\n  ${items.join(`,${pick(3) ? '' : ' # in array'}\n  `)}${pick(2) ? ',' : ''}\n]`;
    return `[${items.join(', ')}]`;
  }
  if (typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([member, item]) => `${key(member, pick)} = ${inline(item, pick, false)}`)
      .join(', ')} }`;
  return String(value);
}
