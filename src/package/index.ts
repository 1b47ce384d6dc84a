// Containers of office formats: zip files (OOXML, ODF, EPUB), and the XML parts in them. Knows no format.

export { readXml, XmlElement } from './tree.ts';
export { attributeOf, skipMarkup, tagEnd, XmlWalk, xmlText } from './xml.ts';
export { CUT_OFF, gathered, type ZipEntry, ZipFile } from './zip.ts';
export {
  findZipDirectory,
  overlapping,
  type ZipDirectory,
  type ZipLocal,
  type ZipRecord,
  zipLocal,
  zipRecords,
} from './zip-directory.ts';
export { isInnerDirectory, salvagedRecords } from './zip-salvage.ts';
