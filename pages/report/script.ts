/**
 * Filters, sorts and pages the rows of the report. The page is complete without this script: the script shows the tools,
 * and puts the rows that match into the list. Texts of the page are only compared, never parsed as markup.
 */

interface Row {
  readonly element: HTMLDetailsElement;
  readonly namespace: string;
  readonly name: string;
  /** What a search looks at. */
  readonly text: string;
  readonly verdict: string;
  readonly level: number;
  readonly start: number;
  readonly checks: readonly string[];
}

const find = <T extends Element>(selector: string, type: new () => T, root: ParentNode = document): T => {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) throw new Error(selector);
  return found;
};
const textOf = (selector: string, root: ParentNode): string => root.querySelector(selector)?.textContent ?? '';

const rows = [...document.querySelectorAll<HTMLDetailsElement>('.row')].map((element): Row => {
  const { v = '', g = '', c = '' } = element.dataset;
  const found = [...element.querySelectorAll('.found a, .live b')].map(({ textContent }) => textContent);
  const checks = [...found, ...c.split(' ').filter(Boolean)];
  const texts = [textOf('summary', element), textOf('.place', element), ...checks];
  return {
    element,
    namespace: textOf('.in', element).slice(' in '.length),
    name: textOf('b', element),
    text: texts.join(' ').toLowerCase(),
    verdict: textOf('i', element),
    level: Number(v),
    start: g === '' ? Infinity : Number(g),
    checks,
  };
});

const tools = find('#tools', HTMLFormElement);
const text = find('#find', HTMLInputElement);
const namespace = find('#namespace', HTMLSelectElement);
const verdict = find('#verdict', HTMLSelectElement);
const check = find('#check', HTMLSelectElement);
const order = find('#order', HTMLSelectElement);
const fields = { find: text, namespace, verdict, check, order };
const filters = [text, namespace, verdict, check];
const open = find('#open', HTMLButtonElement);
const count = find('#count', HTMLOutputElement);
const list = find('#list', HTMLElement);
const none = find('#none', HTMLElement);
const clear = find('#tools .clear', HTMLButtonElement);
const template = find('.namespace', HTMLElement, find('template', HTMLTemplateElement).content);
const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-namespace],a[data-verdict],a[data-check]')];

const offer = (select: HTMLSelectElement, values: readonly string[]): void => {
  for (const value of new Set(values)) select.append(new Option(value, value));
};
// A namespace or a check may have no row: then its choice shows none, and not all.
offer(
  namespace,
  links.flatMap(({ dataset }) => dataset['namespace'] ?? []),
);
offer(
  verdict,
  links.flatMap(({ dataset }) => dataset['verdict'] || []),
);
const summarized = [...document.querySelectorAll('[id^=check-]')].map(({ id }) => id.slice('check-'.length));
offer(check, [...rows.flatMap(({ checks }) => checks), ...summarized].sort());
/** Workloads that the page counts, and has no row for. */
const withoutRow = Number(count.dataset['all']) - rows.length;

const isShown = (row: Row, words: readonly string[]): boolean =>
  (namespace.value === '' || row.namespace === namespace.value) &&
  (verdict.value === '' || row.verdict === verdict.value) &&
  (check.value === '' || row.checks.includes(check.value)) &&
  words.every((word) => row.text.includes(word));

const byName = (a: Row, b: Row): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
/** The page has the worst rows first, so that order needs no comparison. */
const ORDERS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  namespace: (a, b) => (a.namespace < b.namespace ? -1 : Number(a.namespace > b.namespace)),
  start: (a, b) => (a.start === b.start ? 0 : a.start - b.start),
  name: byName,
};

/** Rows of a page of the list. A page of the list opens by a click, by a search in the browser's window, and on paper. */
const PAGE = 100;

let shown: readonly Row[] = rows;

