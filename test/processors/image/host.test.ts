import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';

const PHOTO = fileURLToPath(new URL('../../../fixtures/image/photo.jpg', import.meta.url));

it('leaves a host its own use of sharp', async () => {
  expect(await createReader({ environment: {} }).read(PHOTO, { detail: 'low' })).toMatchObject({
    success: true,
  });
  expect(await sharp(PHOTO).metadata()).toMatchObject({ width: 160, height: 120 });
});
