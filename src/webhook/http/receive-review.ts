import { MOST_BYTES, TOO_LONG } from '../../engine/workload/size-limits.ts';
import { SharedQuantity } from '../../process/http-app.ts';
import { ReceivedGarbage } from './garbage.ts';
import { MOST_RECEIVED_BYTES, tooManyBytes, type IncomingBody } from './incoming-body.ts';
import { Turns, type Waiting } from './turns.ts';

/** A body that is at most so long is received at once. A longer one is *large*, and waits for room. */
export const SMALL_BYTES = 64 * 1024;
/** What a body that waits has in memory: what the API server writes before the object, and mostly the metadata. */
export const BEGINNING_BYTES = 16 * 1024;
/** Large bodies of all addresses, in memory of 7 MiB each. One address may have one, and three addresses have one. */
const MOST_LARGE = 5;
/** Of bodies that wait. At the end of the wait they are received and dropped, which takes a second for 500 MiB. */
const WAITING_BYTES = 192 * 1024 * 1024;

export const CROWDED =
  'too many large objects are under review, so this one is not looked at; try again, or make the object shorter';

const NOTHING = Buffer.alloc(0);

/** The text of a review. `unread` says why the text is not the whole review, `refused` why nothing of it is judged. */
export interface ReceivedText {
  readonly text: string;
  readonly unread?: string;
  readonly refused?: string;
  /** Gives the memory of the text back. To be called once, when the text is no longer needed. */
  readonly release: () => void;
}

/** Receives bodies. Large ones take turns, so that few are in memory. */
export class ReviewReceiver {
  readonly #large = new SharedQuantity(MOST_LARGE);
  readonly #waiting = new SharedQuantity(WAITING_BYTES);
  readonly #turns: Turns;
  /** Memory is used again: garbage of this size would be collected late. */
  readonly #free: Buffer[] = [];
  readonly #garbage = new ReceivedGarbage();

  constructor(monotonic: () => number) {
    this.#turns = new Turns(monotonic);
  }

  /**
   * Every body that comes whole has a text, and so a verdict.
   *
   * @param announced the body's length in bytes. Undefined for a body without a Content-Length
   * @param waiting says who waits, and how long
   * @throws HTTP 400 for a caller that hangs up, HTTP 413 for a body that no API server sends
   */
  async receive(
    body: IncomingBody,
    announced: number | undefined,
    waiting: (beginning: string) => Waiting,
  ): Promise<ReceivedText> {
    if ((announced ?? 0) > MOST_RECEIVED_BYTES) throw tooManyBytes();
    const { text: beginning, isWhole } = await body.beginning(
      announced !== undefined && announced <= SMALL_BYTES ? Infinity : BEGINNING_BYTES,
    );
    if (isWhole) return { text: beginning, release: () => undefined };
    // A created object has no old one, so all of it counts.
    const isInVain = (announced ?? 0) > MOST_BYTES && /"operation":"CREATE"/.test(beginning);
    const who = waiting(beginning);
    const hasRoom = !isInVain && (await this.#enter(who, announced ?? MOST_BYTES));
    const memory = hasRoom ? (this.#free.pop() ?? Buffer.allocUnsafeSlow(MOST_BYTES)) : undefined;
    const release = (): void => {
      if (memory === undefined) return;
      this.#garbage.addText(body.received);
      this.#free.push(memory);
      this.#large.giveBack(who.address, 1);
      while (this.#turns.next());
    };
    try {
      const text = await body.rest(memory ?? NOTHING, (bytes) => this.#garbage.addChunk(bytes));
      if (memory === undefined)
        return { text: beginning, ...(isInVain ? { unread: TOO_LONG } : { refused: CROWDED }), release };
      return { text, ...(body.received > MOST_BYTES && { unread: TOO_LONG }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #enter(who: Waiting, announced: number): Promise<boolean> {
    const queue = `${who.address} ${who.namespace}`;
    if (!this.#waiting.take(queue, announced)) return false;
    const turn = this.#turns.wait({ ...who, take: () => this.#large.take(who.address, 1) }, (hasTurn) =>
      Promise.resolve(hasTurn),
    );
    while (this.#turns.next());
    return turn.finally(() => this.#waiting.giveBack(queue, announced));
  }
}
