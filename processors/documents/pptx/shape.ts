// Common to all shapes of a slide: their properties, and the context of their text.

import type { XmlElement } from '../../../src/package/index.ts';
import { equationText } from '../ooxml/equation.ts';
import type { Relationship } from '../ooxml/package.ts';
import type { TextContext } from './text.ts';

/** The non-visual properties of a shape: `nvSpPr`, `nvPicPr`, ... */
export function propertiesOf(shape: XmlElement): XmlElement | undefined {
  for (const node of shape.children) if (typeof node !== 'string' && /^nv\w+Pr$/.test(node.name)) return node;
  return undefined;
}

/** The context for text in a part of this presentation: links and formulas. */
export function textContext(relations: ReadonlyMap<string, Relationship>): TextContext {
  return {
    link: (id) => {
      const relation = relations.get(id);
      return relation?.external && relation.type === 'hyperlink' ? relation.target : undefined;
    },
    formula: equationText,
  };
}
