// Picture formats and how they are recognised. SVG is rendered if the request sets `region` or `detail`. Reading is in
// `reading.ts`.

import { type Extension, lazily, type MimeType, type Processor } from '../../src/contract/index.ts';
import { pictureFormat } from './signature.ts';

const EXTENSIONS: readonly Extension[] = [
  '.png',
  '.apng',
  '.jpg',
  '.jpeg',
  '.jpe',
  '.jfif',
  '.pjpeg',
  '.pjp',
  '.gif',
  '.webp',
  '.tif',
  '.tiff',
  '.avif',
  '.avifs',
  '.heic',
  '.heics',
  '.heif',
  '.hif',
  '.bmp',
  '.dib',
  '.ico',
  '.cur',
  '.psd',
  '.psb',
  '.jp2',
  '.jpx',
  '.jpf',
  '.jpm',
  '.j2k',
  '.j2c',
  '.jpc',
  '.jxl',
  '.qoi',
  '.dds',
  '.xcf',
  '.icns',
  '.cr2',
  '.nef',
  '.arw',
  '.dng',
  '.orf',
  '.rw2',
  '.raf',
];

const MIME_TYPES: readonly MimeType[] = [
  'image/png',
  'image/apng',
  'image/vnd.mozilla.apng',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
  'image/bmp',
  'image/x-ms-bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/vnd.adobe.photoshop',
  'image/jp2',
  'image/jpx',
  'image/jpm',
  'image/j2c',
  'image/jxl',
  'image/icns',
  'image/vnd-ms.dds',
  'image/x-xcf',
  'image/x-canon-cr2',
  'image/x-nikon-nef',
  'image/x-sony-arw',
  'image/x-adobe-dng',
  'image/x-olympus-orf',
  'image/x-panasonic-rw2',
  'image/x-fujifilm-raf',
];

export const image: Processor = {
  name: 'image',
  fileType: 'image',
  extensions: EXTENSIONS,
  mimeTypes: MIME_TYPES,
  selects: ['region', 'pages'],
  textual: false,
  draws: ['image/svg+xml'],
  drawing: (head, extension) => (isSvg(head, extension) ? 'image/svg+xml' : undefined),
  magic: [
    { starts: '\x89PNG\r\n\x1a\n', what: 'a PNG image', shared: true }, // PNG (third edition), 5.2; APNG
    { starts: '\xff\xd8\xff', what: 'a JPEG image', mimeType: 'image/jpeg', shared: true }, // ITU T.81, B.1.1.3
    { starts: 'GIF87a', what: 'a GIF image', mimeType: 'image/gif' },
    { starts: 'GIF89a', what: 'a GIF image', mimeType: 'image/gif' },
    { starts: 'RIFF????WEBP', what: 'a WebP image', mimeType: 'image/webp' },
    { starts: 'II*\0', what: 'a TIFF image', mimeType: 'image/tiff', shared: true }, // TIFF 6.0, section 2
    { starts: 'MM\0*', what: 'a TIFF image', mimeType: 'image/tiff', shared: true },
    { starts: 'qoif\0', what: 'a QOI image', mimeType: 'image/qoi' }, // QOI 1.0, header
  ],
  matches: (head) => pictureFormat(head) !== undefined,
  ...lazily(() => import('./reading.ts')),
};

/** True for an SVG root element; a file with an SVG extension may have a prolog of any length before it. */
function isSvg(head: Uint8Array, extension: Extension | ''): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  return extension === '.svg'
    ? /<(?:[\w-]+:)?svg[\s>/]/.test(start)
    : /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*)?<svg[\s>]/.test(start.slice(0, 2000));
}
