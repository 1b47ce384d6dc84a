// Links and formulas of cells. A shown cell has its address behind its text, and on request its formula; values read for a
// query have neither.

/** Longer addresses are damaged or hostile: Excel allows 2079 characters. */
const MAX_ADDRESS_LENGTH = 4096;

/** `Docs (https://example.org/)`; only the text if it contains the address already. */
export function withLink(text: string, address: string | undefined): string {
  if (address === undefined || address === '') return text;
  const shown = address.slice(0, MAX_ADDRESS_LENGTH);
  if (text.trim() === '') return shown;
  const bare = shown
    .replace(/^mailto:/i, '')
    .replace(/\/$/, '')
    .toLowerCase();
  return text.toLowerCase().includes(bare) ? text : `${text} (${shown})`;
}

/** The address in a formula `HYPERLINK("https://example.org/", "Docs")`; undefined if it is computed. */
export function formulaAddress(formula: string): string | undefined {
  return /^\s*(?:of:=)?HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,;)]/i.exec(formula)?.[1]?.replaceAll('""', '"');
}

/** `1167.6 (=D2*E2)`; only the text of a cell that has no formula, or only that of another. */
export function withFormula(text: string, formula: string | undefined): string {
  if (formula === undefined || formula === '' || text === `=${formula}`) return text;
  return text === '' ? `=${formula}` : `${text} (=${formula})`;
}
