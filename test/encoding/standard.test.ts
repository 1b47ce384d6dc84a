// Text by labels of the Encoding standard, in files that declare one.

import { expect, it } from 'vitest';
import { decodeStandard } from '../../src/encoding/index.ts';
import { createReader } from '../../src/index.ts';
import { contentOf, readOk } from '../support/walk.ts';

it.each(['windows-1252', 'iso-8859-1', 'latin1', 'us-ascii', 'cp1252'])(
  '%s has the marks of Windows',
  (label) => expect(decodeStandard(Buffer.from('\u0093\u0080\u00e9\u0094', 'latin1'), label)).toBe('“€é”'),
);

it('knows no other label', () => expect(decodeStandard(Buffer.from('a'), 'cp850')).toBeUndefined());

it('reads a card in windows-1252', async () => {
  const card =
    'BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=windows-1252;ENCODING=QUOTED-PRINTABLE:=93Ren=E9=94\r\nEND:VCARD\r\n';
  const reader = createReader({ environment: {}, cache: false });
  const result = await readOk(reader, { name: 'a.vcf', bytes: Buffer.from(card) }, { all: true });
  expect(contentOf([result])).toContain('“René”');
});
