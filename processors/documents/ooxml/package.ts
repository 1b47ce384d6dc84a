// An Office Open XML package (ECMA-376 part 2): reads parts, relationships and core properties from the zip on demand.
// Independent of the document format.

import {
  BoundedMap,
  type FormatFacts,
  NotThisFormat,
  passwordNeeded,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import { isOle } from '../signature.ts';
import { pairs } from '../words.ts';
import { decodedPath, type PackageContext, statedFacts, XmlParts } from '../xml-parts.ts';

/** A relationship from a part to another part or an external target. */
export interface Relationship {
  readonly id: string;
  /** Last segment of its type, the same in strict and transitional files: `slide`, `hyperlink`, `image`. */
  readonly type: string;
  /** Part name without a leading slash, always inside the package; unchanged if `external`. */
  readonly target: string;
  readonly external: boolean;
}

const MAX_RELATIONSHIPS = 65_536;
const MAX_NAME = 2048;

/** An open package. Only the directory is read in advance. */
export class OoxmlPackage extends XmlParts {
  /** Bounded, so that 5000 slides do not keep 5000 lists in memory. */
  readonly #relations = new BoundedMap<string, Promise<ReadonlyMap<string, Relationship>>>({ most: 64 });

  /**
   * Reads the zip directory.
   * @throws {ReaderError} ENCRYPTED_FILE for a password-protected package, CORRUPT_FILE, LIMIT_EXCEEDED; NotThisFormat
   * if it is not a zip file
   */
  static async open(source: Source, context: PackageContext): Promise<OoxmlPackage> {
    const head = await source.read(0, 8);
    if (isOle(head)) await refuseOle(source);
    if (head[0] !== 0x50 || head[1] !== 0x4b)
      throw new NotThisFormat({
        code: 'FORMAT_MISMATCH',
        message:
          'The file is not an Office document: its content is neither a zip archive nor an OLE document.',
      });
    return new OoxmlPackage(await XmlParts.openZip(source, context), context);
  }

  /** Relationships of a part by id, in file order; of the package itself for `''`. Empty if missing or damaged. */
  relationships(part: string): Promise<ReadonlyMap<string, Relationship>> {
    const known = this.#relations.get(part);
    if (known) return known;
    const reading = this.#readRelationships(part);
    this.#relations.set(part, reading);
    return reading;
  }

  async #readRelationships(part: string): Promise<ReadonlyMap<string, Relationship>> {
    const slash = part.lastIndexOf('/');
    const folder = part.slice(0, slash + 1);
    const root = await this.tryXml(`${folder}_rels/${part.slice(slash + 1)}.rels`);
    const found = new Map<string, Relationship>();
    for (const element of root?.elements('Relationship') ?? []) {
      if (found.size >= MAX_RELATIONSHIPS) break;
      const id = element.get('Id');
      const target = element.get('Target');
      if (id === undefined || target === undefined || found.has(id)) continue;
      const type = element.get('Type') ?? '';
      const external = element.get('TargetMode') === 'External';
      found.set(id, {
        id,
        type: type.slice(type.lastIndexOf('/') + 1),
        target: external ? target : resolvePart(folder, target, (name) => this.has(name)),
        external,
      });
    }
    return found;
  }

  /** The main part of the package, such as `ppt/presentation.xml`. Undefined if there is none. */
  async mainPart(): Promise<string | undefined> {
    for (const relation of (await this.relationships('')).values())
      if (relation.type === 'officeDocument' && this.has(relation.target)) return relation.target;
    return undefined;
  }

  /** `title`, `author`, `created`, `documentModified`, ... as far as stated. */
  async properties(): Promise<FormatFacts> {
    let name = 'docProps/core.xml';
    for (const relation of (await this.relationships('')).values())
      if (relation.type === 'core-properties') name = relation.target;
    return statedFacts(await this.tryXml(name), CORE);
  }
}

/** Facts, and the Dublin Core and core-properties elements (ECMA-376 part 2, 11) they come from. */
const CORE = pairs(
  'title title subject subject author creator keywords keywords language language created created ' +
    'documentModified modified lastModifiedBy lastModifiedBy',
);

/**
 * Resolves `target` relative to `folder`, never above the package root: `ppt/slides/` and `../media/a.png` become
 * `ppt/media/a.png`. Percent-encoded only if the package `has` a part of that name: some writers encode part names,
 * others only targets.
 */
function resolvePart(folder: string, target: string, has: (name: string) => boolean): string {
  const cut = target.slice(0, MAX_NAME).split('#', 1)[0] ?? '';
  const path = cut.replaceAll('\\', '/');
  const steps: string[] = [];
  for (const step of (path.startsWith('/') ? path : folder + path).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  const name = steps.join('/');
  return !name.includes('%') || has(name) ? name : decodedPath(name);
}

const OLE_DIRECTORY_BYTES = 64 * 1024;

/**
 * Rejects an OLE file with a package extension: password-protected ([MS-OFFCRYPTO] 2.3.4.4), or in a format before
 * Office 2007.
 */
async function refuseOle(source: Source): Promise<never> {
  const header = await source.read(0, 512);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const whole = header.byteLength === 512;
  const shift = whole ? view.getUint16(30, true) : 9;
  const sector = whole ? view.getUint32(48, true) : 0;
  const at = (sector + 1) * 2 ** Math.min(shift, 12);
  const directory = await source.read(Math.min(at, source.size), OLE_DIRECTORY_BYTES);
  const encrypted = Buffer.from(directory.buffer, directory.byteOffset, directory.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
  if (encrypted) throw passwordNeeded('The document is protected with a password.');
  throw new ReaderError(
    'UNSUPPORTED_FORMAT',
    'The file is in an Office format before 2007 (DOC, PPT), which is not supported.',
    'Save it as DOCX or PPTX in the program that made it.',
  );
}
