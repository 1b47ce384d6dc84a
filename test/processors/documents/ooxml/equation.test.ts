import { describe, expect, test } from 'vitest';
import { equationLatex, equationText } from '../../../../processors/documents/ooxml/equation.ts';
import { inlineMarkdown } from '../../../../src/document/index.ts';
import { readXml } from '../../../../src/package/index.ts';

const t = (text: string, properties = ''): string =>
  `<m:r>${properties === '' ? '' : `<m:rPr>${properties}</m:rPr>`}<m:t>${text}</m:t></m:r>`;
const e = (inside: string): string => `<m:e>${inside}</m:e>`;
const latex = (inside: string): string => equationLatex(readXml(`<m:oMath>${inside}</m:oMath>`));
const frac = (top: string, bottom: string, type = ''): string =>
  `<m:f>${type === '' ? '' : `<m:fPr><m:type m:val="${type}"/></m:fPr>`}<m:num>${top}</m:num><m:den>${bottom}</m:den></m:f>`;
const d = (inside: string, open = '(', close = ')'): string =>
  `<m:d><m:dPr><m:begChr m:val="${open}"/><m:endChr m:val="${close}"/></m:dPr>${inside}</m:d>`;
const matrix = `<m:m><m:mr>${e(t('a'))}${e(t('b'))}</m:mr><m:mr>${e(t('c'))}${e(t('d'))}</m:mr></m:m>`;

describe('formulas', () => {
  test.each<readonly [string, string, string]>([
    ['Greek before a letter', t('αx'), '\\alpha x'],
    ['operators', t('a≤b×c−d'), 'a\\le b\\times c-d'],
    ['signs of LaTeX', t('{a}#%&amp;$'), '\\{a\\}\\#\\%\\&\\$'],
    ['typed scripts', t('x_1^2'), 'x_1^2'],
    ['italic and double-struck letters', t('𝑥∈ℝ'), 'x\\in\\mathbb{R}'],
    ['letters of any script', t('速度=ж'), '速度=ж'],
    ['words', t('speed of', '<m:nor/>') + t('x'), '\\text{speed of}x'],
    ['upright words', t('rate', '<m:sty m:val="p"/>'), '\\mathrm{rate}'],
    ['a fraction', frac(t('a'), t('b')), '\\frac{a}{b}'],
    ['a fraction on a line', frac(t('a+1'), t('2'), 'lin'), '{a+1}/2'],
    ['a binomial', d(e(frac(t('n'), t('k'), 'noBar'))), '\\binom{n}{k}'],
    [
      'scripts',
      `<m:sSubSup>${e(t('x'))}<m:sub>${t('i')}</m:sub><m:sup>${t('2')}</m:sup></m:sSubSup>`,
      'x_{i}^{2}',
    ],
    [
      'a script on a fraction',
      `<m:sSup>${e(frac(t('a'), t('b')))}<m:sup>${t('2')}</m:sup></m:sSup>`,
      '{\\frac{a}{b}}^{2}',
    ],
    [
      'scripts before',
      `<m:sPre><m:sub>${t('6')}</m:sub><m:sup>${t('14')}</m:sup>${e(t('C'))}</m:sPre>`,
      '{}_{6}^{14}C',
    ],
    [
      'a square root',
      `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>${e(t('x'))}</m:rad>`,
      '\\sqrt{x}',
    ],
    ['a cube root', `<m:rad><m:deg>${t('3')}</m:deg>${e(t('x'))}</m:rad>`, '\\sqrt[3]{x}'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${t('i')}</m:sub><m:sup>${t('n')}</m:sup>${e(t('x'))}</m:nary>`,
      '\\sum_{i}^{n}x',
    ],
    [
      'an integral without limits',
      `<m:nary><m:naryPr><m:subHide m:val="1"/><m:supHide m:val="on"/></m:naryPr><m:sub/><m:sup/>${e(t('x'))}</m:nary>`,
      '\\int x',
    ],
    ['brackets', d(e(t('a')) + e(t('b')), '[', ')'), '\\left[a \\middle| b\\right)'],
    ['a bracket of one side', d(e(t('a')), '{', ''), '\\left\\{a\\right.'],
    [
      'cases',
      d(e(`<m:eqArr>${e(t('a'))}${e(t('b'))}</m:eqArr>`), '{', ''),
      '\\begin{cases}a \\\\ b\\end{cases}',
    ],
    [
      'lines aligned',
      `<m:eqArr>${e(t('a&amp;=1'))}${e(t('b&amp;=2'))}</m:eqArr>`,
      '\\begin{aligned}a&=1 \\\\ b&=2\\end{aligned}',
    ],
    ['a matrix', matrix, '\\begin{matrix}a & b \\\\ c & d\\end{matrix}'],
    ['a matrix in brackets', d(e(matrix), '[', ']'), '\\begin{bmatrix}a & b \\\\ c & d\\end{bmatrix}'],
    ['a function', `<m:func><m:fName>${t('sin')}</m:fName>${e(t('x'))}</m:func>`, '\\sin x'],
    [
      'a function of another name',
      `<m:func><m:fName>${t('foo', '<m:sty m:val="p"/>')}</m:fName>${e(t('x'))}</m:func>`,
      '\\operatorname{foo}x',
    ],
    [
      'a limit of another name',
      `<m:limLow>${e(t('foo', '<m:sty m:val="p"/>'))}<m:lim>${t('x')}</m:lim></m:limLow>`,
      '\\operatorname*{foo}_{x}',
    ],
    ['words', t('up to x'), 'up\\ to x'],
    ['a limit', `<m:limLow>${e(t('lim'))}<m:lim>${t('n→∞')}</m:lim></m:limLow>`, '\\lim_{n\\to\\infty}'],
    [
      'accents',
      `<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>${e(t('v'))}</m:acc><m:acc>${e(t('a'))}</m:acc>`,
      '\\vec{v}\\hat{a}',
    ],
    ['a brace below', `<m:groupChr>${e(t('ab'))}</m:groupChr>`, '\\underbrace{ab}'],
    ['a bar', `<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e(t('x'))}</m:bar>`, '\\overline{x}'],
    ['a box', `<m:borderBox>${e(t('x'))}</m:borderBox>`, '\\boxed{x}'],
    ['deleted and inserted', `<w:del>${t('old')}</w:del><w:ins>${t('x')}</w:ins>`, 'x'],
    ['what is unknown', `<m:future>${t('x')}</m:future>`, 'x'],
    ['nothing', '', ''],
  ])('writes %s as LaTeX', (_, inside, expected) => {
    expect(latex(inside)).toBe(expected);
  });

  test('stand between dollar signs', () => {
    const written = (xml: string): string => inlineMarkdown(equationText(readXml(xml)));
    expect(written(`<oMath>${t('x')}</oMath>`)).toBe('$x$');
    expect(written(`<oMathPara><oMath>${t('x')}</oMath></oMathPara>`)).toBe('$$x$$');
    expect(written('<oMath/>')).toBe('');
  });
});
