// Sound and video that is recognised and not read.

import type { UnreadFormat } from '../../src/contract/index.ts';

export const unreadMedia: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: 'YUV4MPEG2 ', what: 'a YUV4MPEG2 video' }, // yuv4mpeg(5)
      // ISO/IEC 14496-12, 4.3: the brand says whether it is sound, video or a picture.
      { starts: '\0\0\0?ftyp', what: 'an MP4 or HEIF file', shared: true },
    ],
  },
];
