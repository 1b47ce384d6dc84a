// Whether what an answer shows is valid in its own language, by parsers that lectern does not read with.

import { XMLValidator } from 'fast-xml-parser';
import Papa from 'papaparse';
import { parse as parseToml } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import type { ReadSuccess } from '../../src/index.ts';

export function isValid({ processor }: ReadSuccess, text: string): boolean {
  if (text === '') return true;
  switch (processor) {
    case 'csv':
    case 'xlsx':
    case 'spreadsheet':
      return Papa.parse(text.replace(/\n$/, ''), { delimiter: ',' }).errors.length === 0;
    case 'json':
      return parses(() => JSON.parse(text));
    case 'jsonl':
      return text.split('\n').every((line) => line.trim() === '' || parses(() => JSON.parse(line)));
    case 'yaml':
      return (
        parseAllDocuments(text, { uniqueKeys: false }).every?.(({ errors }) => errors.length === 0) ?? true
      );
    case 'toml':
      return parses(() => parseToml(text, { integersAsBigInt: true }));
    case 'xml':
      return XMLValidator.validate(text) === true;
    default:
      return true;
  }
}

function parses(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
