// Encrypted Office documents that lie: counts, lengths, schemes, and streams that are missing or cut off.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CompoundFile, decryptedPackage, isEncryptedPackage } from '../../src/package/index.ts';
import { compoundOf } from '../support/compound.mjs';
import { memorySource, testContext } from '../support/context.ts';

const file = new CompoundFile(readFileSync('fixtures/protected/orders-agile.xlsx'));
const streamOf = (name: string): Buffer => {
  const entry = file.children(file.root).find((child) => child.name === name);
  if (!entry) throw new Error(`no stream ${name}`);
  return file.bytes(entry);
};
const INFO = streamOf('EncryptionInfo');
const CONTENT = streamOf('EncryptedPackage');

function decrypted(streams: Readonly<Record<string, Buffer>>, signal?: AbortSignal): Promise<Uint8Array> {
  const bytes = compoundOf(Object.entries(streams).map(([name, data]) => ({ name, data })));
  return decryptedPackage(
    memorySource(bytes),
    testContext({ password: 'reader', ...(signal && { signal }) }),
  );
}
/** The description with a part replaced. */
const described = (from: RegExp, to: string): Buffer =>
  Buffer.from(INFO.toString('latin1').replace(from, to), 'latin1');

describe('an encrypted package', () => {
  it('opens after it was written anew', async () => {
    const bytes = await decrypted({ EncryptionInfo: INFO, EncryptedPackage: CONTENT });
    expect(Buffer.from(bytes).toString('latin1', 0, 2)).toBe('PK');
    expect(await isEncryptedPackage(memorySource('no compound file'))).toBe(false);
  });

  it.each([
    [
      'a number of hashes that takes hours',
      described(/spinCount="\d+"/g, 'spinCount="4000000000"'),
      'LIMIT_EXCEEDED',
    ],
    ['a negative number of hashes', described(/spinCount="\d+"/g, 'spinCount="-1"'), 'ENCRYPTED_FILE'],
    ['no number of hashes', described(/spinCount="\d+"/g, ''), 'ENCRYPTED_FILE'],
    ['another cipher', described(/cipherAlgorithm="AES"/g, 'cipherAlgorithm="DES"'), 'ENCRYPTED_FILE'],
    ['a key of another length', described(/keyBits="\d+"/g, 'keyBits="99999999"'), 'ENCRYPTED_FILE'],
    ['no salt', described(/saltValue="[^"]*"/g, 'saltValue=""'), 'ENCRYPTED_FILE'],
    ['no key', described(/encryptedVerifierHashValue="[^"]*"/, ''), 'WRONG_PASSWORD'],
    ['a description that is cut off', INFO.subarray(0, 6), 'CORRUPT_FILE'],
    ['an XML that is cut off', INFO.subarray(0, 100), expect.stringMatching(/^(ENCRYPTED|CORRUPT)_FILE$/)],
    [
      'a version of the future',
      Buffer.concat([Buffer.from([9, 0, 9, 0]), INFO.subarray(4)]),
      'ENCRYPTED_FILE',
    ],
    [
      'a header of the old scheme that is too long',
      Buffer.from('03000200240000' + '00ffffffff', 'hex'),
      'ENCRYPTED_FILE',
    ],
    ['a header of the old scheme that is cut off', Buffer.from('0300020024000000', 'hex'), 'ENCRYPTED_FILE'],
  ])('is refused with %s', async (_, info, code) => {
    await expect(decrypted({ EncryptionInfo: info, EncryptedPackage: CONTENT })).rejects.toMatchObject({
      code,
    });
  });

  it('is refused without its streams', async () => {
    await expect(decrypted({ EncryptedPackage: CONTENT })).rejects.toMatchObject({
      code: 'ENCRYPTED_FILE',
      message: expect.stringContaining('rights management'),
    });
    await expect(decrypted({ EncryptionInfo: INFO })).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    const short = { EncryptionInfo: INFO, EncryptedPackage: CONTENT.subarray(0, 4) };
    await expect(decrypted(short)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('is at most as long as its stream, regardless of the length it states', async () => {
    const lying = Buffer.from(CONTENT);
    lying.writeUInt32LE(0xffffffff, 0);
    const bytes = await decrypted({ EncryptionInfo: INFO, EncryptedPackage: lying });
    expect(bytes.length).toBe(CONTENT.length - 8);
  });

  it('stops hashing when the caller aborts', async () => {
    const slow = described(/spinCount="\d+"/g, 'spinCount="9999999"');
    const controller = new AbortController();
    const work = decrypted({ EncryptionInfo: slow, EncryptedPackage: CONTENT }, controller.signal);
    setImmediate(() => controller.abort());
    await expect(work).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
