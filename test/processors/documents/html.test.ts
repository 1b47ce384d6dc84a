import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HtmlOptions, htmlToBlocks } from '../../../processors/documents/html/blocks.ts';
import { html } from '../../../processors/documents/html.ts';
import { markdownOf, paragraphBlock } from '../../../src/document/index.ts';
import { createMemoryCache, createReader } from '../../../src/index.ts';
import { memorySource, run } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';

const { signal } = new AbortController();

async function convert(page: string, options: Partial<HtmlOptions> = {}): Promise<string> {
  return (await htmlToBlocks(page, { signal, ...options })).blocks.map(markdownOf).join('\n');
}

async function codes(page: string, mainContent = true): Promise<string[]> {
  const { warnings } = await htmlToBlocks(page, { signal, mainContent });
  return warnings.map(({ code }) => code);
}

describe('text', () => {
  it.each([
    ['collapses white space', '<p> a\n  b <b> c </b>d</p>', 'a b **c** d\n'],
    ['keeps words of neighbouring blocks apart', '<div>a</div><div>b</div>', 'a\n\nb\n'],
    ['breaks lines', '<p>a<br>b</p>', 'a  \nb\n'],
    ['takes two line breaks for a paragraph', 'a<br><br>b<br> <br>c', 'a\n\nb\n\nc\n'],
    [
      'drops scripts, styles, templates and comments',
      '<script>1<2</script><style>a{}</style><template>x</template><!-- c -->y',
      'y\n',
    ],
    ['resolves references', '<p>&lt;b&gt; &amp; &nbsp;&eacute;&#x41;</p>', '\\<b> & éA\n'],
    ['marks only what has text', '<p><b> </b><i></i>x</p>', 'x\n'],
    [
      'strikes, raises, lowers',
      '<p><del>a</del> x<sup>2</sup> H<sub>2</sub>O</p>',
      '~~a~~ x<sup>2</sup> H<sub>2</sub>O\n',
    ],
    [
      'quotes and explains',
      '<p><q>a</q> <abbr title="Hypertext">HT</abbr> <abbr title="Hypertext">HT</abbr></p>',
      '“a” HT (Hypertext) HT\n',
    ],
    ['reads ruby', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)\n'],
    ['keeps preformatted lines', '<div style="white-space: pre-wrap">a\nb</div>', 'a  \nb\n'],
    ['ends a bold that reaches over blocks', '<b><p>a</b>b</p><p>c</p>', 'ab\n\nc\n'],
    [
      'skips downlevel conditionals of Outlook',
      '<!--[if mso]><p>x</p><![endif]--><![if !mso]><p>y</p><![endif]>',
      'y\n',
    ],
  ])('writes %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });
});

describe('blocks', () => {
  it.each([
    ['headings on one line', '<h2>a<br><div>b</div> <b>c</b></h2>', '## a b c\n'],
    ['headings without their anchors', '<h3>a<a href="#a">¶</a></h3>', '### a\n'],
    ['a heading inside of a paragraph', '<p>a<h1>b</h1>c', 'a\n\n# b\n\nc\n'],
    ['lists', '<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c\n'],
    ['a list right inside of a list', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b\n'],
    ['numbers', '<ol start=9><li>a<li>b<li value=3>c</ol>', '9. a\n10. b\n3. c\n'],
    ['numbers downwards', '<ol reversed><li>a<li>b</ol>', '2. a\n1. b\n'],
    [
      'tasks',
      '<ul><li><input type=checkbox checked>a<li><label><input type=checkbox> b</label></ul>',
      '- [x] a\n- [ ] b\n',
    ],
    ['items of several blocks', '<ul><li><p>a</p><p>b</p><li>c</ul>', '- a\n\n  b\n- c\n'],
    [
      'blocks after a list in an item',
      '<ul><li>a<ul><li><p>b</p><p>c</p></li></ul><p>d</p></li></ul>',
      '- a\n  - b\n\n    c\n\n  d\n',
    ],
    ['headings and texts between items', '<ul>a<li>b</li><h2>c</h2></ul>', '- a\n- b\n\n  ## c\n'],
    ['blocks behind a long number', '<ol start=1000><li>a<p>b</p></ol>', '1000. a\n\n      b\n'],
    ['code in an item', '<ul><li>a<pre>b\n\nc</pre></ul>', '- a\n  ```\n  b\n\n  c\n  ```\n'],
    ['quotes', '<blockquote><p>a</p><ul><li>b</ul></blockquote>', '> a\n>\n> - b\n'],
    ['terms', '<dl><dt>a<dd>b<dd>c</dl>', '**a**\n: b\n: c\n'],
    [
      'code with its language',
      '<pre><code class="hljs language-ts">a\n  b</code></pre>',
      '```ts\na\n  b\n```\n',
    ],
    ['code of one element a line', '<pre data-lang=js><div>a</div><div>b</div></pre>', '```js\na\nb\n```\n'],
    [
      'code beside its line numbers',
      '<table class=highlight><tr><td class=gutter><pre>1\n2</pre><td><pre>a\nb</pre></table>',
      '```\na\nb\n```\n',
    ],
    ['rules', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb\n'],
    ['details', '<details><summary>a</summary>b</details>', 'a\n\nb\n'],
    ['figures', '<figure><img src=a.png alt=A><figcaption>B</figcaption></figure>', '![A](a.png)\n\nB\n'],
    [
      'fields',
      '<form><label>Name <input value="Ada"></label><select><option>a<option selected>b</select><input type=hidden value=x></form>',
      'Name Ada b (of a / b)\n',
    ],
    [
      'frames and films',
      '<iframe src="https://example.org/v" title="V"></iframe><video><source src=a.mp4></video>',
      '[V](https://example.org/v)\n\n[Video](a.mp4)\n',
    ],
  ])('writes %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });
});

describe('landmarks', () => {
  const landmarks = async (page: string): Promise<(readonly string[] | undefined)[]> =>
    (await htmlToBlocks(page, { signal })).blocks.map((block) => block.landmarks);

  it('name the block that they start with', async () => {
    const page =
      '<p>a</p><main title=M><form aria-label=" Berth\nrequest "><ul><li>b</ul></form><p>c</p></main><p>d</p>';
    expect(await landmarks(page)).toEqual([
      undefined,
      ['main: M', 'form: Berth request'],
      undefined,
      undefined,
    ]);
    expect(await convert(page)).toBe('a\n\n- b\n\nc\n\nd\n');
  });

  it('are left out without a name or a block, and with a heading for a name', async () => {
    const page =
      '<nav>a</nav><aside aria-label=A></aside><section aria-labelledby=h><h2 id=h>b</h2></section>' +
      '<div role=search aria-labelledby=s><b id=s>c</b></div>';
    expect(await landmarks(page)).toEqual([undefined, undefined, ['search: c']]);
  });
});

describe('links and pictures', () => {
  it.each([
    ['relative ones as they are', '<a href="../a b.html">x</a>', '[x](../a%20b.html)\n'],
    ['no dangerous ones', '<a href=" javascript:alert(1)">a</a> <a href="data:text/html,b">b</a>', 'a b\n'],
    ['apart from their neighbours', '<a href=a>a</a><a href=b>b</a>', '[a](a) [b](b)\n'],
    [
      'a picture in a link',
      '<a href="https://example.org/"><img src=a.png alt=A></a>',
      '[![A](a.png)](https://example.org/)\n',
    ],
    ['a picture that leads to itself', '<a href=big.png><img src=a.png></a>', '![](a.png)\n'],
    [
      'no bytes',
      '<img src="data:image/png;base64,AAAA" alt="A"><img src="data:image/png;base64,AAAA">',
      '![A]()\n',
    ],
    ['pictures that load late', '<img src="data:x" data-src="b.png" alt="B">', '![B](b.png)\n'],
    ['small ones with a text', '<p>a<img src=t.gif width=1 height=1 alt=Paid></p>', 'a![Paid](t.gif)\n'],
    ['the name of a link without a text', '<a href=a aria-label="Call us"><i></i></a>', '[Call us](a)\n'],
    [
      'numbers that are links in headings',
      '<h2>Rule <a href="r.html#n12">12</a></h2>',
      '## Rule [12](r.html#n12)\n',
    ],
    ['no links to the heading itself', '<h2>Rule <a href="#rule" aria-label="Link"></a></h2>', '## Rule\n'],
  ])('writes %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });

  it('counts pictures that are too small to be seen', async () => {
    const { blocks, warnings } = await htmlToBlocks('<p>a<img src=t.gif width=1 height=1></p>', { signal });
    expect(blocks.map(markdownOf).join('')).toBe('a\n');
    expect(warnings).toMatchObject([
      { code: 'SKIPPED_CONTENT', message: expect.stringContaining('1 picture of at most 3 pixels') },
    ]);
  });

  it('may have any number of addresses', async () => {
    const many = 'b.png 1x,'.repeat(200_000);
    const page = `<img src="a.png" srcset="${many}" alt="A"><noscript><img src="b.png" alt="B"></noscript>`;
    expect(await convert(page)).toBe('![A](a.png)\n');
  });

  it('asks the caller for names', async () => {
    const page = '<img src="cid:1" alt="x"><a href="ch2.xhtml">two</a>';
    expect(await convert(page, { picture: () => 'photo.jpg', link: () => '' })).toBe('![x](photo.jpg)two\n');
  });
});

describe('tables', () => {
  it.each([
    [
      'repeat merged cells',
      '<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d</table>',
      '| a | b | b |\n| --- | --- | --- |\n| a | c | d |\n',
    ],
    [
      'say a heading over all columns once',
      '<table><tr><td>a<td>b<tr><td colspan=2>c<tr><td>d<td>e</table>',
      '| a | b |\n| --- | --- |\n| c |  |\n| d | e |\n',
    ],
    ['escape', '<table><tr><td>a|b<td>c<br>d</table>', '| a\\|b | c<br>d |\n| --- | --- |\n'],
    [
      'hold lists and tables',
      '<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td><table><tr><td>e<td>f</table></table>',
      '| a | b |\n| --- | --- |\n| - c<br>- d | e / f |\n',
    ],
    [
      'of layout are read cell by cell',
      '<table role=presentation><tr><td><h2>a</h2><td>b</table>',
      '## a\n\nb\n',
    ],
    ['of one column are no tables', '<table><tr><td>a<tr><td>b</table>', 'a\n\nb\n'],
    [
      'leave out what is empty',
      '<table><tr><td>a<td><td>b<tr><td>c<td>&nbsp;<td>d<tr><td><td><td></table>',
      '| a | b |\n| --- | --- |\n| c | d |\n',
    ],
    [
      'have captions',
      '<table><caption>C</caption><tr><th>a<th>b<tr><td>c<td>d</table>',
      'C\n\n| a | b |\n| --- | --- |\n| c | d |\n',
    ],
  ])('writes %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });

  it('limit repeated text of merged cells', async () => {
    const row = '<tr><td colspan=1000000000 rowspan=1000000000>x</td><td>y</td></tr>';
    const text = await convert(`<table>${row.repeat(2000)}</table>`);
    expect(text.length).toBeLessThan(2_000_000);
    expect(text.match(/y/g)).toHaveLength(2000);
  });
});

describe('formulas', () => {
  it.each([
    [
      'TeX in MathML',
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$\n',
    ],
    [
      'TeX in MathJax scripts',
      '<span class="MathJax">drawn</span><script type="math/tex">a_b</script>',
      '$a_b$\n',
    ],
    ['displayed', 'a<script type="math/tex; mode=display">b</script>c', 'a\n\n$$\nb\n$$\n\nc\n'],
    [
      'KaTeX once',
      '<span class=katex><span class=katex-mathml><math><annotation encoding="application/x-tex">k</annotation></math></span><span class=katex-html aria-hidden=true>k</span></span>',
      '$k$\n',
    ],
    [
      'plain MathML',
      '<math><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><msqrt><mn>1</mn></msqrt></math>',
      '$e^{i\\pi}+\\sqrt{1}$\n',
    ],
    [
      'operators, accents and letters of MathML',
      '<math><mi>x</mi><mo>≤</mo><mover><mi>y</mi><mo>ˆ</mo></mover><mo>∈</mo><mi>ℝ</mi></math>',
      '$x\\le\\hat{y}\\in\\mathbb{R}$\n',
    ],
    [
      'matrices',
      '<math><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable></math>',
      '$\\begin{matrix} a & b \\end{matrix}$\n',
    ],
  ])('writes %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });
});

describe('notes', () => {
  it('become marks and definitions, without back links', async () => {
    const page =
      '<p>a<sup><a href="#fn1" id="r1">1</a></sup> <a href="#x">[2]</a></p><ol><li id=fn1>One <a href="#r1">↩</a><li><a id=x></a>Two</ol>';
    expect(await convert(page)).toBe('a[^1] [^2]\n\n[^1]: One\n[^2]: Two\n');
  });

  it('in separate blocks keep all their paragraphs', async () => {
    const page = '<p>a<a epub:type="noteref" href="#n">*</a></p><aside id=n><p>b</p><p>c</p></aside>';
    expect(await convert(page)).toBe('a[^1]\n\n[^1]: b\n\nc\n');
  });
});

describe('hidden text', () => {
  it.each([
    ['display', '<p style="display: none">secret words</p>'],
    ['hidden', '<p hidden>secret words</p>'],
    ['size', '<p style="font-size:1px">secret words</p>'],
    ['colour', '<div style="background:#fff"><p style="color:white">secret words</p></div>'],
    [
      'font colour',
      '<table><tr><td bgcolor="#FFFFFF"><font color="#fff">secret words</font></td></tr></table>',
    ],
    ['place', '<p style="position:absolute; left:-9999px">secret words</p>'],
    ['opacity', '<p style="opacity:0 !important">secret words</p>'],
    ['box', '<div style="overflow:hidden;max-height:0">secret words</div>'],
  ])('by %s is left out and reported', async (_how, page) => {
    const { blocks, warnings } = await htmlToBlocks(`<p>seen</p>${page}`, { signal });
    expect(blocks.map(markdownOf).join('')).toBe('seen\n');
    expect(warnings).toMatchObject([
      { code: 'HIDDEN_TEXT', message: expect.stringContaining('secret words') },
    ]);
  });

  it('is reported however short it is', async () => {
    const { warnings } = await htmlToBlocks('<p>seen<b hidden>no</b></p>', { signal });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('2 characters in 1 place') }]);
  });

  it.each([
    [
      'a cell',
      '<table><tr><th>a<th>b<tr><td>1<td aria-hidden="true">42</table>',
      '| a | b |\n| --- | --- |\n| 1 | 42 |\n',
    ],
    ['signs', '<b aria-hidden="true">★</b><b aria-hidden="true">★</b> good', '**★★** good\n'],
  ])('is not what programs that read aloud leave out: %s', async (_what, page, expected) => {
    expect(await convert(page)).toBe(expected);
    expect(await codes(page)).toEqual([]);
  });

  it.each([
    '<p style="--footer-display: none">seen</p>',
    '<p style="font-size:0.8em;opacity:0.9;height:0px">seen</p>',
    '<p style="color:#fff;background:#000">seen</p>',
    // As invitations are laid out: no size but where text is.
    '<table><tr><td style="font-size: 0; padding: 0"><div style="font-size: 14px">seen</div></td></tr></table>',
  ])('is not %s', async (page) => {
    expect(await convert(page)).toBe('seen\n');
    expect(await codes(page)).toEqual([]);
  });
});

describe('main content', () => {
  const text =
    '<p>The quick brown fox jumps over the lazy dog, again and again, until both of them are tired of it.</p>'.repeat(
      3,
    );

  it.each([
    ['elements', `<nav><a href=a>home</a></nav><main>${text}</main><footer>foot</footer>`],
    ['roles', `<div role=navigation><a href=a>home</a></div>${text}<div role=complementary>foot</div>`],
    [
      'names',
      `<div class="site-sidebar"><a href=a>home</a></div>${text}<div id="cookie-modal">cookies foot</div>`,
    ],
    [
      'headings',
      `<article>${text}</article><section><h2>Related posts</h2><a href=a>home foot</a></section>`,
    ],
  ])('is separated from navigation by %s', async (_how, page) => {
    const { blocks, warnings } = await htmlToBlocks(page, { signal, mainContent: true });
    expect(blocks).toHaveLength(3);
    expect(warnings).toMatchObject([
      { code: 'SKIPPED_CONTENT', message: expect.stringMatching(/\(\d+ words?\)/) },
    ]);
    expect(await convert(page)).toContain('home');
  });

  it('counts the pictures that it leaves out', async () => {
    const page = `<nav><a href=a>home</a><img src=a.png><img src=b.png alt=B></nav><main>${text}</main>`;
    const { warnings } = await htmlToBlocks(page, { signal, mainContent: true });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('(1 word), 2 pictures.') }]);
  });

  it('keeps the title above it, and not the name of the site', async () => {
    const page = `<header><h1><a href="/">Site</a></h1></header><div><h1>Title</h1><p>By Ida</p></div><main>${text}</main><nav>x</nav>`;
    expect(await convert(page, { mainContent: true })).toMatch(/^# Title\n\nBy Ida\n\nThe quick/);
  });

  it.each([
    ['a plain document', `<h1>a</h1>${text}<ul><li><a href=b>b</a></ul>`],
    ['a page of nothing but links', '<nav><a href=a>a</a><a href=b>b</a></nav><p>Hello</p>'],
    ['a header that holds the title', `<header><h1>Title</h1><p>Lead</p></header>${text}`],
  ])('is all of %s', async (_what, page) => {
    expect(await codes(page)).toEqual([]);
    expect(await convert(page, { mainContent: true })).toBe(await convert(page));
  });
});

describe('any input', () => {
  it('gives valid blocks', async () => {
    const tag = fc.constantFrom(
      ...'a b p div ul ol li table tr td th pre code h1 h2 blockquote dl dt dd br hr img span sup script nav main'.split(
        ' ',
      ),
    );
    const piece = fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      tag.map((name) => `<${name} id=x href="#x" colspan=3 rowspan=9 style="display:block">`),
      fc.string({ maxLength: 8 }),
      fc.constantFrom('\n\n', '&nbsp;', '|', '- ', '1. ', '#', '`', '\u0000', '<!--', ']]>'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const { blocks } = await htmlToBlocks(pieces.join(''), { signal, mainContent: true });
        for (const block of blocks) {
          const text = markdownOf(block);
          expect(text.endsWith('\n')).toBe(true);
          expect(text.includes('\u0000')).toBe(false);
          // The blocks of a list item may be apart, by one blank line.
          const gap = block.kind === 'list' ? /^\s*\n|\n\s*\n\s*\n/ : /^\s*\n|\n\s*\n/;
          if (!text.includes('```')) expect(text).not.toMatch(gap);
        }
      }),
      { numRuns: draws(400) },
    );
  });

  it.each([
    ['deep', '<div>'.repeat(100_000)],
    ['unclosed', '<ul><li><table><tr><td><b><p>'.repeat(5000)],
    ['end tags', `${'<div>'.repeat(300)}${'</p></b></i>'.repeat(50_000)}`],
    ['attributes', `<p ${'a=1 '.repeat(200_000)}>`],
    ['lists', '<ul><li>a'.repeat(20_000)],
    ['quotes', '<blockquote>'.repeat(50_000)],
    ['formulas', '<math><mrow>'.repeat(20_000)],
    [
      'names of Object',
      '<p __proto__=a constructor=b id=__proto__ class=constructor><a href="#__proto__">[1]</a>',
    ],
  ])('is survived: %s', async (_what, page) => {
    expect(await convert(`${page}end`, { mainContent: true })).toBeTypeOf('string');
  });

  it('stops when the caller aborts', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(htmlToBlocks('<p>a', { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});

describe('a file', () => {
  it('has metadata', async () => {
    const page =
      '<html lang="de"><head><title>Der Titel</title><meta name="author" content="Ida"><meta property="article:published_time" content="2026-01-02"></head><body><p>x</p></body></html>';
    const { context } = await run(html, memorySource(page, 'a.html'));
    expect(context.facts).toMatchObject({
      title: 'Der Titel',
      author: 'Ida',
      published: '2026-01-02',
      language: 'de',
    });
  });

  it('is read in its declared encoding', async () => {
    const bytes = Buffer.from('<meta charset="koi8-r"><p>\xf0\xd2\xc9\xd7\xc5\xd4</p>', 'latin1');
    expect((await run(html, memorySource(bytes, 'a.html'))).text).toBe('Привет\n');
  });

  it('is converted anew for another encoding', async () => {
    const reader = createReader({ environment: {}, cache: createMemoryCache() });
    const bytes = Buffer.from('<p>caf\xe9</p>', 'latin1');
    const texts: string[] = [];
    for (const encoding of ['latin1', 'cp437', 'latin1']) {
      const answer = await reader.read({ bytes, name: 'a.html' }, { encoding });
      texts.push(answer.success ? answer.text.trim() : '');
    }
    expect(texts).toEqual(['café', 'cafΘ', 'café']);
  });

  it('without an element is not HTML', async () => {
    await expect(run(html, memorySource('just text', 'a.html'))).rejects.toMatchObject({
      warning: { code: 'INVALID_SYNTAX' },
    });
  });

  it('rendered by scripts is reported', async () => {
    const { context } = await run(html, memorySource('<div id=app></div><script>draw()</script>', 'a.html'));
    expect(context.warnings.map(({ message }) => message).join()).toContain('rendered by scripts');
  });
});

describe('content that some programs do not show', () => {
  it.each([
    ['without scripts', '<p>a</p><noscript><p>b <b>c</b></p></noscript>', 'a\n\nb **c**\n'],
    [
      'pictures without scripts, unless they are also with them',
      '<img data-src="a.png?w=9" alt="A"><noscript><img src="a.png" alt="A"><img src="b.png" alt="B"></noscript>',
      '![A](a.png?w=9) ![B](b.png)\n',
    ],
    [
      'a document in an attribute',
      '<p>a</p><iframe src="x.html" srcdoc="<h2>b</h2><iframe srcdoc=\'c &amp;amp; d\'></iframe>">e</iframe>',
      'a\n\n## b\n\nc & d\n',
    ],
    ['a shadow root', '<div><template shadowrootmode="open"><p>b</p></template></div>', 'b\n'],
    ['without frames', '<noframes><p>b <b>c</b></p></noframes>', 'b **c**\n'],
    ['a canvas', '<canvas><p>b 5</p></canvas>', 'b 5\n'],
    ['a video', '<video src="v.mp4">b</video>', '[Video](v.mp4)\n\nb\n'],
    ['an object', '<object data="r.pdf"><p>b</p></object>', '[Embedded content](r.pdf)\n\nb\n'],
    ['links in a picture', '<map><area href="/b" alt="B"><area alt="c"></map>', '[B](/b) c\n'],
    ['a link that is a drawing', '<a href="/b"><svg><title>B</title></svg></a>', '[B](/b)\n'],
    ['long words of a drawing', `<svg><text>${'b '.repeat(400)}</text></svg>`, `![${'b '.repeat(399)}b]()\n`],
    [
      'every choice',
      `<select>${'<option>b</option>'.repeat(20)}</select>`,
      `${Array(20).fill('b').join(' / ')}\n`,
    ],
    [
      'raised and lowered text',
      '10<span style="vertical-align: super">6</span> x<span class="sub">2</span>',
      '10<sup>6</sup> x<sub>2</sub>\n',
    ],
  ])('is shown: %s', async (_name, page, expected) => {
    expect(await convert(page)).toBe(expected);
  });

  it('is named: characters inside words that do not show, unless they say where a line may break', async () => {
    const { blocks, warnings } = await htmlToBlocks(
      '<p>pass&#8203;word hy&shy;phen a/&#8203;b \u0e01&#8203;\u0e02</p><pre>x&#8203;y</pre>',
      { signal },
    );
    expect(blocks[0]).toEqual(paragraphBlock('password hyphen a/b \u0e01\u0e02'));
    expect(warnings).toEqual([
      {
        code: 'INVISIBLE_CHARACTERS',
        message: 'Words of the page contain 1 invisible character (U+200B); they are left out.',
      },
    ]);
  });

  it('is named: templates and suggestions', async () => {
    const { blocks, warnings } = await htmlToBlocks(
      '<p>a</p><template><p>inert words</p></template><datalist><option>suggested</datalist>',
      { signal },
    );
    expect(blocks.map(markdownOf)).toEqual(['a\n']);
    expect(warnings).toEqual([
      {
        code: 'HIDDEN_TEXT',
        message: 'Hidden text is left out: 20 characters in 2 places, starting with `inert words suggested`.',
      },
    ]);
  });

  it('does not replace the warning about a page drawn by scripts', async () => {
    const { context } = await run(
      html,
      memorySource(Buffer.from('<body><noscript>Enable JavaScript.</noscript><script>1</script>'), 'a.html'),
    );
    expect(context.warnings).toContainEqual(expect.objectContaining({ code: 'SKIPPED_CONTENT' }));
  });

  it('ends in documents that contain documents', async () => {
    let page = 'deepest';
    for (let at = 0; at < 6; at += 1)
      page = `<iframe srcdoc="${page.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
    expect(await convert(page)).toContain('deepest');
  });
});

it('tells a note mark from the word before it', async () => {
  expect(
    await convert(
      '<p>20<a href="#n3">3</a> euros, see <a href="#n3">3</a>, 第<a href="#n3">3</a>章</p><p id="n3">3 Note</p>',
    ),
  ).toBe('20[^3] euros, see [3](#n3), 第[3](#n3)章\n\n[^3]: Note\n');
});
