// Converts the shapes of one slide to items, in reading order.

import { throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import {
  type Block,
  imageMark,
  isEmpty,
  isMemberMark,
  linesBlock,
  linkTo,
  memberMark,
  paragraphBlock,
} from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { chartBlocks } from '../ooxml/chart.ts';
import { diagramBlocks } from '../ooxml/diagram.ts';
import type { OoxmlPackage } from '../ooxml/package.ts';
import { type Box, cornerOf, inReadingOrder } from '../slide-order.ts';
import { hiddenShapes, type SlideItem } from '../slides.ts';
import { boxOf, type Frame } from './box.ts';
import { type Layout, type Placeholder, propertiesOf } from './layout.ts';
import { slideTable } from './table.ts';
import { isOn, linkIn, type Paragraph, paragraphsOf, plainText, type Relations, textBlocks } from './text.ts';

export class SlideWalk {
  title = '';
  titleBox: Box | undefined;
  readonly footers: string[] = [];
  readonly #layout: Layout;
  readonly #relations: Relations;
  readonly #pack: OoxmlPackage;
  readonly #signal: AbortSignal;
  readonly #hidden: string[] = [];
  readonly #lost: string[] = [];
  #shapes = 0;
  #hiddenShapes = 0;

  constructor(layout: Layout, relations: Relations, pack: OoxmlPackage, signal: AbortSignal) {
    this.#layout = layout;
    this.#relations = relations;
    this.#pack = pack;
    this.#signal = signal;
  }

  warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#hiddenShapes > 0)
      warnings.push(hiddenShapes(this.#hiddenShapes, this.#hidden.find((text) => text !== '') ?? ''));
    if (this.#shapes > MAX_SHAPES) this.#lost.push(`shapes after the first ${MAX_SHAPES}`);
    if (this.#lost.length > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `Left out: ${[...new Set(this.#lost)].slice(0, 5).join(', ')}.`,
      });
    return warnings;
  }

  async items(parent: XmlElement, frame: Frame, depth: number): Promise<SlideItem[]> {
    const items: SlideItem[] = [];
    for (const node of parent.children) {
      if (typeof node === 'string') continue;
      this.#shapes += 1;
      if (this.#shapes > MAX_SHAPES) break;
      if (this.#shapes % 256 === 0) {
        throwIfAborted(this.#signal);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const item of await this.#item(node, frame, depth)) items.push(item);
    }
    return items;
  }

  async #item(node: XmlElement, frame: Frame, depth: number): Promise<SlideItem[]> {
    if (node.name === 'AlternateContent') {
      if (depth >= MAX_GROUP_DEPTH) {
        this.#lost.push('groups nested too deep');
        return [];
      }
      for (const choice of [...node.elements('Choice'), ...node.elements('Fallback')]) {
        const items = await this.items(choice, frame, depth + 1);
        if (items.length > 0) return items;
      }
      return [];
    }
    const about = propertiesOf(node);
    if (!about) return [];
    if (isOn(about.child('cNvPr')?.get('hidden'))) {
      this.#hiddenShapes += 1;
      if (this.#hidden.length < 16) this.#hidden.push(visibleText(node));
      return [];
    }
    switch (node.name) {
      case 'sp':
      case 'cxnSp':
        return this.#shape(node, about, frame);
      case 'grpSp': {
        if (depth >= MAX_GROUP_DEPTH) {
          this.#lost.push('groups nested too deep');
          return [];
        }
        const xfrm = node.at('grpSpPr', 'xfrm');
        const inside = await this.items(node, frame.inside(xfrm), depth + 1);
        if (inside.length === 0) return [];
        const own = boxOf(xfrm);
        const blocks = inReadingOrder(inside).flatMap((item) => item.blocks);
        const box = own && own.width + own.height > 0 ? frame.place(own) : cornerOf(inside);
        return [{ box, blocks }];
      }
      case 'pic': {
        const box = boxOf(node.at('spPr', 'xfrm')) ?? this.#placeholder(about)?.box;
        return [{ box: box && frame.place(box), blocks: this.#picture(node, about) }];
      }
      case 'graphicFrame': {
        const box = boxOf(node.child('xfrm')) ?? this.#placeholder(about)?.box;
        return [{ box: box && frame.place(box), blocks: await this.#graphic(node, about) }];
      }
      default:
        return [];
    }
  }

  #placeholder(about: XmlElement): Placeholder | undefined {
    const ph = about.at('nvPr', 'ph');
    return ph && this.#layout.placeholder(ph);
  }

  #shape(node: XmlElement, about: XmlElement, frame: Frame): SlideItem[] {
    const placeholder = this.#placeholder(about);
    const own = boxOf(node.at('spPr', 'xfrm')) ?? placeholder?.box;
    const box = own && frame.place(own);
    const body = node.child('txBody');
    const paragraphs = body
      ? paragraphsOf(
          body,
          placeholder?.styles ?? this.#layout.plainStyles,
          this.#relations,
          this.#linkOf(about),
        )
      : [];
    if (placeholder && isMargin(placeholder.type)) {
      this.#margin(placeholder, paragraphs, body);
      return [];
    }
    if (placeholder && isTitle(placeholder.type) && this.title === '') {
      this.title = plainText(paragraphs);
      this.titleBox = box;
      return [];
    }
    const blocks = textBlocks(paragraphs);
    const fill = node.at('spPr', 'blipFill', 'blip');
    if (fill && about.child('cNvPr')?.get('descr')) blocks.unshift(...this.#image(fill, about));
    return blocks.length === 0 ? [] : [{ box, blocks }];
  }

  /** Slide numbers and the current date are irrelevant. */
  #margin(placeholder: Placeholder, paragraphs: readonly Paragraph[], body: XmlElement | undefined): void {
    if (placeholder.type === 'sldNum') return;
    if (placeholder.type === 'dt' && body && [...body.descendants('fld')].length > 0) return;
    const text = plainText(paragraphs);
    if (text !== '') this.footers.push(text);
  }

  #linkOf(about: XmlElement): string | undefined {
    return linkIn(this.#relations, about.at('cNvPr', 'hlinkClick')?.get('id'));
  }

  #picture(node: XmlElement, about: XmlElement): Block[] {
    const blocks = this.#image(node.at('blipFill', 'blip'), about);
    const properties = about.child('nvPr');
    for (const [element, kind] of MEDIA) {
      const media = properties?.child(element);
      if (!media) continue;
      const id = media.get('link') ?? media.get('embed');
      blocks.push(linesBlock(`(${kind}: ${this.#fileName(id) || 'unnamed'})`));
      break;
    }
    return blocks;
  }

  #image(blip: XmlElement | undefined, about: XmlElement): Block[] {
    const mark = imageMark(alternative(about), this.#target(blip?.get('embed') ?? blip?.get('link')));
    if (mark === '') return [];
    const link = this.#linkOf(about);
    return [paragraphBlock(link === undefined ? mark : linkTo(mark, link))];
  }

  /** The member mark of a relationship's part, or its external address; `''` for neither. */
  #target(id: string | undefined): string {
    const relation = this.#relations.get(id ?? '');
    if (!relation || relation.external) return relation?.target ?? '';
    return this.#pack.has(relation.target) ? memberMark(relation.target) : '';
  }

  /** The text for a file: the member mark of a part, else its base name; `''` without a target. */
  #fileName(id: string | undefined): string {
    const target = this.#target(id);
    if (isMemberMark(target)) return target;
    const path = this.#relations.get(id ?? '')?.target.split(/[?#]/, 1)[0] ?? '';
    return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }

  async #graphic(node: XmlElement, about: XmlElement): Promise<Block[]> {
    const data = node.at('graphic', 'graphicData');
    const table = data?.child('tbl');
    if (table) return [slideTable(table, this.#relations)].filter((block) => !isEmpty(block));
    const chart = data?.child('chart') ?? alternate(data, 'chart');
    if (chart) return this.#part(chart.get('id'), 'a chart', chartBlocks, about);
    const diagram = data?.child('relIds');
    if (diagram) return this.#part(diagram.get('dm'), 'a diagram', diagramBlocks, about);
    const object = data?.child('oleObj') ?? alternate(data, 'oleObj');
    if (object) return this.#object(object, about);
    const alt = alternative(about);
    return [paragraphBlock(alt === '' ? '(graphic, not read)' : imageMark(alt, ''))];
  }

  /** A graphic in a part of its own. Falls back to its alternative text if it cannot be read. */
  async #part(
    id: string | undefined,
    what: string,
    blocksOf: (root: XmlElement) => readonly Block[],
    about: XmlElement,
  ): Promise<Block[]> {
    const alt = paragraphBlock(imageMark(alternative(about), ''));
    const relation = id === undefined ? undefined : this.#relations.get(id);
    const root = relation && !relation.external ? await this.#pack.tryXml(relation.target) : undefined;
    if (!root) {
      this.#lost.push(what);
      return isEmpty(alt) ? [] : [alt];
    }
    return [...blocksOf(root)].filter((block) => !isEmpty(block));
  }

  #object(object: XmlElement, about: XmlElement): Block[] {
    const names = [object.get('progId') ?? '', this.#fileName(object.get('id'))].filter(
      (name) => name !== '',
    );
    const blocks = [paragraphBlock(`(embedded object: ${names.join(', ') || 'unnamed'})`)];
    const alt = imageMark(alternative(about), '');
    if (alt !== '') blocks.push(paragraphBlock(alt));
    return blocks;
  }
}

/** Elements of `nvPr` that make a picture a recording. */
const MEDIA: readonly (readonly [string, string])[] = [
  ['videoFile', 'video'],
  ['quickTimeFile', 'video'],
  ['audioFile', 'audio'],
  ['wavAudioFile', 'audio'],
  ['audioCd', 'audio'],
];
const isTitle = (type: string): boolean => type === 'title' || type === 'ctrTitle';

const isMargin = (type: string): boolean =>
  type === 'dt' || type === 'ftr' || type === 'sldNum' || type === 'hdr';

function alternative(about: XmlElement): string {
  const names = about.child('cNvPr');
  return names?.get('descr') ?? names?.get('title') ?? '';
}

/** The element of that name in the first alternative that has one. */
function alternate(data: XmlElement | undefined, name: string): XmlElement | undefined {
  const alternatives = data?.child('AlternateContent');
  for (const choice of alternatives?.elements() ?? []) {
    const found = choice.child(name);
    if (found) return found;
  }
  return undefined;
}

function visibleText(node: XmlElement): string {
  let text = '';
  for (const t of node.descendants('t')) {
    text += t.text();
    if (text.length > 200) break;
  }
  return text.trim();
}

const MAX_GROUP_DEPTH = 32;
const MAX_SHAPES = 100_000;
