// What the list says of each file: one true sentence for each outcome, and a call only where it could show the model more.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type ATTACHMENT_LIMITS,
  type AttachedFile,
  createReader,
  prepareAttachments,
} from '../../src/index.ts';
import { someOf } from '../support/draws.ts';
import { manyPages } from '../support/pdf.ts';
import { pixels } from '../support/pictures.ts';
import { zipOf } from '../support/zip.ts';
import { type Folder, makeFolder, table } from './folder.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const fixture = (path: string): Buffer => readFileSync(`fixtures/${path}`);
const MEDIA = ['audio/tone.mp3', 'audio/tone.wav', 'audio/clip.mp4', 'image/photo.jpg', 'image/moving.gif'];
const OTHERS = [
  'small.csv',
  'big.csv',
  'large.png',
  'report.pdf',
  'scan.pdf',
  'cut.wav',
  'empty.txt',
  'broken.zip',
];
const PATHS = [
  ...MEDIA.map((path) => path.split('/')[1] ?? path),
  ...OTHERS,
  'missing.txt',
  ...MEDIA.map((path) => `media.zip!/${path}`),
];

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  for (const path of MEDIA) await folder.put(path.split('/')[1] ?? path, fixture(path));
  await folder.put('media.zip', zipOf(MEDIA.map((path) => ({ name: path, data: fixture(path) }))));
  await folder.put('small.csv', table(5));
  await folder.put('big.csv', table(5000));
  await folder.put('large.png', await pixels(3000, 40, 3, 'slope').png().toBuffer());
  await folder.put('report.pdf', manyPages(2));
  await folder.put('scan.pdf', fixture('documents/scan.pdf'));
  await folder.put('cut.wav', fixture('audio/tone.wav').subarray(0, 5000));
  await folder.put('empty.txt', '');
  await folder.put('broken.zip', Buffer.from('PK\u0003\u0004 broken'));
});
afterAll(() => folder.gone());

interface Case {
  readonly target: keyof typeof ATTACHMENT_LIMITS;
  readonly budget?: number;
  readonly limits?: { readonly imageTypes?: readonly [] };
}

const CASES: readonly Case[] = [
  { target: 'anthropic' },
  { target: 'gemini' },
  { target: 'gemini', budget: 700 },
  { target: 'mistral', limits: { imageTypes: [] } },
];

async function filesOf(
  options: Case,
  uploaded: boolean,
): Promise<{ list: string; files: readonly AttachedFile[] }> {
  const inputs = PATHS.filter((path) => !uploaded || !/!|missing/.test(path));
  const given = uploaded
    ? await Promise.all(
        inputs.map(async (name) => ({ name, bytes: await readFile(join(folder.root, name)) })),
      )
    : inputs;
  const reader = createReader({ cache: false, environment: {}, ...(!uploaded && { workspace: folder }) });
  const { content, files } = await prepareAttachments(given, {
    ...options,
    reader,
    ...(!uploaded && { workspace: folder }),
  });
  return { list: JSON.stringify(content[0]), files };
}

it.each(someOf(CASES))('says one true thing of each file: %j', async (options) => {
  let said = '';
  for (const uploaded of [false, true]) {
    const { list, files } = await filesOf(options, uploaded);
    said += `${uploaded ? 'uploaded' : 'in the workspace'}\n`;
    for (const { name, given, note, call, carried, mimeType } of files) {
      said += `${name}: ${note}${call === undefined ? '' : ` ${call}`}${carried === false ? ' (no read shows it)' : ''}\n`;
      // Given or not, and never both.
      expect(note).toMatch(
        given === 'nothing' || given === 'reference'
          ? /^Not included: (?!.*\b(?:Included|Given)\b).*\.$/
          : /^(?:Included (?:unchanged: |completely|as )|Partly included).*\.$/,
      );
      expect(note).not.toMatch(/\.\s.*\.$/s);
      if (/^(?:audio|video)/.test(mimeType ?? '') && options.target !== 'gemini') {
        expect(call).toBeUndefined();
        expect(note).toMatch(/is not accepted\.$/);
      }
      if (mimeType?.startsWith('video'))
        expect([call, note]).toEqual([undefined, expect.stringContaining('video')]);
      if (carried === false)
        expect(list).not.toMatch(new RegExp(`${name}[^\\\\]*(?:To read it|To see more|attach it)`));
    }
  }
  await expect(said).toMatchFileSnapshot(
    `outcomes-${options.target}${options.budget === undefined ? '' : '-small'}.expected.txt`,
  );
});
