// Documents that are recognised but not supported: Office before 2007, DjVu, and any other compound file.

import type { UnreadFormat } from '../../src/contract/index.ts';
import { OLE, streamNamed } from './signature.ts';

export const unreadDocuments: readonly UnreadFormat[] = [
  {
    extensions: ['.ppt'],
    magic: [{ starts: OLE, holds: streamNamed('PowerPoint Document'), what: 'a PowerPoint 97 presentation' }],
    advice: 'Export its text and read that.',
  },
  {
    extensions: [],
    magic: [
      { starts: OLE, what: 'an OLE container' },
      { starts: 'AT&TFORM????DJV', what: 'a DjVu document' }, // DjVu 3, 5.1
      { starts: '\xc5\xd0\xd3\xc6', what: 'an EPS file with a preview' }, // Adobe Technical Note 5002, 5.2
    ],
  },
];
