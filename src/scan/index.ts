// The scan room's front: exact counts of lines, records, JSON items and XML children at memory speed, and where the n-th
// of them starts. Nothing here parses or validates.

export { indexJsonItems, type JsonItemIndex, JsonSkipper, locateJsonItem } from './json.ts';
export {
  indexLines,
  indexRecords,
  type LineIndex,
  type LineOptions,
  locate,
  type Newline,
  type RecordIndex,
  type RecordOptions,
} from './records.ts';
export type { SparseIndex } from './sparse-index.ts';
export { indexXmlChildren, locateXmlChild, type XmlChildIndex, XmlSkipper } from './xml.ts';
