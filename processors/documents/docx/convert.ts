// A Word document (ECMA-376 part 1, 17) as Markdown: one flow, its notes and comments at its end. Reads the package part
// by part and the body block by block; nothing outside the package is opened.

import { NotThisFormat, ReaderError, type Source } from '../../../src/contract/index.ts';
import type { ConvertContext, Converter, OpenDocument } from '../document.ts';
import { OoxmlPackage } from '../ooxml/package.ts';
import type { TrackedChanges } from './document.ts';
import { packageFacts } from './facts.ts';
import { convertFlow } from './flow.ts';

/** How Word documents are converted. */
export interface DocxOptions {
  /** Default `accept`. */
  readonly trackedChanges?: TrackedChanges;
}

/** A converter with these options. */
export function createDocxConverter(options: DocxOptions = {}): Converter {
  const changes = options.trackedChanges ?? 'accept';
  return {
    async open(source: Source, context: ConvertContext): Promise<OpenDocument> {
      const pack = await OoxmlPackage.open(source, context);
      const [duplicate] = pack.zip.duplicates;
      if (duplicate !== undefined)
        context.warn({
          code: 'SKIPPED_CONTENT',
          message: 'The file holds several parts of one name; the first of each is read.',
        });
      const main = await mainPart(pack);
      return {
        facts: await packageFacts(pack, main),
        sections: 1,
        section: () => convertFlow(pack, main, changes, context),
        close: () => Promise.resolve(),
      };
    },
  };
}

/** The part that holds the body: as the package tells, else by its usual name. */
async function mainPart(pack: OoxmlPackage): Promise<string> {
  const linked = await pack.mainPart();
  if (linked !== undefined && /^(?:ppt|xl|visio)\//i.test(linked))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file is an Office document of another kind; expected a Word document.',
    });
  if (linked !== undefined) return linked;
  for (const name of pack.zip.entries.keys())
    if (/^(?:.*\/)?document\d*\.xml$/i.test(name) && !/glossary\//i.test(name)) return name;
  if (pack.zip.salvaged)
    throw new ReaderError(
      'CORRUPT_FILE',
      'The file is cut off before the part that holds its text.',
      'Get the file again, whole.',
    );
  throw new ReaderError(
    'CORRUPT_FILE',
    'The zip container holds no Word document: its part `word/document.xml` is missing.',
    'Open the file in the program that made it and save it again.',
  );
}
