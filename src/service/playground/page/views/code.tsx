// Code for the current request, to copy.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { apiKey } from '../api.ts';
import { announcement, current, entries, position, request } from '../session.ts';
import { snippetsOf } from '../snippets.ts';

export function Code(): JSX.Element {
  const [chosen, choose] = useState<string>('cli');
  const part = current.value?.parts[position.value];
  // The first part uses the request, which other files may share.
  const later = position.value === 0 && part?.asked['place'] === undefined ? undefined : part;
  const names = later ? [current.value?.file.name ?? ''] : entries.value.map(({ file }) => file.name);
  const snippets = snippetsOf(names, later?.asked ?? request.value, {
    url: location.href.replace(/\/[^/]*$/, ''),
    keyed: apiKey.value !== '',
  });
  const snippet = snippets.find(({ id }) => id === chosen);
  return (
    <section class="code" aria-labelledby="code">
      <div class="section-head">
        <h3 id="code">Code for this request</h3>
        <fieldset class="tabs" aria-label="Language">
          {snippets.map(({ id, label }) => (
            <button key={id} type="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
              {label}
            </button>
          ))}
        </fieldset>
        <button type="button" onClick={() => void copy(snippet?.code ?? '')}>
          Copy
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Code">
        <pre>{snippet?.code}</pre>
      </section>
    </section>
  );
}

async function copy(code: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(code);
    announcement.value = 'Copied.';
  } catch {
    announcement.value = 'The browser blocked copying. Select the code and copy it manually.';
  }
}
