// Maps the nodes of each tree-sitter grammar to symbols. Node names are those of the grammars.

import { withoutMacros } from './macros.ts';

/** Built-in grammars. */
export type GrammarName =
  | 'bash'
  | 'c-sharp'
  | 'cpp'
  | 'go'
  | 'java'
  | 'javascript'
  | 'php'
  | 'python'
  | 'ruby'
  | 'rust'
  | 'tsx'
  | 'typescript';

/** How a node becomes a symbol. */
export interface SymbolRule {
  readonly kind: string;
  /** The field with its name, or with the declarator that leads to it. Default `name`. */
  readonly name?: string;
  /** The field that names it if it has no name of its own: an embedded type. */
  readonly otherwise?: string;
  /** The field with the type it belongs to without being nested in it: the receiver of a method. */
  readonly owner?: string;
  /** The name is the whole text of the field: `A.B` of a namespace. */
  readonly whole?: true;
  /** Allowed node types of the name: a plain name that is not part of another expression. */
  readonly targets?: readonly string[];
  /** Pattern of its name, for nodes without a name field. */
  readonly written?: RegExp;
  /** Symbols inside it are its members. */
  readonly nests?: true;
  /** Only with a body: without one it is a reference. */
  readonly body?: true;
  /** Children of this type are the symbols, each with its own name. */
  readonly each?: string;
  /** Only with a value of these types: an assigned function. */
  readonly values?: readonly string[];
  /** Values of these types contain members. */
  readonly holders?: readonly string[];
  /** Only the first of each name counts; local variables and imports are excluded. */
  readonly variable?: true;
  /** Parameters preceded by one of these words are members of the class: `constructor(private readonly x)`. */
  readonly parameters?: ReadonlySet<string>;
  /** It is a call; the callee decides what it defines. */
  readonly calls?: ReadonlyMap<string, CallRule>;
}

/** A call that defines what its arguments name. */
export interface CallRule {
  readonly kind: string;
  /** Every argument is a name, not only the first. */
  readonly all?: true;
}

export interface Language {
  readonly grammar: GrammarName;
  /** By node type; a type that counts only inside another is written `outer>inner`. */
  readonly symbols: Readonly<Record<string, SymbolRule>>;
  /**
   * Nodes to descend into that are not symbols: bodies, exports, conditions. Some only inside another: `outer>inner`.
   */
  readonly through: ReadonlySet<string>;
  /** Those of `through` whose variables are local. */
  readonly local: ReadonlySet<string>;
  /** Replaces text the grammar misparses with spaces. */
  readonly blanked?: (text: string) => string;
}

const language = (
  grammar: GrammarName,
  symbols: Readonly<Record<string, SymbolRule>>,
  through: readonly string[],
  local: readonly string[] = [],
): Language => ({ grammar, symbols, through: new Set(through), local: new Set(local) });

const FUNCTIONS = ['function_expression', 'generator_function', 'arrow_function', 'class'];
const HOLDERS = ['class', 'object'];
const ECMASCRIPT: Readonly<Record<string, SymbolRule>> = {
  function_declaration: { kind: 'function' },
  generator_function_declaration: { kind: 'function' },
  class_declaration: { kind: 'class', nests: true },
  method_definition: { kind: 'method' },
  field_definition: { kind: 'field', name: 'property' },
  lexical_declaration: { kind: 'constant', each: 'variable_declarator', variable: true, holders: HOLDERS },
  variable_declaration: { kind: 'variable', each: 'variable_declarator', variable: true, holders: HOLDERS },
  assignment_expression: {
    kind: 'function',
    name: 'left',
    targets: ['identifier', 'member_expression'],
    values: FUNCTIONS,
    holders: HOLDERS,
  },
  pair: { kind: 'method', name: 'key', values: FUNCTIONS, holders: HOLDERS },
};
const ECMASCRIPT_THROUGH = [
  'export_statement',
  'expression_statement',
  'class_body',
  'export_statement>object',
  'statement_block',
  'if_statement',
];
const ECMASCRIPT_LOCAL = ['if_statement', 'arguments'];
const TYPESCRIPT: Readonly<Record<string, SymbolRule>> = {
  ...ECMASCRIPT,
  method_definition: { kind: 'method', parameters: new Set(['accessibility_modifier', 'readonly']) },
  function_signature: { kind: 'function' },
  abstract_class_declaration: { kind: 'class', nests: true },
  interface_declaration: { kind: 'interface', nests: true },
  enum_declaration: { kind: 'enum', nests: true },
  enum_assignment: { kind: 'enumerator' },
  property_identifier: { kind: 'enumerator' },
  type_alias_declaration: { kind: 'type' },
  internal_module: { kind: 'namespace', nests: true },
  module: { kind: 'namespace', nests: true },
  public_field_definition: { kind: 'field' },
  abstract_method_signature: { kind: 'method' },
  method_signature: { kind: 'method' },
  property_signature: { kind: 'property' },
};
const TYPESCRIPT_THROUGH = [
  ...ECMASCRIPT_THROUGH,
  'ambient_declaration',
  'interface_body',
  'object_type',
  'enum_body',
];

