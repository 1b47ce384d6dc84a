// Assembles the flow of a Word document from its parts: page headers, body, page footers, then the referenced notes and
// comments. Yields to other tasks while it works.

import { ReaderError } from '../../../src/contract/index.ts';
import { type Block, BlockWriter, type Byline, memberMark } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { ConvertContext, Section } from '../document.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';
import { PageMargins } from '../page-margins.ts';
import { linesIn, writePiece } from '../piece.ts';
import { createPause } from '../turns.ts';
import { readAttachments } from './attachments.ts';
import { blocksIn } from './block-reader.ts';
import type { WordDocument } from './document.ts';
import { marginReferences } from './margin-references.ts';
import { Numbering } from './numbering.ts';
import { type RemarkKind, Remarks, remarkBlock, remarkBlocks } from './remarks.ts';
import { Story } from './story.ts';
import { isOn, Styles } from './styles.ts';

type Relations = ReadonlyMap<string, Relationship>;

const MAX_HEADERS = 200;

/** The whole document as one section. @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED, ABORTED */
export async function convertFlow(
  pack: OoxmlPackage,
  main: string,
  changes: TrackedChanges,
  context: ConvertContext,
): Promise<Section> {
  const xml = await pack.text(main);
  if (xml === undefined || !/<(?:[\w.-]+:)?(?:document|body|p)[\s/>]/.test(xml))
    throw new ReaderError(
      'CORRUPT_FILE',
      'The main part of the Word document contains no text.',
      'Open the file in the program that made it and save it again.',
    );
  const flow = await Flow.open(pack, main, changes, context);
  const [headers, footers] = await flow.headersAndFooters(xml);
  const body = await flow.body(xml);
  const remarks = await flow.remarks();
  const warnings = flow.document.left.warnings();
  return {
    blocks: [...headers, ...body, ...footers, ...remarks],
    ...(warnings.length > 0 && { warnings }),
  };
}

class Flow {
  readonly document: WordDocument;
  readonly #pack: OoxmlPackage;
  readonly #main: string;
  readonly #relations: Relations;
  readonly #context: ConvertContext;
  readonly #pause: () => Promise<void>;

  private constructor(
    pack: OoxmlPackage,
    main: string,
    relations: Relations,
    document: WordDocument,
    context: ConvertContext,
  ) {
    this.#pack = pack;
    this.#main = main;
    this.#relations = relations;
    this.document = document;
    this.#context = context;
    this.#pause = createPause(context.signal);
  }

  static async open(
    pack: OoxmlPackage,
    main: string,
    changes: TrackedChanges,
    context: ConvertContext,
  ): Promise<Flow> {
    const relations = await pack.relationships(main);
    const read = async (type: string): Promise<XmlElement | undefined> => {
      const part = partOf(pack, main, relations, type);
      return part === undefined ? undefined : pack.tryXml(part);
    };
    const styles = new Styles(await read('styles'));
    const document: WordDocument = {
      styles,
      numbering: new Numbering(await read('numbering'), styles),
      remarks: new Remarks({
        footnotes: await read('footnotes'),
        endnotes: await read('endnotes'),
        comments: await read('comments'),
        extended: await read('commentsExtended'),
      }),
      changes,
      left: new LeftOut(),
      tooDeep: () => pack.tellTooDeep(),
      member: (part) => (pack.has(part) ? memberMark(part) : ''),
    };
    return new Flow(pack, main, relations, document, context);
  }

  async body(xml: string): Promise<readonly Block[]> {
    const background = /<(?:[\w.-]+:)?background\s[^>]{0,500}/.exec(xml.slice(0, 20_000))?.[0] ?? '';
    const story = await this.#story(this.#main, !/color="(?!f{6}|auto)/i.test(background));
    const writer = new BlockWriter();
    for (const block of blocksIn(xml, () => this.#pack.tellTooDeep())) {
      await this.#pause();
      for (const piece of block ? story.pieces(block) : []) {
        if (piece) writePiece(writer, piece);
        await this.#pause();
      }
    }
    for (const piece of story.end()) writePiece(writer, piece);
    return writer.take();
  }

  /** The printed page headers and footers of all sections, without duplicates; others are hidden text. */
  async headersAndFooters(xml: string): Promise<readonly [readonly Block[], readonly Block[]]> {
    const margins = new PageMargins();
    const seen = new Set<string>();
    const { left } = this.document;
    const linked = [...this.#relations.values()].some(({ type }) => type === 'header' || type === 'footer');
    if (!linked) return [[], []];
    const found = marginReferences(xml, await this.#hasEvenPages());
    const printed = found.filter(({ isPrinted }) => isPrinted);
    for (const { id, kind, isPrinted } of [...printed, ...found.filter((one) => !one.isPrinted)]) {
      const relation = this.#relations.get(id);
      if (!relation || relation.external || seen.has(relation.target)) continue;
      seen.add(relation.target);
      if (seen.size > MAX_HEADERS) {
        left.lose(`after the first ${MAX_HEADERS} headers and footers`, `page ${kind}`);
        continue;
      }
      const root = await this.#pack.tryXml(relation.target);
      if (!root) continue;
      const story = await this.#story(relation.target);
      const lines = await linesIn(story.whole(root), this.#pause);
      if (isPrinted) margins.add(kind, lines);
      else if (!margins.has(kind, lines)) left.hide(lines.join(' '));
    }
    return [margins.headers, margins.footers];
  }

  async #hasEvenPages(): Promise<boolean> {
    const part = partOf(this.#pack, this.#main, this.#relations, 'settings');
    const settings = part === undefined ? undefined : await this.#pack.tryXml(part);
    const stated = settings?.child('evenAndOddHeaders');
    return stated !== undefined && isOn(stated.get('val'));
  }

  /** The texts of all referenced notes and comments, including those referenced in notes. */
  remarks(): Promise<readonly Block[]> {
    const stories = new Map<RemarkKind, Story>();
    const { remarks } = this.document;
    return remarkBlocks(
      () => remarks.take(),
      async (remark) => {
        const { kind } = remark;
        const part = partOf(this.#pack, this.#main, this.#relations, `${kind}s`) ?? this.#main;
        const story = stories.get(kind) ?? (await this.#story(part));
        stories.set(kind, story);
        const lines = await linesIn(story.whole(remark.element), this.#pause);
        const replies: { by: Byline; lines: string[] }[] = [];
        for (const { by, element } of remark.answers)
          replies.push({ by, lines: await linesIn(story.whole(element), this.#pause) });
        return remarkBlock(remark, lines, replies);
      },
    );
  }

  async #story(part: string, whitePage = false): Promise<Story> {
    const relations = await this.#pack.relationships(part);
    const attachments = await readAttachments(this.#pack, relations, this.#context);
    return new Story(this.document, relations, attachments, whitePage);
  }
}

/** The part of that type referenced by the main part, else the one with the usual name. */
function partOf(pack: OoxmlPackage, main: string, relations: Relations, type: string): string | undefined {
  for (const relation of relations.values())
    if (relation.type === type && !relation.external && pack.has(relation.target)) return relation.target;
  const usual = `${main.slice(0, main.lastIndexOf('/') + 1)}${type}.xml`;
  return pack.has(usual) ? usual : undefined;
}
