// SPDX-License-Identifier: Apache-2.0
// For work on the page: builds it whenever a file changes, and serves it with
// everything else passed on to a server.
// usage: node dev.mjs [SERVER [PORT]]; http://127.0.0.1:8090 and 8091
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';

const server = new URL(process.argv[2] ?? 'http://127.0.0.1:8090');
const port = Number(process.argv[3] ?? 8091);
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

let building = false;
let again = false;
function build() {
  if (building) {
    again = true;
    return;
  }
  building = true;
  spawn(process.execPath, ['build.mjs'], { stdio: 'inherit' }).on('exit', () => {
    building = false;
    if (again) {
      again = false;
      build();
    }
  });
}

function pass(request, response) {
  const on = http.request(
    { host: server.hostname, port: server.port, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  on.on('error', () => response.headersSent ? response.destroy() : response.writeHead(503).end());
  response.on('close', () => on.destroy());
  request.pipe(on);
}

async function page(name, response) {
  try {
    const content = await readFile(path.join('dist', name));
    response.writeHead(200, { 'Content-Type': types[path.extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

http
  .createServer((request, response) => {
    if (request.url.startsWith('/assets/')) void page(path.normalize(request.url), response);
    else if (request.method === 'GET' && request.headers.accept?.includes('text/html') && !request.url.startsWith('/v1/')) void page('index.html', response);
    else pass(request, response);
  })
  .listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port} with ${server.origin}`));
build();
watch('src', { recursive: process.platform !== 'linux' || Number(process.versions.node.split('.')[0]) >= 20 }, build);
