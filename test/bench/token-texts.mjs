// Texts to count: real prose, code and data that lie in any checkout, and runs that tokenizers stumble over.

import { readdirSync, readFileSync } from 'node:fs';

const MODULES = new URL('../../node_modules/', import.meta.url);
const LENGTH = 500_000;

function readmes() {
  let text = '';
  for (const name of readdirSync(MODULES).sort()) {
    if (text.length >= LENGTH) break;
    try {
      text += readFileSync(new URL(`${name}/README.md`, MODULES), 'utf8');
    } catch {
      // A folder of scoped packages, or a package without one.
    }
  }
  return text.slice(0, LENGTH);
}

function rows() {
  let text = 'id,customer,amount,date,city\n';
  for (let row = 1; text.length < LENGTH; row++) {
    const number = Math.imul(row, 2654435761) >>> 0;
    text += `${row},Customer ${number % 9999},${(number / 1e5).toFixed(2)},2026-0${(row % 9) + 1}-1${row % 10},New York\n`;
  }
  return text.slice(0, LENGTH);
}

export const ORDINARY = {
  prose: readmes,
  code: () => readFileSync(new URL('typescript/lib/typescript.js', MODULES), 'utf8').slice(1e6, 1e6 + LENGTH),
  JSON: () =>
    readFileSync(new URL('typescript/lib/fr/diagnosticMessages.generated.json', MODULES), 'utf8').slice(
      0,
      LENGTH,
    ),
  CSV: rows,
};

/** What a run repeats; a run is named `name:length` in UTF-16 units. */
export const RUNS = {
  letters: 'a',
  spaces: ' ',
  underscores: '_',
  dashes: '-',
  'line breaks': '\n',
  Chinese: '我们的文件可以由代理读取没有任何空格或者标点',
  emoji: '🎉🚀',
  'combining marks': 'e\u0301\u0308',
  base64: 'VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZywgMTIzNDU2Nzg5MA',
  'mixed letters': 'XkqZbvWjTn',
};

/** Text like those to be measured, but none of it. */
export function warmUp() {
  const code = readFileSync(new URL('typescript/lib/typescript.js', MODULES), 'utf8').slice(
    3e6,
    3e6 + LENGTH / 2,
  );
  return (
    code +
    Object.values(RUNS)
      .map((unit) => ` ${unit.repeat(300 / unit.length)} `)
      .join('')
  );
}

/** @param {string} name a key of ORDINARY, or a key of RUNS with a length: `letters:1000000` */
export function textOf(name) {
  const ordinary = ORDINARY[name];
  if (ordinary) return ordinary();
  const [run, length] = name.split(':');
  const unit = RUNS[run];
  return unit.repeat(Math.ceil(Number(length) / unit.length));
}
