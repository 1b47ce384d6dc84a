// Generates sample files in the browser.

export interface Sample {
  readonly label: string;
  readonly detail: string;
  make(): File;
}

const CITIES = ['Lisbon', 'Kraków', 'Osaka', 'Cologne', 'Quito', 'Tromsø'];
const PLACES = ['Mill bridge', 'Old lock', 'Ferry landing', 'North weir'];

const cents = (number: number): string => (number / 100).toFixed(2);

function orders(): File {
  const rows = ['id,customer,city,amount,status'];
  for (let id = 1; id <= 5000; id++)
    rows.push(
      `${id},Customer ${(id * 37) % 811},${CITIES[id % CITIES.length]},${cents((id * 1337) % 99_991)},${id % 7 === 0 ? 'open' : 'paid'}`,
    );
  return new File([`${rows.join('\n')}\n`], 'orders.csv', { type: 'text/csv' });
}

function readings(): File {
  const stations = PLACES.map((name, index) => ({
    id: index + 1,
    name,
    readings: Array.from({ length: 180 }, (_, day) => ({
      day: day + 1,
      level: 180 + ((day * (index + 3) * 7) % 140),
      checked: day % 5 !== 0,
    })),
  }));
  const text = JSON.stringify({ river: 'Wend', unit: 'cm', stations }, null, 2);
  return new File([text], 'readings.json', { type: 'application/json' });
}

function handbook(): File {
  const chapters = Array.from({ length: 40 }, (_, index) => {
    const place = PLACES[index % PLACES.length] ?? '';
    return `## ${index + 1}. ${place}\n\nThe keeper reads the gauge at six in the morning and at six in the evening, and writes level and time into the log.\n\n- Wait until the water is calm.\n- Read the middle of three waves.\n- Above **${300 + index * 5} cm** close the gate and ring the bell.\n`;
  });
  return new File([`# Handbook of the river office\n\n${chapters.join('\n')}`], 'handbook.md', {
    type: 'text/markdown',
  });
}

function conversation(): File {
  const messages: unknown[] = [
    { role: 'system', content: 'You are a coding agent. Work in small steps and run the tests.' },
    { role: 'user', content: 'Find out why lock 7 opens too late at high water, and fix it.' },
  ];
  for (let step = 1; step <= 24; step++) {
    const id = `call_${step}`;
    const path = `src/gate-${step}.ts`;
    messages.push({
      role: 'assistant',
      content: `I read ${path} next.`,
      tool_calls: [
        { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path }) } },
      ],
    });
    const lines = Array.from(
      { length: 70 },
      (_, line) =>
        `export const level${line} = gauge(${step * line}); // checked at ${CITIES[line % CITIES.length]}`,
    );
    messages.push({ role: 'tool', tool_call_id: id, content: lines.join('\n') });
  }
  messages.push({ role: 'assistant', content: 'Gate 19 compares centimetres with inches. I fix that now.' });
  return new File([JSON.stringify(messages, null, 2)], 'conversation.json', { type: 'application/json' });
}

export const SAMPLES: readonly Sample[] = [
  { label: 'orders.csv', detail: 'a table of 5,000 rows', make: orders },
  { label: 'readings.json', detail: 'four stations, nested', make: readings },
  { label: 'handbook.md', detail: 'a text of 40 chapters', make: handbook },
  { label: 'conversation.json', detail: 'a run of 51 messages', make: conversation },
];
