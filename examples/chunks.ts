import { createReader } from 'lectern';

const reader = createReader();
for await (const chunk of reader.chunks('fixtures/documents/gauges.pdf', { maxTokens: 64, overlap: 16 })) {
  console.log(chunk.address, chunk.tokens, chunk.headings.join(' > '));
  console.log(chunk.text);
}
