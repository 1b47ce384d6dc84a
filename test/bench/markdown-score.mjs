// How near one Markdown text is to another: NID (text and its order), TEDS (tables), MHS (headings). Written after the
// published rules of opendataloader-bench; each is a share from 0 to 1, or null where the truth has nothing to measure.

const SPACES = /[\s\u0085]+/g;
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

const squeezed = (text) => text.replace(SPACES, ' ').trim();
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** NID, TEDS, MHS and the mean of those that are not null. */
export function scoreMarkdown(truth, given) {
  const a = withTables(truth);
  const b = withTables(given);
  const nid = nidOf(squeezed(a.text), squeezed(b.text));
  const teds = a.tables.length === 0 ? null : b.tables.length === 0 ? 0 : tedsOf(a.tables, b.tables);
  const mhs = mhsOf(truth, given);
  const known = [nid, teds, mhs].filter((value) => value !== null);
  return {
    nid,
    teds,
    mhs,
    overall: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length,
  };
}

/** The text with its pipe tables as HTML on one line each, and those tables as rows of cells. */
function withTables(markdown) {
  const lines = markdown.split(LINE_ENDS);
  const text = [];
  const tables = [];
  for (let at = 0; at < lines.length; at += 1) {
    const head = cellsOf(lines[at]);
    const rule = head && at + 1 < lines.length ? cellsOf(lines[at + 1]) : undefined;
    if (!rule?.every((cell) => /^[-:]+$/.test(cell.replaceAll(' ', '')))) {
      text.push(lines[at]);
      continue;
    }
    const width = Math.max(head.length, rule.length);
    const rows = [fitted(head, width)];
    at += 2;
    for (let row = cellsOf(lines[at] ?? ''); row !== undefined; row = cellsOf(lines[at] ?? '')) {
      rows.push(fitted(row, width));
      at += 1;
    }
    at -= 1;
    if (rows.length > 1 && rows[0].every((cell) => cell === '')) rows.shift();
    tables.push(rows);
    const html = rows.map((row, index) => {
      const tag = index === 0 ? 'th' : 'td';
      return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
    });
    text.push(`<table>${html.join('')}</table>`);
  }
  return { text: text.join('\n'), tables };
}

function cellsOf(line) {
  const trimmed = line.trim();
  if (!trimmed.includes('|')) return undefined;
  const cells = trimmed.split('|').map((cell) => cell.trim());
  if (cells[0] === '') cells.shift();
  if (cells.length > 0 && cells.at(-1) === '') cells.pop();
  return cells.length === 0 ? undefined : cells;
}

function fitted(row, width) {
  if (row.length === width) return row;
  if (row.length === 3 && width > 3) return [row[0], ...Array(width - 2).fill(row[1]), row[2]];
  return row.length < width ? [...row, ...Array(width - row.length).fill('')] : row.slice(0, width);
}

/** Twice the longest common subsequence over both lengths, by characters. */
function nidOf(a, b) {
  if (a === '') return null;
  const left = [...a];
  const right = [...b];
  const masks = new Map();
  left.forEach((sign, index) => {
    masks.set(sign, (masks.get(sign) ?? 0n) | (1n << BigInt(index)));
  });
  const full = (1n << BigInt(left.length)) - 1n;
  let row = full;
  for (const sign of right) {
    const mask = masks.get(sign);
    if (mask === undefined) continue;
    const both = row & mask;
    row = ((row + both) | (row - both)) & full;
  }
  let ones = 0;
  for (const digit of row.toString(16))
    ones += [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4][Number.parseInt(digit, 16)];
  return (2 * (left.length - ones)) / (left.length + right.length);
}

function tedsOf(truth, given) {
  const tree = (tables) => ({
    kind: 'table',
    children: tables.map((rows) => ({
      kind: 'table',
      children: rows.map((row) => ({
        kind: 'tr',
        children: row.map((cell) => ({ kind: 'td', text: squeezed(cell), children: [] })),
      })),
    })),
  });
  const a = tree(truth);
  const b = tree(given);
  return 1 - treeDistance(a, b, renamed) / Math.max(size(a) - 1, size(b) - 1);
}

function mhsOf(truth, given) {
  const a = outline(truth);
  const b = outline(given);
  if (!a.children.some((node) => node.kind === 'heading')) return null;
  if (!b.children.some((node) => node.kind === 'heading')) return 0;
  return Math.min(1, Math.max(0, 1 - treeDistance(a, b, renamed) / Math.max(size(a), size(b), 1)));
}

