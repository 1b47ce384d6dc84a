// Parses YAML into a tree of source positions. The `yaml` package finds the tokens and validates.

import { setImmediate } from 'node:timers/promises';
import type * as Yaml from 'yaml';
import type { CST } from 'yaml';
import { NotThisFormat, throwIfAborted } from '../../../src/contract/index.ts';
import type { YamlStream } from './node.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { YamlTree } from './tree.ts';

/** Maximum nesting of containers. The composer is recursive, and the parser uses memory for each level. */
const MAX_DEPTH = 200;
/** Maximum lexemes read; each costs up to 500 bytes while a document is parsed. 200 000 pairs have 1.4 million. */
const MAX_LEXEMES = 1_500_000;
/** Some lexemes are only a sign that the next one is a scalar. */
const MOST_PER_CHARACTER = 2;
/** Lexemes between checks of the clock and the signal, a few milliseconds. */
const BREATH = 50_000;

/** @throws {NotThisFormat} INVALID_SYNTAX with line and column. */
export async function readYaml(source: string, signal: AbortSignal): Promise<YamlStream> {
  const yaml = await import('yaml');
  const tree = new YamlTree(source, yaml);
  const parser = new yaml.Parser();
  const composer = new yaml.Composer({
    uniqueKeys: false,
    keepSourceTokens: false,
    schema: 'failsafe',
    logLevel: 'silent',
  });
  // The composer collects every error, at quadratic cost for some hostile input; the first is enough. It also catches
  // errors thrown inside a collection and reports them for the collection, so the first one is rethrown.
  let refusal: Refusal | undefined;
  Object.defineProperty(composer, 'onError', {
    value: (
      at: number | [number, number] | { offset: number },
      _code: string,
      message: string,
      warning?: boolean,
    ) => {
      if (warning) return;
      refusal ??= new Refusal(message, typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0]);
      throw refusal;
    },
  });
  const compose = (token: CST.Token): void => {
    if (token.type === 'error') throw new Refusal(token.message, token.offset);
    tree.add(token);
    for (const document of composer.next(token)) tree.composed(document.errors);
  };
  try {
    let count = 0;
    for (const lexeme of new yaml.Lexer().lex(source)) {
      for (const token of parser.next(lexeme)) compose(token);
      if (parser.stack.length > MAX_DEPTH)
        throw new Refusal(`nested deeper than ${MAX_DEPTH} levels`, parser.offset);
      if (++count % BREATH !== 0) continue;
      if (count === BREATH) await refuseTooMany(new yaml.Lexer(), source, signal);
      await breathe(signal);
    }
    for (const token of parser.end()) compose(token);
    for (const document of composer.end(false, source.length)) tree.composed(document.errors);
    return tree.finish();
  } catch (error) {
    throw refusalOf(error, source);
  }
}

/**
 * Counts lexemes without parsing them, which takes a tenth of the time. Called after the first are parsed, so that an
 * error among those is reported as one.
 * @throws {NotThisFormat} if there are too many
 */
async function refuseTooMany(lexer: Yaml.Lexer, source: string, signal: AbortSignal): Promise<void> {
  if (source.length * MOST_PER_CHARACTER <= MAX_LEXEMES) return;
  let count = 0;
  for (const _ of lexer.lex(source)) {
    if (++count > MAX_LEXEMES)
      throw new NotThisFormat({
        code: 'NOT_VALIDATED',
        message: `Not read as YAML: the file has more than ${MAX_LEXEMES} pieces of syntax.`,
      });
    if (count % BREATH === 0) await breathe(signal);
  }
}

async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  throwIfAborted(signal);
}
