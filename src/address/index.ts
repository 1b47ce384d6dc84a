// Addresses: a path and the place in its file, as in `report.pdf#page=12`.

export {
  type FormatPlaces,
  type Place,
  parseAddress,
  parsePlace,
  printAddress,
  requestOf,
} from './place.ts';
export { addressCuts, splitAddress, splitMember } from './split.ts';
