// Lists the messages of a conversation, each with what compaction did to it. An open message shows its text and how to
// retrieve the original.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Fate, Line } from '../fates.ts';
import { compaction } from '../session.ts';

export const figure = (value: number): string => Math.round(value).toLocaleString('en');
const FATES: readonly Fate[] = ['kept', 'replaced', 'removed', 'added'];
const EXCERPT = 200;

/** The messages in order, each as wide as its length in characters. */
export function FateBar({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  const drawn = lines.filter(({ fate }) => fate !== 'added');
  const whole = drawn.reduce((sum, { before }) => sum + before, 0) || 1;
  const counts = FATES.map((fate) => ({ fate, count: lines.filter((line) => line.fate === fate).length }));
  const shown = counts.filter(({ count }) => count > 0);
  let x = 0;
  return (
    <figure class="fate">
      <svg
        viewBox="0 0 1000 20"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Messages: ${counts.map(({ fate, count }) => `${count} ${fate}`).join(', ')}.`}
      >
        {drawn.map(({ entry, fate, before }) => {
          const width = (before / whole) * 1000;
          x += width;
          return <rect key={entry} class={`fate-${fate}`} x={x - width} width={width} height="20" />;
        })}
      </svg>
      <figcaption>
        {shown.map(({ fate, count }) => (
          <span key={fate}>
            <span class={`swatch fate-${fate}`} aria-hidden="true" />
            {figure(count)} {fate}
          </span>
        ))}
        <span class="scale">Width is proportional to length.</span>
      </figcaption>
    </figure>
  );
}

export function MessageList({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  return (
    <ol class="messages" aria-labelledby="messages">
      {lines.map((line) => (
        <Message key={line.entry} line={line} lines={lines} />
      ))}
    </ol>
  );
}

interface Shown {
  readonly line: Line;
  readonly lines: readonly Line[];
}

function Message({ line, lines }: Shown): JSX.Element {
  const [open, setOpen] = useState<boolean>(false);
  const { entry, fate, number, role, original, sent, before, after } = line;
  return (
    <li id={`message-${entry}`} class={`is-${fate}`}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="number">{number ?? '+'}</span>
          <span class={`badge fate-${fate}`}>{fate}</span>
          <span class="role">{role}</span>
          <span class="excerpts">
            {original !== '' && <span class="excerpt original">{excerptOf(original)}</span>}
            {sent !== '' && <span class="excerpt sent">{excerptOf(sent)}</span>}
          </span>
          <span class="size">
            {fate === 'replaced' ? `${figure(before)} → ${figure(after)}` : figure(before || after)} chars
          </span>
        </summary>
        {open && <Opened line={line} lines={lines} />}
      </details>
    </li>
  );
}

const excerptOf = (text: string): string =>
  text
    .slice(0, 2 * EXCERPT)
    .replace(/\s+/g, ' ')
    .slice(0, EXCERPT);

function Opened({ line, lines }: Shown): JSX.Element {
  const { entry, fate, number, original, sent, repair } = line;
  const of = number === null ? `added message ${entry}` : `message ${number}`;
  return (
    <div class="opened">
      <p>
        <Explanation line={line} lines={lines} />
        {repair !== null && ` Repaired: ${repair.replaceAll('-', ' ')}.`}
      </p>
      {sent !== '' && <Text label={fate === 'added' ? 'Text' : 'Sent instead'} text={sent} of={of} />}
      {original !== '' && <Text label={fate === 'kept' ? 'Text' : 'Original'} text={original} of={of} />}
    </div>
  );
}

function Text({
  label,
  text,
  of,
}: {
  readonly label: string;
  readonly text: string;
  readonly of: string;
}): JSX.Element {
  return (
    <>
      <h4>{label}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label={`${label}: ${of}`}>
        <pre>{text}</pre>
      </section>
    </>
  );
}

function Explanation({ line, lines }: Shown): JSX.Element {
  const { fate, tokens, covers, coveredBy, pointer } = line;
  const count = tokens === null ? '' : `, about ${figure(tokens)} tokens`;
  if (fate === 'kept') return <>Sent unchanged.</>;
  if (fate === 'removed') {
    const digest = lines.find(({ entry }) => entry === coveredBy);
    if (!digest) return <>Not sent.</>;
    return (
      <>
        Not sent. <a href={`#message-${digest.entry}`}>The digest</a> covers it.{' '}
        <WayBack pointer={digest.pointer} what="The originals are" />
      </>
    );
  }
  return (
    <>
      {covers.length > 0
        ? `A digest that covers ${rangesOf(covers)}${count}. `
        : fate === 'added'
          ? 'Added by compaction. '
          : `Replaces the original${count}. `}
      {(covers.length > 0 || fate === 'replaced') && (
        <WayBack pointer={pointer} what={covers.length > 1 ? 'The originals are' : 'The original is'} />
      )}
    </>
  );
}

function WayBack({ pointer, what }: { readonly pointer: string | null; readonly what: string }): JSX.Element {
  if (pointer === null)
    return (
      <>
        {what} not kept on the server. Enter a session to keep originals there; the text then names the file.
      </>
    );
  const [path = '', ...lines] = pointer.split(' '); // as in `PATH lines 6-65`
  return (
    <>
      {what} kept in session <code>{compaction.value?.session}</code>. A model reads <code>{path}</code>
      {lines.length > 0 && `, ${lines.join(' ')}`}; a program requests{' '}
      <code>
        GET /v1/workspaces/{compaction.value?.session}/files/{path.replace(/^\/workspace\//, '')}
      </code>
      .
    </>
  );
}

/** As in `messages 3–44`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const told = ranges.map(([from, to]) => (from === to ? figure(from) : `${figure(from)}–${figure(to)}`));
  return `${numbers.length === 1 ? 'message' : 'messages'} ${told.join(', ')}`;
}
