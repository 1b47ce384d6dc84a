// Phrases that documents do not use, and commands that would run another package of this name. A list of words is all
// that a test can hold a text to: whether it reads well is for people.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PAGES, pageAt } from '../support/pages.ts';

const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Of the rules for language in CONTRIBUTING.md, which quotes them. */
const BANNED = /\bis no (?!longer\b)|\bis none\b|\blies\b|\btold\b|\bgives way\b|\bwhatever\b/gi;

/** Without code, where words are names. */
const proseOf = (text: string): string => text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');

it.each(PAGES)('%s uses none of the phrases that CONTRIBUTING.md lists', (path) => {
  const said = proseOf(pageAt(path)).match(BANNED) ?? [];
  expect(said).toEqual([]);
});

it.each(PAGES)('%s runs lectern only where it is installed', (path) => {
  const text = pageAt(path);
  expect(
    text.match(/\bnpx (?:-\S+ )*lectern\b/g)?.filter((line) => !line.includes('--no-install')) ?? [],
  ).toEqual([]);
  expect(
    text.match(/\b(?:npm (?:install|i|add)|pnpm add|yarn add|bun add|pnpx|bunx|yarn dlx) lectern\b/g) ?? [],
  ).toEqual([]);
});

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

it.each(PAGES)('%s links to what is there', (path) => {
  const links = [...proseOf(pageAt(path)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
    ([, link = '']) => link,
  );
  const broken = links.filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    if (anchor === undefined) return false;
    const headings = pageAt(target).match(/(?<=^#+ ).*$/gm) ?? [];
    return !headings.some((heading) => anchorOf(heading) === anchor);
  });
  expect(broken).toEqual([]);
});

it('finds the documents', () => {
  expect(PAGES).toContain('README.md');
  expect(PAGES.length).toBeGreaterThan(readdirSync(join(ROOT, 'docs')).length);
});
