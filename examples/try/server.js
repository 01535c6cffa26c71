// A service for docs/try.md. It listens on PORT, and serves /livez and /readyz.
import { createServer } from 'node:http';

const known = new Set(['/', '/livez', '/readyz']);
const server = createServer((request, response) => {
  response.statusCode = known.has(request.url) ? 200 : 404;
  response.end();
});
server.listen(Number(process.env.PORT ?? 8080));
