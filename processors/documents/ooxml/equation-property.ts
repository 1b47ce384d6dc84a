// Properties of Office Math (ECMA-376 part 1, 22.1): values and on/off settings.

import type { XmlElement } from '../../../src/package/index.ts';

/** The value of a property element inside `properties`. */
export function property(element: XmlElement, properties: string, name: string): string | undefined {
  return element.at(properties, name)?.get('val');
}

/** An on/off element (ECMA-376 22.9.2.7): on if present without a value. */
export function isOn(element: XmlElement, properties: string, name: string): boolean {
  const found = element.at(properties, name);
  return found !== undefined && !/^(?:0|off|false)$/.test(found.get('val') ?? '1');
}

export function isOff(element: XmlElement, properties: string, name: string): boolean {
  return element.at(properties, name) !== undefined && !isOn(element, properties, name);
}
