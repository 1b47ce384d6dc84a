// Binary property lists: every kind of value, and files that lie about themselves.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xml } from '../../../../processors/structured/xml.ts';
import { ReaderError } from '../../../../src/contract/index.ts';
import { memorySource, run } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';

/** A property list of `objects`, the first of which is the root; references and offsets take one and two bytes. */
function plist(
  objects: readonly (readonly number[])[],
  trailer: Partial<Record<number, number>> = {},
): Uint8Array {
  const body: number[] = [...Buffer.from('bplist00')];
  const offsets: number[] = [];
  for (const object of objects) {
    offsets.push(body.length >> 8, body.length & 0xff);
    body.push(...object);
  }
  const table = body.length;
  const end = new Array<number>(32).fill(0);
  end[6] = 2;
  end[7] = 1;
  end[15] = objects.length;
  end[30] = table >> 8;
  end[31] = table & 0xff;
  for (const [index, value] of Object.entries(trailer)) end[Number(index)] = value ?? 0;
  return Uint8Array.from([...body, ...offsets, ...end]);
}

const ascii = (text: string): number[] => [0x50 + text.length, ...Buffer.from(text)];

async function written(...objects: number[][]): Promise<string> {
  const { text } = await run(xml, memorySource(plist(objects), 'a.plist'), { tokens: 20_000 });
  return text.replace(/^[\s\S]*<plist version="1.0">\n/, '').replace(/\n<\/plist>\n$/, '');
}

describe('a binary property list', () => {
  test.each<[string, number[][]]>([
    ['<true/>', [[0x09]]],
    ['<false/>', [[0x08]]],
    ['<integer>255</integer>', [[0x10, 0xff]]],
    ['<integer>65535</integer>', [[0x11, 0xff, 0xff]]],
    ['<integer>-1</integer>', [[0x13, 255, 255, 255, 255, 255, 255, 255, 255]]],
    ['<integer>9223372036854775807</integer>', [[0x13, 127, 255, 255, 255, 255, 255, 255, 255]]],
    ['<real>1.5</real>', [[0x22, 0x3f, 0xc0, 0, 0]]],
    ['<real>-2</real>', [[0x23, 0xc0, 0, 0, 0, 0, 0, 0, 0]]],
    ['<date>2001-01-01T00:00:01Z</date>', [[0x33, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]]],
    ['<data>AQID</data>', [[0x43, 1, 2, 3]]],
    ['<string>a&amp;&lt;&gt;</string>', [ascii('a&<>')]],
    ['<string>ü漢</string>', [[0x62, 0, 0xfc, 0x6f, 0x22]]],
    ['<string>\ufffd</string>', [[0x51, 1]]],
    ['<dict><key>CF$UID</key><integer>7</integer></dict>', [[0x80, 7]]],
    ['<array>\n\t<true/>\n\t<string>x</string>\n</array>', [[0xa2, 1, 2], [0x09], ascii('x')]],
    ['<dict>\n\t<key>k</key>\n\t<array/>\n</dict>', [[0xd1, 1, 2], ascii('k'), [0xa0]]],
  ])('says %s', async (expected, objects) => {
    expect(await written(...objects)).toBe(expected);
  });

  test('answers pointers and limits like any XML', async () => {
    const source = memorySource(plist([[0xd1, 1, 2], ascii('k'), [0xa3, 3, 3, 3], ascii('v')]), 'a.plist');
    expect((await run(xml, source, { selection: { pointer: '/plist/dict/array/2' } })).text).toBe(
      '<string>v</string>',
    );
    const { text, context } = await run(xml, source, { limits: { maxArrayItems: 2 } });
    expect(text).toContain('<!-- … 1 more element -->');
    expect(context.facts).toMatchObject({ root: 'plist', elements: 7 });
  });

  test.each<[string, Uint8Array, string]>([
    ['nothing but its first bytes', Buffer.from('bplist00'), 'CORRUPT_FILE'],
    ['an array that holds itself', plist([[0xa1, 0]]), 'CORRUPT_FILE'],
    ['a reference to nothing', plist([[0xa1, 9]]), 'CORRUPT_FILE'],
    [
      'a string longer than the file',
      plist([[0x5f, 0x13, 0x7f, 255, 255, 255, 255, 255, 255, 255]]),
      'CORRUPT_FILE',
    ],
    ['a key that is no string', plist([[0xd1, 1, 1], [0x09]]), 'CORRUPT_FILE'],
    ['a table outside the file', plist([[0x09]], { 28: 1 }), 'CORRUPT_FILE'],
    ['more objects than there can be', plist([[0x09]], { 8: 1 }), 'LIMIT_EXCEEDED'],
    [
      'shared arrays that double and double',
      plist(Array.from({ length: 60 }, (_, n) => (n === 59 ? [0x09] : [0xa2, n + 1, n + 1]))),
      'LIMIT_EXCEEDED',
    ],
  ])('with %s is refused', async (_, bytes, code) => {
    const error = await run(xml, memorySource(bytes, 'a.plist')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReaderError);
    expect((error as ReaderError).code).toBe(code);
  });

  test('with any byte changed is read or refused', async () => {
    const good = plist([
      [0xd2, 1, 2, 3, 4],
      ascii('a'),
      ascii('b'),
      [0xa2, 5, 6],
      [0x11, 1, 2],
      ascii('c'),
      [0x09],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.nat(255), async (at, byte) => {
        const bytes = good.slice();
        bytes[at] = byte;
        if (at < 8) return;
        const outcome = await run(xml, memorySource(bytes, 'a.plist')).catch((thrown: unknown) => thrown);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ReaderError);
      }),
      { numRuns: draws(500) },
    );
  });
});
