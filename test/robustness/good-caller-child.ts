/** The process of a caller that behaves: apart from the attackers, whose work would count as the server's otherwise. */
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { GoodCaller } from './client.ts';
import { noteLostTime } from './lost-time.ts';

const takeLostTime = noteLostTime();
const [, , port, perSecond, localAddress, connections, ...kilobytes] = process.argv;

/** A valid review of about so many kilobytes. */
function reviewOfKilobytes(size: number): string {
  const env = Array.from({ length: size * 10 }, (_, index) => ({ name: `VARIABLE_${index}`, value: 'x'.repeat(65) }));
  return JSON.stringify(reviewOf(pod([appContainer({ env })])));
}

const bodies = kilobytes.length === 0 ? undefined : kilobytes.map((size) => reviewOfKilobytes(Number(size)));
const caller = new GoodCaller(Number(port), Number(perSecond), localAddress, Number(connections), bodies);
process.on(
  'message',
  () =>
    void caller
      .stop()
      .then(({ latencies, starts, failures }) =>
        process.send?.({ latencies, starts, failures, lost: takeLostTime() }, () => process.exit(0)),
      ),
);
process.on('disconnect', () => process.exit(1));
process.send?.('calling');
