// Lets a script that Node runs import what is written in TypeScript for the tests: `register` it, types are taken off.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import typescript from 'typescript';

const compilerOptions = {
  target: typescript.ScriptTarget.ES2023,
  module: typescript.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const source = typescript.transpileModule(text, { compilerOptions }).outputText;
  return { format: 'module', source, shortCircuit: true };
}
