// Symbols by grammar: what each language declares, where, and what belongs to what.

import { expect, it, vi } from 'vitest';
import { symbolsOf } from '../../../processors/text/symbols/symbols.ts';

const told = async (text: string, extension: string): Promise<string[] | undefined> => {
  const symbols = await symbolsOf(text, extension, new AbortController().signal);
  return symbols?.map(
    ({ name, kind, level, from, to }) => `${'  '.repeat(level - 1)}${kind} ${name} ${from}-${to}`,
  );
};

it.each([
  [
    '.py',
    'import os\nLIMIT = 3\n@dataclass\nclass A(B):\n  x: int = 1\n  async def m(self):\n    def inner(): pass\n    return 1\nif os:\n  def f(): pass\n',
    ['variable LIMIT 2-2', 'class A 4-8', '  variable x 5-5', '  function m 6-8', 'function f 10-10'],
  ],
  [
    '.ts',
    'export interface I { a: string; run(): void }\nexport abstract class A<T> {\n  #p = 1;\n  abstract go(): void;\n  get x() { return 1; }\n}\nexport const f = () => 1, g = 2;\nenum E { One, Two = 2 }\nnamespace N { export type T = string }\ndeclare function d(): void;\n',
    [
      'interface I 1-1',
      '  property a 1-1',
      '  method run 1-1',
      'class A 2-6',
      '  field #p 3-3',
      '  method go 4-4',
      '  method x 5-5',
      'constant f 7-7',
      'constant g 7-7',
      'enum E 8-8',
      '  enumerator One 8-8',
      '  enumerator Two 8-8',
      'namespace N 9-9',
      '  type T 9-9',
      'function d 10-10',
    ],
  ],
  [
    '.js',
    ';(function () {\n  function inside() { function no() {} }\n  class C { m() {} }\n}).call(this);\nvar a = 1;\n',
    ['function inside 2-2', 'class C 3-3', '  method m 3-3', 'variable a 5-5'],
  ],
  ['.tsx', 'export function App() { return <b>x</b>; }\n', ['function App 1-1']],
  [
    '.go',
    'package p\n\ntype S struct {\n\tA int\n}\n\nfunc (s *S) M() {}\n\nconst (\n\tX = 1\n)\nvar v int\n',
    ['type S 3-5', '  field A 4-4', 'method M 7-7', 'constant X 10-10', 'variable v 12-12'],
  ],
  [
    '.java',
    'package p;\npublic class A {\n  private int x, y;\n  A() {}\n  void m() {}\n  enum E { ONE }\n}\ninterface I { void n(); }\n',
    [
      'class A 2-7',
      '  field x 3-3',
      '  field y 3-3',
      '  constructor A 4-4',
      '  method m 5-5',
      '  enum E 6-6',
      '    enumerator ONE 6-6',
      'interface I 8-8',
      '  method n 8-8',
    ],
  ],
  [
    '.rs',
    'mod a {\n  pub fn f() {}\n}\nstruct S { x: u8 }\nimpl S {\n  fn m(&self) {}\n}\ntrait T { fn t(&self); }\nenum E { A, B(u8) }\nmacro_rules! mac { () => {} }\n',
    [
      'module a 1-3',
      '  function f 2-2',
      'struct S 4-4',
      '  field x 4-4',
      'impl S 5-7',
      '  function m 6-6',
      'trait T 8-8',
      '  function t 8-8',
      'enum E 9-9',
      '  enumerator A 9-9',
      '  enumerator B 9-9',
      'macro mac 10-10',
    ],
  ],
  [
    '.c',
    '#define MAX 3\n#ifdef X\nint f(int a) { return a; }\n#endif\nstatic const char *name;\ntypedef struct { int x; } Point;\nenum E { A, B };\n',
    [
      'macro MAX 1-1',
      'function f 3-3',
      'declaration name 5-5',
      'typedef Point 6-6',
      '  field x 6-6',
      'enum E 7-7',
      '  enumerator A 7-7',
      '  enumerator B 7-7',
    ],
  ],
  [
    '.cpp',
    'namespace n {\ntemplate <class T>\nclass A {\n public:\n  A();\n  ~A();\n  int get() const { return 1; }\n};\n}\nint n::A::get() { return 2; }\n',
    [
      'namespace n 1-9',
      '  class A 3-8',
      '    declaration A 5-5',
      '    declaration ~A 6-6',
      '    function get 7-7',
      'function get 10-10',
    ],
  ],
  [
    '.cs',
    'namespace N {\n  public class A : B {\n    int x;\n    public string Name { get; set; }\n    public A() {}\n    void M() {}\n  }\n  enum E { One }\n}\n',
    [
      'namespace N 1-9',
      '  class A 2-7',
      '    field x 3-3',
      '    property Name 4-4',
      '    constructor A 5-5',
      '    method M 6-6',
      '  enum E 8-8',
      '    enumerator One 8-8',
    ],
  ],
  [
    '.rb',
    'module M\n  LIMIT = 3\n  class A < B\n    def m; end\n    def self.s; end\n  end\nend\ndef free; end\n',
    [
      'module M 1-7',
      '  constant LIMIT 2-2',
      '  class A 3-6',
      '    method m 4-4',
      '    method s 5-5',
      'method free 8-8',
    ],
  ],
  [
    '.php',
    '<?php\nnamespace N;\nclass A {\n  const X = 1;\n  private $p;\n  function m() {}\n}\nfunction f() {}\n',
    [
      'namespace N 2-2',
      'class A 3-7',
      '  constant X 4-4',
      '  property $p 5-5',
      '  method m 6-6',
      'function f 8-8',
    ],
  ],
  ['.sh', 'f() {\n  echo 1\n}\nfunction g { echo 2; }\n', ['function f 1-3', 'function g 4-4']],
])('%s', async (extension, text, symbols) => {
  expect(await told(text, extension)).toEqual(symbols);
});

