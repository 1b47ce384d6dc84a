// Finds declarations by their keywords, line by line, for languages without a grammar. Each pattern is anchored and
// matches in only one way, so the cost of a line is linear in its length.

import type { OutlineLine } from '../../src/contract/index.ts';
import { shortened } from './shortened.ts';

/** The declaration syntax of a language. */
interface LineLanguage {
  /** A line that matches one of these is a declaration. */
  readonly declares: readonly RegExp[];
  /** Delimiters of non-code blocks, for lines that start with the first. */
  readonly blocks?: readonly (readonly [open: string, close: string])[];
  /** A delimiter that starts and ends such a block anywhere: documentation quotes. */
  readonly quotes?: string;
  /** Everything after a matching line is not code. */
  readonly end?: RegExp;
}

const C_COMMENT = [['/*', '*/']] as const;
const ML_COMMENT = [['(*', '*)']] as const;

/** Optional words before a declaration, then one of its keywords. */
const words = (before: string, begin: string, flags = ''): RegExp =>
  new RegExp(String.raw`^\s*(?:(?:${before})\s+)*(?:${begin})\b`, flags);

/**
 * A function in a language that starts it with its type: not a statement, and with a body or a line end after the
 * parameters.
 */
const typedFunction = (indent: number): RegExp =>
  new RegExp(
    String.raw`^\s{0,${indent}}(?!(?:return|if|for|while|switch|catch|else|throw|new|await|case|assert|do|try)\b)[A-Za-z_][\w<>\[\]?,.:*&]*(?: [\w<>\[\]?,.:*&]+)* \*?[\w$]+\s*\([^;]*$`,
  );

