import { withBlankMembers } from './json-blank.ts';

/** Who set which field: often longer than the object itself, and nobody here asks for it. */
const MANAGED_FIELDS = 'managedFields';

/** Where the metadata of objects is. */
const METADATA = { list: ['items', '*', 'metadata'], watch: ['object', 'metadata'] } as const;

/**
 * Takes members of the objects' metadata, and always managedFields, out of a list or an event of a watch before it is
 * parsed. What was there is null.
 */
export function omittingMetadata(of: keyof typeof METADATA, members: readonly string[]): (json: Buffer) => Buffer {
  const place = { path: METADATA[of], names: [...members, MANAGED_FIELDS] };
  return (json) => withBlankMembers(json, place);
}
