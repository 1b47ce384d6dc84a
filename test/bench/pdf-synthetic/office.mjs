// Sets a document as flat OpenDocument text, for LibreOffice to print.

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const NAMES = ['office', 'style', 'text', 'table', 'fo'];
const NAMESPACES = NAMES.map(
  (name) =>
    `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'fo' ? 'xsl-fo-compatible' : name}:1.0"`,
).join(' ');

const CELLS = {
  ruled: 'fo:border="0.5pt solid #000000"',
  lines: 'fo:border="none"',
  plain: 'fo:border="none"',
};

/** @returns the document's XML, a `.fodt` file */
export function officeText(document) {
  const { blocks, columns, head, foot, small, gap = 7 } = document;
  const body = [];
  let open = 0;
  let sections = 0;
  for (const block of blocks) {
    if (block.kind === 'columns') {
      sections += 1;
      body.push(`<text:section text:style-name="Columns" text:name="S${sections}">`);
      open += 1;
    } else if (block.kind === 'span') {
      if (open > 0) body.push('</text:section>');
      open = 0;
    } else body.push(written(block));
  }
  if (open > 0) body.push('</text:section>');
  const table = blocks.find((block) => block.kind === 'table')?.style ?? 'ruled';
  const line = 'fo:border-bottom="0.7pt solid #000000"';
  const text =
    'fo:language="en" fo:country="US" fo:hyphenate="true" fo:font-family="Liberation Serif" style:font-name="Liberation Serif" fo:font-size="10.5pt"';
  const heading = (size) =>
    `<style:text-properties fo:font-family="Liberation Sans" fo:font-weight="bold" fo:font-size="${size}pt" fo:hyphenate="false"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:styles>
<style:style style:name="Standard" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="6pt" fo:line-height="120%"/><style:text-properties ${text}/></style:style>
<style:style style:name="Body" style:family="paragraph" style:parent-style-name="Standard"><style:paragraph-properties fo:text-align="justify"/></style:style>
<style:style style:name="Code" style:family="paragraph"><style:text-properties fo:font-family="Liberation Mono" fo:font-size="9pt" fo:hyphenate="false"/></style:style>
<style:style style:name="Item" style:family="paragraph" style:parent-style-name="Standard"/>
<style:style style:name="H1" style:family="paragraph"><style:paragraph-properties fo:margin-top="10pt" fo:margin-bottom="8pt" fo:keep-with-next="always"/>${heading(small ? 14 : 20)}</style:style>
<style:style style:name="H2" style:family="paragraph"><style:paragraph-properties fo:margin-top="9pt" fo:margin-bottom="5pt" fo:keep-with-next="always"/>${heading(small ? 11.5 : 14)}</style:style>
<style:style style:name="Cell" style:family="paragraph"><style:text-properties fo:font-family="Liberation Serif" fo:font-size="10pt"/></style:style>
<style:style style:name="Margin" style:family="paragraph"><style:text-properties fo:font-family="Liberation Sans" fo:font-size="8pt"/></style:style>
<style:style style:name="Bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="Italic" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
${listStyle('Bullets', false)}${listStyle('Numbers', true)}
</office:styles>
<office:automatic-styles>
<style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="210mm" fo:page-height="297mm" fo:margin="20mm"/>${head ? '<style:header-style><style:header-footer-properties fo:margin-bottom="5mm"/></style:header-style>' : ''}${foot ? '<style:footer-style><style:header-footer-properties fo:margin-top="5mm"/></style:footer-style>' : ''}</style:page-layout>
<style:style style:name="Columns" style:family="section"><style:section-properties><style:columns fo:column-count="${columns}" fo:column-gap="${gap}mm"/></style:section-properties></style:style>
<style:style style:name="TableCell" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" ${CELLS[table]}/></style:style>
<style:style style:name="HeadCell" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" ${table === 'lines' ? `fo:border-top="0.7pt solid #000000" ${line}` : CELLS[table]}/></style:style>
<style:style style:name="LastCell" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" ${table === 'lines' ? line : CELLS[table]}/></style:style>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page">${head ? `<style:header><text:p text:style-name="Margin">${escaped(head)}</text:p></style:header>` : ''}${foot ? '<style:footer><text:p text:style-name="Margin">Page <text:page-number/></text:p></style:footer>' : ''}</style:master-page></office:master-styles>
<office:body><office:text>${body.join('\n')}</office:text></office:body></office:document>`;
}

function listStyle(name, ordered) {
  const levels = [1, 2].map((level) => {
    const place = `<style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-6mm" fo:margin-left="${level * 6 + 4}mm"/></style:list-level-properties>`;
    return ordered && level === 1
      ? `<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=".">${place}</text:list-level-style-number>`
      : `<text:list-level-style-bullet text:level="${level}" text:bullet-char="${level === 1 ? '\u2022' : '\u25e6'}">${place}</text:list-level-style-bullet>`;
  });
  return `<text:list-style style:name="${name}">${levels.join('')}</text:list-style>`;
}

function written(block) {
  switch (block.kind) {
    case 'h':
      return `<text:h text:style-name="H${block.level}" text:outline-level="${block.level}">${escaped(block.text)}</text:h>`;
    case 'p':
      return `<text:p text:style-name="Body">${block.runs.map(inline).join('')}</text:p>`;
    case 'list':
      return listed(block);
    case 'code':
      return block.text
        .split('\n')
        .map((line) => {
          const indent = line.length - line.trimStart().length;
          const space = indent > 0 ? `<text:s text:c="${indent}"/>` : '';
          return `<text:p text:style-name="Code">${space}${escaped(line.trimStart())}</text:p>`;
        })
        .join('');
    default: {
      const rows = block.rows.map((row, index) => {
        const style = index === 0 ? 'HeadCell' : index === block.rows.length - 1 ? 'LastCell' : 'TableCell';
        const cells = row.map(
          (cell) =>
            `<table:table-cell table:style-name="${style}" office:value-type="string"><text:p text:style-name="Cell">${escaped(cell)}</text:p></table:table-cell>`,
        );
        return `<table:table-row>${cells.join('')}</table:table-row>`;
      });
      return `<table:table><table:table-column table:number-columns-repeated="${block.rows[0].length}"/>${rows.join('')}</table:table><text:p text:style-name="Body"/>`;
    }
  }
}

function inline({ text, bold, italic, href, note }) {
  if (note !== undefined)
    return `<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p text:style-name="Margin">${escaped(note)}</text:p></text:note-body></text:note>`;
  if (href) return `<text:a xlink:type="simple" xlink:href="${escaped(href)}">${escaped(text)}</text:a>`;
  if (bold || italic)
    return `<text:span text:style-name="${bold ? 'Bold' : 'Italic'}">${escaped(text)}</text:span>`;
  return escaped(text);
}

function listed({ ordered, items }, nested = false) {
  const inner = items.map(
    (item) =>
      `<text:list-item><text:p text:style-name="Item">${escaped(item.text)}</text:p>${item.items ? listed({ ordered: false, items: item.items }, true) : ''}</text:list-item>`,
  );
  return `<text:list${nested ? '' : ` text:style-name="${ordered ? 'Numbers' : 'Bullets'}"`}>${inner.join('')}</text:list>`;
}
