// Audio and video formats that are recognised but not supported.

import type { UnreadFormat } from '../../src/contract/index.ts';

export const unreadMedia: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: 'YUV4MPEG2 ', what: 'a YUV4MPEG2 video' }, // yuv4mpeg(5)
      // ISO/IEC 14496-12, 4.3: the brand distinguishes audio, video and pictures.
      { starts: '\0\0\0?ftyp', what: 'an MP4 or HEIF file', shared: true },
    ],
  },
];
