// Lists the files, and draws how they share one budget.

import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { coverageOf, sentenceOf, shareOf } from '../coverage.ts';
import { budget, type Entry, entries, position, removeFile, selected } from '../session.ts';
import { FileButton, useDrop } from './start.tsx';

const figure = (value: number): string => value.toLocaleString('en');

export function Files(): JSX.Element {
  const over = useDrop();
  const list = entries.value;
  const length = useRef<number>(0);
  useLayoutEffect(() => {
    // The focused button was removed along with its file.
    if (list.length < length.current && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.files .open .file')?.focus();
    length.current = list.length;
  }, [list.length]);
  return (
    <section class={over ? 'over' : ''} aria-labelledby="files">
      <div class="section-head">
        <h2 id="files">Files</h2>
        <FileButton label="Add files" />
      </div>
      {list.length > 1 && <SharedBudget list={list} />}
      <ul class="files">
        {list.map((entry, index) => (
          <FileRow key={entry.id} entry={entry} tint={list.length > 1 ? index % 6 : null} />
        ))}
      </ul>
    </section>
  );
}

function FileRow({ entry, tint }: { readonly entry: Entry; readonly tint: number | null }): JSX.Element {
  const { id, file } = entry;
  const open = selected.value === id;
  return (
    <li class={open ? 'open' : ''}>
      <button
        type="button"
        class="file"
        aria-pressed={open}
        onClick={() => {
          selected.value = id;
          position.value = 0;
        }}
      >
        {tint !== null && <span class={`swatch tint-${tint}`} aria-hidden="true" />}
        <span class="file-name">{file.name}</span>
        <span class="file-facts">{factsOf(entry)}</span>
      </button>
      <button
        type="button"
        class="plain remove"
        aria-label={`Remove ${file.name}`}
        onClick={() => void removeFile(id)}
      >
        ×
      </button>
    </li>
  );
}

function factsOf({ parts }: Entry): string {
  const [part] = parts;
  if (!part) return 'reading …';
  if (!part.result.success) return part.result.error.code;
  const wholes = coverageOf([part.result]);
  const told = wholes.find(({ count, of }) => count < of) ?? wholes[0];
  return `${figure(part.tokens)} tokens${told ? ` · ${sentenceOf(told)}` : ''}`;
}

function SharedBudget({ list }: { readonly list: readonly Entry[] }): JSX.Element {
  const used = list.map(({ parts }) => parts[0]?.tokens ?? 0);
  const sum = used.reduce((total, tokens) => total + tokens, 0);
  const whole = Math.max(sum, budget.value ?? sum, 1);
  let x = 0;
  const bars = list.map((entry, index) => {
    const width = ((used[index] ?? 0) / whole) * 1000;
    const result = entry.parts[0]?.result;
    const share = result?.success ? shareOf(coverageOf([result])) : 0;
    const bar = (
      <g key={entry.id}>
        <rect class={`tint-${index % 6}`} x={x} y="0" width={Math.max(0, width - 3)} height="16" />
        <rect class={`tint-${index % 6}`} x={x} y="20" width={Math.max(0, width - 3) * share} height="5" />
        <rect
          class="left-out"
          x={x + Math.max(0, width - 3) * share}
          y="20"
          width={Math.max(0, width - 3) * (1 - share)}
          height="5"
        />
      </g>
    );
    x += width;
    return bar;
  });
  const told = list.map(({ file }, index) => `${file.name} ${used[index] ?? 0} tokens`).join(', ');
  return (
    <figure class="shared">
      <svg
        viewBox="0 0 1000 25"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Shared budget: ${told}, of ${whole}.`}
      >
        <rect class="track" width="1000" height="16" />
        {bars}
      </svg>
      <figcaption>
        {figure(sum)} {budget.value === null ? 'tokens, no budget' : `of ${figure(budget.value)} tokens`}. The
        thin bars show how much of each file is shown.
      </figcaption>
    </figure>
  );
}
