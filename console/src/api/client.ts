// SPDX-License-Identifier: Apache-2.0
// Requests to the REST interface, with the types of schemas/openapi.yaml.
import { signal, type ReadonlySignal } from '@preact/signals';
import { newKey } from './key';
import type { components, paths } from './schema';

export type Schema = components['schemas'];
export type Session = Schema['Session'];

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type PathsWith<M extends Method> = {
  [P in keyof paths]: Operation<P, M> extends { responses: unknown } ? P : never;
}[keyof paths];

type Json<R> = R extends { content: { 'application/json': infer T } } ? T : R extends { content: Record<string, infer T> } ? T : undefined;
type Success<O> = O extends { responses: infer R } ? { [S in keyof R & (200 | 201 | 202 | 204)]: Json<R[S]> }[keyof R & (200 | 201 | 202 | 204)] : never;
type Parameters<O, K extends string> = O extends { parameters: infer A } ? (K extends keyof A ? Exclude<A[K], undefined> : never) : never;
type Body<O> = O extends { requestBody?: infer B } ? (NonNullable<B> extends { content: { 'application/json': infer T } } ? T : never) : never;

type Query = Record<string, string | number | boolean | undefined | null>;
/** What may be missing may be undefined, too: it is left out of the address. */
type Loose<Q> = { [K in keyof Q]: object extends Pick<Q, K> ? Q[K] | undefined : Q[K] };
type Options<O> = ([Parameters<O, 'path'>] extends [never] ? { path?: undefined } : { path: Parameters<O, 'path'> }) & {
  query?: [Parameters<O, 'query'>] extends [never] ? Query : Loose<Parameters<O, 'query'>>;
  body?: [Body<O>] extends [never] ? unknown : Body<O>;
  headers?: Record<string, string>;
  /** A body that is no JSON, with its content type. */
  raw?: { type: string; content: BodyInit };
  /** The key of a command that is given again. */
  key?: string;
  signal?: AbortSignal;
  /** Gets the headers of the answer, such as ETag. */
  answered?: (headers: Headers) => void;
};

type ProblemBody = Omit<Partial<Schema['Problem']>, 'code'> & { code?: string };

/** What a request was refused with: a problem of RFC 9457, or no answer. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: ProblemBody;
  readonly request: string;
  readonly retryAfter: number;

  constructor(status: number, body: ProblemBody, request: string, retryAfter = 0) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'unreachable' : '');
    this.body = body;
    this.request = request;
    this.retryAfter = retryAfter;
  }

  /** Whether no answer came, and the same may be done when the server is there again. */
  get unanswered(): boolean {
    return this.status === 0 && this.code === 'unreachable';
  }

  /** What was thrown as a problem: what is none is a mistake of the page. */
  static of(error: unknown, request = ''): Problem {
    return error instanceof Problem ? error : new Problem(0, { title: String(error), code: 'page' }, request);
  }
}

/** Who has signed in; null: nobody; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Whether the last request reached the server. */
export const reachable = signal(true);

/** Does something each time when the server answers again; ended by what is returned. */
export function onReachable(again: () => void): () => void {
  let was = true;
  return reachable.subscribe((is) => {
    if (is && !was) again();
    was = is;
  });
}

/** Reads again, when the server answers again, what no answer came for. */
export const retryWhenReachable = (error: ReadonlySignal<Problem | undefined>, again: () => void): (() => void) =>
  onReachable(() => { if (error.value?.unanswered) again(); });

const TRIES = 4;
const RIGHTS_EACH_MS = 5000;
/** 401 of these is about what was typed in, and not about the session. */
const PROVEN = new Set(['/v1/session', '/v1/session/password']);

function address(path: string, parameters: Record<string, unknown> | undefined, query?: Query): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((parameters as Record<string, string | number> | undefined)?.[name] ?? '')));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

