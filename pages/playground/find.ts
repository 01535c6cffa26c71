import { breakablePieces } from '../../src/base/text/wrap.ts';

/** The element of an id. The page has all of them, so a missing element is an error of ours. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id}`);
  return found;
}

/** An element with a text. Texts of a person are never parsed as markup. Paths of fields may break behind dots. */
export function element(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  const pieces = breakablePieces(text).flatMap((piece) => [piece, document.createElement('wbr')]);
  made.append(...pieces.slice(0, -1));
  made.className = className;
  return made;
}
