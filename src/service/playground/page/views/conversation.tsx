// Shows which messages of a conversation compaction keeps, replaces and removes, and the result.

import type { JSX } from 'preact';
import type { Conversation } from '../conversation.ts';
import { fatesOf } from '../fates.ts';
import {
  busy,
  compaction,
  compactProblem,
  keptIn,
  preset,
  readAsFile,
  runCompaction,
  window_,
} from '../session.ts';
import type { Compaction } from '../wire.ts';
import { ProblemBox } from './answer.tsx';
import { FateBar, figure, MessageList } from './messages.tsx';

const PRESETS = ['lectern', 'valis', 'duragent', 'aixtools'];

export function ConversationView({ held }: { readonly held: Conversation }): JSX.Element {
  const answer = compaction.value;
  const problem = compactProblem.value;
  return (
    <div class="bench">
      <aside class="left" aria-label="Conversation">
        <div>
          <h2 id="conversation" class="name" tabIndex={-1}>
            {held.name}
          </h2>
          <p class="facts">{figure(held.messages.length)} messages</p>
        </div>
        <CompactionControls held={held} />
      </aside>
      <article class="right">
        {problem && <ProblemBox {...problem} />}
        {answer && <Outcome held={held} answer={answer} />}
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
          <label for="window">Context window (tokens)</label>
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
        <div class="field wide">
          <label for="kept-in">Keep originals in session</label>
          <input
            id="kept-in"
            type="text"
            placeholder="not kept"
            autocomplete="off"
            spellcheck={false}
            value={keptIn.value}
            onInput={({ currentTarget }) => {
              keptIn.value = currentTarget.value;
            }}
          />
        </div>
      </div>
      <div class="form-actions">
        <button type="submit" class="primary" aria-disabled={busy.value}>
          Compact
        </button>
        <button type="button" class="plain" onClick={() => void readAsFile(held.file)}>
          Read as a file
        </button>
      </div>
    </form>
  );
}

function Outcome({
  held,
  answer,
}: {
  readonly held: Conversation;
  readonly answer: Compaction;
}): JSX.Element {
  const { report } = answer;
  const lines = fatesOf(held.messages, answer);
  const { before, after } = report;
  const saved = before.tokens === 0 ? 0 : 1 - after.tokens / before.tokens;
  return (
    <>
      <h2 class="headline">
        {report.action === 'none'
          ? `Nothing to compact: ${figure(before.tokens)} tokens fit`
          : `${figure(before.tokens)} → ${figure(after.tokens)} tokens`}
        <small>
          {report.action !== 'none' && `${Math.round(saved * 100)}% saved · `}
          {before.messages} → {after.messages} messages · window {figure(report.window)} · {report.codec}
        </small>
      </h2>
      {report.problem && <ProblemBox {...report.problem} />}
      <FateBar lines={lines} />
      {report.tiers.length > 0 && (
        <ul class="tiers" aria-label="What each tier did">
          {report.tiers.map(({ tier, changed, saved: fewer }) => (
            <li key={tier}>
              <code>{tier}</code> {figure(changed)} {changed === 1 ? 'change' : 'changes'}, {figure(fewer)}{' '}
              tokens saved
            </li>
          ))}
        </ul>
      )}
      <section aria-labelledby="messages">
        <div class="section-head">
          <h3 id="messages">Messages</h3>
          <p class="key-line">Open a message to see its text and how to retrieve the original.</p>
        </div>
        <MessageList lines={lines} />
      </section>
    </>
  );
}
