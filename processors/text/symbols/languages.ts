// Which nodes of each grammar are symbols. Names are those of the tree-sitter grammars.

/** Grammars that are built in. */
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
  /** The field that holds its name, or the declarator that leads to it; `name` where it is left out. */
  readonly name?: string;
  /** Symbols inside it are its members. */
  readonly nests?: true;
  /** Children of this type are the symbols, each with a name of its own. */
  readonly each?: string;
  /** It is one only with a value of these types: a function that is assigned. */
  readonly values?: readonly string[];
}

export interface Language {
  readonly grammar: GrammarName;
  readonly symbols: Readonly<Record<string, SymbolRule>>;
  /** Nodes that hold symbols without being one: bodies, exports, conditions of the preprocessor. */
  readonly through: ReadonlySet<string>;
}

const language = (
  grammar: GrammarName,
  symbols: Readonly<Record<string, SymbolRule>>,
  through: readonly string[],
): Language => ({ grammar, symbols, through: new Set(through) });

const ECMASCRIPT: Readonly<Record<string, SymbolRule>> = {
  function_declaration: { kind: 'function' },
  generator_function_declaration: { kind: 'function' },
  class_declaration: { kind: 'class', nests: true },
  method_definition: { kind: 'method' },
  field_definition: { kind: 'field', name: 'property' },
  lexical_declaration: { kind: 'constant', each: 'variable_declarator' },
  variable_declaration: { kind: 'variable', each: 'variable_declarator' },
  assignment_expression: {
    kind: 'function',
    name: 'left',
    values: ['function_expression', 'generator_function', 'arrow_function', 'class'],
  },
};
const ECMASCRIPT_THROUGH = [
  'export_statement',
  'expression_statement',
  'class_body',
  'statement_block',
  'if_statement',
];
const TYPESCRIPT: Readonly<Record<string, SymbolRule>> = {
  ...ECMASCRIPT,
  function_signature: { kind: 'function' },
  abstract_class_declaration: { kind: 'class', nests: true },
  interface_declaration: { kind: 'interface', nests: true },
  enum_declaration: { kind: 'enum', nests: true },
  enum_assignment: { kind: 'enumerator' },
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
    assignment: { kind: 'variable', name: 'left' },
  },
  [
    'block',
    'decorated_definition',
    'expression_statement',
    'if_statement',
    'else_clause',
    'try_statement',
    'except_clause',
    'with_statement',
  ],
);
const GO = language(
  'go',
  {
    function_declaration: { kind: 'function' },
    method_declaration: { kind: 'method' },
    type_spec: { kind: 'type', nests: true },
    type_alias: { kind: 'type' },
    const_spec: { kind: 'constant' },
    var_spec: { kind: 'variable' },
    field_declaration: { kind: 'field' },
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
const CPP = language(
  'cpp',
  {
    function_definition: { kind: 'function', name: 'declarator' },
    declaration: { kind: 'declaration', name: 'declarator' },
    field_declaration: { kind: 'field', name: 'declarator' },
    class_specifier: { kind: 'class', nests: true },
    struct_specifier: { kind: 'struct', nests: true },
    union_specifier: { kind: 'union', nests: true },
    enum_specifier: { kind: 'enum', nests: true },
    enumerator: { kind: 'enumerator' },
    namespace_definition: { kind: 'namespace', nests: true },
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
    'linkage_specification',
    'preproc_if',
    'preproc_ifdef',
    'preproc_else',
    'preproc_elif',
    'preproc_elifdef',
  ],
);
const C_SHARP = language(
  'c-sharp',
  {
    namespace_declaration: { kind: 'namespace', nests: true },
    file_scoped_namespace_declaration: { kind: 'namespace', nests: true },
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
    property_declaration: { kind: 'property' },
    event_declaration: { kind: 'event' },
    event_field_declaration: { kind: 'event', each: 'variable_declarator' },
    field_declaration: { kind: 'field', each: 'variable_declarator' },
  },
  ['declaration_list', 'enum_member_declaration_list', 'preproc_if', 'preproc_else', 'preproc_elif'],
);
const RUBY = language(
  'ruby',
  {
    class: { kind: 'class', nests: true },
    module: { kind: 'module', nests: true },
    method: { kind: 'method' },
    singleton_method: { kind: 'method' },
    assignment: { kind: 'constant', name: 'left' },
    alias: { kind: 'alias' },
  },
  ['body_statement', 'singleton_class', 'begin', 'if', 'unless', 'then', 'else', 'begin_block'],
);
const PHP = language(
  'php',
  {
    namespace_definition: { kind: 'namespace', nests: true },
    class_declaration: { kind: 'class', nests: true },
    interface_declaration: { kind: 'interface', nests: true },
    trait_declaration: { kind: 'trait', nests: true },
    enum_declaration: { kind: 'enum', nests: true },
    enum_case: { kind: 'enumerator' },
    function_definition: { kind: 'function' },
    method_declaration: { kind: 'method' },
    property_declaration: { kind: 'property', each: 'property_element' },
    const_declaration: { kind: 'constant', each: 'const_element' },
  },
  ['declaration_list', 'enum_declaration_list', 'compound_statement', 'if_statement'],
);
const BASH = language('bash', { function_definition: { kind: 'function' } }, [
  'if_statement',
  'compound_statement',
  'else_clause',
]);

/** Modules of before modules: a function that is called where it stands. */
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
const JAVASCRIPT = language('javascript', ECMASCRIPT, [...ECMASCRIPT_THROUGH, ...CALLED_FUNCTION]);
const TYPED = language('typescript', TYPESCRIPT, TYPESCRIPT_THROUGH);
const TSX = language('tsx', TYPESCRIPT, TYPESCRIPT_THROUGH);

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

/** The language that files with this ending are written in; undefined for one without a grammar. */
export const languageOf = (extension: string): Language | undefined => BY_EXTENSION.get(extension);
