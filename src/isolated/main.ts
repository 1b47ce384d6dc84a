// What a child process runs that reads files for another: every format and every task, behind the channel on file descriptor 3.

import { Socket } from 'node:net';
import { FORMATS } from '../../processors/index.ts';
import { Channel } from '../isolation/index.ts';
import { serveReads } from '../reader/index.ts';
import { TASKS } from './tasks.ts';

await serveReads(FORMATS, new Channel(new Socket({ fd: 3 })), TASKS);
