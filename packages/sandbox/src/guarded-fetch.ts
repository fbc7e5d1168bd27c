import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { AuthorizationError } from '@x/core';
import { unlessAborted } from '@x/core/internal';

/** Options of `guardedFetch`. */
export interface GuardedFetchOptions {
  readonly admitsAddress: (address: string) => boolean;
  /** Default: the resolver of the system. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
}

const WITHOUT_BODY = [204, 205, 304];

/**
 * Makes one request, over its own connection to a checked address: the name is resolved once, every address of it is checked, and no other
 * is connected to. Redirects are not followed, proxies are not used: behind one the address is unknown here.
 * @throws AuthorizationError for an address that is not admitted
 */
export async function guardedFetch(request: Request, options: GuardedFetchOptions): Promise<Response> {
  const { signal } = request;
  const url = new URL(request.url);
  const addresses = await unlessAborted(() => addressesOf(url.hostname, options), signal); // no resolver can be stopped
  const refused = addresses.find(({ address }) => !options.admitsAddress(address));
  if (refused) throw new AuthorizationError(`${url.hostname} leads to ${refused.address}, which must not be reached`);
  const answer = await exchange(request, url, addresses);
  return await responseOf(answer);
}

async function addressesOf(hostname: string, { lookup }: GuardedFetchOptions): Promise<readonly LookupAddress[]> {
  const { isIP } = await import('node:net');
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }]; // of these no resolver is asked
  if (lookup) return await lookup(host);
  const { lookup: systemLookup } = await import('node:dns/promises');
  return await systemLookup(host, { all: true });
}

async function exchange(request: Request, url: URL, addresses: readonly LookupAddress[]): Promise<IncomingMessage> {
  const { request: send, Agent } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { pipeline } = await import('node:stream');
  const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'gzip, deflate, br' };
  const { method, signal } = request;
  return await new Promise((resolve, reject) => {
    const settings = { method, headers, signal, agent: new Agent(), lookup: lookupOf(addresses) };
    const sent = send(url, settings, resolve).on('error', reject);
    if (request.body) pipeline(request.body, sent, (error) => error && reject(error));
    else sent.end();
  });
}

/** Returns the checked addresses for every lookup. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (host, { all }, answer) => {
    const [first] = addresses;
    if (!first) answer(new Error(`${host} has no address`), '');
    else if (all) answer(null, [...addresses]);
    else answer(null, first.address, first.family);
  };
}

async function responseOf(answer: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  try {
    const body = WITHOUT_BODY.includes(status) ? null : streamOf(await decoded(answer, headers));
    const response = new Response(body, { status, statusText, headers });
    if (body === null) answer.resume();
    return response;
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

/** Pulled by its reader; `Readable.toWeb` and `ReadableStream.from` leave the connection open when the body is cancelled unread. */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const step = await pieces.next();
      if (step.done) controller.close();
      else controller.enqueue(step.value as Uint8Array); // safe: no encoding is set
    },
    cancel: () => void body.destroy(),
  });
}

/** The decompressed body, with its headers adjusted. */
async function decoded(answer: IncomingMessage, headers: Headers): Promise<Readable> {
  const { createGunzip, createInflate, createBrotliDecompress } = await import('node:zlib');
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(decoders, coding)) return answer;
  const { pipeline } = await import('node:stream');
  headers.delete('content-encoding');
  headers.delete('content-length');
  const decoder = decoders[coding as keyof typeof decoders](); // safe: it is one of them
  return pipeline(answer, decoder, () => undefined); // an error reaches who reads the decoder
}
