import { createReader, createWorkspace } from 'lectern';

const workspace = createWorkspace({ user: 'ada', session: 'q3' }); // or { root: 'some/folder' }
const reader = createReader({ workspace });

await workspace.write('notes/plan.md', '# Plan\n\nFind the late orders.\n', { overwrite: true });
const { matches } = await workspace.search('late', { glob: '*.md' });
console.log(matches[0]?.path, matches[0]?.line); // notes/plan.md 3

const answer = await reader.read('/workspace/notes/plan.md');
console.log(answer.success && answer.text);
