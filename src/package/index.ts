// Packages of office formats and books (OOXML, ODF, EPUB): a zip file whose entries are parts, most of them XML, or a
// compound file. Knows no format.

export { CUT_OFF, type ZipEntry } from '../zip/index.ts';
export { type CompoundEntry, CompoundFile } from './compound.ts';
export { decryptedOpenDocument } from './protection/odf.ts';
export { decryptedPackage, isEncryptedPackage } from './protection/office.ts';
export { readXml, XmlElement } from './tree.ts';
export { attributeOf, skipMarkup, tagEnd, XmlWalk, xmlText } from './xml.ts';
export { gathered, ZipFile } from './zip-file.ts';