it('takes functions that are assigned for symbols, and no other assignment', async () => {
  const text =
    'proto.param = function param(name, fn) {\n  return 1;\n};\nexports.go = async () => 2;\nproto.x = 5;\nlet a = (b) => {\n  c = 1;\n};\n';
  const symbols = await symbolsOf(text, '.js', new AbortController().signal);
  expect(symbols?.map(({ from, to, name, signature }) => `${from}-${to} ${name}: ${signature}`)).toEqual([
    '1-3 param: proto.param = function param(name, fn)',
    '4-4 go: exports.go = async () =>',
    '6-8 a: let a = (b) =>',
  ]);
});

it.each([
  [
    'the methods of objects, and no other key',
    '.js',
    'const api = { url: "/", get() {}, put: () => { go(); }, on: { open: function () {} } };\nmodule.exports = { a: 1, run() {} };\nmodule.exports.data = { a: 1 };\nexport default { fetch() {} };\ncall({ no() {} });\n',
    [
      'constant api 1-1',
      '  method get 1-1',
      '  method put 1-1',
      '  object on 1-1',
      '    method open 1-1',
      'object exports 2-2',
      '  method run 2-2',
      'method fetch 4-4',
    ],
  ],
  [
    'the members of a class that is assigned, and each name of a chain',
    '.js',
    'var A = class _A { [kGo]() {} "b c"() {} };\nbase.If = base.Else = function () {};\nlist[0] = function () {};\n',
    ['variable A 1-1', '  method [kGo] 1-1', '  method b c 1-1', 'function If 2-2', 'function Else 2-2'],
  ],
  [
    'no import, and no variable of a callback or a block',
    '.js',
    'const fs = require("fs"), { a = 1, b } = options();\nconst x = __importDefault(require("x"));\nit("works", () => { const c = 1; const d = { e: 1 }; function f() {} });\nif (a) { let g = 2; h = () => 1; }\n',
    ['constant a 1-1', 'constant b 1-1', 'function f 3-3', 'function h 4-4'],
  ],
  [
    'plain names that are assigned, once each',
    '.py',
    'a, (b, c) = 1, (2, 3)\nd = e = 4\nd = 5\nself.f = 6\ng["h"] = 7\ntype I = int\ntry:\n  j = 1\nfinally:\n  k = 2\n',
    [
      'variable a 1-1',
      'variable d 2-2',
      'variable e 2-2',
      'type I 6-6',
      'variable j 8-8',
      'variable k 10-10',
    ],
  ],
  [
    'embedded types, every name of a list, and no blank',
    '.go',
    'package p\nvar a, b, _ int\ntype T struct { X, Y int; *io.Reader; G[int] }\n',
    [
      'variable a 2-2',
      'variable b 2-2',
      'type T 3-3',
      '  field X 3-3',
      '  field Y 3-3',
      '  field Reader 3-3',
      '  field G 3-3',
    ],
  ],
  [
    'implementations by the name of their type',
    '.rs',
    'impl<T> fmt::Debug for a::Foo<T> { fn fmt(&self) {} }\nimpl A for &Bar {}\n',
    ['impl Foo 1-1', '  function fmt 1-1', 'impl Bar 2-2'],
  ],
  [
    'every declarator, namespaces by their whole name, and no mention of a type',
    '.cpp',
    'namespace a::b {\nclass F;\nstruct X *f, g[2];\nstruct S { operator bool() const { return 1; } };\ntypedef struct T { int x; } T, *P;\n}\n',
    [
      'namespace a::b 1-6',
      '  declaration f 3-3',
      '  declaration g 3-3',
      '  struct S 4-4',
      '    function operator bool 4-4',
      '  typedef T 5-5',
      '  typedef P 5-5',
      '  struct T 5-5',
      '    field x 5-5',
    ],
  ],
  [
    'what stands behind macros, and macros that are types',
    '.hpp',
    'class SOME_API Shape : public Base {\npublic:\n  SOME_API void draw();\n  DEVICE_FUNC INLINE\n  int size() const;\n};\nEXPORT const char *name(void);\nDWORD count;\nstatic HANDLE WINAPI open_it(int a) {}\nenum E { ONE,\n  TWO\n};\n#define SOME int x\n',
    [
      'class Shape 1-6',
      '  field draw 3-3',
      '  field size 5-5',
      'declaration name 7-7',
      'declaration count 8-8',
      'function open_it 9-9',
      'enum E 10-12',
      '  enumerator ONE 10-10',
      '  enumerator TWO 11-11',
      'macro SOME 13-13',
    ],
  ],
  [
    'namespaces and classes behind macros of any name',
    '.h',
    '#ifndef A_H\n#define A_H 1\nnamespace std _LIB_VISIBILITY(default)\n{\n_LIB_BEGIN_VERSION namespace tr1 {\n_LIB_BEGIN_INLINE\n\n/// A path.\nclass path;\nMY_NAMESPACE_BEGIN class Duration;\nclass Box {\n  static _LIB14_CONSTEXPR void\n  assign(int& a) _LIB_NOEXCEPT;\n  friend bool same(Box a) { return true; }\n};\n}\n}\nextern int wait_for(int a) __wur __nonnull ((1));\nextern int packed OF((int a, int b));\nint x = (int) MAX_VALUE;\n#endif\n',
    [
      'macro A_H 2-2',
      'namespace std 3-17',
      '  namespace tr1 5-16',
      '    class Box 11-15',
      '      field assign 13-13',
      '      function same 14-14',
      'declaration wait_for 18-18',
      'declaration packed 19-19',
      'declaration x 20-20',
    ],
  ],
  [
    'what an error around it leaves',
    '.c',
    '#ifdef __cplusplus\nclass {\n#endif\nint f(int a) { return a; }\n',
    ['function f 4-4'],
  ],
  [
    'operators and indexers',
    '.cs',
    'namespace A.B;\nclass C {\n  public static C operator +(C a, C b) => a;\n  public static implicit operator D<int>(C c) => 1;\n  public int this[int i] => 1;\n}\n',
    [
      'namespace A.B 1-1',
      'class C 2-6',
      '  operator operator + 3-3',
      '  operator operator D 4-4',
      '  property this 5-5',
    ],
  ],
  [
    'what calls define, operators, and no local variable',
    '.rb',
    'class A\n  attr_accessor :b, :c\n  alias_method :d, :e\n  define_method("f") { 1 }\n  private def g; end\n  def <=>(o); end\n  P = Struct.new(:a) do\n    def m; end\n  end\nend\nlocal = 1\nA.b :c\n',
    [
      'class A 1-10',
      '  accessor b 2-2',
      '  accessor c 2-2',
      '  alias d 3-3',
      '  method f 4-4',
      '  method g 5-5',
      '  method <=> 6-6',
      '  constant P 7-9',
      '    method m 8-8',
    ],
  ],
  [
    'constants that are defined, variables of the file, and classes without a name',
    '.php',
    '<?php\nnamespace A\\B;\ndefine("X", 1);\n$a = 1;\n$a = 2;\n$a->b = 3;\nreturn new class extends C { function up() {} };\n',
    ['namespace A\\B 2-2', 'constant X 3-3', 'variable $a 4-4', 'method up 7-7'],
  ],
])('takes %s', async (_, extension, text, symbols) => {
  expect(await told(text, extension)).toEqual(symbols);
});

