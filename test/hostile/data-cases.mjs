// Hostile tables and structured data (cases 65-94, T1-T5, S1-S7).

import { gzipSync } from 'node:zlib';
import { file, lines, repeated } from './make.mjs';
import { NAUGHTY } from './text-cases.mjs';

const MEGABYTE = 2 ** 20;
const GIGABYTE = 2 ** 30;
const bounded = { bounded: true };
const cut = { truncated: true };
const csvCell = (text) => `"${text.replaceAll('"', '""')}"`;

const CSV_CASES = [
  {
    name: 'CSV: a quote never closed, 1M rows',
    make: lines('open.csv', 1e6, (row) => `${row},b\n`, { head: 'id,name\n"1,a\n' }),
    expect: bounded,
    seconds: 20,
  },
  {
    name: 'CSV: "a"b 200 000 times',
    make: repeated('half.csv', '"a"b', { smoke: 8e5, full: 8e5 }),
    expect: bounded,
  },
  {
    name: 'CSV: 2M columns',
    make: repeated('wide.csv', ',', { smoke: 2e6, full: 2e6 }),
    expect: { truncated: true },
    seconds: 20,
  },
  {
    name: 'CSV: 20 000 equal headers',
    make: file('same.csv', `${'h,'.repeat(20000)}h\n${'1,'.repeat(20000)}1\n`),
    expect: cut,
  },
  {
    name: 'CSV: headers of the prototype',
    make: file('proto.csv', '__proto__,constructor,toString\n1,2,3\n'),
    expect: { contains: '__proto__,constructor,toString\n1,2,3' },
  },
  { name: 'CSV: sep=;', make: file('sep.csv', 'sep=;\na;b\n1,5;2\n'), expect: { contains: '1,5' } },
  {
    name: 'CSV: decimal commas',
    make: file('comma.csv', 'a;b\n1,5;2,5\n3,5;4,5\n'),
    expect: { fact: ['columns', 2] },
  },
  {
    name: 'CSV: ragged rows',
    make: file('ragged.csv', 'a,b,c\n1\n1,2,3,4\n1,2,3\n'),
    expect: { warning: 'RAGGED_ROWS' },
  },
  {
    name: 'CSV: a field of 30 MB',
    make: repeated(
      'field.csv',
      'x'.repeat(1000),
      { smoke: 3e7, full: 3e7 },
      { head: 'a,b\n1,"', tail: '"\n2,3\n' },
    ),
    expect: { truncated: true, fact: ['rows', 2] },
  },
  {
    name: 'CSV: formulas',
    make: file('formula.csv', "a,b\n=cmd|' /C calc'!A0,+1\n"),
    expect: { contains: "=cmd|' /C calc'!A0,+1" },
  },
  {
    name: 'CSV: digits that are no numbers',
    make: file('ids.csv', `id,x\n007,1e5\n${'9'.repeat(400)},2/3\n`),
    expect: { contains: '007,1e5\n'.concat('9'.repeat(400)) },
  },
  { name: 'CSV: gzip by another name', make: file('packed.csv', gzipSync('a,b\n1,2\n')), expect: bounded },
  {
    name: 'CSV: naughty cells',
    make: file(
      'naughty.csv',
      `n,text\n${NAUGHTY.map((text, index) => `${index},${csvCell(text)}\n`).join('')}`,
    ),
    expect: bounded,
  },
  {
    name: 'CSV: 5000 x 100, cells of 2000',
    make: lines(
      'seed.csv',
      5001,
      (row) =>
        `${Array.from({ length: 100 }, (_, column) => (row > 0 && column === 7 ? 'x'.repeat(2000) : `r${row}c${column}`)).join(',')}\n`,
    ),
    expect: { truncated: true, fact: ['rows', 5000] },
  },
  { name: 'CSV: header alone', make: file('header.csv', 'a,b,c\n'), expect: { contains: 'a,b,c' } },
  {
    name: 'CSV: 1 GB, rows in the middle',
    make: lines('long.csv', 2e6, (row) => `${row},name ${row},${row * 3}\n`, { head: 'id,name,n\n' }),
    request: { rows: '1000000-1000002' },
    expect: { contains: '999999,name 999999' },
    seconds: 30,
  },
];

