// Playwright's Chromium, for benchmarks outside this folder.

export { chromium } from 'playwright-core';
