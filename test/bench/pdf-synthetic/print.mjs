// Prints random documents with one browser: Chromium through playwright-core, with web fonts installed into a folder.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '../../integrations/bench/chromium.mjs';
import { installed } from '../rivals.mjs';
import { FAMILY_NAMES, familyDocument } from './families.mjs';

/** By family: the package, the part of its file name that states the script, and weights. Chinese has no bold. */
const FONTS = [
  ['Lora', 'lora', 'latin', [400, 700]],
  ['Roboto', 'roboto', 'latin', [400, 700]],
  ['Source Serif 4', 'source-serif-4', 'latin', [400, 700]],
  ['IBM Plex Mono', 'ibm-plex-mono', 'latin', [400]],
  ['Noto Sans SC', 'noto-sans-sc', 'chinese-simplified', [400]],
  ['Noto Sans Hebrew', 'noto-sans-hebrew', 'hebrew', [400, 700]],
];

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Makes `NAME.pdf`, `NAME.md` and `NAME.json` in `folder` for each family and seed, those that are not there yet.
 * @param {string} folder
 * @param {string} fonts where the fonts are, or are installed
 * @param {readonly number[]} seeds
 * @param {(message: string) => void} progress
 * @returns {Promise<{ name: string, pdf: string, truth: string, absent: string[], pages: number }[]>}
 */
export async function printFamilies(folder, fonts, seeds, progress, families = FAMILY_NAMES) {
  mkdirSync(folder, { recursive: true });
  await installed(
    fonts,
    FONTS.map(([, name]) => `@fontsource/${name}@5`),
  );
  const faces = FONTS.flatMap(([family, name, script, weights]) =>
    weights.map((weight) => {
      const file = join(
        fonts,
        'node_modules/@fontsource',
        name,
        'files',
        `${name}-${script}-${weight}-normal.woff2`,
      );
      return `@font-face{font-family:'${family}';font-weight:${weight};src:url(data:font/woff2;base64,${readFileSync(file).toString('base64')})}`;
    }),
  );
  const facesOf = (html) => faces.filter((face) => html.includes(/'([^']+)'/.exec(face)[1])).join('\n');
  const documents = families.flatMap((family) =>
    seeds.map((seed) => familyDocument(family, seed, '/*faces*/')),
  );
  const path = (name, ending) => join(folder, `${name}.${ending}`);
  const missing = documents.filter(({ name }) => !existsSync(path(name, 'json')));
  if (missing.length > 0) {
    const executablePath = CHROMIUM.find((file) => existsSync(file));
    if (executablePath === undefined) throw new Error('Chromium is not installed');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const page = await browser.newPage();
    for (const { name, html, truth, absent, tagged, own } of missing) {
      progress(`printing ${name}`);
      await page.setContent(html.replace('/*faces*/', () => facesOf(html)));
      await page.evaluate('document.fonts.ready');
      const pdf = await page.pdf({
        path: path(name, 'pdf'),
        preferCSSPageSize: true,
        tagged,
        ...(own && {
          displayHeaderFooter: true,
          headerTemplate: marginLine(own.date, own.title),
          footerTemplate: marginLine(
            own.address,
            '<span class="pageNumber"></span>/<span class="totalPages"></span>',
          ),
        }),
      });
      const pages = pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length ?? 1;
      writeFileSync(path(name, 'md'), truth);
      writeFileSync(path(name, 'json'), JSON.stringify({ absent, pages }));
    }
    await browser.close();
  }
  return documents.map(({ name, truth, absent }) => ({
    name,
    pdf: path(name, 'pdf'),
    truth,
    absent,
    pages: JSON.parse(readFileSync(path(name, 'json'), 'utf8')).pages,
  }));
}

/** Head and foot as Chromium's print dialog sets them. */
const marginLine = (left, right) =>
  `<div style="font:8px sans-serif;width:100%;margin:0 24px;display:flex;justify-content:space-between"><span>${left}</span><span>${right}</span></div>`;