it('knows nothing of a language without a grammar, and reads what is damaged', async () => {
  expect(await told('x', '.zig')).toBeUndefined();
  expect(await told('class A {\n  m( {\nfunction f() {}\n', '.js')).toEqual(expect.any(Array));
  expect(await told('', '.py')).toEqual([]);
});

it('tells the same on a slow machine as on a fast one', async () => {
  let now = 0;
  // Each look at the clock takes longer than ordinary code may.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
  try {
    const symbols = await told('function f(a) { return a + 1; }\n'.repeat(1000), '.js');
    expect(symbols).toHaveLength(1000);
  } finally {
    clock.mockRestore();
  }
});

it('gives up on a text that takes too long, and ends on nesting of any depth', async () => {
  const deep = `${'class A { static B = '.repeat(3000)}1${'}'.repeat(3000)}`;
  expect(await told(deep, '.js')).toEqual(expect.any(Array));
  expect(await told(`${'('.repeat(200_000)}`, '.js').then((symbols) => symbols?.length ?? 0)).toBe(0);
});

it.each([
  ['.js', 'a.b='.repeat(300_000)],
  ['.js', 'a?b:'.repeat(300_000)],
  ['.java', 'a<'.repeat(500_000)],
  ['.ts', 'a<'.repeat(300_000)],
  ['.rb', 'a '.repeat(500_000)],
])('gives up on %s that grows beyond all use, and reads what comes after', async (extension, text) => {
  expect(await told(text, extension)).toBeUndefined();
  expect(await told('class A { m() {} }', '.js')).toEqual(['class A 1-1', '  method m 1-1']);
});

