import express from 'express';

const port = Number(process.env.PORT);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error(`PORT must be a port number, not ${JSON.stringify(process.env.PORT ?? '')}`);
  process.exit(1);
}

const app = express();

app.param('id', (req, res, next, id) => {
  if (/^\d+$/.test(id) && Number.isSafeInteger(Number(id))) {
    next();
  } else {
    res.status(400).send('id must be an integer');
  }
});

app.route('/api/values/:id')
  .get((req, res) => {
    res.type('text/plain').send('value');
  })
  .put((req, res) => {
    res.end();
  })
  .delete((req, res) => {
    res.end();
  });

app.listen(port, '127.0.0.1', (error) => {
  if (error) {
    console.error(`cannot listen on 127.0.0.1:${port}: ${error.message}`);
    process.exit(1);
  }
});
