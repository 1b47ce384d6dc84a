// The page: header, and the start screen, the files or a conversation.

import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { needsKey } from '../api.ts';
import {
  announcement,
  busy,
  conversation,
  current,
  entries,
  keyRefused,
  startOver,
  useKey,
} from '../session.ts';
import { theme, toggleTheme } from '../theme.ts';
import { Answer } from './answer.tsx';
import { Code } from './code.tsx';
import { Controls } from './controls.tsx';
import { ConversationView } from './conversation.tsx';
import { Files } from './files.tsx';
import { Start } from './start.tsx';

export function App(): JSX.Element {
  const started = entries.value.length > 0 || conversation.value !== null;
  useFocusKept(conversation.value ? '#conversation' : started ? '#file-title' : '.drop input');
  return (
    <>
      <Head started={started} />
      {needsKey.value && <KeyForm />}
      <main aria-busy={busy.value}>
        {conversation.value ? (
          <ConversationView held={conversation.value} />
        ) : started ? (
          <Workbench />
        ) : (
          <Start />
        )}
      </main>
    </>
  );
}

/** Moves the focus to `target` if the focused view was removed. */
function useFocusKept(target: string): void {
  const before = useRef<string>(target);
  const asked = useRef<boolean>(false);
  const asks = needsKey.value;
  useLayoutEffect(() => {
    const gone = before.current !== target || (asked.current && !asks);
    if (gone && document.activeElement === document.body)
      document.querySelector<HTMLElement>(target)?.focus();
    before.current = target;
    asked.current = asks;
  }, [target, asks]);
}

function Head({ started }: { readonly started: boolean }): JSX.Element {
  const other = theme.value === 'dark' ? 'light' : 'dark';
  return (
    <header class={started ? 'started' : ''}>
      <h1>
        <span class="mark" aria-hidden="true" />
        lectern
      </h1>
      <p class="status" role="status">
        {announcement.value}
      </p>
      <div class="head-actions">
        {started && (
          <button type="button" class="plain" onClick={startOver}>
            Start over
          </button>
        )}
        <a href="docs">
          API<span class="wide-only"> reference</span>
        </a>
        <button type="button" class="plain" onClick={toggleTheme} aria-label={`Use the ${other} theme`}>
          {other === 'dark' ? 'Dark' : 'Light'}
        </button>
      </div>
    </header>
  );
}

function KeyForm(): JSX.Element {
  const [key, setKey] = useState<string>('');
  return (
    <form
      class="key"
      aria-label="API key"
      onSubmit={(event) => {
        event.preventDefault();
        void useKey(key);
      }}
    >
      <label for="key">This server requires an API key. The page keeps it in memory only.</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        placeholder="lk_…"
        value={key}
        aria-describedby={keyRefused.value ? 'key-refused' : undefined}
        onInput={({ currentTarget }) => {
          setKey(currentTarget.value.trim());
        }}
      />
      <button type="submit" class="primary">
        Use key
      </button>
      {keyRefused.value && (
        <p id="key-refused" role="alert">
          The server rejected this key. Check it, or create one with <code>lectern keys add</code>.
        </p>
      )}
    </form>
  );
}

function Workbench(): JSX.Element {
  const entry = current.value;
  return (
    <div class="bench">
      <aside class="left" aria-label="Files and request">
        <Files />
        <Controls />
      </aside>
      <div class="right">
        {entry && <Answer entry={entry} />}
        <Code />
      </div>
    </div>
  );
}
