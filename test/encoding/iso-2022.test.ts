// ISO-2022-KR and ISO-2022-CN: text as Python and Mozilla write it, in files and in mail.

import { expect, it } from 'vitest';
import { decodeShifted } from '../../src/encoding/iso-2022.ts';
import { createReader } from '../../src/index.ts';

const KOREAN = Buffer.from('1b2429430e3e483367474f3c3c3f640f204b696d0a', 'hex');
const CHINESE = Buffer.from('1b2429410e44633a43232c4a403d670f206162630a', 'hex');
const reader = createReader({ environment: {}, cache: false });

it.each([
  ['iso-2022-kr', KOREAN, '안녕하세요 Kim\n'],
  ['iso-2022-cn', CHINESE, '你好，世界 abc\n'],
] as const)('%s is recognised and decoded', async (name, bytes, text) => {
  expect(decodeShifted(bytes, name)).toBe(text);
  const options = { name: 'a.txt', bytes };
  expect(await reader.read(options)).toMatchObject({ text, metadata: { encoding: { name } } });
  expect(await reader.read(options, { encoding: name })).toMatchObject({ text });
  const mail = Buffer.concat([
    Buffer.from(`From: a@example.org\r\nContent-Type: text/plain; charset=${name.toUpperCase()}\r\n\r\n`),
    bytes,
  ]);
  expect(await reader.read({ name: 'a.eml', bytes: mail })).toMatchObject({
    text: expect.stringContaining(text.trim()),
  });
});

it('shows characters of CNS 11643 as unknown, and what ends early', () => {
  expect(
    decodeShifted(Buffer.from('a\u001b$)G\u000eDa\u000fb\u001b$*H\u001bNDac', 'latin1'), 'iso-2022-cn'),
  ).toBe('a\ufffdb\ufffdc');
  expect(decodeShifted(Buffer.from('\u001b$)C\u000eA', 'latin1'), 'iso-2022-kr')).toBe('\ufffd');
  // A line starts in ASCII.
  expect(decodeShifted(Buffer.from('\u000e>H\nHi', 'latin1'), 'iso-2022-kr')).toBe('안\nHi');
});