it.each([
  [
    'no members and no comments',
    '.go',
    'package p\ntype Route struct { // Takes requests.\n\thandler, next int // One.\n}\nvar V, W int\nvar m = map[string]int{\n\t"a": 1,\n}\n',
    ['type Route struct', 'handler int', 'next int', 'var V int', 'var W int', 'var m'],
  ],
  [
    'each variable of a declaration by itself, and no object of many lines',
    '.js',
    'var a, b = 2, c = function () {};\nmodule.exports = {\n  A, /** Says. */\n  run() {},\n};\nfunction f(a /* first */, b) {}\nconst LOC = { a: 1 };\n',
    [
      'var a',
      'var b = 2',
      'var c = function ()',
      'module.exports',
      'run()',
      'function f(a, b)',
      'const LOC = { a: 1 };',
    ],
  ],
  [
    'each accessor by itself, and no block',
    '.rb',
    'class A\n  attr_reader :for, :app\n  P = Struct.new(:a) do\n    1\n  end\nend\n',
    ['class A', 'attr_reader :for', 'attr_reader :app', 'P = Struct.new(:a)'],
  ],
  [
    'no members of a type',
    '.c',
    'typedef struct {\n  int x; /* Across. */\n} Point;\nint a, b;\n',
    ['typedef struct Point;', 'int x;', 'int a', 'int b'],
  ],
])('says of a definition %s', async (_, extension, text, signatures) => {
  const symbols = await symbolsOf(text, extension, new AbortController().signal);
  expect(symbols?.map(({ signature }) => signature)).toEqual(signatures);
});

it('finds functions inside the cases of a match', async () => {
  expect(await told('match x:\n    case 1:\n        def f(): pass\n', '.py')).toEqual(['function f 3-3']);
});

it('lists parameters that are members of their class, and no other parameter', async () => {
  expect(
    await told(
      'class Store {\n  constructor(\n    private readonly path: string,\n    readonly size = 1,\n    name: string,\n  ) {}\n  get(key: string) {}\n}\n',
      '.ts',
    ),
  ).toEqual([
    'class Store 1-8',
    '  method constructor 2-6',
    '  property path 3-3',
    '  property size 4-4',
    '  method get 7-7',
  ]);
});

it('lists functions that are handed on with a name of their own', async () => {
  expect(
    await told(
      "getter(request, 'host', function host() {\n  return 1;\n});\nitems.forEach(function () {});\nmodule.exports = { run() {}, a: 1 };\n",
      '.js',
    ),
  ).toEqual(['function host 1-3', 'object exports 5-5', '  method run 5-5']);
});

it('finds what follows a long run of spaces', async () => {
  const gap = ' '.repeat(100_000);
  expect(await told(`int${gap}f(void) {}\nclass${gap}A {};\n${gap}\n`, '.cpp')).toEqual([
    'function f 1-1',
    'class A 2-2',
  ]);
});
