// Lets the built command be run as a program; npm does so when it links a package, but not for a checkout.

import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/src/cli/main.js', import.meta.url), 0o755);