const PYTHON = language(
  'python',
  {
    class_definition: { kind: 'class', nests: true },
    function_definition: { kind: 'function' },
    assignment: { kind: 'variable', name: 'left', targets: ['identifier'], variable: true },
    type_alias_statement: { kind: 'type', name: 'left' },
  },
  [
    'block',
    'decorated_definition',
    'expression_statement',
    'if_statement',
    'elif_clause',
    'else_clause',
    'try_statement',
    'except_clause',
    'finally_clause',
    'with_statement',
    'match_statement',
    'case_clause',
  ],
);
const GO = language(
  'go',
  {
    function_declaration: { kind: 'function' },
    method_declaration: { kind: 'method', owner: 'receiver' },
    type_spec: { kind: 'type', nests: true },
    type_alias: { kind: 'type' },
    const_spec: { kind: 'constant' },
    var_spec: { kind: 'variable' },
    field_declaration: { kind: 'field', otherwise: 'type' },
    method_elem: { kind: 'method' },
  },
  [
    'type_declaration',
    'const_declaration',
    'var_declaration',
    'var_spec_list',
    'struct_type',
    'field_declaration_list',
    'interface_type',
  ],
);
const JAVA = language(
  'java',
  {
    class_declaration: { kind: 'class', nests: true },
    interface_declaration: { kind: 'interface', nests: true },
    enum_declaration: { kind: 'enum', nests: true },
    record_declaration: { kind: 'record', nests: true },
    annotation_type_declaration: { kind: 'annotation', nests: true },
    annotation_type_element_declaration: { kind: 'method' },
    method_declaration: { kind: 'method' },
    constructor_declaration: { kind: 'constructor' },
    compact_constructor_declaration: { kind: 'constructor' },
    field_declaration: { kind: 'field', each: 'variable_declarator' },
    constant_declaration: { kind: 'constant', each: 'variable_declarator' },
    enum_constant: { kind: 'enumerator' },
  },
  ['class_body', 'interface_body', 'enum_body', 'enum_body_declarations', 'annotation_type_body'],
);
const RUST = language(
  'rust',
  {
    function_item: { kind: 'function' },
    function_signature_item: { kind: 'function' },
    struct_item: { kind: 'struct', nests: true },
    union_item: { kind: 'union', nests: true },
    enum_item: { kind: 'enum', nests: true },
    enum_variant: { kind: 'enumerator' },
    field_declaration: { kind: 'field' },
    trait_item: { kind: 'trait', nests: true },
    impl_item: { kind: 'impl', name: 'type', nests: true },
    mod_item: { kind: 'module', nests: true },
    const_item: { kind: 'constant' },
    static_item: { kind: 'static' },
    type_item: { kind: 'type' },
    associated_type: { kind: 'type' },
    macro_definition: { kind: 'macro' },
  },
  ['declaration_list', 'field_declaration_list', 'enum_variant_list', 'foreign_mod_item'],
);
const C_FAMILY = language(
  'cpp',
  {
    function_definition: { kind: 'function', name: 'declarator' },
    declaration: { kind: 'declaration', name: 'declarator' },
    field_declaration: { kind: 'field', name: 'declarator' },
    class_specifier: { kind: 'class', nests: true, body: true },
    struct_specifier: { kind: 'struct', nests: true, body: true },
    union_specifier: { kind: 'union', nests: true, body: true },
    enum_specifier: { kind: 'enum', nests: true, body: true },
    enumerator: { kind: 'enumerator' },
    namespace_definition: { kind: 'namespace', whole: true, nests: true },
    type_definition: { kind: 'typedef', name: 'declarator' },
    alias_declaration: { kind: 'type' },
    concept_definition: { kind: 'concept' },
    preproc_def: { kind: 'macro' },
    preproc_function_def: { kind: 'macro' },
  },
  [
    'declaration_list',
    'field_declaration_list',
    'enumerator_list',
    'template_declaration',
    'ERROR',
    'friend_declaration',
    'linkage_specification',
    'preproc_if',
    'preproc_ifdef',
    'preproc_else',
    'preproc_elif',
    'preproc_elifdef',
  ],
);
const CPP: Language = { ...C_FAMILY, blanked: withoutMacros };
/** `operator +`, `operator int` */
const OPERATOR = /\boperator\s*(?:\w+|[^\s\w(]+)/;
const C_SHARP = language(
  'c-sharp',
  {
    namespace_declaration: { kind: 'namespace', whole: true, nests: true },
    file_scoped_namespace_declaration: { kind: 'namespace', whole: true, nests: true },
    class_declaration: { kind: 'class', nests: true },
    struct_declaration: { kind: 'struct', nests: true },
    record_declaration: { kind: 'record', nests: true },
    interface_declaration: { kind: 'interface', nests: true },
    enum_declaration: { kind: 'enum', nests: true },
    enum_member_declaration: { kind: 'enumerator' },
    delegate_declaration: { kind: 'delegate' },
    method_declaration: { kind: 'method' },
    constructor_declaration: { kind: 'constructor' },
    destructor_declaration: { kind: 'destructor' },
    operator_declaration: { kind: 'operator', written: OPERATOR },
    conversion_operator_declaration: { kind: 'operator', written: OPERATOR },
    indexer_declaration: { kind: 'property', written: /\bthis\b/ },
    property_declaration: { kind: 'property' },
    event_declaration: { kind: 'event' },
    event_field_declaration: { kind: 'event', each: 'variable_declarator' },
    field_declaration: { kind: 'field', each: 'variable_declarator' },
  },
  ['declaration_list', 'enum_member_declaration_list', 'preproc_if', 'preproc_else', 'preproc_elif'],
);
const RUBY_CALLS: ReadonlyMap<string, CallRule> = new Map<string, CallRule>([
  ['attr', { kind: 'accessor', all: true }],
  ['attr_accessor', { kind: 'accessor', all: true }],
  ['attr_reader', { kind: 'accessor', all: true }],
  ['attr_writer', { kind: 'accessor', all: true }],
  ['alias_method', { kind: 'alias' }],
  ['define_method', { kind: 'method' }],
]);
const RUBY = language(
  'ruby',
  {
    class: { kind: 'class', nests: true },
    module: { kind: 'module', nests: true },
    method: { kind: 'method' },
    singleton_method: { kind: 'method' },
    assignment: { kind: 'constant', name: 'left', targets: ['constant'], holders: ['call'] },
    alias: { kind: 'alias' },
    call: { kind: 'call', name: 'method', calls: RUBY_CALLS },
  },
  [
    'argument_list',
    'begin',
    'begin_block',
    'block',
    'block_body',
    'body_statement',
    'do_block',
    'else',
    'if',
    'singleton_class',
    'then',
    'unless',
  ],
);
const PHP = language(
  'php',
  {
    namespace_definition: { kind: 'namespace', whole: true, nests: true },
    class_declaration: { kind: 'class', nests: true },
    interface_declaration: { kind: 'interface', nests: true },
    trait_declaration: { kind: 'trait', nests: true },
    enum_declaration: { kind: 'enum', nests: true },
    enum_case: { kind: 'enumerator' },
    function_definition: { kind: 'function' },
    method_declaration: { kind: 'method' },
    property_declaration: { kind: 'property', each: 'property_element' },
    const_declaration: { kind: 'constant', each: 'const_element' },
    assignment_expression: { kind: 'variable', name: 'left', targets: ['variable_name'], variable: true },
    function_call_expression: {
      kind: 'call',
      name: 'function',
      calls: new Map([['define', { kind: 'constant' }]]),
    },
  },
  [
    'anonymous_class',
    'compound_statement',
    'declaration_list',
    'enum_declaration_list',
    'expression_statement',
    'if_statement',
    'object_creation_expression',
    'return_statement',
  ],
  ['if_statement'],
);
const BASH = language('bash', { function_definition: { kind: 'function' } }, [
  'if_statement',
  'compound_statement',
  'else_clause',
]);

/** The module pattern before ES modules: an immediately invoked function. */
const CALLED_FUNCTION = [
  'expression_statement',
  'call_expression',
  'member_expression',
  'arguments',
  'parenthesized_expression',
  'function_expression',
  'arrow_function',
  'unary_expression',
];
const JAVASCRIPT = language(
  'javascript',
  // `defineGetter(request, 'host', function host() { … })`
  { ...ECMASCRIPT, 'arguments>function_expression': { kind: 'function' } },
  [...ECMASCRIPT_THROUGH, ...CALLED_FUNCTION],
  ECMASCRIPT_LOCAL,
);
const TYPED = language('typescript', TYPESCRIPT, TYPESCRIPT_THROUGH, ECMASCRIPT_LOCAL);
const TSX = language('tsx', TYPESCRIPT, TYPESCRIPT_THROUGH, ECMASCRIPT_LOCAL);

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map([
  ...['.py', '.pyi', '.pyw'].map((extension) => [extension, PYTHON] as const),
  ...['.js', '.mjs', '.cjs', '.jsx'].map((extension) => [extension, JAVASCRIPT] as const),
  ...['.ts', '.mts', '.cts'].map((extension) => [extension, TYPED] as const),
  ['.tsx', TSX],
  ['.go', GO],
  ['.java', JAVA],
  ['.rs', RUST],
  ...['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx', '.ino', '.cu'].map(
    (extension) => [extension, CPP] as const,
  ),
  ...['.cs', '.csx'].map((extension) => [extension, C_SHARP] as const),
  ...['.rb', '.rake'].map((extension) => [extension, RUBY] as const),
  ...['.php', '.phtml'].map((extension) => [extension, PHP] as const),
  ...['.sh', '.bash', '.ksh', '.zsh'].map((extension) => [extension, BASH] as const),
]);

/** The language for a file extension; undefined without a grammar. */
export const languageOf = (extension: string): Language | undefined => BY_EXTENSION.get(extension);
