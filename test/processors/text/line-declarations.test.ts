// Declarations line by line: what each language declares, and neither its comments, its imports nor its prose.

import { expect, it } from 'vitest';
import { LineDeclarations } from '../../../processors/text/line-declarations.ts';

function found(text: string, name: string): string[] {
  const extension = /\.\w+$/.exec(name)?.[0].toLowerCase() ?? '';
  const declarations = new LineDeclarations(extension, name);
  return text
    .split('\n')
    .flatMap((line, at) => declarations.add(line, at + 1) ?? [])
    .map(({ level, text: shown }) => `${level} ${shown}`);
}

it.each([
  [
    'a.lua',
    'local x = require("y")\n--[[ the\nfunction no()\n]]\nlocal function f(a)\n  function M.g:h() end\nend\nM.k = function()\n-- function no\nreturn function() end',
    ['1 5: local function f(a)', '2 6:   function M.g:h() end', '1 8: M.k = function()'],
  ],
  [
    'a.pm',
    'package A::B;\nuse strict;\nuse constant X => 1;\n\n=head1 NAME\n\nsub no { }\n\n=cut\n\nsub f {\n  my $sub = sub { 1 };\n}\n# sub no\n__END__\nsub no {\n',
    ['1 1: package A::B;', '1 3: use constant X => 1;', '1 11: sub f {'],
  ],
  [
    'a.R',
    'library(x)\nf <- function(a) {\n  g = function(b) b\n}\ny <- f(1)\nA <- R6Class("A")\nsetGeneric("area", function(s) 1)\n# h <- function',
    [
      '1 2: f <- function(a) {',
      '2 3:   g = function(b) b',
      '1 6: A <- R6Class("A")',
      '1 7: setGeneric("area", function(s) 1)',
    ],
  ],
  [
    'a.jl',
    'module A\nusing B\n"""\nfunction no()\n"""\nfunction f(x)\nend\ng(x::Int) = x + 1\ng(x) == 2\nmutable struct P\n#= struct\nstruct no\n=#\nconst C = 1\n@inline h(x)::Int = x',
    [
      '1 1: module A',
      '1 6: function f(x)',
      '1 8: g(x::Int) = x + 1',
      '1 10: mutable struct P',
      '1 14: const C = 1',
      '1 15: @inline h(x)::Int = x',
    ],
  ],
  [
    'a.hs',
    "module Main where\nimport Data.List\n{- data No\nclass No\n-}\ndata A = B | C\nf, g' :: Int -> Int\nf x = x\n(<+>) :: A -> A\ninstance Show A where\n-- type No",
    [
      '1 1: module Main where',
      '1 6: data A = B | C',
      "1 7: f, g' :: Int -> Int",
      '1 9: (<+>) :: A -> A',
      '1 10: instance Show A where',
    ],
  ],
  [
    'a.ex',
    'defmodule A.B do\n  import C\n  @doc """\n  def no(x)\n  """\n  @type t :: integer\n  def f(x), do: x\n  defp g(x) do\n  # def no\n  default = 1\n  test "it works" do\nend',
    [
      '1 1: defmodule A.B do',
      '2 6:   @type t :: integer',
      '2 7:   def f(x), do: x',
      '2 8:   defp g(x) do',
      '2 11:   test "it works" do',
    ],
  ],
  [
    'a.scala',
    'package a.b\nimport c.d\n/* class No\nobject No\n*/\nsealed abstract class A(x: Int) {\n  private[b] def f = 1\n  val y = 2\n    val local = 3\n  case class B()\n}\ncase object C',
    [
      '1 6: sealed abstract class A(x: Int) {',
      '2 7:   private[b] def f = 1',
      '2 8:   val y = 2',
      '2 10:   case class B()',
      '1 12: case object C',
    ],
  ],
  [
    'a.kt',
    'package a\nimport b.c\nfun f() {\n    val local = 1\n}\n@Foo("x") data class A(val x: Int) {\n    private val y = 2\n    val z: Int = 3\n    override suspend fun g() = 1\n    companion object {\n    }\n}\n// fun no()',
    [
      '1 3: fun f() {',
      '1 6: @Foo("x") data class A(val x: Int) {',
      '2 7:     private val y = 2',
      '2 8:     val z: Int = 3',
      '2 9:     override suspend fun g() = 1',
      '2 10:     companion object {',
    ],
  ],
  [
    'a.swift',
    'import UIKit\npublic final class A: B {\n    private(set) var x = 1\n    let y: Int\n    public init?(a: Int) {\n        let local = 2\n    }\n    class func g() {}\n}\nextension A: C {}\n/// func no()',
    [
      '1 2: public final class A: B {',
      '2 3:     private(set) var x = 1',
      '2 4:     let y: Int',
      '2 5:     public init?(a: Int) {',
      '2 8:     class func g() {}',
      '1 10: extension A: C {}',
    ],
  ],
  [
    'a.dart',
    "import 'a.dart';\nabstract class A extends B {\n  final int x;\n  A(this.x) : super();\n  Future<int> f(int a) async {\n    if (a > 1) {\n    return g(a);\n  }\n  int get y => 1;\n}\nvoid main() {\nextension E on A {",
    [
      '1 2: abstract class A extends B {',
      '2 5:   Future<int> f(int a) async {',
      '2 9:   int get y => 1;',
      '1 11: void main() {',
      '1 12: extension E on A {',
    ],
  ],
  [
    'a.sql',
    "-- create table no\n/* create\ntable no */\nCREATE TABLE IF NOT EXISTS a (\n  type int\n);\ncreate or replace function f()\ncreate unique index i on a(b);\nselect 'x';\nINSERT INTO a VALUES (1);",
    [
      '1 4: CREATE TABLE IF NOT EXISTS a (',
      '1 7: create or replace function f()',
      '1 8: create unique index i on a(b);',
    ],
  ],
  [
    'Makefile',
    'CC := gcc\nX ::= y\n.PHONY: all\nall: a.o b.o\n\techo a: b\n%.o: %.c\nifeq (a,b)\ndefine RULE\n# no: x',
    ['1 4: all: a.o b.o', '1 6: %.o: %.c', '1 8: define RULE'],
  ],
  [
    'a.tf',
    'resource "a" "b" {\n  x = 1\n  lifecycle {\n  }\n}\nlocals {\n# module "no" {',
    ['1 1: resource "a" "b" {', '1 6: locals {'],
  ],
  [
    'a.proto',
    'syntax = "proto3";\nimport "a.proto";\nmessage A {\n  string name = 1;\n  enum B {\n}\nservice S {\n  rpc F(A) returns (A);\n// message No',
    ['1 3: message A {', '2 5:   enum B {', '1 7: service S {', '2 8:   rpc F(A) returns (A);'],
  ],
  [
    'a.ps1',
    'Import-Module A\nfunction Get-A {\n<#\nfunction No\n#>\n  Function B-C($x) { }\n}\n# function no',
    ['1 2: function Get-A {', '2 6:   Function B-C($x) { }'],
  ],
  [
    'a.f90',
    'module m\nuse n\ntype, public :: t\ncontains\npure integer function f(x)\nend function f\nsubroutine s()\n! subroutine no',
    ['1 1: module m', '1 3: type, public :: t', '1 5: pure integer function f(x)', '1 7: subroutine s()'],
  ],
  [
    'a.el',
    ';; (defun no)\n(require (quote x))\n(defun f (a)\n  (let ((b 1))))\n(defvar v 1)',
    ['1 3: (defun f (a)', '1 5: (defvar v 1)'],
  ],
  [
    'a.vim',
    'fun! a#b()\n" function no\nfunction s:c() abort\nendfunction\ncommand! -nargs=1 D call s:c()',
    ['1 1: fun! a#b()', '1 3: function s:c() abort', '1 5: command! -nargs=1 D call s:c()'],
  ],
  [
    'a.css',
    '@import "x";\n/* .no {\n} */\n.a, .b {\n  color: red;\n}\n@media print {',
    ['1 4: .a, .b {', '1 7: @media print {'],
  ],
  [
    'a.zig',
    'const std = @import("std");\npub fn f() void {\nconst A = struct {\n// fn no\ntest "x" {',
    ['1 2: pub fn f() void {', '1 3: const A = struct {', '1 5: test "x" {'],
  ],
  [
    'a.unknown',
    'pub fn f() {\n  class A {\n// class No\n/*\nclass No\n*/\nthe function of prose',
    ['1 1: pub fn f() {', '2 2:   class A {'],
  ],
])('knows what %s declares', (name, text, expected) => {
  expect(found(text, name)).toEqual(expected);
});

// One that tries every way would not end, and neither would the test.
it('ends on any line that repeats itself', () => {
  const endings =
    'lua pm r jl hs ex erl scala kt swift dart groovy sql mk cmake tf proto el ml pas f90 vb zig nim sv m glsl css coffee unknown';
  const repeated = [
    'a ',
    'a.',
    'a,',
    'class ',
    'public ',
    '@a(',
    '@a ',
    'a(',
    '(a) ',
    'or ',
    'def ',
    '  ',
    'a = ',
    'a<',
    '"a" ',
    ' a:',
  ];
  for (const ending of endings.split(' ')) {
    const declarations = new LineDeclarations(`.${ending}`, '');
    for (const one of repeated)
      for (let at = 0; at < 5; at += 1) declarations.add(one.repeat(1000 / one.length), at);
  }
});
