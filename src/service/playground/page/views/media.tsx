// Images and audio of an answer, as the model receives them.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ReadSuccess, WirePart } from '../wire.ts';

type Binary = Extract<WirePart, { kind: 'binary' }>;

export function Media({ answers }: { readonly answers: readonly ReadSuccess[] }): JSX.Element | null {
  const found = answers.flatMap(({ content, metadata }) =>
    content.flatMap((part) => (part.kind === 'binary' ? [{ part, name: metadata.name }] : [])),
  );
  if (found.length === 0) return null;
  return (
    <div class="media">
      {found.map(({ part, name }, index) => (
        <Medium key={index} part={part} name={name} />
      ))}
    </div>
  );
}

function Medium({ part, name }: { readonly part: Binary; readonly name: string }): JSX.Element {
  const url = useObjectUrl(part);
  const kind = part.mimeType.split('/')[0];
  const label = `${name}, as the model receives it`;
  if (url === '') return <p>Loading …</p>;
  if (kind === 'image') return <img src={url} alt={label} />;
  // biome-ignore lint/a11y/useMediaCaption: no captions exist for a file that was just dropped
  if (kind === 'audio') return <audio controls src={url} aria-label={label} />;
  // biome-ignore lint/a11y/useMediaCaption: no captions exist for a file that was just dropped
  if (kind === 'video') return <video controls src={url} aria-label={label} />;
  return (
    <p>
      {part.mimeType}, {Math.floor((part.data.length * 3) / 4).toLocaleString('en')} bytes
    </p>
  );
}

function useObjectUrl({ data, mimeType }: Binary): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mimeType]);
  return url;
}
