// Beside an answer: the contents of the file, and a search in it. A click shows the place.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { contentsFor, type Finding, find, finding, itemsOf } from '../places.ts';
import { busy, type Entry, position, readAll, showPlace } from '../session.ts';
import type { Contents } from '../wire.ts';

const MOST_ITEMS = 200;

export function Places({ entry }: { readonly entry: Entry }): JSX.Element {
  const contents = contentsFor(entry);
  const found = finding.value?.entry === entry.id ? finding.value : null;
  const place = entry.parts[position.value]?.asked['place'];
  return (
    <section class="places" aria-label="Places in the file">
      <FindForm entry={entry} found={found} />
      {found && <Matches entry={entry} found={found} />}
      {contents && !found && <ContentList entry={entry} contents={contents} />}
      {place !== undefined && (
        <p class="at-place">
          Shown: <code>{String(place)}</code>{' '}
          <button type="button" class="plain" onClick={() => void readAll()}>
            Back to the start
          </button>
        </p>
      )}
    </section>
  );
}

function FindForm({ entry, found }: { readonly entry: Entry; readonly found: Finding | null }): JSX.Element {
  const [typed, setTyped] = useState<string>(found?.query ?? '');
  return (
    <form
      class="find"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy.value) void find(entry, typed);
      }}
    >
      <label for="find">Find in this file</label>
      <input
        id="find"
        type="search"
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          if (currentTarget.value === '') void find(entry, '');
        }}
      />
      <button type="submit" aria-disabled={busy.value}>
        Find
      </button>
    </form>
  );
}

function Matches({ entry, found }: { readonly entry: Entry; readonly found: Finding }): JSX.Element {
  const { matches, total, skipped, notes } = found;
  const [first] = skipped;
  return (
    <>
      <p class="more" role="note">
        {total.matches.toLocaleString('en')} {total.matches === 1 ? 'line' : 'lines'}
        {matches.length < total.matches && `, the first ${matches.length} listed`}
        {first && ` · ${first.reason}`}
        {notes.map((note) => ` · ${note}`)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <ul class="place-list" tabIndex={0} aria-label="Lines found">
        {matches.map(({ address, path, text, spans }) => {
          const place = address.slice(path.length);
          const inside = path !== entry.file.name;
          const label = (
            <>
              <code>{inside ? address.slice(entry.file.name.length) : place}</code>{' '}
              <Marked text={text} spans={spans} />
            </>
          );
          return (
            <li key={address + text}>
              {inside || place === '' ? (
                <span>{label}</span>
              ) : (
                <button type="button" class="plain" onClick={() => void showPlace(entry, place)}>
                  {label}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The line with what matched in it marked. */
function Marked({
  text,
  spans,
}: {
  readonly text: string;
  readonly spans: readonly (readonly [number, number])[];
}): JSX.Element {
  let last = 0;
  const pieces = spans.flatMap(([from, to]) => {
    const before = text.slice(last, from);
    last = to;
    return [before, <mark key={from}>{text.slice(from, to)}</mark>];
  });
  return (
    <span>
      {pieces}
      {text.slice(last)}
    </span>
  );
}

function ContentList({
  entry,
  contents,
}: {
  readonly entry: Entry;
  readonly contents: Contents;
}): JSX.Element {
  const items = itemsOf(contents);
  const listed = items.slice(0, MOST_ITEMS);
  const isWhole = contents.next === null && listed.length === items.length;
  return (
    <details open={!matchMedia('(max-width: 60rem)').matches}>
      <summary>Contents{isWhole ? '' : `, the first ${listed.length} of ${contents.of ?? 'more'}`}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <ul class="place-list" tabIndex={0} aria-label="Contents">
        {listed.map(({ place, level, text }, index) => (
          <li key={index} class={`level-${Math.min(level, 3)}`}>
            {place === null ? (
              <span>{text}</span>
            ) : (
              <button type="button" class="plain" onClick={() => void showPlace(entry, place)}>
                <code>{place}</code> {text}
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
