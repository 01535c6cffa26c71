/** Sends an AdmissionReview to the server of `npm start`: `npm run review -- examples/reviews/pod-create.json`. */
import { sendReview } from './send-review.ts';

const [file, ...others] = process.argv.slice(2);
const { code, text } =
  file === undefined || others.length > 0
    ? { code: 2, text: 'review: name one file, such as examples/reviews/pod-create.json\n' }
    : await sendReview(file, 8443, 'certs/ca.crt');
(code === 2 ? process.stderr : process.stdout).write(text);
process.exitCode = code;
