// The small XML answers of S3: elements with text, no attributes that matter.

import { SaxesParser } from 'saxes';

/** Text of the first element called `name`, at any depth. */
export function element(xml: string, name: string): string | undefined {
  let found: string | undefined;
  visit(xml, ([...path], text) => {
    if (found === undefined && path.at(-1) === name) found = text;
  });
  return found;
}

/** Calls `leaf` with the path of names and the text of each element that ends. Stops at the first error of the XML. */
export function visit(xml: string, leaf: (path: readonly string[], text: string) => void): void {
  const parser = new SaxesParser();
  const path: string[] = [];
  let text = '';
  let isBroken = false;
  parser.on('error', () => {
    isBroken = true;
  });
  parser.on('opentag', ({ name }) => {
    path.push(name);
    text = '';
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('closetag', () => {
    if (!isBroken) leaf(path, text);
    path.pop();
    text = '';
  });
  parser.write(xml).close();
}
