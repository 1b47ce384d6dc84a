// Amazon Bedrock Converse: the content of a user message, as the API reference describes it, for Claude models.

import { ANTHROPIC_TOKENS } from './anthropic.ts';
import { at, type Bounds, judgeOf, matches, type ProviderRules } from './rule-book.ts';

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html (2026): 20 pictures of 3.75 MB and 8000
 * pixels, five documents of 4.5 MB, a text beside documents. 3.75 MB is 5 MiB as base64, so binary; 4.5 MB is taken as
 * decimal. 20 MB of request and 100 pages: https://platform.claude.com/docs/en/api/overview and /pdf-support, for models
 * with a window of 200 000 tokens.
 */
export const BEDROCK_BOUNDS: Bounds = {
  imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  imageBytes: 3_932_160,
  imageEdge: 8000,
  images: 20,
  documents: 5,
  pdfBytes: 4_500_000,
  pdfPages: 100,
  media: 100,
  audioTypes: {},
  requestBytes: 20_000_000,
};

/** API_runtime_DocumentBlock: letters, digits, single white space (here blanks), hyphens, parentheses, square brackets; 1 to 200. */
const NAME = /^(?!.* {2})[A-Za-z0-9 \-()[\]]{1,200}$/;

export const bedrockRules: ProviderRules = {
  request: (content) => ({ messages: [{ role: 'user', content }] }),
  async judge(content, request) {
    const names = new Set<string>();
    const { problems, ...rest } = await judgeBlocks(names)(content, request);
    const worded = Array.isArray(content) && content.some((block) => at(block, 'text') !== undefined);
    return {
      ...rest,
      problems: names.size > 0 && !worded ? [...problems, 'content: documents without a text'] : problems,
    };
  },
};

const judgeBlocks = (names: Set<string>): ProviderRules['judge'] =>
  judgeOf(BEDROCK_BOUNDS, ANTHROPIC_TOKENS, async (block, where, findings) => {
    if (matches(block, { text: 'string' })) return findings.text(where, at(block, 'text'));
    if (matches(block, { image: { format: ['png', 'jpeg', 'gif', 'webp'], source: { bytes: 'bytes' } } })) {
      const bytes = at(block, 'image', 'source', 'bytes');
      const type = `image/${String(at(block, 'image', 'format'))}`;
      if (bytes instanceof Uint8Array) await findings.image(where, bytes, type);
      return;
    }
    if (!matches(block, { document: { format: ['pdf'], name: 'string', source: { bytes: 'bytes' } } }))
      return findings.add(where, 'is no block of the format');
    const name = String(at(block, 'document', 'name'));
    if (!NAME.test(name) || name.trim() !== name) findings.add(where, `name ${JSON.stringify(name)}`);
    if (names.has(name)) findings.add(where, `name ${JSON.stringify(name)} stands twice`);
    names.add(name);
    const bytes = at(block, 'document', 'source', 'bytes');
    if (bytes instanceof Uint8Array) await findings.pdf(where, bytes);
  });
