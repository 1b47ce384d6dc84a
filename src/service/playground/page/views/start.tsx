// The start screen, and the ways to add a file: drop, choose, paste.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SAMPLES } from '../samples.ts';
import { addFiles, announcement } from '../session.ts';

export function Start(): JSX.Element {
  return (
    <div class="start">
      <h2>See which parts of your file a model sees, and which are left out.</h2>
      <DropZone />
      <section aria-labelledby="samples">
        <h3 id="samples">Or try a sample</h3>
        <ul class="samples">
          {SAMPLES.map(({ label, detail, make }) => (
            <li key={label}>
              <button type="button" onClick={() => void addFiles([make()])}>
                <strong>{label}</strong>
                <span>{detail}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** Adds the dropped files or text. Rejects folders, because a browser does not provide their content. */
async function dropped(data: DataTransfer | null): Promise<void> {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file');
  const folders = items.filter((item) => item.webkitGetAsEntry()?.isDirectory === true);
  if (folders.length > 0) {
    announcement.value = 'Folders are not supported. Drop the files of the folder instead.';
    return;
  }
  const files = [...(data?.files ?? [])];
  const text = data?.getData('text/plain') ?? '';
  if (files.length > 0) await addFiles(files);
  else if (text !== '') await addFiles([new File([text], 'dropped.txt', { type: 'text/plain' })]);
}

function DropZone(): JSX.Element {
  const over = useDrop();
  // Effects run in order, so the drop listeners are registered by now.
  useEffect(() => {
    performance.mark('usable');
  }, []);
  return (
    <div class={`drop${over ? ' over' : ''}`}>
      <p class="drop-title">Drop files here</p>
      <p>
        or paste a file or text with <kbd>Ctrl</kbd> <kbd>V</kbd>
      </p>
      <FileButton label="Choose files" primary />
    </div>
  );
}

export function FileButton({
  label,
  primary = false,
}: {
  readonly label: string;
  readonly primary?: boolean;
}): JSX.Element {
  return (
    <label class={`file-button${primary ? ' primary' : ''}`}>
      {label}
      <input
        type="file"
        multiple
        class="covered"
        onChange={({ currentTarget }) => {
          void addFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** Handles drops and pastes anywhere on the page. @returns true while something is dragged over it */
export function useDrop(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const drag = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      void dropped(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement) return; // the field handles it
      const files = [...(event.clipboardData?.files ?? [])];
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (files.length > 0) void addFiles(files);
      else if (text !== '') void addFiles([new File([text], 'pasted.txt', { type: 'text/plain' })]);
    };
    document.addEventListener('dragover', drag);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('dragover', drag);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
      document.removeEventListener('paste', paste);
    };
  }, []);
  return over;
}
