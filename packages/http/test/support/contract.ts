import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { InjectableServer, InjectedAnswer } from '../../src/index.ts';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, { schema: object }>> }>
  >;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export async function documentOf(server: InjectableServer, headers = {}): Promise<Document> {
  return (await server.inject({ method: 'GET', url: '/openapi.json', headers })).json();
}

/** Judges answers by an OpenAPI document, with a validator that is not ours; remembers which of them were reached. */
export class Contract {
  readonly reached = new Set<string>();
  readonly #document: Document;
  readonly #ajv: Ajv2020;

  constructor(document: Document) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv); // safe: the types of its CommonJS form are off by one `default`
    this.#ajv.addSchema({ ...document, $id: 'document' });
  }

  /** All documented answers, as `get /v1/tools 200`. */
  documented(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method} ${path} ${status}`),
      ),
    );
  }

  /** The faults of an answer; a path that is not in the document has the errors 404 and 405 of all paths. */
  faults(method: string, url: string, { statusCode, headers, body }: InjectedAnswer): readonly string[] {
    const path = this.#pathOf(new URL(`http://localhost${url}`).pathname);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const responses = path === undefined ? undefined : this.#document.paths[path]?.[verb]?.responses;
    if (!responses) return this.#schemaFaults('#/components/schemas/Error', body);
    const status = responses[statusCode] ? String(statusCode) : 'default';
    const answer = responses[status];
    if (!answer) return [`${method} ${url}: ${statusCode} is not documented`];
    this.reached.add(`${verb} ${path} ${status}`);
    const missing = Object.keys(answer.headers ?? {}).filter((name) => headers[name.toLowerCase()] === undefined);
    const isOptional = (name: string) => name === 'Retry-After'; // of a tool that does not say when
    const faults = missing.filter((name) => !isOptional(name)).map((name) => `${method} ${url}: no header ${name}`);
    if (!answer.content) return body === '' ? faults : [...faults, `${method} ${url}: a body that is not documented`];
    const [type = ''] = Object.keys(answer.content);
    const given = headers['content-type']?.split(';')[0];
    if (given !== type) faults.push(`${method} ${url}: ${given} in place of ${type}`);
    if (method === 'HEAD' || type === 'text/event-stream') return faults;
    const place = `#/paths/${path!.replaceAll('/', '~1')}/${verb}/responses/${status}/content/application~1json/schema`;
    return [...faults, ...this.#schemaFaults(place, body)];
  }

  #pathOf(pathname: string): string | undefined {
    const paths = Object.keys(this.#document.paths);
    if (paths.includes(pathname)) return pathname;
    return paths.find((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname));
  }

  #schemaFaults(place: string, body: string): readonly string[] {
    const validate = this.#ajv.getSchema(`document${place.replaceAll('{', '%7B').replaceAll('}', '%7D')}`);
    if (!validate) return [`no schema at ${place}`];
    if (body === '') return [];
    return validate(JSON.parse(body)) ? [] : [this.#ajv.errorsText(validate.errors)];
  }
}
