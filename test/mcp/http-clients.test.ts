// The official client over HTTP. That of the first SDK is tested in test/integrations.

import { checkHttpClient } from './http-client-checks.ts';
import { secondHttpClient } from './session.ts';

checkHttpClient('the client of the second SDK, with a handshake', (url, key) =>
  secondHttpClient(url, key, false),
);
checkHttpClient('the client of the second SDK, without one', (url, key) => secondHttpClient(url, key, true));
