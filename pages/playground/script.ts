import { MANIFESTS_FILE, judgeTexts } from '../../src/package/playground/judged-texts.ts';
import { LONGEST_FRAGMENT, linkFragment, textsOfFragment } from '../../src/package/playground/share-link.ts';
import { timelineMarkup } from '../../src/package/playground/timeline-markup.ts';
import { messageOf } from '../../src/base/text/error-message.ts';
import { Editor } from './editor.ts';
import { find } from './find.ts';
import { findingsOf, showFindings } from './findings.ts';
import { showPatch } from './patch.ts';
import { Tabs } from './tabs.ts';
import type { PlaygroundTexts } from '../../src/package/playground/judged-texts.ts';
import type { Finding } from './findings.ts';

interface Example extends PlaygroundTexts {
  readonly title: string;
}

/** The page judges when a person has not typed for this time, in milliseconds. */
const PAUSE = 150;

const examples = JSON.parse(find('examples', HTMLElement).textContent) as readonly Example[];
const example = find('example', HTMLSelectElement);
const advice = find('advice', HTMLInputElement);
const editors = {
  manifests: new Editor(find('manifests', HTMLElement), 'Manifests, YAML', changed),
  policies: new Editor(find('policies', HTMLElement), 'Policies, YAML', changed),
};
const tabs = new Tabs(['manifests', 'policies'], () => {
  for (const editor of Object.values(editors)) editor.measure();
});
let timer: ReturnType<typeof setTimeout> | undefined;
let patched = '';

function texts(): PlaygroundTexts {
  return { manifests: editors.manifests.text, policies: editors.policies.text };
}

function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    judge();
    keepInAddress();
  }, PAUSE);
}

function judge(): void {
  try {
    const judged = judgeTexts(texts(), { now: Date.now(), appliesAdvice: advice.checked });
    const findings = findingsOf(judged.report);
    showFindings(findings, judged.report, goTo);
    editors.manifests.mark(findings.filter(({ file }) => file === MANIFESTS_FILE));
    editors.policies.mark(findings.filter(({ file }) => file !== MANIFESTS_FILE));
    showPatch(judged.patch);
    patched = judged.patch.after;
    const json = find('json', HTMLDetailsElement).querySelector('pre');
    if (json !== null) json.textContent = judged.json;
    // Every text in this markup is escaped (src/package/playground/timeline-markup.ts).
    find('timeline', HTMLElement).innerHTML = timelineMarkup(judged.workloads);
  } catch (error) {
    find('status', HTMLElement).textContent = `The texts cannot be judged: ${messageOf(error)}`;
  }
}

function goTo({ file, line, column }: Finding): void {
  const name = file === MANIFESTS_FILE ? 'manifests' : 'policies';
  tabs.show(name);
  editors[name].goTo(line, column);
}

function open({ manifests, policies }: PlaygroundTexts): void {
  clearTimeout(timer);
  editors.manifests.open(manifests);
  editors.policies.open(policies);
  tabs.show('manifests');
  judge();
}

/** The fragment that the page wrote last. A change of the address to this fragment is not news. */
let written = '';

/** @returns false when the texts are too long for an address */
function keepInAddress(): boolean {
  const fragment = linkFragment(texts());
  if (fragment.length > LONGEST_FRAGMENT) return false;
  written = `#${fragment}`;
  history.replaceState(null, '', written);
  return true;
}

/** Opens the texts of the address. False when the address has none. */
function openAddress(): boolean {
  if (location.hash === '') return false;
  const shared = textsOfFragment(location.hash.slice(1));
  if (shared === undefined) {
    say('The link is damaged, so the texts stay unchanged.');
    return false;
  }
  written = location.hash;
  example.value = '';
  open(shared);
  return true;
}

let silence: ReturnType<typeof setTimeout> | undefined;
function say(message: string): void {
  find('message', HTMLElement).textContent = message;
  clearTimeout(silence);
  silence = setTimeout(() => (find('message', HTMLElement).textContent = ''), 6000);
}

example.append(new Option('Your own', ''), ...examples.map(({ title }, index) => new Option(title, String(index))));
example.addEventListener('change', () => {
  const chosen = example.value === '' ? undefined : examples[Number(example.value)];
  open(chosen ?? { manifests: '', policies: '' });
  keepInAddress();
});
find('tools', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
advice.addEventListener('change', judge);
find('apply', HTMLButtonElement).addEventListener('click', () => {
  editors.manifests.replace(patched);
  tabs.show('manifests');
  say('The patch is applied. Undo in the editor takes the patch back.');
});
find('copy', HTMLButtonElement).addEventListener('click', () => {
  if (!keepInAddress()) return say('The texts are too long for a link.');
  navigator.clipboard.writeText(location.href).then(
    () => say('The link is in the clipboard. The link holds both texts.'),
    () => say('Copy the address of this page: the address holds both texts.'),
  );
});
window.addEventListener('hashchange', () => {
  if (location.hash !== written) openAddress();
});

const [first] = examples;
if (!openAddress() && first !== undefined) {
  example.value = '0';
  open(first);
}
