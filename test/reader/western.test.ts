// Short texts that statistics cannot tell: Western ones read as windows-1252, others as before.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { contentOf, readOk } from '../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });

async function read(text: string, encoding: string): Promise<{ text: string; encoding: unknown }> {
  const bytes = iconv.encode(text, encoding);
  const result = await readOk(reader, { name: 'a.txt', bytes }, { all: true });
  return { text: contentOf([result]), encoding: result.metadata.encoding?.name };
}

describe('a short Western text is windows-1252', () => {
  it.each([
    'caf\u00e9\n',
    'Stra\u00dfe\n',
    '20 \u00b0C\n',
    '\u00c5ngstr\u00f6m\n',
    'M\u00fcller\n',
    'Stra\u00dfe\ncaf\u00e9\n',
    'na\u00efve r\u00e9sum\u00e9\n',
    'el\u00e8ve;\u00e9cole\n1;2\n',
    'it\u2019s 5 \u20ac \u2013 \u201cfine\u201d\n',
    'one\nd\u00e9j\u00e0 vu\ntwo\n',
    'name;city\nJos\u00e9;M\u00e1laga\n',
  ])('decodes %j', async (text) => {
    expect(await read(text, 'windows-1252')).toEqual({ text, encoding: 'windows-1252' });
  });
});

it('is windows-1252 with few letters in much ASCII', async () => {
  const text = `${'only ASCII for a long while\n'.repeat(300)}na\u00efve\n`;
  expect(await read(text, 'windows-1252')).toEqual({ text, encoding: 'windows-1252' });
});

it.each(['hex', 'base64', 'nonsense', ''])('%j is no encoding of a text', async (encoding) => {
  const result = await reader.read({ name: 'a.txt', bytes: Buffer.from('one\n') }, { encoding });
  expect(result).toMatchObject({ success: false, error: { code: 'BAD_INPUT' } });
});

describe('a short text of another script or language is not', () => {
  it.each([
    ['\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440\n', 'windows-1251'],
    ['\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440\n', 'koi8-r'],
    ['\u65e5\u672c\n', 'shift_jis'],
    [
      'P\u0159\u00edli\u0161 \u017elu\u0165ou\u010dk\u00fd k\u016f\u0148 \u00fap\u011bl \u010f\u00e1belsk\u00e9 \u00f3dy v d\u016fm\u011b\n',
      'windows-1250',
    ],
    [
      'A k\u0151m\u0171vesek a tet\u0151 f\u00f6l\u00f6tt dolgoztak, \u0151k \u00e9p\u00edtett\u00e9k az \u00faj erd\u0151t\n',
      'windows-1250',
    ],
  ])('%j in %s', async (text, encoding) => {
    expect((await read(text, encoding)).text).toBe(text);
  });
});
