/**
 * The start of `metadata.managedFields` in a review. The field is never the first member of ObjectMeta: the first
 * member is a name.
 */
const OPENING = ',"managedFields":[';
/**
 * The end of `managedFields`. Go writes `managedFields` as the last member of ObjectMeta, and the object's spec next.
 */
const CLOSING = ']},"spec":{';
/** A review has two objects: `object` and `oldObject`. */
const OBJECTS = 2;

/**
 * Removes `managedFields` from the objects in the text of an AdmissionReview. No decision reads `managedFields`, the
 * API server's own bookkeeping. The field is up to half of the text and of the parsing time. A text that differs from
 * the API server's format stays unchanged.
 *
 * For every valid JSON text, the result is the same JSON without these members, whatever strings the JSON contains.
 * Neither mark can begin within a string: the first quote of a mark would end the string, and no letter may follow.
 * After an opening bracket, the next bracket closes the list if that next bracket is a closing one. The removed part is
 * not parsed, so invalid JSON in the removed part is not detected.
 */
export function withoutManagedFields(text: string): string {
  let kept = '';
  let from = 0;
  let search = 0;
  for (let object = 0; object < OBJECTS; object++) {
    const opening = text.indexOf(OPENING, search);
    if (opening < 0) break;
    const inside = opening + OPENING.length;
    const closing = text.indexOf(']', inside);
    if (closing < 0) break;
    search = closing;
    if (!text.startsWith(CLOSING, closing) || text.slice(inside, closing).includes('[')) continue;
    kept += text.slice(from, opening);
    from = closing + 1;
  }
  return from === 0 ? text : kept + text.slice(from);
}
