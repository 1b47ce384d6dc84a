import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRedactor,
  keyOf,
  placeholdersIn,
  type Redactor,
  redactedReads,
} from '../../src/redact/index.ts';
import { draws } from '../support/draws.ts';
import { harmlessLines, numbers, plantedSecrets } from '../support/planted-secrets.mjs';

const redactor: Redactor = createRedactor(keyOf({ LECTERN_REDACT_KEY: 'test' }));
const begin = ['-----BEGIN ', 'PRIVATE KEY-----'].join('');
const end = ['-----END ', 'PRIVATE KEY-----'].join('');

describe('what is a secret', () => {
  it.each(plantedSecrets(7, 54).map((one) => [one.text.slice(0, 30), one] as const))(
    'replaces all of %s',
    (_, { kind, secret, text }) => {
      const shown = redactor.text(text);
      for (const piece of secret.split('\n')) expect(shown).not.toContain(piece.slice(0, 8));
      expect(shown).toHaveLength(text.length);
      expect(redactor.secrets(text).map((one) => one.kind)).toContain(kind);
      expect(redactor.text(shown)).toBe(shown);
    },
  );

  it('leaves hashes, identifiers, references and code alone', () => {
    for (const line of harmlessLines(11, 660)) expect(redactor.text(line)).toBe(line);
  });

  it.each([
    'api_key: "%"',
    'api_key: &quot;%&quot;',
    "{'apiKey': '%'}",
    '{\\"apiKey\\": \\"%\\"}',
    'note,"api_key: ""%"""',
    'curl -H "X-Api-Key: %"',
    'Authorization: Bearer %',
    'client_secret=%&grant_type=x',
    '<secret>x</secret><add key="ApiKey" value="y"/> apiKey="%"',
  ])('finds a value in %s', (form) => {
    const value = 'q8Zr2Lk9Vt3Xw7Bn5Mc1Pd6F';
    expect(redactor.text(form.replace('%', value))).not.toContain(value.slice(0, 8));
  });

  it.each([
    ['a line end', (token: string) => `${token.slice(0, 22)}\n${token.slice(22)}`],
    ['a quoted line end', (token: string) => `> ${token.slice(0, 22)}\n> ${token.slice(22)}`],
    ['a soft line end', (token: string) => `${token.slice(0, 22)}=\r\n${token.slice(22)}`],
    ['a space', (token: string) => `${token.slice(0, 22)} ${token.slice(22)}`],
    ['bold letters', (token: string) => `**${token.slice(0, 9)}**${token.slice(9)}`],
    ['escapes', (token: string) => token.replace('_', '\\_')],
  ])('finds a token with %s in it', (_, change) => {
    const token = `gh${'p_'}q8Zr2Lk9Vt3Xw7Bn5Mc1Pd6Fq8Zr2Lk9Vt3X`;
    const shown = redactor.text(`see ${change(token)} there`);
    expect(shown).not.toMatch(/q8Zr|Vt3X/);
    expect(shown).toMatch(/ there$/);
  });

  it.each([
    ['its last line is missing', (body: string) => `${begin}\n${body}`],
    ['its first line is missing', (body: string) => `${body}\n${end}`],
    [
      'its line ends are escaped',
      (body: string) => `"${begin}\\n${body.replaceAll('\n', '\\n')}\\n${end}\\n"`,
    ],
    [
      'it is indented',
      (body: string) => `key: |\n  ${begin}\n  ${body.replaceAll('\n', '\n  ')}\n  ${end}\n`,
    ],
    ['it is quoted', (body: string) => `> ${begin}\n> ${body.replaceAll('\n', '\n> ')}\n> ${end}\n`],
    [
      'it has headers',
      (body: string) => `${begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n${body}\n${end}`,
    ],
    ['it is one line', (body: string) => `${begin} ${body.replaceAll('\n', ' ')} ${end}`],
  ])('hides a private key where %s', (_, change) => {
    const next = numbers(5);
    const line = (): string => Buffer.from(Array.from({ length: 48 }, () => next() * 256)).toString('base64');
    const lines = [line(), line(), line(), 'q8Zr2Lk9Vt3Xw=='];
    const shown = redactor.text(change(lines.join('\n')));
    for (const one of lines) expect(shown).not.toContain(one.slice(0, 6));
  });

  it('shows text about keys', () => {
    const text = `A key starts with ${begin} and has many lines, such as those of RFC 7468, section 10.\n\nMore text.`;
    expect(redactor.text(text)).toBe(text);
    const template = `${begin}\n\${KEY}\n${end}\n`;
    expect(redactor.text(template)).toBe(template);
  });
});

describe('placeholders', () => {
  const token = (at: number): string => plantedSecrets(at, 3)[2]?.secret ?? '';

  it('are equal for equal secrets, and different for others', () => {
    const shown = redactor.text(`${token(1)} ${token(1)} ${token(2)}`).split(' ');
    expect(shown[0]).toMatch(/^REDACTED-github-[a-z2-7]{6}-x+$/);
    expect(shown[1]).toBe(shown[0]);
    expect(shown[2]).not.toBe(shown[0]);
  });

  it('cannot be computed without the key of the reader', () => {
    const other = createRedactor(keyOf({ LECTERN_REDACT_KEY: 'other' }));
    expect(other.text(token(1))).not.toBe(redactor.text(token(1)));
    expect(keyOf({})).toEqual(keyOf({}));
    expect(keyOf({})).toHaveLength(32);
  });

  it('are found again, with the kind', () => {
    const shown = redactor.text(`a ${token(1)}\npostgres://app:Harbor!11@h/d`);
    expect(placeholdersIn(shown).map(({ kind, at }) => [kind, at])).toEqual([
      ['github', 2],
      ['password', shown.indexOf('REDACTED', 5)],
    ]);
  });
});

describe('bytes', () => {
  const file = (seed: number): Buffer => {
    const secrets = plantedSecrets(seed, 300).map(({ text }) => text);
    const filler = harmlessLines(seed, 3000);
    return Buffer.from(
      secrets
        .map((text, at) => `${filler.slice(at * 10, at * 10 + 10).join('\n')}\n${text}\n`)
        .join('')
        .repeat(3),
    );
  };
  const readable = (bytes: Buffer) => ({
    size: bytes.length,
    read: async (position: number, length: number) =>
      Buffer.from(bytes.subarray(position, position + length)),
  });

  it('are the same wherever a read begins', async () => {
    const bytes = file(3);
    const whole = Buffer.from(redactor.text(bytes.toString('latin1')), 'latin1');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(2000), async (position, length) => {
        const target = Buffer.alloc(Math.min(length, bytes.length - position));
        const filled = await redactedReads(readable(bytes), redactor)(target, position);
        expect(filled).toBe(target.length);
        expect(target.equals(whole.subarray(position, position + filled))).toBe(true);
      }),
      { numRuns: draws(60) },
    );
  }, 60_000);

  it.each(['utf16le', 'utf8'] as const)('of %s are redacted', (encoding) => {
    const [{ secret } = { secret: '' }] = plantedSecrets(9, 1);
    const bytes = Buffer.from(`a ${secret} b`, encoding);
    redactor.bytes(bytes, 0, bytes.length);
    expect(bytes.toString(encoding)).toMatch(/^a REDACTED-aws-[a-z2-7]{6}-?x* b$/);
  });
});
