// The code of the PDF layout with a switch at each rule, so that it can be changed while it runs.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Numbers that bound work or memory rather than judge. */
const LIMIT = /^(?:MAX_|MOST_(?:WORK|CELLS)|BINS?$)/;
/** More steps of loops on one page are a loop that a change has made endless. */
const MOST_STEPS = 20_000_000;

/**
 * @param {string} folder that of the PDF processor
 * @param {readonly string[]} rooms its folders with rules
 * @param {boolean} on false for the code without switches
 * @returns the rules; the sources with switches, by path; and the state of the switches, also `globalThis.switches`
 */
export function switchable(folder, rooms, on) {
  const rules = [];
  const sources = {};
  const switches = {
    active: -1,
    factor: 1,
    recording: false,
    failed: false,
    steps: 0,
    document: undefined,
    matters(rule) {
      const { document } = switches;
      document.matters ??= new Set();
      document.matters.add(rule);
    },
    /** A number, of which `rule` is the first of its changes. */
    number(rule, value, changes) {
      if (switches.recording) for (let at = 0; at < changes; at += 1) switches.matters(rule + at);
      const { active } = switches;
      return active >= rule && active < rule + changes ? value * switches.factor : value;
    },
    /** A condition. */
    test(rule, value, without) {
      if (typeof value !== 'boolean') return value;
      if (switches.recording && value !== without) switches.matters(rule);
      return switches.active === rule ? without : value;
    },
    /** True if a function is to be left out. */
    off(rule) {
      if (switches.recording) switches.matters(rule);
      return switches.active === rule;
    },
    tick() {
      switches.steps += 1;
      if (switches.steps > MOST_STEPS) throw new Error('endless');
    },
  };
  globalThis.switches = switches;
  if (!on) return { rules, sources, switches };

  const texts = new Map();
  for (const room of rooms)
    for (const file of readdirSync(join(folder, room)).filter((one) => one.endsWith('.ts')))
      texts.set(`${room}/${file}`, readFileSync(join(folder, room, file), 'utf8'));
  const add = (kind, id, value, to, factor = 1) => {
    const number = rules.length;
    rules.push({ number, kind, id, value, to, factor });
    return number;
  };
  const parsed = new Map(
    [...texts].map(([path, text]) => [
      path,
      ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS),
    ]),
  );

  /** Named numbers of all files: their rule by file and name, and by name for those that are exported. */
  const named = new Map();
  for (const [path, source] of parsed)
    for (const statement of source.statements)
      if (ts.isVariableStatement(statement))
        for (const { name, initializer } of statement.declarationList.declarations) {
          const value = initializer && Number(initializer.getText());
          if (!ts.isIdentifier(name) || !Number.isFinite(value) || LIMIT.test(name.text)) continue;
          const id = `${path} ${name.text}`;
          const isPoint = path.endsWith('gates.ts') && Number.isInteger(value);
          const rule = isPoint ? add('number', id, value, 0, 0) : add('number', id, value, value / 2, 0.5);
          if (!isPoint) add('number', id, value, value * 2, 2);
          const known = { rule, changes: isPoint ? 1 : 2 };
          named.set(id, known);
          if (statement.modifiers?.length) named.set(`exported ${name.text}`, known);
        }

  for (const [path, source] of parsed) {
    const edits = [];
    const wrap = (node, before, after) => {
      edits.push({ at: node.getStart(), text: before, end: false });
      edits.push({ at: node.getEnd(), text: after, end: true });
    };
    const short = (node) => node.getText().replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 70);
    const place = (node) => {
      for (let up = node.parent; up; up = up.parent)
        if ((ts.isFunctionDeclaration(up) || ts.isVariableDeclaration(up)) && up.name && topLevel(up))
          return `${path} ${up.name.getText()}`;
      return path;
    };
    const condition = (node, without, name) => {
      const rule = add(name, `${place(node)}: ${short(node)}`, name, String(without));
      wrap(node, `switches.test(${rule}, (`, `), ${without})`);
    };
    const imported = new Set();
    source.forEachChild((node) => {
      if (ts.isImportDeclaration(node))
        for (const one of node.importClause?.namedBindings?.elements ?? []) imported.add(one.name.text);
    });
    const visit = (node) => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
      if (ts.isFunctionDeclaration(node) && node.body) {
        const left = withoutIt(node);
        if (left !== undefined) {
          const rule = add('step', `${path} ${node.name.text}`, 'step', left);
          edits.push({
            at: node.body.getStart() + 1,
            text: ` if (switches.off(${rule})) return ${left};`,
            end: true,
          });
        }
      }
      if (ts.isIterationStatement(node, false)) {
        const body = node.statement;
        if (ts.isBlock(body)) edits.push({ at: body.getStart() + 1, text: ' switches.tick();', end: true });
        else wrap(body, '{ switches.tick(); ', ' }');
      }
      if (inFunction(node)) {
        if (ts.isIfStatement(node)) condition(node.expression, false, 'if');
        if (ts.isConditionalExpression(node)) condition(node.condition, false, 'choice');
        if (ts.isBinaryExpression(node) && !inLoopHead(node)) {
          const kind = node.operatorToken.kind;
          if (kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken)
            for (const side of [node.left, node.right])
              if (!(ts.isBinaryExpression(side) && side.operatorToken.kind === kind))
                condition(side, kind === ts.SyntaxKind.AmpersandAmpersandToken, 'part');
        }
        if (ts.isNumericLiteral(node) && /\./.test(node.text)) {
          const value = Number(node.text);
          const id = `${place(node)}: ${short(node.parent)}`;
          const rule = add('decimal', id, value, value / 2, 0.5);
          add('decimal', id, value, value * 2, 2);
          wrap(node, `switches.number(${rule}, `, ', 2)');
        }
        if (ts.isRegularExpressionLiteral(node) === false && ts.isIdentifier(node) && isRead(node)) {
          const known =
            named.get(`${path} ${node.text}`) ??
            (imported.has(node.text) ? named.get(`exported ${node.text}`) : undefined);
          if (known) wrap(node, `switches.number(${known.rule}, `, `, ${known.changes})`);
        }
      }
      node.forEachChild(visit);
    };
    visit(source);
    // Of edits at one place, those that end something come first, the inner ones of them before the outer ones.
    const ordered = edits
      .map((edit, index) => ({ ...edit, index }))
      .sort(
        (a, b) =>
          b.at - a.at || Number(a.end) - Number(b.end) || (a.end ? a.index - b.index : b.index - a.index),
      );
    let text = texts.get(path);
    for (const { at, text: added } of ordered) text = text.slice(0, at) + added + text.slice(at);
    sources[path] = text;
  }
  return { rules, sources, switches };
}