const JSON_CASES = [
  {
    name: 'JSON: [ 100 000 deep',
    make: file('deep.json', '['.repeat(1e5) + ']'.repeat(1e5)),
    expect: bounded,
  },
  {
    name: 'JSON: [ 5M deep',
    make: file('deeper.json', () => '['.repeat(5e6) + ']'.repeat(5e6)),
    expect: bounded,
    seconds: 20,
  },
  {
    name: 'JSON: 1 GB of [',
    make: repeated('open.json', '[', { smoke: 64 * MEGABYTE, full: GIGABYTE }),
    expect: bounded,
    seconds: 60,
  },
  {
    name: 'JSON: 1 GB of {"a":',
    make: repeated('keys.json', '{"a":', { smoke: 64 * MEGABYTE, full: GIGABYTE }),
    expect: bounded,
    seconds: 60,
  },
  {
    name: 'JSON: 1 GB of items',
    make: repeated(
      'items.json',
      '{"id": 12345, "name": "some name", "tags": [1, 2, 3]},',
      { smoke: 64 * MEGABYTE, full: GIGABYTE },
      { head: '[', tail: '{}]' },
    ),
    pages: 2,
    expect: cut,
    seconds: 60,
  },
  {
    name: 'JSON: one string of 1 GB',
    make: repeated(
      'string.json',
      'x'.repeat(1000),
      { smoke: 64 * MEGABYTE, full: GIGABYTE },
      { head: '{"a": "', tail: '"}' },
    ),
    pages: 2,
    expect: cut,
    seconds: 60,
  },
  {
    name: 'JSON: big numbers, -0, twice the same key',
    make: file('odd.json', '{"__proto__": 1, "n": 12345678901234567890, "f": 1e400, "z": -0, "n": 2}'),
    expect: { contains: '12345678901234567890', warning: 'DUPLICATE_KEYS' },
  },
  {
    name: 'JSON: a key named as the mark',
    make: file(
      'mark.json',
      JSON.stringify({ '…': '3 more keys', list: Array.from({ length: 5000 }, (_, index) => index) }),
    ),
    expect: cut,
  },
  {
    name: 'JSON: trailing text',
    make: file('trailing.json', '{"a": 1} trailing'),
    expect: { warning: 'INVALID_SYNTAX', contains: 'trailing' },
  },
  { name: 'JSON: NaN', make: file('nan.json', '[NaN, Infinity]'), expect: { warning: 'INVALID_SYNTAX' } },
  {
    name: 'JSON: comments',
    make: file('comments.json', '// c\n{"a": 1}\n'),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  { name: 'JSON: byte order mark', make: file('bom.json', '\ufeff{"a": 1}'), expect: { whole: '{"a": 1}' } },
  {
    name: 'JSON Lines: one bad line',
    make: file('bad.jsonl', '{"a": 1}\n{"a": \n{"a": 3}\n'),
    expect: { warning: 'INVALID_SYNTAX', contains: '{"a": 3}' },
  },
  {
    name: 'JSON Lines: 1M records',
    make: lines('many.jsonl', 1e6, (row) => `{"id": ${row}}\n`),
    pages: 2,
    expect: cut,
    seconds: 20,
  },
  {
    name: 'JSON Lines: a record of 30 MB',
    make: repeated(
      'long.jsonl',
      'x'.repeat(1000),
      { smoke: 3e7, full: 3e7 },
      { head: '{"a": "', tail: '"}\n{"b": 1}\n' },
    ),
    pages: 2,
    expect: cut,
  },
  {
    name: 'JSON: pointer through the prototype',
    make: file('p.json', '{"a": 1}'),
    request: { pointer: '/__proto__/constructor' },
    expect: { error: 'BAD_INPUT' },
  },
  {
    name: 'JSON: naughty keys and values',
    make: file('naughty.json', JSON.stringify(Object.fromEntries(NAUGHTY.map((text) => [text, text])))),
    expect: bounded,
  },
];

const YAML_CASES = [
  {
    name: 'YAML: nine aliases to nine aliases, nine times',
    make: file(
      'laughs.yaml',
      `a: &a [x, x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]\n`).join('')}`,
    ),
    expect: { processor: 'yaml' },
  },
  {
    name: 'YAML: the same as JSON',
    make: file(
      'laughs.yaml',
      `a: &a [x, x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]\n`).join('')}`,
    ),
    request: { format: 'json' },
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'YAML: 99 aliases of 1 MB',
    make: file('alias.yaml', () => `s: &s "${'x'.repeat(1e6)}"\nl:\n${'- *s\n'.repeat(99)}`),
    expect: cut,
  },
  {
    name: 'YAML: 200 000 keys',
    make: lines('keys.yaml', 200000, (row) => `k${row}: 1\n`),
    expect: bounded,
    seconds: 20,
  },
  {
    name: 'YAML: 150 000 keys',
    make: lines('keys.yaml', 150000, (row) => `k${row}: 1\n`),
    expect: { processor: 'yaml', truncated: true },
    seconds: 20,
  },
  {
    name: 'YAML: [ 5000 deep',
    make: file('flow.yaml', '['.repeat(5000)),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'YAML: [ 2 MB deep',
    make: file('flows.yaml', '['.repeat(2e6)),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'YAML: 20 000 dashes',
    make: file('dashes.yaml', '- '.repeat(20000)),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'YAML: 2 MB of commas',
    make: file('commas.yaml', `[${','.repeat(2e6)}]`),
    expect: { warning: 'NOT_VALIDATED' },
    seconds: 20,
  },
  {
    name: 'YAML: 2 MB of closing braces',
    make: file('braces.yaml', '}\n'.repeat(1e6)),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'YAML: a million flow items',
    make: file('items.yaml', `[${'1,'.repeat(1e6)}1]`),
    expect: bounded,
    seconds: 30,
  },
  {
    name: 'YAML: a million comment lines',
    make: repeated('comments.yaml', '#\n', { smoke: 2e6, full: 2e6 }),
    expect: bounded,
    seconds: 20,
  },
  {
    name: 'YAML: 100 000 documents',
    make: lines('docs.yaml', 100000, (row) => `---\nid: ${row}\n`),
    pages: 2,
    expect: { processor: 'yaml', truncated: true },
    seconds: 20,
  },
  {
    name: 'YAML: tags that would run code',
    make: file(
      'tags.yaml',
      'a: !!js/function "function () {}"\nb: !!python/object/apply:os.system [id]\nc: !foo {x: 1}\n',
    ),
    expect: {
      whole: 'a: !!js/function "function () {}"\nb: !!python/object/apply:os.system [id]\nc: !foo {x: 1}\n',
    },
  },
  {
    name: 'YAML: merge key in a circle',
    make: file('merge.yaml', 'a: &a\n  <<: *a\n  b: 1\n'),
    expect: { whole: 'a: &a\n  <<: *a\n  b: 1\n' },
  },
  {
    name: 'YAML: merge key in a circle as JSON',
    make: file('merge.yaml', 'a: &a\n  <<: *a\n  b: 1\n'),
    request: { format: 'json' },
    expect: { contains: '*a' },
  },
  {
    name: 'YAML: tab as indentation',
    make: file('tab.yaml', 'a:\n\tb: 1\n'),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'YAML: dates, several documents',
    make: file('dates.yaml', 'd: 2024-01-01\n---\nt: 12:30:45\n'),
    expect: { whole: 'd: 2024-01-01\n---\nt: 12:30:45\n' },
  },
  {
    name: 'YAML: 64 MB',
    make: repeated('large.yaml', 'key: value\n', { smoke: 8 * MEGABYTE, full: 64 * MEGABYTE }),
    expect: { warning: 'NOT_VALIDATED', truncated: true },
  },
  {
    name: 'TOML: [ a million deep',
    make: file('deep.toml', `a = ${'['.repeat(1e6)}`),
    expect: { warning: 'INVALID_SYNTAX' },
  },
  {
    name: 'TOML: 300 000 tables',
    make: repeated('tables.toml', '[[a]]\n', { smoke: 1.8e6, full: 1.8e6 }),
    expect: { processor: 'toml', truncated: true },
  },
  {
    name: 'TOML: a key of 100 000 parts',
    make: file('dots.toml', `${'a.'.repeat(100000)}a = 1\n`),
    expect: { warning: 'INVALID_SYNTAX' },
  },
];

