// Documents of Apple Pages, Numbers and Keynote. Their own format has no specification; the preview that most of them
// hold is read instead.

import {
  type Entry,
  type EntryContext,
  type Extension,
  type Processor,
  ReaderError,
  type Source,
} from '../../src/contract/index.ts';
import { zipHeadNames } from '../../src/zip/head.ts';
import { isZip } from './signature.ts';

/** Previews, the most telling first: iWork '09 writes a PDF, later versions a picture of the first page. */
const PREVIEWS: readonly string[] = [
  'QuickLook/Preview.pdf',
  'preview.pdf',
  'preview.jpg',
  'QuickLook/Thumbnail.jpg',
  'preview-web.jpg',
];
/** `.key` is shared with keys in text. */
const EXTENSIONS: readonly (Extension | '')[] = ['.pages', '.numbers', '.key'];
const PARTS = /^(?:quicklook\/|index\.apxl|index\/[^/]*\.iwa$)/;

export const iwork: Processor = {
  name: 'iwork',
  fileType: 'archive',
  extensions: ['.pages', '.numbers'],
  mimeTypes: [
    'application/vnd.apple.pages',
    'application/vnd.apple.numbers',
    'application/vnd.apple.keynote',
    'application/x-iwork-pages-sffpages',
    'application/x-iwork-numbers-sffnumbers',
    'application/x-iwork-keynote-sffkey',
  ],
  selects: [],
  textual: false,
  previews: true,
  matches: isZip,
  unwrap: preview,
  // biome-ignore lint/correctness/useYield: nothing of such a file is shown
  async *process() {
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The file is a document of Apple Pages, Numbers or Keynote without a preview; only previews of these are read.',
      'Export it as PDF, or as a Word, Excel or PowerPoint file.',
    );
  },
};

async function preview(source: Source, context: EntryContext): Promise<Entry | undefined> {
  const head = await source.read(0, 512);
  if (!EXTENSIONS.includes(source.extension) && !zipHeadNames(head).some((name) => PARTS.test(name)))
    return undefined;
  const { ZipFile } = await import('../../src/package/index.ts');
  const zip = await ZipFile.open(source, context);
  const entry = PREVIEWS.map((name) => zip.get(name)).find((one) => one && one.size > 0);
  if (!entry) return undefined;
  const bytes = await zip.bytes(entry, context.limits.maxBytesInMemory, context.signal);
  context.warn({
    code: 'SKIPPED_CONTENT',
    message: `Only the preview in the file (\`${entry.name}\`) was read, which may show the first page only; the document itself is not supported.`,
  });
  return { name: entry.name.slice(entry.name.lastIndexOf('/') + 1), bytes };
}
