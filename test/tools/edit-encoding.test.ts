// edit_file in files that are not UTF-8: it writes in the encoding it is sure of or told, and never another character.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace } from './place.ts';

interface Edited {
  readonly said: string;
  readonly isError: boolean;
  readonly after: Buffer;
}

async function edit(content: Uint8Array, args: Record<string, unknown>, path = 'a.txt'): Promise<Edited> {
  const place = await makePlace({ [path]: content });
  try {
    const answer = await place.run('edit_file', { path, ...args });
    return { said: textOf(answer), isError: answer.isError, after: await readFile(join(place.root, path)) };
  } finally {
    await place.remove();
  }
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

it('of UTF-8 is not edited in another one', async () => {
  const before = Buffer.from('é x\n');
  const named = { old_text: 'x', new_text: 'é', encoding: 'windows-1252' };
  const { said, after } = await edit(before, named);
  expect(after).toEqual(before);
  expect(said).toBe(
    'Error BAD_INPUT: `a.txt` is valid UTF-8, and an edit in `windows-1252` would mix two encodings; nothing was changed. Omit `encoding`.',
  );
  expect((await edit(before, { ...named, encoding: 'utf-8' })).after).toEqual(Buffer.from('é é\n'));
});

describe('a guess', () => {
  it.each([
    ['few Western letters', latin('one\ncaf\u00e9\ntwo\n'), 'windows-1252'],
    [
      'a Western text',
      latin('Der gr\u00f6\u00dfte Bahnhof f\u00fcr M\u00e4dchen und V\u00f6gel\ntwo\n'),
      'windows-1252',
    ],
    [
      'Cyrillic',
      iconv.encode(
        '\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! two \u041a\u0430\u043a \u0434\u0435\u043b\u0430?\n',
        'windows-1251',
      ),
      'windows-1251',
    ],
  ])(
    'of %s is refused for a new character, with the argument that settles it',
    async (_what, before, name) => {
      const { said, isError, after } = await edit(before, { old_text: 'two', new_text: '\u0151' });
      expect(isError).toBe(true);
      expect(after).toEqual(before);
      expect(said).toMatch(
        new RegExp(`^Error BAD_INPUT: The encoding of \`a\\.txt\` is a guess: \`${name}\` \\(\\d+ % sure\\)`),
      );
      expect(said).toMatch(new RegExp(`Call again with \`encoding\`, such as \`${name}\`\\.$`));
    },
  );

  it('is refused in words that name what else it may be', async () => {
    const { said } = await edit(latin('na\u00efve r\u00e9sum\u00e9\n'), {
      old_text: 'na',
      new_text: '\u00e9',
    });
    expect(said).toMatchInlineSnapshot(
      `"Error BAD_INPUT: The encoding of \`a.txt\` is a guess: \`windows-1252\` (50 % sure), or perhaps \`windows-1250\`, \`iso-8859-2\`, \`windows-1257\`. Nothing was changed, because \`é\` (U+00E9) may be a different character in the actual encoding. Call again with \`encoding\`, such as \`windows-1252\`."`,
    );
  });

  it('takes an edit in ASCII, and characters beyond it that were there before', async () => {
    const text = 'na\u00efve r\u00e9sum\u00e9\r\ntwo\r\n';
    const done = async (old_text: string, new_text: string): Promise<string> => {
      const { said, after } = await edit(latin(text), { old_text, new_text });
      expect(said).toContain('Edited `a.txt`');
      return after.toString('latin1');
    };
    expect(await done('two', '2\nthree')).toBe(text.replace('two', '2\r\nthree'));
    expect(await done('r\u00e9sum\u00e9\ntwo', 'r\u00e9sum\u00e9s')).toBe('na\u00efve r\u00e9sum\u00e9s\r\n');
    expect(await done('r\u00e9sum\u00e9', 'summary')).toBe(text.replace('r\u00e9sum\u00e9', 'summary'));
  });

  it.each([
    [{ old_text: 'r\u00e9sum\u00e9', new_text: 'r\u00e9sum\u00e9 \u00e9' }],
    [
      {
        edits: [
          { old_text: 'two', new_text: '2' },
          { old_text: 'na', new_text: '\u00ef' },
        ],
      },
    ],
    [{ patch: '@@\n-two\n+zw\u00f6lf\n' }],
    [{ insert_line: 1, new_text: '\u00e9' }],
  ])('refuses %j, which writes one more', async (args) => {
    const before = latin('na\u00efve r\u00e9sum\u00e9\ntwo\n');
    const { said, after } = await edit(before, args);
    expect(said).toContain('is a guess: `windows-1252`');
    expect(after).toEqual(before);
  });

  it('of UTF-16 without a mark is one too', async () => {
    const before = Buffer.from('\u65e5\u672c\u8a9e\u306e\u6587\u3002\n'.repeat(9), 'utf16le');
    const refused = await edit(before, { old_text: '\u65e5', new_text: '\u4e8c', replace_all: true });
    expect(refused.said).toContain('is a guess: `utf-16le`');
    expect(refused.after).toEqual(before);
    const { after } = await edit(before, { old_text: '\u65e5', new_text: 'x', replace_all: true });
    expect(after).toEqual(Buffer.from('x\u672c\u8a9e\u306e\u6587\u3002\n'.repeat(9), 'utf16le'));
  });
});

describe('an encoding that is named', () => {
  it.each([
    ['windows-1252', 'one\r\ncaf\u00e9 \u20ac\r\ntwo\r\n', 'zw\u00f6lf \u2013 \u20ac'],
    ['iso-8859-2', 'p\u0159\u00edli\u0161\ntwo\n', '\u0151'],
    ['windows-1251', '\u041f\u0440\u0438\u0432\u0435\u0442\ntwo\n', '\u0434\u0432\u0430'],
    ['shift_jis', '\u65e5\u672c\ntwo\n', '\u4e8c'],
    ['utf-16le', 'caf\u00e9\r\ntwo\r\n', '\u0151'],
    ['utf-16be', '\u65e5\u672c\ntwo\n', '\u4e8c'],
  ])('%s is kept, and so are the line breaks', async (encoding, text, next) => {
    const before = iconv.encode(text, encoding);
    const { said, after } = await edit(before, { old_text: 'two', new_text: next, encoding });
    expect(said).toContain('Edited `a.txt`');
    expect(iconv.decode(after, encoding)).toBe(text.replace('two', next));
    expect(after).toEqual(iconv.encode(text.replace('two', next), encoding));
  });

  it('keeps a byte order mark', async () => {
    const before = Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le');
    const { after } = await edit(before, { old_text: 'two', new_text: '\u0151', charset: 'utf-16' });
    expect(after).toEqual(Buffer.from('\ufeffone\r\n\u0151\r\n', 'utf16le'));
  });

  it('says how text of ASCII alone goes on', async () => {
    const { after } = await edit(latin('two\n'), {
      old_text: 'two',
      new_text: 'zw\u00f6lf',
      encoding: 'iso-8859-1',
    });
    expect(after).toEqual(latin('zw\u00f6lf\n'));
  });

  it.each([
    ['iso-8859-1', '\u0151', '`\u0151` (U+0151)'],
    ['windows-1252', 'a\u6c49', '`\u6c49` (U+6C49)'],
    ['windows-1252', '😀', '`😀` (U+1F600)'],
    ['windows-1252', 'a\u200bb', 'U+200B'],
    ['shift_jis', '\u00e9', '`\u00e9` (U+00E9)'],
  ])('%s refuses %j by name', async (encoding, next, name) => {
    const before = iconv.encode('one\ntwo\n', encoding);
    const { said, isError, after } = await edit(before, { old_text: 'two', new_text: next, encoding });
    expect(isError).toBe(true);
    expect(said).toContain(
      `The encoding of the file, ${encoding}, does not have the character ${name}; nothing was changed.`,
    );
    expect(after).toEqual(before);
  });

  it.each([
    ['nonsense', 'is not a supported encoding'],
    ['utf-8', 'has bytes that are not valid utf-8'],
    ['shift_jis', 'has bytes that are not valid shift_jis'],
    ['iso-2022-jp', 'is in iso-2022-jp, which can be read but not written'],
  ])('%s is refused where it cannot be', async (encoding, words) => {
    const before = latin('caf\u00e9 two \u00ff\u00ff\n');
    const { said, isError, after } = await edit(before, { old_text: 'two', new_text: 'x', encoding });
    expect(isError).toBe(true);
    expect(said).toContain(words);
    expect(after).toEqual(before);
  });

  it('does not make a picture a text', async () => {
    const before = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const { isError, after } = await edit(
      before,
      { old_text: 'IHDR', new_text: 'x', encoding: 'latin1' },
      'a.png',
    );
    expect(isError).toBe(true);
    expect(after).toEqual(before);
  });

  it('holds for formats that are shown otherwise', async () => {
    for (const path of [
      'a.csv',
      'a.html',
      'a.md',
      'a.py',
      'a.xml',
      'a.eml',
      'a.yaml',
      'a.json',
      'a.toml',
      'a.srt',
    ]) {
      const before = latin('caf\u00e9,two\n');
      const { after } = await edit(
        before,
        { old_text: 'two', new_text: '\u00e8', encoding: 'windows-1252' },
        path,
      );
      expect(after, path).toEqual(latin('caf\u00e9,\u00e8\n'));
    }
  });
});

it('edits where the file declares its encoding', async () => {
  const before = latin('<?xml version="1.0" encoding="iso-8859-1"?>\n<a>caf\u00e9 two</a>\n');
  const { after } = await edit(before, { old_text: 'two', new_text: '\u00fc' }, 'a.xml');
  expect(after).toEqual(latin('<?xml version="1.0" encoding="iso-8859-1"?>\n<a>caf\u00e9 \u00fc</a>\n'));
});

it('tells with the facts of a file how sure its encoding is', async () => {
  const place = await makePlace({ 'a.txt': latin('na\u00efve r\u00e9sum\u00e9\n'), 'b.txt': 'na\u00efve\n' });
  try {
    expect(textOf(await place.run('file_info', { path: 'a.txt' }))).toMatch(
      /^encoding: windows-1252 \(guessed, 50 % sure; others: windows-1250(?:, [a-z\d_-]+)*\)$/m,
    );
    expect(textOf(await place.run('file_info', { path: 'b.txt' }))).toMatch(/^encoding: utf-8$/m);
  } finally {
    await place.remove();
  }
});
