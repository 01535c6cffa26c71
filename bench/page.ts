import { runProbewright } from '../test/cli/run-probewright.ts';
import { startBrowser, whyNoBrowser } from '../test/pages/bed/chromium.ts';
import { openPage, type OpenPage } from '../test/pages/bed/open-page.ts';
import { fleet } from '../test/explain/fleet-page/fleet.ts';
import { judged, ratios, reading, type Findings } from './figures.ts';

const WORKLOADS = 1000;
const ROUNDS = 9;
/** A page that answers within this time feels immediate. */
const GOAL_MILLISECONDS = 100;

/** Milliseconds from an action in the page until the frame after the action has been drawn. */
const TIMED = `globalThis.timed = async (act) => {
  const nextFrame = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  await nextFrame();
  const began = performance.now();
  act();
  await nextFrame();
  return performance.now() - began;
}; undefined`;

/** Writes into a field of the report's tools. */
const choose = (id: string, value: string): string =>
  `timed(() => { const field = document.querySelector('#${id}'); field.value = '${value}';` +
  " field.dispatchEvent(new Event(field.tagName === 'INPUT' ? 'input' : 'change')); })";

/** The least that a filter can do: reads the text of each row, and hides rows. The loop shows all rows again for an empty word. */
const bareLoop = (word: string): string =>
  `timed(() => { for (const row of document.querySelectorAll('.row')) row.hidden = !row.textContent.includes('${word}'); })`;

/** Goal 7: the filters of a report. */
export async function reportPage(): Promise<Findings> {
  const title = 'Filtering a report';
  const how = `A report of ${WORKLOADS} workloads in the Chromium of the tests. From the change of a filter until the next frame has been drawn, in turns with a bare loop that reads and hides the same rows.`;
  const why = whyNoBrowser();
  if (why !== undefined) return { title, how, rows: [], skipped: why };
  const { stdout } = await runProbewright(['report', '-', '--policies', 'examples/policies'], {
    stdin: fleet(WORKLOADS),
  });
  const browser = await startBrowser();
  try {
    const open = await openPage(browser, stdout);
    await open.evaluate(TIMED);
    return { title, how, rows: await measured(open) };
  } finally {
    await browser.close();
  }
}

async function measured({ evaluate }: OpenPage): Promise<Findings['rows']> {
  const loop: number[] = [];
  const word: number[] = [];
  const all: number[] = [];
  const namespace: number[] = [];
  const order: number[] = [];
  const time = async (times: number[], step: string): Promise<number> => times.push(Number(await evaluate(step)));
  for (let round = 0; round < ROUNDS; round++) {
    await time(loop, bareLoop('web'));
    await evaluate(bareLoop(''));
    await time(word, choose('find', 'web'));
    await time(all, choose('find', ''));
    await time(namespace, choose('namespace', 'shop'));
    await evaluate(choose('namespace', ''));
    await time(order, choose('order', 'worst'));
    await evaluate(choose('order', ''));
  }
  const goal = { atMost: GOAL_MILLISECONDS };
  return [
    reading('a bare loop: rows with a word', loop, ' ms'),
    judged('rows with a word', word, goal, ' ms'),
    reading('rows with a word / the bare loop', ratios(word, loop)),
    judged('all rows again', all, goal, ' ms'),
    judged('rows of a namespace', namespace, goal, ' ms'),
    reading('all rows in another order', order, ' ms'),
  ];
}