function outline(markdown) {
  const root = { kind: 'document', children: [] };
  let under = root;
  let text = [];
  const close = () => {
    if (text.length > 0) under.children.push({ kind: 'content', text: text.join(' '), children: [] });
    text = [];
  };
  for (const line of markdown.split(LINE_ENDS)) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    if (heading) {
      close();
      under = { kind: 'heading', text: squeezed(heading[1]), children: [] };
      root.children.push(under);
    } else if (line.trim() !== '') text.push(squeezed(line));
  }
  close();
  return root;
}

function size(node) {
  return node.children.reduce((sum, child) => sum + size(child), 1);
}

function renamed(a, b) {
  if (a.kind !== b.kind) return 1;
  const left = a.text ?? '';
  const right = b.text ?? '';
  return left === '' && right === '' ? 0 : distanceOf(left, right) / Math.max(left.length, right.length);
}

/** Texts longer than this are compared once, since a document is often scored again after a small change. */
const LONG = 100;
const known = new Map();

function distanceOf(a, b) {
  if (a === b) return 0;
  if (a.length < LONG || b.length < LONG) return levenshtein(a, b);
  const others = known.get(a) ?? new Map();
  known.set(a, others);
  const distance = others.get(b) ?? levenshtein(a, b);
  others.set(b, distance);
  return distance;
}

/** By one row of the table of distances, whose parts with equal beginnings and ends are left out. */
function levenshtein(first, second) {
  let from = 0;
  const most = Math.min(first.length, second.length);
  while (from < most && first[from] === second[from]) from += 1;
  let same = 0;
  while (same < most - from && first.at(-1 - same) === second.at(-1 - same)) same += 1;
  const a = first.slice(from, first.length - same);
  const b = second.slice(from, second.length - same);
  const row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const sign = a.charCodeAt(i - 1);
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      const above = row[j];
      row[j] = Math.min(above + 1, row[j - 1] + 1, diagonal + (sign === b.charCodeAt(j - 1) ? 0 : 1));
      diagonal = above;
    }
  }
  return row[b.length];
}

/** Zhang and Shasha's edit distance of ordered trees; inserting and deleting cost 1. */
function treeDistance(first, second, rename) {
  const a = flat(first);
  const b = flat(second);
  const distance = a.nodes.map(() => new Float64Array(b.nodes.length));
  for (const i of a.roots) for (const j of b.roots) forest(a, b, i, j, distance, rename);
  return distance[a.nodes.length - 1][b.nodes.length - 1];
}

function flat(root) {
  const nodes = [];
  const leftmost = [];
  const visit = (node) => {
    let left;
    for (const child of node.children) {
      const at = visit(child);
      left ??= leftmost[at];
    }
    nodes.push(node);
    leftmost.push(left ?? nodes.length - 1);
    return nodes.length - 1;
  };
  visit(root);
  const roots = [...new Map(leftmost.map((left, index) => [left, index])).values()].sort((x, y) => x - y);
  return { nodes, leftmost, roots };
}

function forest(a, b, i, j, distance, rename) {
  const fromA = a.leftmost[i];
  const fromB = b.leftmost[j];
  const height = i - fromA + 2;
  const width = j - fromB + 2;
  const cost = Array.from({ length: height }, () => new Float64Array(width));
  for (let x = 1; x < height; x += 1) cost[x][0] = cost[x - 1][0] + 1;
  for (let y = 1; y < width; y += 1) cost[0][y] = cost[0][y - 1] + 1;
  for (let x = 1; x < height; x += 1) {
    for (let y = 1; y < width; y += 1) {
      const nodeA = fromA + x - 1;
      const nodeB = fromB + y - 1;
      const edge = Math.min(cost[x - 1][y], cost[x][y - 1]) + 1;
      if (a.leftmost[nodeA] === fromA && b.leftmost[nodeB] === fromB) {
        cost[x][y] = Math.min(edge, cost[x - 1][y - 1] + rename(a.nodes[nodeA], b.nodes[nodeB]));
        distance[nodeA][nodeB] = cost[x][y];
      } else {
        const left = cost[a.leftmost[nodeA] - fromA][b.leftmost[nodeB] - fromB];
        cost[x][y] = Math.min(edge, left + distance[nodeA][nodeB]);
      }
    }
  }
}
