/**
 * Filters and sorts the rows of the report. The page is complete without this script: the script shows the tools, and
 * hides and moves rows. Texts of the page are only compared, never parsed as markup.
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
const open = find('#open', HTMLButtonElement);
const count = find('#count', HTMLOutputElement);
const list = find('#list', HTMLElement);
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
  start: (a, b) => (a.start === b.start ? 0 : a.start - b.start),
  name: byName,
};

let shown: Row[] = rows;
let groups: readonly { readonly section: HTMLElement; readonly members: readonly Row[] }[] = [];

function filter(): void {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = rows.filter((row) => isShown(row, words));
  const visible = new Set(shown);
  for (const row of rows) row.element.hidden = !visible.has(row);
  for (const { section, members } of groups) section.hidden = !members.some((row) => visible.has(row));
  const all = `${shown.length} of ${rows.length}`;
  count.textContent =
    withoutRow > 0 ? `${all} rows. ${withoutRow} workloads have no row, and are not searched.` : `${all} workloads`;
  remember();
}

/** Moves the rows: into one list in the chosen order, or into a section for each namespace. */
function sort(): void {
  const compare = ORDERS[order.value];
  const sorted = compare === undefined ? rows : rows.toSorted(compare);
  groups = order.value === 'namespace' ? groupsOf(sorted) : [];
  list.replaceChildren(
    ...(groups.length > 0 ? groups.map(({ section }) => section) : sorted.map((row) => row.element)),
  );
  filter();
}

function groupsOf(sorted: readonly Row[]): typeof groups {
  const names = [...new Set(sorted.map((row) => row.namespace))].sort();
  return names.map((name, index) => {
    const section = find('template', HTMLTemplateElement).content.firstElementChild?.cloneNode(true) as HTMLElement;
    const members = sorted.filter((row) => row.namespace === name);
    const heading = find('h3', HTMLElement, section);
    heading.id = `n${index}`;
    section.setAttribute('aria-labelledby', heading.id);
    find('bdi', HTMLElement, heading).textContent = name;
    find('small', HTMLElement, heading).textContent = `${members.length} workload${members.length === 1 ? '' : 's'}`;
    section.append(...members.map(({ element }) => element));
    return { section, members };
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
  sort();
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
  button.textContent = `Show ${workloads?.textContent ?? ''}`;
  button.addEventListener('click', (event) => choose(event, check, row.id.slice('check-'.length)));
  workloads?.replaceChildren(button);
}
text.addEventListener('input', filter);
for (const select of [namespace, verdict, check]) select.addEventListener('change', filter);
order.addEventListener('change', sort);
tools.addEventListener('submit', (event) => event.preventDefault());
open.addEventListener('click', () => {
  const closed = shown.some(({ element }) => !element.open);
  for (const { element } of shown) element.open = closed;
  open.textContent = closed ? 'Close all' : 'Open all';
});
addEventListener('hashchange', () => {
  if (!location.hash.includes('=')) return;
  recall();
  sort();
});

if (rows.length > 0) tools.hidden = false;
if (location.hash.includes('=')) recall();
sort();
