// What hostile documents cost.

import { describe, expect, test, vi } from 'vitest';
import { xml } from '../../../../processors/structured/xml.ts';
import { NotThisFormat } from '../../../../src/contract/index.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../../support/context.ts';

vi.setConfig({ testTimeout: 180_000 });

const read = (content: string, options: TestOptions = {}): Promise<Outcome> =>
  run(xml, memorySource(content, 'a.xml'), options);

describe('a hostile document', () => {
  const bomb = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, index) => `<!ENTITY a${index} "&a;&a;&a;&a;&a;&a;">`).join('')}]><l>&a29;</l>`;
  const files: readonly [string, string][] = [
    ['entities in entities', bomb],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    [
      '100000 declarations',
      `<!DOCTYPE a [${Array.from({ length: 100_000 }, (_, index) => `<!ENTITY e${index} "v">`).join('\n')}]><a>&e1;</a>`,
    ],
    ['100000 levels', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
    ['100000 attributes', `<a ${Array.from({ length: 100_000 }, (_, index) => `a${index}="v"`).join(' ')}/>`],
    ['300000 references', `<a>${'&#65;'.repeat(300_000)}</a>`],
    ['300000 unknown entities', `<!DOCTYPE a SYSTEM "x"><a>${'&e;'.repeat(300_000)}</a>`],
    ['200000 children', `<a>${'<b>1</b>'.repeat(200_000)}</a>`],
    ['a text of 4 MB', `<a>${'x'.repeat(4_000_000)}</a>`],
    ['a value of 4 MB', `<a b="${'x'.repeat(4_000_000)}"/>`],
    ['a name of 1 MB', `<${'a'.repeat(1_000_000)}/>`],
    ['a comment of 4 MB', `<!-- ${'>'.repeat(4_000_000)} --><a/>`],
    ['300000 comments', `<a>${'<!---->'.repeat(300_000)}</a>`],
    ['300000 comments before the root', `${'<!---->'.repeat(300_000)}<a/>`],
    ['300000 spaces', `<a>${' '.repeat(300_000)}</a>`],
    ['an unclosed comment', `<a><!--${'<!--'.repeat(100_000).replaceAll('--', '- ')}`],
    ['unclosed sections', `<a>${'<![CDATA['.repeat(100_000)}`],
    ['unclosed instructions', `<a>${'<?x '.repeat(100_000)}`],
    ['unclosed elements', '<a>'.repeat(300_000)],
    ['unclosed quotes', `<a b="${'<'.repeat(100_000)}`],
  ];

  test.each(files)('of %s is read or rejected within its budget', async (_, content) => {
    const outcome = await read(content).catch((error: unknown) => error);
    if (outcome instanceof NotThisFormat) {
      expect(outcome.warning.message.length).toBeLessThan(300);
      return;
    }
    const { view, context, next } = outcome as Outcome;
    expect(context.budget.count(view)).toBeLessThanOrEqual(context.budget.tokens);
    expect(view).not.toContain('root:');
    if (!next) return;
    const page = await read(content, { selection: { resume: next.position } });
    expect(page.text.length).toBeGreaterThan(0);
    const inspected = await read(content, { tokens: 0 });
    expect(inspected.parts).toEqual([]);
  });
});
