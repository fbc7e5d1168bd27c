import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions } from '@x/errors/option-rules';
import { type Access, accessFor, errorContextOf } from '../wire/access.ts';
import { recordOf, textIn } from '../wire/json-values.ts';
import { errorOfFailure } from '../wire/model-error.ts';
import { checkProviderConfig, type ProviderConfig } from '../wire/provider-config.ts';
import { parsedBody } from '../wire/vendor-error.ts';
import { downloaded } from './download.ts';

/** Options of `readServiceFile`. */
export interface ReadServiceFileOptions {
  readonly signal?: AbortSignal;
  /** A larger file is an error; default 20 MiB. */
  readonly maxBytes?: number;
}
/** A file that code has written on a machine of the service. */
export interface ServiceFile {
  readonly bytes: Uint8Array;
  /** As the service names it; absent where it does not. */
  readonly mediaType?: string;
  readonly name?: string;
}

const MOST_BYTES = 20 * 1024 * 1024;
/** Of the facts about a file. */
const MOST_FACTS = 64 * 1024;
/** By provider; the first of two names is that of the machine. */
const ANTHROPIC_ID = /^[A-Za-z0-9_-]+$/;
const OPENAI_ID = /^[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+$/;

/**
 * Reads a file that `code_execution` has written; `id` is one of `files` in a step of the reply, whose key must belong to the same account.
 * Services keep such files for some time only.
 * @throws ValidationError for an id of another provider, or a provider without such files; AuthenticationError as `createModel`; ModelError when
 * the service does not give it, or it is too large; AbortError
 */
export async function readServiceFile(
  provider: ProviderConfig,
  id: string,
  options: ReadServiceFileOptions = {},
): Promise<ServiceFile> {
  checkOptions('readServiceFile options', options, { signal: is.abortSignal, maxBytes: is.count() });
  const { signal = new AbortController().signal, maxBytes = MOST_BYTES } = options;
  const config = checkProviderConfig(provider);
  const place = placeOf(config, id);
  const access = await accessFor(config, signal);
  const context = errorContextOf(config.type, access);
  try {
    const client = await place.client(access);
    const read = async (path: string, most: number) => {
      const { req, url } = await client.buildRequest({ method: 'get', path });
      return await downloaded({ url, headers: new Headers(req.headers) }, { signal, context, maxBytes: most });
    };
    const facts = place.hasFacts ? factsIn((await read(place.path, MOST_FACTS)).bytes) : {};
    const { bytes, mediaType } = await read(`${place.path}/content`, maxBytes);
    return { bytes, ...(mediaType === '' ? {} : { mediaType }), ...facts };
  } catch (failure) {
    throw errorOfFailure(failure, context, signal);
  }
}

/** The part of an official client that is used. */
interface RequestBuilder {
  buildRequest(options: { method: 'get'; path: string }): Promise<{ readonly req: RequestInit; readonly url: string }>;
}
/** The place of a file, and who knows the way there. */
interface Place {
  readonly path: string;
  /** The place itself tells the name of the file, and its type, which its content does not. */
  readonly hasFacts: boolean;
  readonly client: (access: Access) => Promise<RequestBuilder>;
}

function placeOf(config: ProviderConfig, id: string): Place {
  const refuse = (advice: string) => new ValidationError(`readServiceFile of ${config.type}: ${advice}`, 'id');
  switch (config.type) {
    case 'anthropic':
      if (!ANTHROPIC_ID.test(id)) throw refuse('an id has letters, digits, - and _');
      return {
        path: `/v1/files/${id}`,
        hasFacts: true,
        client: async (access) =>
          (await import('../anthropic/anthropic-client.ts')).anthropicClient({ ...config, ...access }),
      };
    case 'openai-compatible':
      return {
        ...inContainer(id, refuse),
        client: async (access) =>
          (await import('../openai-chat/openai-client.ts')).openaiClient({ ...config, ...access }),
      };
    case 'azure-openai':
      return {
        ...inContainer(id, refuse),
        client: async (access) =>
          (await import('../azure-openai/azure-client.ts')).azureClient({ ...config, ...access }),
      };
    case 'gemini':
      throw refuse('its code writes no files; pictures that it makes are in the reply');
  }
}

function inContainer(id: string, refuse: (advice: string) => ValidationError): Omit<Place, 'client'> {
  if (!OPENAI_ID.test(id)) throw refuse('an id has two names, as cntr_1/cfile_2');
  const [container, file] = id.split('/');
  return { path: `/containers/${container}/files/${file}`, hasFacts: false };
}

function factsIn(bytes: Uint8Array): Partial<ServiceFile> {
  const facts = recordOf(parsedBody(new TextDecoder().decode(bytes)));
  const [name, mediaType] = [textIn(facts?.['filename']), textIn(facts?.['mime_type'])];
  return { ...(name === '' ? {} : { name }), ...(mediaType === '' ? {} : { mediaType }) };
}
