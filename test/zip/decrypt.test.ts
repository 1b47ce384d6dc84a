// Encrypted zip entries that were changed or lie about themselves.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { zipFiles } from '../../processors/archive/zip.ts';
import { memorySource, testContext } from '../support/context.ts';

const FOLDER = 'fixtures/protected/';

async function entryOf(name: string, change: (bytes: Buffer) => void): Promise<string> {
  const bytes = readFileSync(FOLDER + name);
  change(bytes);
  const entry = await zipFiles.entry(
    memorySource(bytes, name),
    'orders.csv',
    testContext({ password: 'reader' }),
  );
  return 'bytes' in entry ? Buffer.from(entry.bytes).toString() : '';
}
/** Where the data of the first entry starts, past its header. */
const dataOf = (bytes: Buffer): number => 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
const directoryOf = (bytes: Buffer): number => bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
const PLAIN = readFileSync('fixtures/tabular/orders.csv', 'utf8');

describe('an encrypted entry', () => {
  it.each(['orders-aes128.zip', 'orders-aes256.zip', 'orders-zipcrypto.zip', 'orders-infozip.zip'])(
    'of %s is the file that was packed',
    async (name) => expect(await entryOf(name, () => undefined)).toBe(PLAIN),
  );

  it.each(['orders-aes256.zip', 'orders-zipcrypto.zip'])(
    'of %s is refused when a byte changed',
    async (name) => {
      const work = entryOf(name, (bytes) => {
        const at = dataOf(bytes) + 100;
        bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      });
      await expect(work).rejects.toMatchObject({
        code: 'WRONG_PASSWORD',
        message: expect.stringContaining('or its data is damaged'),
      });
    },
  );

  it('is refused when it is shorter than its own head', async () => {
    const shorten = (bytes: Buffer): void => {
      bytes.writeUInt32LE(5, directoryOf(bytes) + 20);
    };
    await expect(entryOf('orders-aes256.zip', shorten)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    await expect(entryOf('orders-zipcrypto.zip', shorten)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('is refused under a scheme that is not supported', async () => {
    const strong = (bytes: Buffer): void => {
      bytes.writeUInt16LE(bytes.readUInt16LE(6) | 0x40, 6);
    };
    await expect(entryOf('orders-zipcrypto.zip', strong)).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
    const strength = (bytes: Buffer): void => {
      bytes[bytes.indexOf(Buffer.from('0199', 'hex'), directoryOf(bytes)) + 8] = 9;
    };
    await expect(entryOf('orders-aes256.zip', strength)).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
  });

  it('is refused above the limit of bytes in memory', async () => {
    const bytes = readFileSync(`${FOLDER}orders-aes256.zip`);
    const context = testContext({ password: 'reader', limits: { maxBytesInMemory: 100 } });
    await expect(zipFiles.entry(memorySource(bytes), 'orders.csv', context)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });
});
