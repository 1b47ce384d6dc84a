// The model of documents shared by all formats, and its writer.

export * from './block.ts';
export { BlockWriter } from './block-writer.ts';
export { type Chunk, type ChunkBlock, chunksOf } from './chunks.ts';
export { type Byline, bylineOf, CommentedWords, commentBlock } from './comment.ts';
export { edgeAt, edgesOf } from './edges.ts';
export { cleanText } from './escape.ts';
export { Grid, type GridCell, GridRoom } from './grid.ts';
export { noHeading, rankedBy, SURE } from './heading-match.ts';
export {
  bareText,
  codeSpan,
  formulaIn,
  formulaSpan,
  HARD_BREAK,
  type Inline,
  imageMark,
  linkTo,
  noteMark,
  plainText,
  respanned,
  splitInline,
  startsWithPicture,
  targetsIn,
  titleOf,
  verbatim,
  withoutEmphasis,
} from './inline.ts';
export { targetsLeftOut, targetsOfData, unseenTargets, wordsOfData } from './inline-data.ts';
export { safeUrl } from './link.ts';
export { isMemberMark, memberMark, namesMember, withMembers, withNames } from './member.ts';
export { blocksOf, type ChunkedText, type Section } from './part-blocks.ts';
export { type Run, writeRuns } from './runs.ts';
export { escapeCell } from './table.ts';
export { type BlockAt, jsonLineOf } from './write-json.ts';
export { inlineMarkdown, itemLines, linesOf, markdownOf } from './write-markdown.ts';
