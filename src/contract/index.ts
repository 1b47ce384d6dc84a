// Public interface of the contract room: everything of ours a processor may import, besides the scan room.

export { BoundedMap } from './bounded-map.ts';
export { columnLetters } from './columns.ts';
export { compiledCode, keepCompiledCode } from './compiled-code.ts';
export { createContentMap, forgetContents } from './content-map.ts';
export { DATA_DIRECTORY, type Environment, settingName, settingOf } from './environment.ts';
export {
  cannotDecrypt,
  type ErrorCode,
  EXIT_STATUS,
  HTTP_STATUS,
  passwordNeeded,
  ReaderError,
  staleCursor,
  throwIfAborted,
  wrongPassword,
} from './error.ts';
export { type Extent, mergeExtents, omittedExtents, type Unit, type Whole } from './extent.ts';
export {
  bytesOfFile,
  checkFiles,
  checkReaderOf,
  closeFile,
  type Files,
  type LocalFile,
  type OpenFile,
  type RemoteBytes,
  type RemoteFile,
  sizeOfFile,
  tellsSize,
} from './files.ts';
export type { Bytes, Extension, FileType, MimeType, Tokens } from './format.ts';
export { HIDDEN, hiddenIn, isSpelling } from './hidden.ts';
export { checkId } from './ids.ts';
export { jsonWithBytes } from './json.ts';
export type { HistoryLimits, IsolationLimits, Limits, QueryLimits, WorkspaceLimits } from './limits.ts';
export type { Magic, UnreadFormat } from './manifest.ts';
export { headingOf, named, oneLine, quoted, shortName, visibleJson, visibleName } from './name.ts';
export { foldedName, nearNames, nearPaths } from './near-names.ts';
export {
  checkHook,
  confidenceOf,
  described,
  isLasting,
  linesOfText,
  OCR_EDGE,
  OCR_TIMEOUT_MS,
  type Ocr,
  type OcrLine,
  type PictureDescriber,
  recognized,
  type SeenPicture,
} from './ocr.ts';
export { installCommand, isInstalled, loadOptional, missingPackages } from './optional-packages.ts';
export { checkOptions, type OptionNames } from './options.ts';
export { armed, disarmed, disguisedLines, isOwnLine, OWN, OWN_LINES_RULE } from './own-lines.ts';
export {
  type BlockBox,
  type Boxes,
  type Inside,
  isCount,
  type MediaPart,
  type Next,
  type Part,
  type Position,
  type Surroundings,
  type TextBlock,
  type TextPart,
  viewOf,
} from './part.ts';
export { MAX_POSITION, PositionReader } from './position.ts';
export {
  type Budget,
  type Conversion,
  type Encoding,
  type Entry,
  type EntryContext,
  type Folder,
  type Format,
  type FormatFacts,
  type InnerFile,
  type LazyCode,
  lazily,
  MAX_LEVEL,
  type MediaTools,
  NotThisFormat,
  OUTLINE,
  type OutlineLine,
  type Passages,
  type ProcessContext,
  type Processor,
  type ProcessorCode,
  type SectionLines,
  type Sound,
  type SoundContainer,
  type SoundStretch,
  type Source,
  type TextSource,
} from './processor.ts';
export { RangeReader } from './range-reader.ts';
export {
  type Changes,
  type Detail,
  parseRange,
  parseRanges,
  parseRegion,
  type Range,
  type Region,
  type RequestFields,
  resolveRange,
  type Selection,
  type SelectionField,
  type TableFormat,
} from './selection.ts';
export { countBefore, largestFitting, largestFrom } from './sorted.ts';
export { type Attempt, errnoOf, refuseOther, systemError } from './system-error.ts';
export {
  editDistance,
  isInsidePair,
  isWellFormed,
  jsonString,
  newlinesIn,
  plural,
  safeCut,
  spaced,
  strictJson,
  wellFormed,
  withoutEnd,
} from './text.ts';
export { type Reading, recognizedUpright, type TurnPicture } from './upright.ts';
export { unitsIn, wholeLength } from './utf8.ts';
export { UNPAIRED_SURROGATES, type Warning, type WarningCode } from './warning.ts';
export { type Patience, piecesWithin, within } from './within.ts';