const ENTITY = 'x'.repeat(9000);
const XML_CASES = [
  {
    name: 'XML: entities of entities',
    make: file(
      'laughs.xml',
      `<!DOCTYPE a [<!ENTITY a0 "lol">${Array.from({ length: 9 }, (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`).join('')}]><a>&a9;</a>`,
    ),
    expect: bounded,
  },
  {
    name: 'XML: an entity of 9 KB, 100 000 times',
    make: file('quadratic.xml', () => `<!DOCTYPE a [<!ENTITY e "${ENTITY}">]><a>${'&e;'.repeat(1e5)}</a>`),
    expect: bounded,
  },
  {
    name: 'XML: a million numeric references',
    make: file('numeric.xml', () => `<a>${'&#65;'.repeat(1e6)}</a>`),
    expect: bounded,
  },
  {
    name: 'XML: external entities',
    make: file(
      'xxe.xml',
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:9/x">%p;]><a>&x;</a>',
    ),
    expect: { without: 'root:' },
  },
  {
    name: 'XML: names of the prototype',
    make: file('proto.xml', '<a><constructor>1</constructor><__proto__>2</__proto__><toString/></a>'),
    expect: { contains: '<constructor>1</constructor>' },
  },
  {
    name: 'XML: 10 000 deep',
    make: file('deep.xml', '<a>'.repeat(1e4) + '</a>'.repeat(1e4)),
    expect: bounded,
  },
  {
    name: 'XML: 100 000 attributes',
    make: file(
      'attributes.xml',
      () => `<a ${Array.from({ length: 1e5 }, (_, index) => `b${index}="1"`).join(' ')}/>`,
    ),
    expect: bounded,
  },
  {
    name: 'XML: 2.5M siblings',
    make: repeated('siblings.xml', '<a>1</a>', { smoke: 2e7, full: 2e8 }, { head: '<r>', tail: '</r>' }),
    pages: 2,
    expect: cut,
    seconds: 30,
  },
  {
    name: 'XML: UTF-16',
    make: file(
      'utf16.xml',
      Buffer.concat([
        Buffer.from([0xff, 0xfe]),
        Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>é</a>', 'utf16le'),
      ]),
    ),
    expect: { contains: '<a>é</a>' },
  },
  {
    name: 'XML: wrong declared encoding',
    make: file('declared.xml', '<?xml version="1.0" encoding="utf-16"?><a>é</a>'),
    expect: { contains: '<a>é</a>' },
  },
  { name: 'XML: <a without end', make: file('open.xml', '<a '.repeat(1e5)), expect: bounded },
  { name: 'XML: CDATA without end', make: file('cdata.xml', '<a><![CDATA['.repeat(30000)), expect: bounded },
  {
    name: 'XML: a comment without end',
    make: repeated('comment.xml', 'x'.repeat(1000), { smoke: 2e7, full: 2e8 }, { head: '<a><!--' }),
    expect: bounded,
    seconds: 20,
  },
  {
    name: 'XML: 100 000 entities declared',
    make: lines('entities.xml', 1e5, (row) => `<!ENTITY e${row} "v">`, {
      head: '<!DOCTYPE a [',
      tail: ']><a>&e1;</a>',
    }),
    expect: bounded,
  },
];

export const DATA_CASES = [...CSV_CASES, ...JSON_CASES, ...YAML_CASES, ...XML_CASES];
