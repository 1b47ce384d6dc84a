// Encrypted OpenDocument files that lie: hashes, schemes, and bytes.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { decryptedOpenDocument } from '../../src/package/index.ts';
import { fileLocks } from '../../src/package/protection/odf-manifest.ts';
import { memorySource, testContext } from '../support/context.ts';
import { draws } from '../support/draws.ts';
import { randomly } from '../support/randomly.ts';

const locked = readFileSync('fixtures/protected/parcels.ods');
const decrypted = (bytes: Uint8Array): Promise<Uint8Array | undefined> =>
  decryptedOpenDocument(memorySource(bytes, 'parcels.ods'), testContext({ password: 'reader' }));

describe('an encrypted OpenDocument', () => {
  it('is left alone without encryption', async () => {
    expect(await decrypted(readFileSync('fixtures/tabular/parcels.ods'))).toBeUndefined();
    expect(await decrypted(Buffer.from('PK\x03\x04opendocument'))).toBeUndefined();
  });

  it.each([
    ['Blowfish', 'algorithm-name="Blowfish CFB"'],
    ['no number of hashes', 'iteration-count=""'],
    ['another derivation', 'key-derivation-name="argon2id"'],
  ])('is refused with %s', (_, attribute) => {
    const [name = ''] = attribute.split('=');
    const written = (own: string): string => (own.startsWith(name) ? attribute : own);
    const xml = `<manifest><file-entry full-path="content.xml"><encryption-data><algorithm ${written(
      'algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc"',
    )} initialisation-vector="yay6sA4OlFVOi/EPD+L9rQ=="/><key-derivation ${written('key-derivation-name="PBKDF2"')} ${written(
      'iteration-count="1"',
    )} salt="AA=="/></encryption-data></file-entry></manifest>`;
    expect(() => fileLocks(xml)).toThrow(expect.objectContaining({ code: 'ENCRYPTED_FILE' }));
  });

  it('terminates on damaged bytes', { timeout: 120_000 }, async () => {
    const random = randomly(8);
    for (let round = 0; round < draws(40, 4); round += 1) {
      const bytes = Buffer.from(locked);
      for (let flip = 0; flip < 1 + random() * 6; flip += 1)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      await decrypted(bytes).catch((error: unknown) => {
        if (!(error instanceof ReaderError)) throw error;
      });
    }
  });
});
