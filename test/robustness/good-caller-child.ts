/** The process of a caller that behaves: apart from the attackers, whose work would count as the server's otherwise. */
import { GoodCaller } from './client.ts';
import { noteLostTime } from './lost-time.ts';

const takeLostTime = noteLostTime();
const caller = new GoodCaller(Number(process.argv[2]), Number(process.argv[3]), process.argv[4]);
process.on('message', () => {
  void caller
    .stop()
    .then(({ latencies, starts, failures }) =>
      process.send?.({ latencies, starts, failures, lost: takeLostTime() }, () => process.exit(0)),
    );
});
process.on('disconnect', () => process.exit(1));
process.send?.('calling');
