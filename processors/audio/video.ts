// Video formats and how they are recognised; only metadata is shown. A video container with only audio is read as
// audio. Reading is in `reading.ts`.

import { type Extension, lazily, type MimeType, type Processor } from '../../src/contract/index.ts';
import { containerOf, FOR_BOTH, VIDEO_ALONE } from './signature.ts';

/** Excludes `.ts` and `.mts`, which are TypeScript far more often. */
const EXTENSIONS: readonly Extension[] = [
  '.mp4',
  '.m4v',
  '.mov',
  '.qt',
  '.webm',
  '.mkv',
  '.mk3d',
  '.avi',
  '.wmv',
  '.asf',
  '.mpg',
  '.mpeg',
  '.mpe',
  '.m2v',
  '.vob',
  '.m2ts',
  '.flv',
  '.f4v',
  '.3gp',
  '.3g2',
  '.ogv',
  '.ogx',
  '.rm',
  '.rmvb',
];

const MIME_TYPES: readonly MimeType[] = [
  'video/mp4',
  'video/x-m4v',
  'video/quicktime',
  'video/webm',
  'video/x-matroska',
  'video/matroska',
  'video/x-msvideo',
  'video/vnd.avi',
  'video/avi',
  'video/x-ms-wmv',
  'video/x-ms-asf',
  'application/vnd.ms-asf',
  'video/mpeg',
  'video/mp1s',
  'video/mp2p',
  'video/mp2t',
  'video/x-flv',
  'video/3gpp',
  'video/3gpp2',
  'video/ogg',
  'application/ogg',
  'application/vnd.rn-realmedia',
];

export const video: Processor = {
  name: 'video',
  fileType: 'video',
  extensions: EXTENSIONS,
  mimeTypes: MIME_TYPES,
  selects: [],
  textual: false,
  magic: [{ starts: 'RIFF????AVI ', what: 'an AVI video', mimeType: 'video/vnd.avi' }],
  matches: (head) => {
    const container = containerOf(head);
    return container !== undefined && (VIDEO_ALONE.has(container) || FOR_BOTH.has(container));
  },
  ...lazily(() => import('./reading.ts')),
};
