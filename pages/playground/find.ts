/** The element of an id. The page has all of them, so a missing element is an error of ours. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id}`);
  return found;
}

/** An element with a text. Texts of a person are never parsed as markup. */
export function element(tag: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
