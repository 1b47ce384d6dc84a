// The theme: the system setting, or the user's choice, which is kept in local storage.

import { type Signal, signal } from '@preact/signals';

type Theme = 'light' | 'dark';
const KEY = 'lectern.theme';

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // storage is blocked
  }
}

const system = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

export const theme: Signal<Theme> = signal(remembered() ?? system());

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (remembered() === null) show(system());
  });
}

export function toggleTheme(): void {
  show(theme.value === 'dark' ? 'light' : 'dark');
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // Storage is blocked, so the choice lasts until the page is closed.
  }
}

function show(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset['theme'] = next;
}
