// Extracts a program's introductory comment and its imports.

import { shortened } from './shortened.ts';

const MAX_IMPORTS = 40;
const MAX_NAME = 80;
/** Lines searched for the first comment. */
const HEAD_LINES = 200;

/** Each pattern captures one name: of a module, a header, a package, a file. */
const IMPORTS: readonly RegExp[] = [
  /^\s*(?:import|export)\b[^'"]*\bfrom\s*['"]([^'"]+)['"]/, // JavaScript, TypeScript
  /^\s*import\s*['"]([^'"]+)['"]/, // JavaScript, Dart, Swift
  /^\s*}\s*from\s*['"]([^'"]+)['"]/, // the last line of a longer import
  /\brequire(?:_relative|_once)?\s*(?:\(\s*)?['"]([^'"]+)['"]/, // CommonJS, Ruby, Lua, PHP
  /^\s*from\s+([\w.]+)\s+import\b/, // Python
  /^\s*import\s+(?:static\s+)?([\w.]+(?:\.\*)?)\s*(?:;\s*)?(?:as\s+\w+\s*)?(?:#.*|\/\/.*)?$/, // Python, Java, Kotlin, Go, Swift, Haskell
  /^\s*#\s*include\s*[<"]([^>"]+)[>"]/, // C, C++
  /^\s*(?:pub\s+)?(?:use|extern\s+crate)\s+([\w:]+)/, // Rust, Perl
  /^\s*use\s+(?:function\s+|const\s+)?([\w\\]+)/, // PHP
  /^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;/, // C#
  /^\s*(?:source|\.)\s+([\w./${}"-]+)\s*$/, // shell
];
/** Several names on one line, or one per line in brackets: `import os, sys`, `import (\n"fmt"\n)`. */
const SEVERAL = /^\s*import\s+([\w.]+(?:\s*,\s*[\w.]+)+)\s*$/;
const GO_OPEN = /^import\s*\($/;
const GO_NAME = /^\s*(?:[\w.]+\s+)?"([^"]+)"\s*(?:\/\/.*)?$/;

const LICENCE =
  /licen[cs]e|copyright|\(c\)|©|SPDX|all rights reserved|warranty|redistribut|permission is hereby|AUTHORS file/i;
/** Directives for tools, not for readers. */
const FOR_TOOLS =
  /^(?:!|eslint|tslint|prettier|jshint|jslint|global\b|istanbul|@ts-|@flow|@jsx|vim?:|ex:|-\*-|coding[:=]|pylint|noqa|type:|clang-format|NOLINT|frozen_string_literal|go:build|\+build|<reference|#region|swiftlint|shellcheck|Code generated|@generated|use strict)/i;
/** Tags before a file description, and those of a declaration's comment. */
const OF_FILE =
  /^[@\\](?:file(?:overview)?|overview|brief|module|summary|description)\b[ \t]*(?:[-:][ \t]*)?(?:[\w-]+\.\w+$)?/;
const OF_DECLARATION =
  /(?:^|\s)[@\\](?:typedef|callback|type|param|returns?|template|class|constructor|property|enum)\b/;
/** Start of a comment line: the mark, then its text. */
const COMMENT_LINE =
  /^\s*(?:\/\/[/!]?|#+(?!\s*(?:include|define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error|warning|!)\b)|--+(?!\[)|;+|%+|'|\(\*+|\*(?!\/))\s?(.*)/;
const BLOCK_OPEN = /^\s*(?:\/\*+!?|"""|'''|[rRuUbB]{1,2}"""|=begin\b|--\[\[|<!--|\{-)/;
const BLOCK_CLOSE = /\*\/|"""|'''|^=end\b|\]\]|-->|-\}/;

/** Reads the lines of a program in order. */
export class FileHead {
  readonly imports: string[] = [];
  /** The first sentence of the first comment that is not a licence. */
  summary: string | undefined;
  #number = 0;
  #block: string[] | undefined;
  #lines: string[] = [];
  #inGoImports = false;
  #ended = false;

  add(line: string): void {
    this.#number += 1;
    this.#import(line);
    if (!this.#ended && this.summary === undefined && this.#number <= HEAD_LINES) this.#comment(line);
  }

  /** Later comments describe a declaration, not the file. */
  endComments(): void {
    this.#end();
    this.#ended = true;
  }

  #import(line: string): void {
    if (this.imports.length >= MAX_IMPORTS) return;
    if (GO_OPEN.test(line)) this.#inGoImports = true;
    else if (this.#inGoImports && line.trim() === ')') this.#inGoImports = false;
    const several = SEVERAL.exec(line)?.[1];
    const names = several?.split(',').map((name) => name.trim()) ?? [
      this.#inGoImports ? GO_NAME.exec(line)?.[1] : firstOf(line),
    ];
    for (const name of names)
      if (name !== undefined && name !== '' && name.length <= MAX_NAME && !this.imports.includes(name))
        this.imports.push(name);
  }

  #comment(line: string): void {
    if (this.#block) {
      const close = BLOCK_CLOSE.exec(line);
      this.#block.push(close ? line.slice(0, close.index) : line);
      if (!close) return;
      this.#take(this.#block);
      this.#block = undefined;
      return;
    }
    const open = BLOCK_OPEN.exec(line);
    if (open) {
      this.#end();
      const rest = line.slice(open[0].length);
      const close = BLOCK_CLOSE.exec(rest);
      if (close) this.#take([rest.slice(0, close.index)]);
      else this.#block = [rest];
      return;
    }
    const text = COMMENT_LINE.exec(line)?.[1];
    if (text === undefined) this.#end();
    else this.#lines.push(text);
  }

  /** Processes the lines of a finished comment. */
  #end(): void {
    if (this.#lines.length > 0) this.#take(this.#lines);
    this.#lines = [];
  }

  #take(lines: readonly string[]): void {
    const all = lines.map((line) => line.replace(/^\s*\*(?!\/)\s?/, '').trim());
    const isOfFile = all.some((line) => OF_FILE.test(line));
    if (!isOfFile && all.some((line) => OF_DECLARATION.test(line))) {
      this.#ended = true;
      return;
    }
    const text = all.map((line) => line.replace(OF_FILE, ''));
    const paragraphs = text.join('\n').split(/\n{2,}/);
    // Text after a licence in the same comment is part of it.
    const licence = paragraphs.findIndex((paragraph) => LICENCE.test(paragraph));
    const said = paragraphs
      .slice(0, licence < 0 ? undefined : licence)
      .map((paragraph) =>
        paragraph
          .split('\n')
          .filter((part) => /\p{L}{2}/u.test(part) && !FOR_TOOLS.test(part) && !/^[@\\]\w+/.test(part))
          .join(' '),
      )
      .find((paragraph) => paragraph.split(/\s+/).length >= 2);
    if (said === undefined || (this.summary ?? said) !== said) return;
    const sentence = /^.{20,}?[.!?](?=\s|$)/su.exec(said)?.[0] ?? said;
    this.summary = shortened(sentence);
  }
}

function firstOf(line: string): string | undefined {
  for (const pattern of IMPORTS) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
