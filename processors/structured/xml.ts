// XML, SVG, property lists and other XML languages except HTML, and how they are recognised. Reading is in `xml/`.

import { type Extension, lazily, type MimeType, type Processor } from '../../src/contract/index.ts';
import { PLIST_MAGIC } from './xml/plist-magic.ts';

const EXTENSIONS: readonly Extension[] = [
  '.xml',
  '.xsd',
  '.xsl',
  '.xslt',
  '.svg',
  '.rss',
  '.atom',
  '.rdf',
  '.owl',
  '.opml',
  '.wsdl',
  '.wadl',
  '.plist',
  '.kml',
  '.gpx',
  '.gml',
  '.dae',
  '.mathml',
  '.mml',
  '.musicxml',
  '.xliff',
  '.xlf',
  '.tmx',
  '.tei',
  '.ttml',
  '.smil',
  '.xspf',
  '.xmp',
  '.fb2',
  '.xul',
  '.rng',
  '.bpmn',
  '.drawio',
  '.xaml',
  '.resx',
  '.csproj',
  '.vbproj',
  '.fsproj',
  '.vcxproj',
  '.props',
  '.targets',
  '.nuspec',
];

const MIME_TYPES: readonly MimeType[] = [
  'application/xml',
  'text/xml',
  'image/svg+xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/soap+xml',
  'application/xslt+xml',
  'application/mathml+xml',
  'application/gpx+xml',
  'application/gml+xml',
  'application/wsdl+xml',
  'application/xliff+xml',
  'application/smil+xml',
  'application/ttml+xml',
  'application/plist+xml',
  'application/owl+xml',
  'application/x-plist',
  'application/vnd.google-earth.kml+xml',
  'application/vnd.recordare.musicxml+xml',
];

/** Starts with a tag, comment or declaration, and has no control characters. */
const XML_START = /^[\ufeff\ufffd\s]*<[?!\p{L}_:][\s\P{Cc}]*$/u;

export const xml: Processor = {
  name: 'xml',
  fileType: 'xml',
  extensions: EXTENSIONS,
  mimeTypes: MIME_TYPES,
  types: { '.svg': 'image/svg+xml' },
  selects: ['pointer', 'rows'],
  textual: true,
  introduces: true,
  magic: [{ starts: PLIST_MAGIC, what: 'a binary property list', mimeType: 'application/x-plist' }],
  // XHTML is a web page.
  reads: (text) => /^\s{0,250}<\?xml(?![^>]{0,250}>\s{0,250}<(?:!doctype\s{1,20})?html\b)/i.test(text),
  matches: (head) => {
    const text = new TextDecoder().decode(head.subarray(0, 1024)).replaceAll('\0', '');
    return text.startsWith(PLIST_MAGIC) || XML_START.test(text);
  },
  ...lazily(() => import('./xml/reading.ts')),
};
