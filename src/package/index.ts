// Containers of office formats: zip files (OOXML, ODF, EPUB), and the XML parts in them. Knows no format.

export { readXml, XmlElement, type XmlNode } from './tree.ts';
export { attributeOf, skipMarkup, tagEnd, XmlWalk, xmlText } from './xml.ts';
export { gathered, type ZipEntry, ZipFile, type ZipLimits } from './zip.ts';
export {
  findZipDirectory,
  overlapping,
  type ZipLocal,
  type ZipRecord,
  zipLocal,
  zipRecords,
} from './zip-directory.ts';
