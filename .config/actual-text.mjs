// Makes pdf.js pass on `/ActualText` of marked content and of structure elements, and property lists that are named
// (ISO 32000-2, 14.6.2 and 14.9.4). Its worker reads both and gives neither away. Fails if pdf.js has changed there.

const MARKS = 'e=[e[0].name,e[1]instanceof Dict?e[1].get("MCID"):null]';
const RESOURCES = /parseMarkedContentProps\(e\[1\],(\w+)\)/;
const ALTERNATIVE = 'let s=e.dict.get("Alt");';

const FUNCTIONS = `
function actualTextOf(dict) {
  const text = dict.get("ActualText");
  return typeof text === "string" ? stringToPDFString(text) : undefined;
}
function propertiesOf(list, resources) {
  const named = list instanceof Name ? resources?.get("Properties") : undefined;
  const dict = named instanceof Dict ? named.get(list.name) : list;
  return dict instanceof Dict ? [dict.get("MCID"), actualTextOf(dict)] : [null];
}
`;

/** @throws {Error} if `code` does not have exactly one `from` */
export function replaceOnce(code, from, to) {
  if (code.split(from).length !== 2) throw new Error(`pdf.js does not have exactly one \`${from}\`.`);
  return code.replace(from, () => to);
}

export const actualText = {
  name: 'actual-text',
  transform(code, id) {
    if (!id.endsWith('pdf.worker.min.mjs')) return null;
    const resources = RESOURCES.exec(code)?.[1];
    const marked = replaceOnce(code, MARKS, `e=[e[0].name,...propertiesOf(e[1],${resources})]`);
    return replaceOnce(marked, ALTERNATIVE, `a.actualText=actualTextOf(e.dict);${ALTERNATIVE}`) + FUNCTIONS;
  },
};
