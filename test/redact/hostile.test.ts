// Texts made to cost a redactor more than linear time.

import { describe, expect, it } from 'vitest';
import { createRedactor, keyOf, type Redactor } from '../../src/redact/index.ts';

const redactor: Redactor = createRedactor(keyOf({ LECTERN_REDACT_KEY: 'test' }));
const begin = ['-----BEGIN ', 'PRIVATE KEY-----'].join('');
const end = ['-----END ', 'PRIVATE KEY-----'].join('');

describe('hostile text', () => {
  const million = 1024 * 1024;
  it.each([
    ['one character', 'a'],
    ['first lines of keys', begin],
    ['a first line, then Base64', `${'QUJD'.repeat(16)}\n`],
    ['starts of tokens', 'eyJhbGciOi.eyJ'],
    ['colons', '://a:'],
    ['at signs', '://a:b@'],
    ['names', 'password='],
    ['names and quotes', 'password":"'],
    ['escapes', '\\_'],
    ['bold marks', '**'],
    ['spaces', 'password      '],
    ['logins', 'login a password '],
    ['wraps', `gh${'p_'}aaaaaaaaaaaaa\n`],
    ['ends of keys', `${end}\n`],
  ])(
    'of %s takes linear time',
    (_, piece) => {
      const text = (size: number): string => `${begin}\n${piece.repeat(Math.ceil(size / piece.length))}`;
      const time = (size: number): number => {
        const given = text(size);
        const before = process.cpuUsage();
        redactor.text(given);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      };
      time(million / 8);
      // Four times the text: linear time is 4, quadratic 16. Very short times say nothing.
      const quarter = Math.max(50, time(million / 2));
      expect(time(2 * million) / quarter).toBeLessThan(9);
    },
    60_000,
  );
});
