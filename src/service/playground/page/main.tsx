// Entry point of the page.

import { render } from 'preact';
import { loadFacts } from './session.ts';
import { applyTheme } from './theme.ts';
import { App } from './views/app.tsx';

applyTheme();
const root = document.getElementById('app');
if (root) render(<App />, root);
void loadFacts();
