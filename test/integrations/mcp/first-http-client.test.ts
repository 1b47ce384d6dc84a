// The official client of the first SDK over HTTP.

import { checkHttpClient } from '../../mcp/http-client-checks.ts';
import { firstHttpClient } from './first-session.ts';

checkHttpClient('the client of the first SDK', firstHttpClient);
