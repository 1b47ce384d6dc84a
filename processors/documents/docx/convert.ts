// Converts a Word document (ECMA-376 part 1, 17) to blocks: one flow, with notes and comments at its end. Reads the
// package part by part and the body block by block; opens nothing outside the package.

import { NotThisFormat, ReaderError, type Source } from '../../../src/contract/index.ts';
import type { ConvertContext, Converter, OpenDocument } from '../document.ts';
import type { TrackedChanges } from '../left-out.ts';
import { OoxmlPackage } from '../ooxml/package.ts';
import { cutOffBefore } from '../xml-parts.ts';
import { packageFacts } from './facts.ts';
import { convertFlow } from './flow.ts';

/** Options for converting Word documents. */
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
          message: 'The file contains several parts with the same name; the first of each was read.',
        });
      const main = await mainPart(pack);
      return {
        facts: await packageFacts(pack, main),
        section: () => convertFlow(pack, main, changes, context),
      };
    },
  };
}

/** The part with the body: from the package relationships, else by its usual name. */
async function mainPart(pack: OoxmlPackage): Promise<string> {
  const linked = await pack.mainPart();
  if (linked !== undefined && /^(?:ppt|xl|visio)\//i.test(linked))
    throw new NotThisFormat({
      code: 'FORMAT_MISMATCH',
      message: 'The file is another kind of Office document; expected a Word document.',
    });
  if (linked !== undefined) return linked;
  for (const name of pack.zip.entries.keys())
    if (/^(?:.*\/)?document\d*\.xml$/i.test(name) && !/glossary\//i.test(name)) return name;
  if (pack.zip.salvaged) throw cutOffBefore('the part with its text');
  throw new ReaderError(
    'CORRUPT_FILE',
    'The zip archive is not a Word document: the part `word/document.xml` is missing.',
    'Open the file in the program that made it and save it again.',
  );
}
