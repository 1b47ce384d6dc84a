// Public interface of the scan room: exact counts of lines, records, JSON items and XML children at memory speed, and
// the start of the n-th. Nothing here parses or validates.

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
