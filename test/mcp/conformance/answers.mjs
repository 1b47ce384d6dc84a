// What the fixtures of the conformance suites share.

import { z } from 'zod';

/** One red pixel, as base64. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** An input schema without arguments. */
export const NOTHING = z.object({});

/** A result of one text. */
export const said = (text) => ({ content: [{ type: 'text', text }] });
