// Sets a document as a web page, for Chromium to print.

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const TABLES = {
  ruled: 'td,th{border:1px solid #444}',
  lines:
    'table{border-top:1px solid #000;border-bottom:1px solid #000}tr:first-child th{border-bottom:1px solid #000}',
  plain: '',
};

/** @returns the page's HTML */
export function webPage(document) {
  const { blocks, columns, head, foot, small, gap = 7 } = document;
  const body = [];
  let open = false;
  for (const block of blocks) {
    if (block.kind === 'columns') {
      body.push('<div class="columns">');
      open = true;
    } else if (block.kind === 'span') {
      if (open) body.push('</div>');
      open = false;
    } else body.push(written(block));
  }
  if (open) body.push('</div>');
  const style = blocks.find((block) => block.kind === 'table')?.style ?? 'ruled';
  const margins = [
    head ? `@top-center{content:"${head}";font:8pt sans-serif}` : '',
    foot ? '@bottom-right{content:"Page " counter(page);font:8pt sans-serif}' : '',
  ].join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>
@page{size:A4;margin:22mm 20mm;${margins}}
body{font:10.5pt/1.35 serif;margin:0;hyphens:auto;text-align:justify}
h1{font:bold ${small ? '14pt' : '20pt'} sans-serif;text-align:left;hyphens:none}h2{font:bold ${small ? '11.5pt' : '14pt'} sans-serif;text-align:left;hyphens:none}
.columns{columns:${columns};column-gap:${gap}mm}
table{border-collapse:collapse;margin:8pt 0;text-align:left;hyphens:none}td,th{padding:2pt 10pt 2pt 4pt}${TABLES[style]}
li{text-align:left}pre{font:9pt monospace;text-align:left}
</style><body>${body.join('\n')}</body></html>`;
}

function written(block) {
  switch (block.kind) {
    case 'h':
      return `<h${block.level}>${escaped(block.text)}</h${block.level}>`;
    case 'p':
      return `<p>${block.runs.map(inline).join('')}</p>`;
    case 'list':
      return listed(block);
    case 'code':
      return `<pre>${escaped(block.text)}</pre>`;
    default: {
      const rows = block.rows.map((row, index) => {
        const tag = index === 0 ? 'th' : 'td';
        return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
      });
      return `<table>${rows.join('')}</table>`;
    }
  }
}

function inline({ text, bold, italic, href }) {
  if (href) return `<a href="${escaped(href)}">${escaped(text)}</a>`;
  if (bold) return `<b>${escaped(text)}</b>`;
  return italic ? `<i>${escaped(text)}</i>` : escaped(text);
}

function listed({ ordered, items }) {
  const tag = ordered ? 'ol' : 'ul';
  const inner = items.map((item) => {
    const below = item.items ? listed({ ordered: false, items: item.items }) : '';
    return `<li>${escaped(item.text)}${below}</li>`;
  });
  return `<${tag}>${inner.join('')}</${tag}>`;
}
