// The text of a YAML scalar: unescaped and unfolded by the `yaml` package, not typed.

import type * as Yaml from 'yaml';
import type { CST } from 'yaml';
import type { YamlNode } from './node.ts';

/** The text of a scalar, or of its start up to `to`: unescaped and unfolded, not typed. */
export function scalarText(source: string, node: YamlNode, yaml: typeof Yaml, to: number = node.to): string {
  const text = source.slice(node.body, to);
  if (node.style === 'empty' || (node.style === 'plain' && !text.includes('\n'))) return text;
  return yaml.CST.resolveAsScalar(tokenOf(source, node, text, to), false, () => {})?.value ?? '';
}

function tokenOf(source: string, node: YamlNode, text: string, to: number): CST.FlowScalar | CST.BlockScalar {
  const place = { offset: node.body, indent: 0 };
  switch (node.style) {
    case 'single':
      return { ...place, type: 'single-quoted-scalar', source: to < node.to ? `${text}'` : text };
    case 'double':
      return { ...place, type: 'double-quoted-scalar', source: to < node.to ? `${text}"` : text };
    case 'literal': {
      const header = /^[|>][-+\d]*/.exec(text)?.[0] ?? '|';
      const props: CST.Token[] = [{ ...place, type: 'block-scalar-header', source: header }];
      return { ...place, type: 'block-scalar', props, source: source.slice(node.content, to) };
    }
    default:
      return { ...place, type: 'scalar', source: text };
  }
}
