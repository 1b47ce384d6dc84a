// Audio formats and how they are recognised. Reading is in `reading.ts`.

import { type Extension, lazily, type MimeType, type Processor } from '../../src/contract/index.ts';
import { containerOf, VIDEO_ALONE } from './signature.ts';

const EXTENSIONS: readonly Extension[] = [
  '.mp3',
  '.mp2',
  '.mp1',
  '.mpga',
  '.wav',
  '.wave',
  '.bwf',
  '.rf64',
  '.aif',
  '.aiff',
  '.aifc',
  '.flac',
  '.ogg',
  '.oga',
  '.opus',
  '.spx',
  '.m4a',
  '.m4b',
  '.m4r',
  '.m4p',
  '.aac',
  '.adts',
  '.wma',
  '.weba',
  '.mka',
  '.ape',
  '.wv',
  '.mpc',
  '.dsf',
  '.dff',
  '.au',
  '.snd',
  '.caf',
  '.amr',
  '.ra',
];

const MIME_TYPES: readonly MimeType[] = [
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'audio/wave',
  'audio/x-wav',
  'audio/vnd.wave',
  'audio/aiff',
  'audio/x-aiff',
  'audio/flac',
  'audio/x-flac',
  'audio/ogg',
  'audio/opus',
  'audio/vorbis',
  'audio/mp4',
  'audio/x-m4a',
  'audio/m4a',
  'audio/aac',
  'audio/aacp',
  'audio/x-ms-wma',
  'audio/webm',
  'audio/x-matroska',
  'audio/matroska',
  'audio/ape',
  'audio/wavpack',
  'audio/x-musepack',
  'audio/x-dsf',
  'audio/dsf',
  'audio/dff',
  'audio/basic',
  'audio/x-caf',
  'audio/amr',
];

export const audio: Processor = {
  name: 'audio',
  fileType: 'audio',
  extensions: EXTENSIONS,
  mimeTypes: MIME_TYPES,
  selects: [],
  textual: false,
  magic: [
    { starts: 'RIFF????WAVE', what: 'a WAV recording', mimeType: 'audio/wav' },
    { starts: 'FORM????AIF', what: 'an AIFF recording', mimeType: 'audio/aiff' }, // Audio IFF 1.3
    { starts: 'OggS\0', what: 'an Ogg file', mimeType: 'audio/ogg', shared: true }, // RFC 3533, 6
    { starts: 'fLaC\0', what: 'a FLAC recording', mimeType: 'audio/flac' }, // RFC 9639, 8
    { starts: 'fLaC\x80', what: 'a FLAC recording', mimeType: 'audio/flac' },
    { starts: 'ID3?\0', what: 'an MP3 recording', shared: true }, // ID3v2.4, 3.1
    { starts: '.snd\0\0\0', what: 'an AU recording', mimeType: 'audio/basic' }, // Sun, au(4)
    { starts: '#!AMR\n', what: 'an AMR recording', mimeType: 'audio/amr' }, // RFC 4867, 5.1
    { starts: '#!AMR-WB\n', what: 'an AMR recording', mimeType: 'audio/amr' },
  ],
  matches: (head) => {
    const container = containerOf(head);
    return container !== undefined && !VIDEO_ALONE.has(container);
  },
  ...lazily(() => import('./reading.ts')),
};
