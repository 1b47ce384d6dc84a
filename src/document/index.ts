// The model of documents shared by all formats, and its writer.

export * from './block.ts';
export { BlockWriter } from './block-writer.ts';
export { type Chunk, type ChunkBlock, chunksOf } from './chunks.ts';
export { type Byline, bylineOf, CommentedWords, commentBlock } from './comment.ts';
export { edgeAt, edgesOf } from './edges.ts';
export { cleanText, escapeLineStart, escapeText } from './escape.ts';
export { Grid, type GridCell, GridRoom } from './grid.ts';
export { noHeading, rankedBy, SURE } from './heading-match.ts';
export { codeSpan, HARD_BREAK, marked, type Run, writeRuns } from './inline.ts';
export { imageMark, linkTo, safeUrl } from './link.ts';
export { isMemberMark, memberMark, namesMember, withMembers } from './member.ts';
export { blocksOf, type ChunkedText, type Section } from './part-blocks.ts';
export { escapeCell } from './table.ts';
export { type BlockAt, jsonLineOf } from './write-json.ts';
export { itemLines, markdownOf, safeLines } from './write-markdown.ts';
