import { createServer } from 'node:http';

const port = Number(process.env.PORT);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error(`PORT must be a port number, not ${JSON.stringify(process.env.PORT ?? '')}`);
  process.exit(1);
}

const server = createServer((req, res) => {
  if (valueId(req.url) === undefined) {
    res.statusCode = 404;
    res.end();
    return;
  }
  switch (req.method) {
    case 'GET':
      res.setHeader('Content-Type', 'text/plain');
      res.end('value');
      break;
    case 'PUT':
    case 'DELETE':
      res.end();
      break;
    default:
      res.statusCode = 405;
      res.end();
  }
});

server.on('error', (error) => {
  console.error(`cannot listen on 127.0.0.1:${port}: ${error.message}`);
  process.exit(1);
});
server.listen(port, '127.0.0.1');

function valueId(url) {
  const path = url.split('?', 1)[0];
  const id = Number(/^\/api\/values\/(\d+)$/.exec(path)?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}
