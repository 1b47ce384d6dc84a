// What shapes of a slide have in common: their properties, and the look that their text takes over.

import type { XmlElement } from '../../../src/package/index.ts';
import { equationText } from '../ooxml/equation.ts';
import type { Relationship } from '../ooxml/package.ts';
import type { TextContext } from './text.ts';

/** The element that names a shape: `nvSpPr`, `nvPicPr`, ... */
export function propertiesOf(shape: XmlElement): XmlElement | undefined {
  for (const node of shape.children) if (typeof node !== 'string' && /^nv\w+Pr$/.test(node.name)) return node;
  return undefined;
}

/** What text on a part of this presentation needs: its links and its formulas. */
export function textContext(relations: ReadonlyMap<string, Relationship>): TextContext {
  return {
    link: (id) => {
      const relation = relations.get(id);
      return relation?.external && relation.type === 'hyperlink' ? relation.target : undefined;
    },
    formula: equationText,
  };
}
