// The scan room's front: exact counts of lines, records, JSON items and XML children at memory speed, and where the n-th
// of them starts. Nothing here parses or validates.

export { indexJsonItems, type JsonItemIndex, JsonSkipper, locateJsonItem } from './json.ts';
export {
  indexLines,
  indexRecords,
  type LineIndex,
  locate,
  type Newline,
  type RecordIndex,
} from './records.ts';
export { hasSimd } from './simd.ts';
export { indexXmlChildren, locateXmlChild, XmlSkipper } from './xml.ts';
