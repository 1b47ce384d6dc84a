// Names of countries, as ICU has them in many languages, in the encodings of their time: most are read right, and hardly
// any wrong without a warning. The letters in `letters.ts` were not counted on them.

import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { contentOf } from '../support/walk.ts';

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  de: ['windows-1252', 'cp850'],
  fr: ['windows-1252', 'macintosh', 'cp850'],
  pt: ['windows-1252', 'cp850'],
  is: ['windows-1252', 'cp850'],
  cs: ['windows-1250', 'iso-8859-2', 'cp852'],
  pl: ['windows-1250', 'cp852'],
  hu: ['windows-1250', 'iso-8859-2'],
  tr: ['windows-1254', 'cp857'],
  lv: ['windows-1257'],
  ru: ['windows-1251', 'koi8-r', 'cp866', 'iso-8859-5', 'maccyrillic'],
  uk: ['windows-1251', 'koi8-u'],
  el: ['windows-1253', 'iso-8859-7', 'cp737'],
  he: ['windows-1255'],
  ar: ['windows-1256'],
  ja: ['shift_jis', 'euc-jp'],
  zh: ['gb18030'],
  'zh-TW': ['big5'],
  ko: ['euc-kr'],
};
const REGIONS =
  'AD AE AL AT AU BE BG BR BY CA CH CL CN CZ DE DK DO EE EG ES FI FR GB GE GR HR HU IE IL IN IQ IR IS IT JP KE KR LT LV MA MX NL NO NZ PE PL PT RO RS RU SA SE SI SK TH TR UA US VN ZA';

it('are read in the encoding they are in', async () => {
  const reader = createReader({ environment: {}, cache: false });
  const counts = { right: 0, warned: 0, silent: 0 };
  for (const [language, encodings] of Object.entries(LANGUAGES)) {
    const display = new Intl.DisplayNames([language], { type: 'region' });
    const names = REGIONS.split(' ').map((region) => display.of(region) ?? '');
    for (const encoding of encodings)
      for (let at = 0; at + 6 <= names.length; at += 6) {
        const text = `${names.slice(at, at + 6).join('\n')}\n`;
        const bytes = iconv.encode(text, encoding);
        if (!bytes.some((byte) => byte >= 0x80) || iconv.decode(bytes, encoding) !== text) continue;
        const result = await reader.read({ name: 'a.txt', bytes }, { all: true });
        if (!result.success) continue;
        if (contentOf([result]).startsWith(text)) counts.right += 1;
        else if (result.warnings.length > 0) counts.warned += 1;
        else counts.silent += 1;
      }
  }
  const all = counts.right + counts.warned + counts.silent;
  expect(all).toBeGreaterThan(250);
  expect(counts.right / all).toBeGreaterThan(0.88);
  expect(counts.silent / all).toBeLessThan(0.01);
});
