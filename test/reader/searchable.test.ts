import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TextPart } from '../../src/contract/index.ts';
import { createReader } from '../../src/index.ts';
import { rawZip, tarOf } from '../support/archive.ts';

const reader = createReader({ environment: {} });

async function partsOf(input: Parameters<typeof reader.searchable>[0]): Promise<TextPart[]> {
  const parts: TextPart[] = [];
  for await (const part of reader.searchable(input)) parts.push(part);
  return parts;
}

const inside = (parts: readonly TextPart[]): [string | undefined, string][] =>
  parts.map(({ inside: file, text }) => [file?.path, file?.failure?.code ?? text]);

const MAIL =
  'Subject: Keys\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nThe keys are here.\n--b\nContent-Disposition: attachment; filename=list.csv\n\nname,door\nAda,4\n--b--\n';

describe('searchable', () => {
  it('gives text unchanged, and the text of files inside files with their paths', async () => {
    const inner = tarOf([
      { name: 'deep/list.csv', data: 'a;b\n1;2\n' },
      { name: 'link', type: '2', target: 'deep/list.csv' },
    ]);
    const zip = rawZip([
      { name: 'x.json', data: '{"a":\n 1}' },
      { name: 'folder/', data: '' },
      { name: 'inner.tar', data: inner },
      { name: 'mail.eml', data: MAIL },
      { name: 'noise.bin', data: Buffer.from([0, 1, 2, 3]) },
      { name: 'photo.jpg', data: readFileSync('fixtures/image/photo.jpg') },
    ]);
    expect(inside(await partsOf({ name: 'a.zip', bytes: zip }))).toEqual([
      ['x.json', '{"a":\n 1}'],
      ['inner.tar!/deep/list.csv', 'a;b\n1;2\n'],
      ['mail.eml', expect.stringContaining('The keys are here.')],
      ['mail.eml!/list.csv', 'name,door\nAda,4'],
      ['noise.bin', 'UNSUPPORTED_FORMAT'],
      ['photo.jpg', 'UNSUPPORTED_FORMAT'],
    ]);
  });

  it('goes three files deep, and stops at the limit of what may be unpacked', async () => {
    let bytes: Uint8Array = Buffer.from('the innermost text');
    let name = 'a.txt';
    for (let depth = 1; depth <= 5; depth += 1) {
      bytes = rawZip([{ name, data: bytes }]);
      name = `${depth}.zip`;
    }
    expect(inside(await partsOf({ name, bytes }))).toEqual([]);
    const many = rawZip(
      Array.from({ length: 20 }, (_, at) => ({ name: `${at}.txt`, data: Buffer.alloc(1_000_000, 'x') })),
    );
    const small = createReader({ environment: {}, limits: { maxInflatedBytes: 5_500_000 } });
    const codes: (string | undefined)[] = [];
    for await (const part of small.searchable({ name: 'many.zip', bytes: many }))
      codes.push(part.inside?.failure?.code);
    expect(codes.filter((code) => code === 'LIMIT_EXCEEDED')).toHaveLength(14);
  });

  it('refuses a file without text', async () => {
    await expect(partsOf('fixtures/image/photo.jpg')).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });
});
