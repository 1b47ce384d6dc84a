// PP-OCR models on ONNX Runtime, as users install them: a scanned page read by a child process of the engine.

import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { createPaddleOcr } from '../../../src/ocr/index.ts';

// Loads models, and reads a page with one thread.
vi.setConfig({ testTimeout: 180_000 });

const SCAN = fileURLToPath(new URL('../../../fixtures/documents/gauges-scan.pdf', import.meta.url));
const ocr = createPaddleOcr({ from: import.meta.url });
afterAll(() => ocr.close());

it('reads the text and the table of a scanned page', async () => {
  const answer = await createReader({ ocr, cache: false }).read(SCAN);
  expect(answer).toMatchObject({ success: true, warnings: [{ code: 'OCR_TEXT' }] });
  const text = answer.success ? answer.text : '';
  expect(text).toContain('the series since 1902');
  // The models drop some spaces between Latin words.
  expect(text.replaceAll(' ', '')).toContain(
    '|Millbridge|212|219|\n|Oldlock|187|190|\n|Ferrylanding|305|301|',
  );
});

it('reports a picture that cannot be decoded, and reads the next one', async () => {
  const broken = { data: new Uint8Array(100), mimeType: 'image/png', width: 10, height: 10 } as const;
  const { signal } = new AbortController();
  await expect(ocr.recognize(broken, { signal })).rejects.toThrow();
  const answer = await createReader({ ocr, cache: false }).read(SCAN);
  expect(answer).toMatchObject({ success: true, warnings: [{ code: 'OCR_TEXT' }] });
});