const LISP: LineLanguage = {
  declares: [/^\s{0,2}\((?:cl-)?(?:def[\w*!?-]*|ns|module)\s+[^\s)]/],
  blocks: [['#|', '|#']],
};
const HASKELL: LineLanguage = {
  declares: [
    /^(?:data|newtype|type|class|instance|module|pattern|foreign|deriving|infix[lr]?)\s+\S/,
    /^(?:[a-z_][\w']*|\([^\s)]+\))(?:\s*,\s*[a-z_][\w']*)*\s*::/,
  ],
  blocks: [['{-', '-}']],
};
const ML: LineLanguage = {
  declares: [
    /^(?:let|and|fun|val|type|module|class|exception|external|open class|signature|structure|functor|namespace)\s+(?!open\b|_\s*=|\(\))\S/,
    /^\s*(?:(?:static|abstract|override|default|private|public)\s+)*(?:member|method|val|external)\s+\S/,
  ],
  blocks: ML_COMMENT,
};
const SQL: LineLanguage = {
  declares: [
    /^\s*create\s+(?:(?:or|replace|alter|temp|temporary|global|local|unlogged|unique|clustered|nonclustered|materialized|recursive|external|foreign|virtual|constraint|force|editionable|definer\s*=\s*\S+|if\s+not\s+exists)\s+)*(?:table|view|index|function|procedure|proc|trigger|type|schema|database|sequence|domain|extension|role|user|policy|aggregate|operator|cast|rule|event|package|synonym|server|publication|subscription|language|collation)\b/i,
  ],
  blocks: C_COMMENT,
};
const MAKE: LineLanguage = {
  declares: [
    /^(?!\.(?:PHONY|SUFFIXES|DEFAULT|PRECIOUS|SECONDARY|NOTPARALLEL|SILENT)\b)[^\s#:=][^#:=]*::?(?![:=])/,
    /^define\s+\S/,
  ],
};
const FORTRAN: LineLanguage = {
  declares: [
    /^(?!c\s)\s*(?!end)(?:[a-z]\w*(?:\s*\([^()]*\))?\s+){0,4}(?:subroutine|function)\s+\w+\s*\(?/i,
    /^\s*(?:module(?!\s+procedure)|submodule|program|block\s+data)\s*(?:\([\w:]+\)\s*)?\s\w+/i,
    /^\s*(?:abstract\s+)?interface\b/i,
    /^\s*type(?:\s*(?:,[^:]*)?::\s*|\s+)\w+\s*$/i,
  ],
};
const BASIC: LineLanguage = {
  declares: [
    words(
      'public|private|protected|friend|shared|static|overridable|overrides|overloads|mustoverride|notoverridable|partial|default|readonly|async|mustinherit|notinheritable',
      'sub|function|class|module|property|structure|enum|interface|namespace|event|delegate|type',
      'i',
    ),
  ],
};
const VERILOG: LineLanguage = {
  declares: [
    words(
      'virtual|static|automatic|protected|local|extern|pure',
      'module|macromodule|interface|class|function|task|package|program|primitive|covergroup|property|sequence',
    ),
  ],
  blocks: C_COMMENT,
};
const SHADER: LineLanguage = {
  declares: [words('typedef|export', 'struct|cbuffer|class|enum|namespace'), typedFunction(0)],
  blocks: C_COMMENT,
};
const STYLES: LineLanguage = {
  declares: [/^[^\s/{}][^{};]*\{/, /^\s*@(?:mixin|function)\s+[\w-]+/, /^\$[\w-]+\s*:/],
  blocks: C_COMMENT,
};
const ASSEMBLY: LineLanguage = {
  declares: [/^(?!\.?L\d)[A-Za-z_.$?@][\w.$?@]*:(?!=)/, /^[A-Za-z_]\w*\s+(?:proc|struct|macro|segment)\b/i],
  blocks: C_COMMENT,
};
const HCL: LineLanguage = {
  declares: [/^[a-z][\w-]*(?:\s+"[^"]*")*\s*\{/],
  blocks: C_COMMENT,
};
const JULIA_NAME = String.raw`(?:[A-Za-z_]\w*\.)*[A-Za-z_][\w!]*`;

const LANGUAGES: readonly (readonly [endings: string, language: LineLanguage])[] = [
  [
    '.lua',
    {
      declares: [/^\s*(?:local\s+)?function\s+[\w.:]+/, /^\s*(?:local\s+)?[\w.:]+\s*=\s*function\b/],
      blocks: [['--[[', ']]']],
    },
  ],
  [
    '.pl .pm .t',
    {
      declares: [
        /^\s*(?:sub|method|package|class|role)\s+[A-Za-z_][\w:']*(?:\s*(?:[({;:]|$)|\s+v?[\d.]+\s*[{;])/,
        /^\s*use\s+constant\s+[A-Z_a-z]\w*/,
      ],
      blocks: [
        ['=pod', '=cut'],
        ['=head', '=cut'],
        ['=over', '=cut'],
        ['=item', '=cut'],
        ['=begin', '=cut'],
        ['=for', '=cut'],
        ['=encoding', '=cut'],
      ],
      end: /^__(?:END|DATA)__$/,
    },
  ],
  [
    '.r',
    {
      declares: [
        /^\s*(?:[\w.]+|`[^`]+`|"[^"]+"|'[^']+')\s*(?:<<?-|=)\s*(?:function\b|\\\()/,
        /^\s*(?:[\w.]+\s*(?:<-|=)\s*)?(?:R6::)?(?:R6Class|setClass|setRefClass|setGeneric|setMethod|setValidity)\(/,
      ],
    },
  ],
  [
    '.jl',
    {
      declares: [
        /^\s*(?:@[\w.]+\s+)*(?:function|macro|struct|mutable\s+struct|abstract\s+type|primitive\s+type|module|baremodule)\s+\S/,
        new RegExp(
          String.raw`^(?:@\w+\s+)?${JULIA_NAME}(?:\{[^{}]*\})?\([^=]*\)\s*(?:::\S+\s*|where\s+\S+\s*)?=(?![=>])`,
        ),
        /^const\s+\w+/,
      ],
      blocks: [['#=', '=#']],
      quotes: '"""',
    },
  ],
  ['.hs .lhs .purs', HASKELL],
  [
    '.elm',
    {
      declares: [/^(?:type|port|module)\s+\S/, /^[a-z]\w*\s*:(?!:)/],
      blocks: [['{-', '-}']],
    },
  ],
  [
    '.ex .exs',
    {
      declares: [
        /^\s*def(?:p|macro|macrop|module|protocol|impl|struct|exception|delegate|guard|guardp|callback|overridable)?\s+\S/,
        /^\s*@(?:type|typep|opaque|callback|macrocallback)\s+\w/,
        /^\s*(?:test|describe)\s+"/,
      ],
      quotes: '"""',
    },
  ],
  [
    '.erl .hrl',
    {
      declares: [/^[a-z][\w@]*\s*\(/, /^-\s*(?:module|record|define|type|opaque|callback|behaviou?r)\s*\(?/],
    },
  ],
  [
    '.scala .sc',
    {
      declares: [
        words(
          String.raw`@\w+(?:\([^)]*\))?|private(?:\[\w+\])?|protected(?:\[\w+\])?|override|final|sealed|abstract|implicit|lazy|inline|transparent|open|case|opaque|package`,
          'class|trait|object|def|type|enum|given|extension',
        ),
        /^\s{0,2}(?:(?:private(?:\[\w+\])?|protected(?:\[\w+\])?|override|final|implicit|lazy|inline)\s+)*(?:val|var)\s+\w/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.kt .kts',
    {
      declares: [
        words(
          String.raw`@[\w.:]+(?:\([^)]*\))?|public|private|protected|internal|override|final|open|sealed|abstract|data|inner|enum|annotation|companion|inline|value|suspend|operator|infix|tailrec|external|expect|actual|const|lateinit|fun`,
          'class|interface|object|fun|typealias|constructor',
        ),
        /^(?:\s{1,4}(?!va[lr]\s+\w+\s*=))?(?:(?:@[\w.:]+(?:\([^)]*\))?|public|private|protected|internal|override|final|open|abstract|inline|const|lateinit|expect|actual)\s+)*va[lr]\s+[\w<]/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.swift',
    {
      declares: [
        words(
          String.raw`@\w+(?:\([^)]*\))?|public|private|fileprivate|internal|open|package|final|static|class|override|required|convenience|mutating|nonmutating|indirect|nonisolated|isolated|dynamic|optional|prefix|postfix|infix|distributed|async|unowned|weak|lazy`,
          'class|struct|enum|protocol|extension|actor|func|typealias|associatedtype|macro|operator|precedencegroup',
        ),
        /^\s*(?:(?:public|private|fileprivate|internal|open|override|required|convenience|@\w+)\s+)*(?:init[?!]?|deinit|subscript)\s*[(<{]/,
        /^(?:\s{1,4}(?!(?:var|let)\s+\w+\s*=))?(?:(?:@\w+(?:\([^)]*\))?|public|private(?:\(set\))?|fileprivate|internal|open|static|class|final|override|lazy|weak|unowned|dynamic|nonisolated)\s+)*(?:var|let)\s+\w/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.dart',
    {
      declares: [
        words('abstract|base|final|sealed|interface|mixin', 'class|mixin|enum|extension|typedef'),
        typedFunction(2),
        /^\s{0,2}(?:[\w<>?,\s]+\s)?(?:get|set|operator)\s+[\w=<>+*/~|&^%[\]-]+/,
        /^(?:(?:static|late|final|const)\s+)+(?:[\w<>?,]+\s+)?\w+\s*=/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.groovy .gradle',
    {
      declares: [
        words('public|private|protected|static|final|abstract', 'class|interface|trait|enum|task'),
        /^\s*(?:(?:public|private|protected|static|final)\s+)*(?:def|void)\s+\w+\s*\(/,
        typedFunction(4),
      ],
      blocks: C_COMMENT,
    },
  ],
  ['.fish', { declares: [/^\s*function\s+\S/] }],
  [
    '.ps1 .psm1',
    {
      declares: [/^\s*(?:function|filter|workflow|configuration|class|enum)\s+[\w:-]+/i],
      blocks: [['<#', '#>']],
    },
  ],
  ['.bat .cmd', { declares: [/^\s*:[A-Za-z_]/] }],
  ['.awk', { declares: [/^\s*func(?:tion)?\s+\w/, /^(?:BEGIN|END)\b/] }],
  [
    '.tcl',
    {
      declares: [
        /^\s*(?:proc|method|namespace\s+eval|class|(?:oo|itcl)::(?:class|define)(?:\s+create)?)\s+\S/,
      ],
    },
  ],
  ['.sql .psql .ddl', SQL],
  ['.mk .make makefile gnumakefile justfile', MAKE],
  [
    '.cmake cmakelists.txt',
    {
      declares: [
        /^\s*(?:function|macro|project|option|add_(?:executable|library|custom_target|subdirectory|test))\s*\(/i,
      ],
    },
  ],
  ['.dockerfile .containerfile dockerfile containerfile', { declares: [/^\s*from\s+\S/i] }],
  ['.tf .tfvars .hcl', HCL],
  [
    '.proto .thrift .avdl',
    {
      declares: [
        /^\s*(?:message|enum|service|rpc|extend|oneof|struct|union|exception|protocol|record|fixed|error)\s+\w+/,
        /^\s*(?:typedef|const)\s+\S+\s+\w+/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.graphql .gql',
    {
      declares: [
        /^(?:extend\s+)?(?:type|input|interface|union|enum|scalar|schema|directive|query|mutation|subscription|fragment)\b/,
      ],
      quotes: '"""',
    },
  ],
  ['.prisma', { declares: [/^(?:model|enum|type|view|datasource|generator)\s+\w/], blocks: C_COMMENT }],
  ['.bicep', { declares: [/^(?:resource|module|param|output|var|type|func)\s+\w/], blocks: C_COMMENT }],
  ['.vim', { declares: [/^\s*(?:fu[a-z]*|def)!?\s+\S/, /^\s*(?:command!?|augroup)\s+(?!END\b)\S/] }],
  ['.el .lisp .scm .rkt .clj .cljs .cljc', LISP],
  ['.ml .mli .sml .fs .fsx', ML],
  [
    '.pas .pp',
    {
      declares: [
        /^\s*(?:class\s+)?(?:procedure|function|constructor|destructor|operator|unit|program|library)\s+\w/i,
        /^\s*\w+\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b/i,
      ],
      blocks: [
        ['{', '}'],
        ['(*', '*)'],
      ],
    },
  ],
  ['.f .f90 .f95 .for', FORTRAN],
  ['.vb .vbs .bas', BASIC],
  [
    '.zig',
    {
      declares: [
        words('pub|export|extern|inline|noinline|threadlocal', 'fn|test'),
        /^\s*(?:pub\s+)?const\s+\w+\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union|error|opaque)\b/,
        /^(?:pub\s+)?(?:const|var)\s+\w+\b(?!\s*=\s*@import)/,
      ],
    },
  ],
  [
    '.nim',
    {
      declares: [
        /^\s*(?:proc|func|method|template|macro|iterator|converter|type)\s+\S/,
        /^\s+\w+\*?\s*=\s*(?:ref\s+)?(?:object|enum|tuple)\b/,
      ],
    },
  ],
  ['.v .sv', VERILOG],
  [
    '.vhd .vhdl',
    {
      declares: [
        /^\s*(?:entity|architecture|package(?:\s+body)?|component|function|procedure|configuration)\s+\w+/i,
      ],
    },
  ],
  ['.asm .s', ASSEMBLY],
  [
    '.m .mm',
    {
      declares: [
        /^@(?:interface|implementation|protocol)\s+\w(?![\w\s,]*;)/,
        /^\s*[-+]\s*\([^)]*\)\s*\w+/,
        /^(?:function|classdef)\b/,
        /^(?:typedef\s+)?(?:NS_ENUM|NS_OPTIONS|struct|enum)\b[^;]*\{/,
        typedFunction(0),
        /^#\s*define\s+\w+/,
      ],
      blocks: C_COMMENT,
    },
  ],
  ['.glsl .vert .frag .hlsl .metal .cl', SHADER],
  [
    '.wgsl',
    { declares: [words(String.raw`@\w+(?:\([^)]*\))?`, 'fn|struct|alias|override')], blocks: C_COMMENT },
  ],
  [
    '.sol',
    {
      declares: [
        /^\s*(?:abstract\s+)?(?:contract|interface|library|function|event|modifier|struct|enum|error|constructor|receive|fallback)\b/,
      ],
      blocks: C_COMMENT,
    },
  ],
  [
    '.gd',
    {
      declares: [
        /^\s*(?:static\s+)?(?:func|class|class_name|signal|enum)\s+\w/,
        /^(?:@\w+\s+)*(?:const|var)\s+\w/,
      ],
      quotes: '"""',
    },
  ],
  [
    '.coffee',
    { declares: [/^\s*class\s+\w/, /^\s*@?[\w.]+\s*[:=]\s*(?:\([^)]*\)\s*)?[-=]>/], quotes: '###' },
  ],
  [
    '.cr',
    {
      declares: [
        words('private|protected|abstract', 'def|class|module|struct|enum|macro|lib|fun|annotation|alias'),
      ],
    },
  ],
  ['.css .scss .less', STYLES],
];

const BY_NAME: ReadonlyMap<string, LineLanguage> = new Map(
  LANGUAGES.flatMap(([endings, language]) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** Keywords of declarations in most languages, for those without an entry of their own. */
const COMMON: LineLanguage = {
  declares: [
    words(
      String.raw`export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|virtual|override|open|sealed|data|inline|declare`,
      'function|class|interface|enum|type|struct|trait|impl|union|def|fn|func|fun|module|mod|namespace|package|object|record|protocol|extension|macro_rules!|sub|procedure',
    ),
    /^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]{0,80})?=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>|function\b)/,
  ],
  blocks: C_COMMENT,
};

/** Finds declarations line by line; the level follows the indentation. */
export class LineDeclarations {
  readonly #language: LineLanguage;
  readonly #indents: number[] = [];
  /** Ends the current block; the empty string matches any line. */
  #close: string | undefined;

  /** Selects the language by extension, or by file name for languages with fixed file names. */
  constructor(extension: string, name: string) {
    this.#language =
      BY_NAME.get(name.slice(name.lastIndexOf('/') + 1).toLowerCase()) ?? BY_NAME.get(extension) ?? COMMON;
  }

  add(line: string, number: number): OutlineLine | undefined {
    if (!this.#isCode(line) || !this.#language.declares.some((pattern) => pattern.test(line)))
      return undefined;
    const indent = line.length - line.trimStart().length;
    while ((this.#indents.at(-1) ?? -1) >= indent) this.#indents.pop();
    this.#indents.push(indent);
    return { level: this.#indents.length, text: `${number}: ${shortened(line)}` };
  }

  /** True if a line is code; false for lines that start or end a block of something else. */
  #isCode(line: string): boolean {
    const { blocks = [], quotes, end } = this.#language;
    if (this.#close !== undefined) {
      if (this.#close !== '' && line.includes(this.#close)) this.#close = undefined;
      return false;
    }
    if (end?.test(line)) {
      this.#close = '';
      return false;
    }
    const code = line.trimStart();
    const block = blocks.find(([open]) => code.startsWith(open));
    if (block) {
      const [open, close] = block;
      if (!code.includes(close, open.length)) this.#close = close;
      return false;
    }
    if (quotes !== undefined && line.split(quotes).length % 2 === 0) this.#close = quotes;
    return true;
  }
}
