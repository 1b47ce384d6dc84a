// The text of a mail: each body in its richest version, followed by what only its other versions contain.

import { NotThisFormat, plural, ReaderError, type Warning } from '../../../src/contract/index.ts';
import {
  type Block,
  linesBlock,
  linesOf,
  memberMark,
  plainText,
  quoteBlock,
} from '../../../src/document/index.ts';
import type { ConvertContext } from '../document.ts';
import { htmlToBlocks } from '../html/blocks.ts';
import { BytesSource } from './bytes-source.ts';
import { contentId, type Mail, type Version } from './mail.ts';
import { plainBlocks } from './plain-text.ts';
import { type Difference, differenceFrom } from './versions.ts';

interface Written {
  readonly kind: Version['kind'];
  readonly blocks: readonly Block[];
  /** Text hidden in the HTML, reported by its own warning. */
  readonly hidden: string;
  readonly warnings: readonly Warning[];
}

const NAMES: Readonly<Record<Version['kind'], string>> = { plain: 'plain text', html: 'HTML', rtf: 'RTF' };

/** The bodies in order. */
export async function bodyBlocks(mail: Mail, warnings: Warning[], context: ConvertContext): Promise<Block[]> {
  const texts: { readonly shown: Written; readonly others: readonly Written[] }[] = [];
  for (const { others = [], ...body } of mail.bodies) {
    const first = await written(body, mail, context);
    const rest: Written[] = [];
    for (const other of others) {
      const version = await writtenOrNot(other, mail, warnings, context);
      if (version) rest.push(version);
    }
    const shown = shownOf(first, rest, warnings);
    // What HTML hides or leaves out is reported even if another version is shown.
    warnings.push(...(shown === first || first.kind === 'html' ? first : shown).warnings);
    texts.push({ shown, others: [first, ...rest].filter((version) => version !== shown) });
  }
  const said = texts.flatMap(({ shown: { blocks } }) => blocks);
  const hidden = texts.map(({ shown }) => shown.hidden).join('\n');
  return texts.flatMap(({ shown, others }) => [
    ...shown.blocks,
    ...others.flatMap((other) => onlyIn(other, shown, differenceFrom(other.blocks, said, hidden), warnings)),
  ]);
}

/** HTML with hardly any of the plain text's content is a picture, or a frame around one. */
function shownOf(first: Written, others: readonly Written[], warnings: Warning[]): Written {
  const plain = others.find(({ kind }) => kind === 'plain');
  if (first.kind !== 'html' || !plain) return first;
  const words = wordsOf(first);
  if (words * 3 >= wordsOf(plain)) return first;
  warnings.push({
    code: 'SKIPPED_CONTENT',
    message: `The HTML of the mail has ${plural(words, 'word')}; the longer plain text is shown instead.`,
  });
  return plain;
}

function wordsOf({ blocks }: Written): number {
  const lines = blocks.flatMap(linesOf).map((line) => plainText(line, { pictures: false }));
  return lines.join(' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

/** The passages of a version that are missing from what is shown, quoted whole under a line that names the version. */
function onlyIn(
  other: Written,
  shown: Written,
  { blocks, comparedTo }: Difference,
  warnings: Warning[],
): Block[] {
  const name = `${other.kind === shown.kind ? 'other ' : ''}${NAMES[other.kind]} version`;
  if (comparedTo !== undefined)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The ${name} of the mail was compared with the text shown up to ${comparedTo} letters; it may differ after that.`,
    });
  if (blocks.length === 0) return [];
  warnings.push({
    code: 'HIDDEN_CONTENT',
    message: `The ${name} of the mail differs from the ${NAMES[shown.kind]} version shown; its additional text (${plural(blocks.length, 'passage')}) is quoted under "Only in the ${name}".`,
  });
  return [linesBlock(`Only in the ${name}:`), quoteBlock(blocks)];
}

/** Converts a version that is not the first choice: if it is damaged, the mail can still be shown. */
async function writtenOrNot(
  version: Version,
  mail: Mail,
  warnings: Warning[],
  context: ConvertContext,
): Promise<Written | undefined> {
  try {
    return await written(version, mail, context);
  } catch (error) {
    const damaged =
      error instanceof NotThisFormat || (error instanceof ReaderError && error.code !== 'ABORTED');
    if (!damaged) throw error;
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The ${NAMES[version.kind]} version of the mail cannot be read; it was not compared with the text shown.`,
    });
    return undefined;
  }
}

async function written(version: Version, { pictures }: Mail, context: ConvertContext): Promise<Written> {
  const { kind } = version;
  if (kind === 'plain') return { kind, blocks: plainBlocks(version.text), hidden: '', warnings: [] };
  if (kind === 'rtf') return writtenRtf(version.rtf, context);
  const picture = (address: string): string => {
    const name = pictures.get(contentId(address));
    return name === undefined ? address : memberMark(name);
  };
  const page = await htmlToBlocks(version.html, { signal: context.signal, picture });
  return { kind, blocks: page.blocks, hidden: page.hidden, warnings: page.warnings };
}

async function writtenRtf(rtf: Uint8Array, context: ConvertContext): Promise<Written> {
  const { createRtfConverter } = await import('../rtf/convert.ts');
  const warnings: Warning[] = [];
  const document = await createRtfConverter().open(new BytesSource(rtf), {
    ...context,
    warn: (warning) => warnings.push(warning),
  });
  const { blocks, warnings: more = [] } = await document.section(1);
  return { kind: 'rtf', blocks, hidden: '', warnings: [...warnings, ...more] };
}
