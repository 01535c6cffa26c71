import { outOfLoop, goOn, type Context } from './builtins.ts';
import { NOTHING_KNOWN, States, withVariable, type State, type Value } from './state.ts';
import type { Node } from './script.ts';
import type { ShellWord } from './tokens.ts';

/** What a loop needs of the walk through a script. */
export interface LoopWalk {
  /** Set for a loop that may turn without end. The kubelet then ends the command, which is a failure. */
  mayHang: boolean;
  readonly depth: number;
  /** True when the walk has no steps left. */
  readonly isTired: boolean;
  readonly node: (node: Node, state: State, context: Context) => States;
  readonly decide: (state: State, go: (isOk: boolean) => Iterable<State> | undefined) => Iterable<State>;
  readonly expanded: (words: readonly ShellWord[], state: State) => States;
  readonly unknown: (state: State) => States;
}

/** Turns of a loop that are followed with values of variables. */
const MOST_TURNS = 64;

/** Follows `while` and `until`. */
export function whileLoop(
  walk: LoopWalk,
  node: Extract<Node, { type: 'while' | 'until' }>,
  state: State,
  context: Context,
): States {
  const inside = { ...context, loops: context.loops + 1 };
  // The status of the loop is that of the last body, so it is kept beside the status of the condition.
  const key = `loop ${inside.loops} ${walk.depth}`;
  const leave = (end: State): State => ({ ...withVariable(end, key, undefined), status: end.variables.get(key) });
  return turnsOf(
    walk,
    withVariable(state, key, '0'),
    (from, ends) =>
      goOn(
        walk.node(node.condition, from, { ...inside, isTested: true }),
        (end) => {
          if (end.flow !== 'next') return [outOfLoop(end)];
          return walk.decide(end, (isOk) => {
            if (isOk !== (node.type === 'while')) {
              ends.add(leave(end));
              return [];
            }
            return [...walk.node(node.body, end, inside)].map(outOfLoop);
          });
        },
        true,
      ),
    (end) => withVariable(end, key, end.status),
    key,
    readsInput(node.condition),
  );
}

/** True for `while read`: it ends with its input. With a redirection, it would read the same again. */
function readsInput(condition: Node): boolean {
  const last = condition.type === 'list' ? condition.items.at(-1)?.node : condition;
  return last?.type === 'command' && last.words[0]?.text === 'read' && last.redirections.length === 0;
}

/** Follows the turns of a loop until each further turn is like one before. */
function turnsOf(
  walk: LoopWalk,
  start: State,
  turn: (from: State, ends: States) => States,
  again: (end: State) => State,
  key: string,
  readsInput: boolean,
): States {
  const ends = new States();
  const known = new States([start]);
  let current = [start];
  for (let count = 0; current.length > 0; count++) {
    const backs = new States();
    for (const from of current)
      for (const end of turn(from, ends))
        if (end.flow === 'break 0') ends.add({ ...withVariable(end, key, undefined), flow: 'next', status: '0' });
        else if (end.flow === 'next')
          backs.add(again(count < MOST_TURNS ? end : { ...end, variables: NOTHING_KNOWN, isSure: false }));
        else ends.add(end);
    const next: State[] = [];
    for (const back of backs) {
      if (known.has(back) && !readsInput) walk.mayHang = true;
      if (known.add(back)) next.push(back);
    }
    current = walk.isTired ? [] : next;
    if (current.length === 0 && next.length > 0) return walk.unknown(start);
  }
  return ends;
}

/** Follows `for`. */
export function forLoop(walk: LoopWalk, node: Extract<Node, { type: 'for' }>, state: State, context: Context): States {
  const { name, words, body } = node;
  const inside = { ...context, loops: context.loops + 1 };
  const ends = new States();
  let current = walk.expanded(words ?? [], state);
  const skipped = [...current].map((from): State => ({ ...from, status: '0' }));
  const isKnown =
    words !== undefined &&
    words.every(({ text, isLiteral, isQuoted }) => isLiteral && (isQuoted || !/[*?[{]/.test(text)));
  const turn = (value: Value): void => {
    const next = new States();
    for (const from of current)
      for (const end of [...walk.node(body, withVariable(from, name, value), inside)].map(outOfLoop))
        if (end.flow === 'next') next.add(end);
        else ends.add(end.flow === 'break 0' ? { ...end, flow: 'next', status: '0' } : end);
    current = next;
  };
  if (isKnown) for (const word of words.slice(0, MOST_TURNS)) turn(word.text);
  if (isKnown && words.length === 0) return new States(skipped);
  if (!isKnown || words.length > MOST_TURNS) {
    // How often the loop turns is not known: not at all, once, or again and again.
    const all = new States();
    const doubted = (states: Iterable<State>): State[] => [...states].map((one) => ({ ...one, isSure: false }));
    all.addAll(doubted(isKnown ? current : skipped));
    for (let count = 0; ; count++) {
      if (count === MOST_TURNS) return walk.unknown(state);
      turn(undefined);
      current = new States(doubted(current));
      if (![...current].map((one) => all.add(one)).includes(true)) break;
    }
    current = all;
  }
  ends.addAll(current);
  return ends;
}
