// What compaction keeps, replaces and removes of a conversation, and what is sent afterwards.

import type { JSX } from 'preact';
import { type Conversation, type Fate, fatesOf, type Line } from '../conversation.ts';
import { busy, compaction, compactProblem, preset, readAsFile, runCompaction, window_ } from '../session.ts';
import { ProblemBox } from './answer.tsx';

const figure = (value: number): string => Math.round(value).toLocaleString('en');
const PRESETS = ['lectern', 'valis', 'duragent', 'aixtools'];
const FATES: readonly Fate[] = ['kept', 'replaced', 'removed', 'added'];

export function ConversationView({ held }: { readonly held: Conversation }): JSX.Element {
  const answer = compaction.value;
  const problem = compactProblem.value;
  return (
    <div class="bench">
      <aside class="left" aria-label="Conversation">
        <h2>{held.name}</h2>
        <p class="facts">{figure(held.messages.length)} messages</p>
        <CompactionControls held={held} />
      </aside>
      <article class="right">
        {problem && <ProblemBox {...problem} />}
        {answer && <Outcome held={held} />}
      </article>
    </div>
  );
}

function CompactionControls({ held }: { readonly held: Conversation }): JSX.Element {
  return (
    <form
      class="controls"
      onSubmit={(event) => {
        event.preventDefault();
        void runCompaction();
      }}
    >
      <div class="fields">
        <div class="field wide">
          <label for="window">Context window, tokens</label>
          <input
            id="window"
            type="number"
            min="1"
            value={window_.value}
            onInput={({ currentTarget }) => {
              window_.value = currentTarget.value;
            }}
          />
        </div>
        <div class="field wide">
          <label for="preset">Preset</label>
          <select
            id="preset"
            value={preset.value}
            onChange={({ currentTarget }) => {
              preset.value = currentTarget.value;
              void runCompaction();
            }}
          >
            {PRESETS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      </div>
      <div class="form-actions">
        <button type="submit" class="primary" disabled={busy.value}>
          Compact
        </button>
        <button type="button" class="plain" onClick={() => void readAsFile(held.file)}>
          Read as a file
        </button>
      </div>
    </form>
  );
}

function Outcome({ held }: { readonly held: Conversation }): JSX.Element | null {
  const answer = compaction.value;
  if (!answer) return null;
  const { report, messages } = answer;
  const lines = fatesOf(held.messages, messages);
  const { before, after } = report;
  const saved = before.tokens === 0 ? 0 : 1 - after.tokens / before.tokens;
  return (
    <>
      <h2 class="headline">
        {report.action === 'none'
          ? `Nothing to compact: ${figure(before.tokens)} tokens fit.`
          : `${figure(before.tokens)} → ${figure(after.tokens)} tokens`}
        {report.action !== 'none' && (
          <small>
            {Math.round(saved * 100)}% saved · {before.messages} → {after.messages} messages · window{' '}
            {figure(report.window)}
          </small>
        )}
      </h2>
      {report.problem && <ProblemBox {...report.problem} />}
      <FateBar lines={lines} tokens={before.tokens} />
      {report.tiers.length > 0 && (
        <ul class="tiers" aria-label="What each tier did">
          {report.tiers.map(({ tier, changed, saved: fewer }) => (
            <li key={tier}>
              <code>{tier}</code> {changed} changed, {figure(fewer)} tokens saved
            </li>
          ))}
        </ul>
      )}
      <h3 id="messages">Messages</h3>
      <MessageList lines={lines} />
    </>
  );
}

/** Tokens of the original by fate; a replaced message counts what was sent on as kept of it. */
function FateBar({
  lines,
  tokens,
}: {
  readonly lines: readonly Line[];
  readonly tokens: number;
}): JSX.Element {
  const characters = lines.reduce((sum, { before }) => sum + before, 0) || 1;
  const perFate = FATES.filter((fate) => fate !== 'added').map((fate) => ({
    fate,
    tokens:
      (lines.reduce((sum, line) => sum + (line.fate === fate ? line.before : 0), 0) / characters) * tokens,
  }));
  let x = 0;
  const told = perFate.map(({ fate, tokens: part }) => `${fate} about ${figure(part)} tokens`).join(', ');
  return (
    <figure class="fate">
      <svg
        viewBox="0 0 1000 20"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Of the conversation: ${told}.`}
      >
        {perFate.map(({ fate, tokens: part }) => {
          const width = tokens === 0 ? 0 : (part / tokens) * 1000;
          x += width;
          return <rect key={fate} class={`fate-${fate}`} x={x - width} width={width} height="20" />;
        })}
      </svg>
      <figcaption>
        {perFate.map(({ fate, tokens: part }) => (
          <span key={fate}>
            <span class={`swatch fate-${fate}`} aria-hidden="true" />
            {fate} ≈ {figure(part)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function MessageList({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  return (
    <ol class="messages" aria-labelledby="messages">
      {lines.map(({ fate, number, role, excerpt, before, after }, index) => (
        <li key={index} class={`is-${fate}`}>
          <span class="number">{number ?? '+'}</span>
          <span class={`badge fate-${fate}`}>{fate}</span>
          <span class="role">{role}</span>
          <span class="excerpt">{excerpt}</span>
          <span class="size">
            {fate === 'replaced' ? `${figure(before)} → ${figure(after)}` : figure(Math.max(before, after))}{' '}
            chars
          </span>
        </li>
      ))}
    </ol>
  );
}
