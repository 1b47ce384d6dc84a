// Draws which parts of a file are shown: a grid for tables, tiles for pages, strips for everything else.

import type { JSX } from 'preact';
import { coverageOf, plural, sentenceOf, type Whole } from '../coverage.ts';
import type { ReadSuccess } from '../wire.ts';

const TILED = new Set(['page', 'slide', 'sheet', 'frame', 'document']);
const MAX_TILES = 240;
const MAX_DRAWN = 6;

export function Coverage({ answers }: { readonly answers: readonly ReadSuccess[] }): JSX.Element | null {
  const wholes = coverageOf(answers);
  if (wholes.length === 0) return null;
  const pictures: JSX.Element[] = [];
  const paired = new Set<Whole>();
  for (const whole of wholes) {
    if (paired.has(whole)) continue;
    const columns =
      whole.unit === 'row' && wholes.find(({ unit, name }) => unit === 'column' && name === whole.name);
    if (columns) paired.add(columns);
    pictures.push(<Picture key={`${whole.unit} ${whole.name}`} whole={whole} columns={columns || null} />);
  }
  return (
    <div class="coverage">
      {pictures.slice(0, MAX_DRAWN)}
      {pictures.length > MAX_DRAWN && (
        <p class="more">and {pictures.length - MAX_DRAWN} more; see the warnings</p>
      )}
    </div>
  );
}

function Picture({ whole, columns }: { readonly whole: Whole; readonly columns: Whole | null }): JSX.Element {
  const told = `${sentenceOf(whole)}${columns ? `; ${sentenceOf(columns)}` : ''}`;
  const drawing = columns ? (
    <Grid rows={whole} columns={columns} label={`Shown: ${told}.`} />
  ) : TILED.has(whole.unit) && whole.of <= MAX_TILES ? (
    <Tiles whole={whole} label={`Shown: ${told}.`} />
  ) : (
    <Strip whole={whole} label={`Shown: ${told}.`} />
  );
  return (
    <figure>
      <figcaption>
        <strong>
          {capital(plural(whole.unit, 2))}
          {columns ? ' × columns' : ''}
        </strong>{' '}
        {told}
      </figcaption>
      {drawing}
    </figure>
  );
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

interface Drawn {
  readonly whole: Whole;
  readonly label: string;
}

/** A range in a drawing of `length`, widened to a visible minimum. */
function stretch(
  { from, to }: { from: number; to: number },
  of: number,
  length: number,
): { at: number; size: number } {
  const size = Math.max(((to - from + 1) / of) * length, Math.min(length, 4));
  return { at: Math.min(((from - 1) / of) * length, length - size), size };
}

function Strip({ whole, label }: Drawn): JSX.Element {
  return (
    <svg class="strip" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="left-out" width="1000" height="14" />
      {whole.shown.map((range) => {
        const { at, size } = stretch(range, whole.of, 1000);
        return <rect class="shown" key={range.from} x={at} width={size} height="14" />;
      })}
    </svg>
  );
}

const GRID_HEIGHT = 96;
const GRID_LINES = 60;

function Grid({
  rows,
  columns,
  label,
}: {
  readonly rows: Whole;
  readonly columns: Whole;
  readonly label: string;
}): JSX.Element {
  const width = 1000 / columns.of;
  return (
    <svg
      class="grid"
      viewBox={`0 0 1000 ${GRID_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect class="left-out" width="1000" height={GRID_HEIGHT} />
      {rows.shown.flatMap((range) => {
        const { at: y, size: height } = stretch(range, rows.of, GRID_HEIGHT);
        return columns.shown.map((across) => {
          const { at: x, size } = stretch(across, columns.of, 1000);
          return (
            <rect
              class="shown"
              key={`${range.from} ${across.from}`}
              x={x}
              y={y}
              width={size}
              height={height}
            />
          );
        });
      })}
      {columns.of <= GRID_LINES &&
        Array.from({ length: columns.of - 1 }, (_, index) => (
          <rect class="gap" key={index} x={(index + 1) * width - 1} width="2" height={GRID_HEIGHT} />
        ))}
    </svg>
  );
}

const TILE = 20;

function Tiles({ whole, label }: Drawn): JSX.Element {
  const across = Math.min(whole.of, 24);
  const down = Math.ceil(whole.of / across);
  return (
    <svg
      class="tiles"
      viewBox={`0 0 ${across * TILE} ${down * 26}`}
      style={{ width: `${across * TILE}px` }}
      role="img"
      aria-label={label}
    >
      {Array.from({ length: whole.of }, (_, index) => {
        const shown = whole.shown.some(({ from, to }) => from <= index + 1 && index + 1 <= to);
        return (
          <rect
            key={index}
            class={shown ? 'shown' : 'left-out'}
            x={(index % across) * TILE + 1}
            y={Math.floor(index / across) * 26 + 1}
            width="16"
            height="22"
            rx="2"
          />
        );
      })}
    </svg>
  );
}
