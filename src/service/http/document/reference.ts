// Renders the API as one HTML page without scripts, from its OpenAPI document.

type Json = Record<string, unknown>;

/** The page for a `document` from `openApiOf`. */
export function referencePage(document: Json): string {
  const operations = Object.entries(objectOf(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: objectOf(operation),
    })),
  );
  const tags = [...new Set(operations.map(({ operation }) => String(listOf(operation['tags'])[0])))];
  const sections = tags.map((tag) => {
    const entries = operations.filter(({ operation }) => listOf(operation['tags'])[0] === tag);
    return `<section><h2>${escaped(tag)}</h2>${entries.map(entryOf).join('')}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>lectern API</title><style>${STYLE}</style></head>
<body><main><h1>lectern API</h1>
<p>${marked(String(objectOf(document['info'])['description']))} The same as a machine reads it: <a href="/openapi.json">openapi.json</a>.</p>
<p>Errors are <code>application/problem+json</code> with a stable <code>code</code> and a <code>hint</code>. Send a key as <code>Authorization: Bearer KEY</code>.</p>
${sections.join('\n')}</main></body></html>`;
}

function entryOf({
  path,
  method,
  operation,
}: {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}): string {
  const parameters = listOf(operation['parameters']).map(objectOf);
  const body = objectOf(objectOf(operation['requestBody'])['content']);
  const responses = Object.entries(objectOf(operation['responses'])).filter(
    ([status]) => status !== 'default',
  );
  return `<article id="${escaped(String(operation['operationId']))}">
<h3><span class="method">${method}</span> <code>${escaped(path)}</code></h3>
<p>${marked(String(operation['summary']))}. ${marked(String(operation['description'] ?? ''))}</p>
${parameters.length > 0 ? tableOf(parameters) : ''}
${bodyOf(body, String(objectOf(operation['requestBody'])['description'] ?? ''))}
${responses
  .filter(([status]) => Number(status) < 400)
  .map(
    ([status, answer]) =>
      `<p>${meaningOf(status, answer)} ${typesOf(objectOf(objectOf(answer)['content']))}</p>`,
  )
  .join('')}
${errorsOf(responses.filter(([status]) => Number(status) >= 400))}
</article>`;
}

const meaningOf = (status: string, answer: unknown): string =>
  `<strong>${status}</strong> ${marked(String(objectOf(answer)['description']))}`;

function errorsOf(responses: readonly (readonly [status: string, answer: unknown])[]): string {
  if (responses.length === 0) return '';
  const statuses = responses.map(([status]) => status).join(', ');
  const meanings = responses.map(([status, answer]) => `<li>${meaningOf(status, answer)}</li>`).join('');
  return `<details><summary>Errors: ${statuses}</summary><ul>${meanings}</ul></details>`;
}

function tableOf(parameters: readonly Json[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><th scope="row"><code>${escaped(String(name))}</code></th><td>${escaped(String(place))}${required === true ? ', required' : ''}</td><td>${escaped(typeOf(objectOf(schema)))}</td><td>${marked(String(description ?? ''))}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">Field</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function bodyOf(content: Json, description: string): string {
  if (Object.keys(content).length === 0) return '';
  const schema = objectOf(objectOf(content['application/json'])['schema']);
  const details =
    Object.keys(schema).length > 0
      ? `<details><summary>JSON schema</summary><pre>${escaped(JSON.stringify(schema, null, 2))}</pre></details>`
      : '';
  return `<p>Body: ${typesOf(content)}. ${marked(description)}</p>${details}`;
}

const typesOf = (content: Json): string =>
  Object.keys(content)
    .map((type) => `<code>${escaped(type)}</code>`)
    .join(', ');

function typeOf(schema: Json): string {
  if (Array.isArray(schema['enum'])) return schema['enum'].join(' | ');
  const choices = [...listOf(schema['anyOf'])].map((choice) => typeOf(objectOf(choice)));
  return choices.length > 0 ? choices.join(' | ') : String(schema['type'] ?? 'any');
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}; // of JSON: its keys are strings
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
/** Text between backticks as code. */
const marked = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:62rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}h3{margin-top:2rem}article{padding:.25rem 1.25rem;margin:1rem 0;border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:10px}article h3{margin-top:.75rem}.method{font-size:.75em;letter-spacing:.05em;padding:.1rem .45rem;border-radius:4px;background:color-mix(in srgb,currentColor 10%,transparent)}a{color:inherit}
body{margin:0;overflow-wrap:anywhere}.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}td:nth-child(2){white-space:nowrap}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 12%,transparent)}
pre{overflow:auto;padding:.75rem;background:color-mix(in srgb,currentColor 6%,transparent)}code{font-size:.92em}`;