async function problem(response: Response, request: string): Promise<Problem> {
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
  try {
    return new Problem(response.status, (await response.json()) as Partial<Schema['Problem']>, request, retryAfter);
  } catch {
    return new Problem(response.status, { title: response.statusText || `HTTP ${response.status}` }, request, retryAfter);
  }
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
let awaited = false;

/** Asks until the server answers, whatever that is: what failed then reads again. */
async function awaitServer(): Promise<void> {
  if (awaited) return;
  awaited = true;
  for (let delay = FIRST_WAIT_MS; !reachable.value; delay = Math.min(2 * delay, LONGEST_WAIT_MS)) {
    await pause(delay);
    reachable.value = await renewSession();
  }
  awaited = false;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What was asked before it was known who asks; each answer is taken once. */
const early = new Map<string, { asked: Promise<Response | undefined>; read: Promise<void>; value?: unknown }>();

/**
 * Asks for what the first view reads, beside who has signed in, so that the view
 * is drawn with it at once.  `next` may ask for more by the answer.
 */
export function askEarly<T>(target: string, next?: (value: T) => Promise<void>): Promise<void> {
  const asked = fetch(target, { headers: { Accept: 'application/json' }, credentials: 'same-origin' }).catch(() => undefined);
  const entry: { asked: typeof asked; read: Promise<void>; value?: unknown } = { asked, read: Promise.resolve() };
  entry.read = asked.then(async (response) => {
    if (!response?.ok) return;
    const value = (await response.clone().json()) as T;
    entry.value = value;
    await next?.(value);
  }).catch(() => undefined);
  early.set(target, entry);
  return entry.read;
}

/** When all of it has come, or has taken so long. */
export const askedEarly = (longest: number): Promise<unknown> => Promise.race([Promise.all([...early.values()].map((one) => one.read)), pause(longest)]);

/** What has come of it. */
export function there<T>(target: string): T | undefined {
  const value = early.get(target)?.value;
  if (value !== undefined) early.delete(target);
  return value as T | undefined;
}

/** Who has signed in by now asks anew for what was refused. */
async function take(target: string, init: RequestInit): Promise<Response> {
  const entry = init.method === 'GET' ? early.get(target) : undefined;
  if (entry === undefined) return fetch(target, init);
  early.delete(target);
  const response = await entry.asked;
  return response?.ok ? response : fetch(target, init);
}

/**
 * Sends a request.  A command has a key, so it is sent again when no answer
 * came (docs/REST.md, Idempotency): it is done once.
 */
async function send(method: Method, target: string, options: Options<unknown>): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  const init: RequestInit = { method: method.toUpperCase(), headers, credentials: 'same-origin', signal: options.signal ?? null };
  const changes = method !== 'get';
  if (options.raw) {
    headers['Content-Type'] = options.raw.type;
    init.body = options.raw.content;
  } else if (options.body !== undefined || changes) {
    headers['Content-Type'] = 'application/json';
    if (options.body !== undefined) init.body = JSON.stringify(options.body);
  }
  if (changes) {
    headers['Idempotency-Key'] = options.key ?? newKey();
    const token = session.value?.csrf_token;
    if (token !== undefined) headers['X-CSRF-Token'] = token;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await take(target, init);
      reachable.value = true;
      if (response.ok) return response;
      const failure = await problem(response, `${init.method} ${target}`);
      if (failure.status === 401 && !PROVEN.has(target)) session.value = null;
      if (failure.status === 403 && !target.startsWith('/v1/session')) readRights();
      if (failure.status !== 503 || attempt === TRIES) throw failure;
      await pause(Math.max(failure.retryAfter * 1000, 250 * 2 ** attempt));
    } catch (error) {
      if (error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError')) throw error;
      reachable.value = false;
      void awaitServer();
      if (attempt === TRIES) throw new Problem(0, { title: 'unreachable' }, `${init.method} ${target}`);
      await pause(250 * 2 ** attempt);
    }
  }
}

/**
 * Reads again whether the session goes on and what the account may do, which
 * others change while the page is open.  Whether the server has answered.
 */
export async function renewSession(): Promise<boolean> {
  const response = await fetch('/v1/session', { credentials: 'same-origin' }).catch(() => undefined);
  const now = response?.ok ? ((await response.json().catch(() => undefined)) as Session | undefined) : undefined;
  if (response?.status === 401) session.value = null;
  else if (now !== undefined && session.value && JSON.stringify(now) !== JSON.stringify(session.value)) session.value = now;
  return response !== undefined;
}

let rightsRead = -Infinity;

/** What is refused may have been allowed when the page was opened. */
function readRights(): void {
  if (performance.now() - rightsRead < RIGHTS_EACH_MS) return;
  rightsRead = performance.now();
  void renewSession();
}

async function call(method: Method, path: string, options: Options<unknown>): Promise<unknown> {
  const response = await send(method, address(path, options.path, options.query), options);
  options.answered?.(response.headers);
  if (response.status === 204) return undefined;
  const type = response.headers.get('Content-Type') ?? '';
  return type.includes('json') ? response.json() : response.text();
}

type Caller<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...options: [Parameters<Operation<P, M>, 'path'>] extends [never] ? [options?: Options<Operation<P, M>>] : [options: Options<Operation<P, M>>]
) => Promise<Success<Operation<P, M>>>;

const caller = <M extends Method>(method: M): Caller<M> =>
  ((path: string, options?: Options<unknown>) => call(method, path, options ?? ({} as Options<unknown>))) as Caller<M>;

export const api = {
  get: caller('get'),
  put: caller('put'),
  post: caller('post'),
  patch: caller('patch'),
  delete: caller('delete'),
  address,
};
