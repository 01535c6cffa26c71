/** How a review's `metadata.managedFields` begins: never first of its object's members, which starts with a name. */
const OPENING = ',"managedFields":[';
/** How it ends: Go writes it as the last member of ObjectMeta, and the object's spec next. */
const CLOSING = ']},"spec":{';
/** `object` and `oldObject`. */
const OBJECTS = 2;

/**
 * The text of an AdmissionReview without the objects' managedFields: the API server's own bookkeeping, which no decision looks at and which
 * is up to half of what it sends and of the time that parsing takes. Anything that does not look exactly as the API server writes it stays.
 *
 * For every text that is JSON the result is the same JSON without these members, wherever the strings in it come from: neither mark can
 * begin within a string, as its first quote would end that string and a letter cannot follow; and the first bracket after an opening one,
 * when it is a closing one, closes it. What is cut out is not parsed, so a text that is no JSON just there is taken for what is around it.
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