const topLevel = (node) =>
  ts.isFunctionDeclaration(node)
    ? ts.isSourceFile(node.parent)
    : ts.isSourceFile(node.parent.parent.parent ?? node);

const inFunction = (node) => {
  for (let up = node.parent; up; up = up.parent) if (ts.isFunctionLike(up)) return true;
  return false;
};

/** True inside the head of a loop, whose conditions end it. */
const inLoopHead = (node) => {
  for (let up = node; up.parent && !ts.isStatement(up); up = up.parent)
    if (ts.isIterationStatement(up.parent, false) && up.parent.statement !== up) return true;
  return false;
};

/** True where a name stands for its value. */
const isRead = (node) => {
  const { parent } = node;
  return !(
    (ts.isVariableDeclaration(parent) && parent.name === node) ||
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isBindingElement(parent) ||
    ts.isParameter(parent) ||
    ts.isFunctionDeclaration(parent)
  );
};

/** What a function gives when it is left out; undefined if it cannot be. */
function withoutIt(node) {
  const returned = node.type?.getText();
  if (returned === undefined) return undefined;
  if (returned === 'boolean') return 'false';
  const [first] = node.parameters;
  const bare = (text) => text?.replace(/^readonly |\breadonly /g, '').replace(/^ReadonlySet/, 'Set');
  if (first && ts.isIdentifier(first.name) && bare(first.type?.getText()) === bare(returned))
    return returned.endsWith('[]') ? `[...${first.name.text}]` : first.name.text;
  if (/\| undefined$/.test(returned)) return 'undefined';
  if (/^(?:readonly )?\w+\[\]$/.test(returned)) return '[]';
  return undefined;
}