/** Shows the rows that match, in the chosen order. */
function update(): void {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const compare = ORDERS[order.value];
  const found = rows.filter((row) => isShown(row, words));
  shown = compare === undefined ? found : found.toSorted(compare);
  const pages = shown.slice(PAGE).flatMap((_, at) => (at % PAGE === 0 ? [pageFrom(PAGE + at)] : []));
  list.replaceChildren(...elementsOf(shown.slice(0, PAGE)), ...pages);
  const all = `${shown.length} of ${rows.length}`;
  count.textContent =
    withoutRow > 0 ? `${all} rows. ${withoutRow} workloads have no row, and are not searched.` : `${all} workloads`;
  none.hidden = shown.length > 0 || rows.length === 0;
  clear.hidden = filters.every(({ value }) => value === '');
  remember();
}

/** The rows of a page of the list, below a line that opens them. */
function pageFrom(first: number): HTMLElement {
  const page = document.createElement('details');
  const line = document.createElement('summary');
  const last = Math.min(first + PAGE, shown.length);
  page.className = 'more';
  line.textContent = `Workloads ${first + 1} to ${last} of ${shown.length}`;
  page.append(line, ...elementsOf(shown.slice(first, last)));
  return page;
}

/** The rows of one page, or a section for each namespace of the page. */
function elementsOf(some: readonly Row[]): HTMLElement[] {
  if (order.value !== 'namespace') return some.map(({ element }) => element);
  return [...Map.groupBy(some, (row) => row.namespace)].map(([name, members]) => {
    const section = template.cloneNode(true) as HTMLElement;
    const all = shown.filter((row) => row.namespace === name).length;
    find('bdi', HTMLElement, section).textContent = name;
    find('small', HTMLElement, section).textContent = `${all} workload${all === 1 ? '' : 's'}`;
    section.append(...members.map(({ element }) => element));
    return section;
  });
}

/** The choices are in the address, so that a link shows the same rows. */
function remember(): void {
  const chosen = Object.entries(fields).flatMap(([key, { value }]) => (value === '' ? [] : [[key, value]]));
  const hash = new URLSearchParams(chosen).toString();
  if (hash !== '' || location.hash.includes('=')) history.replaceState(null, '', `#${hash}`);
}

function recall(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [key, field] of Object.entries(fields)) {
    field.value = given.get(key) ?? '';
    // A select has no value that it does not offer.
    if ('selectedIndex' in field && field.selectedIndex === -1) field.value = '';
  }
}

/** Links of the summaries choose rows. */
function choose(event: Event, select: HTMLSelectElement, value: string): void {
  event.preventDefault();
  for (const field of Object.values(fields)) field.value = '';
  select.value = value;
  update();
  find('#workloads', HTMLElement).scrollIntoView();
  select.focus({ preventScroll: true });
}

for (const link of links) {
  const [[field, value = ''] = ['namespace']] = Object.entries(link.dataset);
  const select = field === 'check' ? check : field === 'verdict' ? verdict : namespace;
  link.addEventListener('click', (event) => choose(event, select, value));
}
for (const row of document.querySelectorAll('[id^=check-]')) {
  const button = document.createElement('button');
  const workloads = row.lastElementChild;
  button.type = 'button';
  const word = document.createElement('span');
  word.textContent = 'Show ';
  button.append(word, workloads?.textContent ?? '');
  button.addEventListener('click', (event) => choose(event, check, row.id.slice('check-'.length)));
  workloads?.replaceChildren(button);
}
text.addEventListener('input', update);
for (const select of [namespace, verdict, check, order]) select.addEventListener('change', update);
for (const button of document.querySelectorAll('.clear'))
  button.addEventListener('click', () => {
    for (const field of filters) field.value = '';
    update();
    // The button is hidden now.
    text.focus({ preventScroll: true });
  });
tools.addEventListener('submit', (event) => event.preventDefault());
open.addEventListener('click', () => {
  const closed = shown.some(({ element }) => !element.open);
  for (const { element } of shown) element.open = closed;
  open.textContent = closed ? 'Close all' : 'Open all';
});
addEventListener('hashchange', () => {
  if (!location.hash.includes('=')) return;
  recall();
  update();
});

if (rows.length > 0) tools.hidden = false;
if (location.hash.includes('=')) recall();
update();
