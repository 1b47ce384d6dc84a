// Documents that are recognised but not supported: DjVu, EPS with a preview, and any other compound file.

import type { UnreadFormat } from '../../src/contract/index.ts';
import { OLE } from './signature.ts';

export const unreadDocuments: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: OLE, what: 'an OLE container' },
      { starts: 'AT&TFORM????DJV', what: 'a DjVu document' }, // DjVu 3, 5.1
      { starts: '\xc5\xd0\xd3\xc6', what: 'an EPS file with a preview' }, // Adobe Technical Note 5002, 5.2
    ],
  },
];
