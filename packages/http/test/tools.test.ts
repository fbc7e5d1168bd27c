import { describe, expect, it } from 'vitest';
import { createServer } from '../src/index.ts';
import { called, got, posted, served, toolsOf } from './support/served.ts';

const TOTAL = toolsOf().list().length;
const invalid = (path: string) =>
  expect.objectContaining({
    success: false,
    error: 'Validation failed',
    code: 'VALIDATION_ERROR',
    details: expect.arrayContaining([expect.objectContaining({ path, message: expect.any(String) })]),
  });
const namesIn = (items: readonly { name: string }[]) => items.map(({ name }) => name);

describe('GET /', () => {
  it('H01 says that the server runs, and which version it is', async () => {
    const answer = await got(await served(), '/');
    const body = answer.json();

    expect(answer.statusCode).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      message: 'MCP Server is running',
      version: '1.0.0',
      uptime: expect.any(Number),
      timestamp: new Date(body.timestamp).toISOString(),
    });
    expect((await got(await served({ version: '7.1.0' }), '/')).json().version).toBe('7.1.0');
  });
});

describe('GET /v1/tools', () => {
  it('H02 H03 H41 lists whole tools, 50 on a page', async () => {
    const answer = await got(await served(), '/v1/tools');

    expect(answer.statusCode).toBe(200);
    const { tools, pagination } = answer.json();
    expect(pagination).toEqual({ page: 1, limit: 50, total: TOTAL, totalPages: 1 });
    expect(tools).toEqual(
      JSON.parse(JSON.stringify(toolsOf().list())).map((tool: object) => ({
        ...tool,
        registeredAt: expect.any(String),
      })),
    );
    expect(tools[0]).toMatchObject({ enabled: true, version: '2.0.0', tags: ['math', 'units'], category: 'numbers' });
  });

  it.each(['page=0', 'page=-1', 'page=1.5', 'page=a', 'page=', 'page=1&page=2', 'page=99999999999999999999'])(
    'H04 H23 refuses %s',
    async (query) => {
      const answer = await got(await served(), `/v1/tools?${query}`);

      expect([answer.statusCode, answer.json()]).toEqual([400, invalid('/page')]);
    },
  );

  it.each(['0', '101', '-1', '1.5', 'a', '', '1e1', '0x10', '+5', '%205'])(
    'H04 refuses the limit %s',
    async (limit) => {
      const answer = await got(await served(), `/v1/tools?limit=${limit}`);

      expect([answer.statusCode, answer.json()]).toEqual([400, invalid('/limit')]);
    },
  );

  it.each([
    ['H05', 'category=numbers', ['add-one']],
    ['H05', 'category=number', []],
    ['H06', 'tag=math', ['add-one', 'add-two']],
    ['H07', 'enabled=false', ['is-off']],
    ['H08', 'tag=math&category=sums&enabled=true', ['add-two']],
    ['H08', 'tag=math&enabled=false', []],
  ])('%s keeps with %s', async (_, query, names) => {
    const { tools, pagination } = (await got(await served(), `/v1/tools?${query}`)).json();

    expect(namesIn(tools)).toEqual(names);
    expect(pagination.total).toBe(names.length);
  });

  it.each(['1', 'yes', 'TRUE', ''])('H07 refuses enabled=%s', async (text) => {
    const answer = await got(await served(), `/v1/tools?enabled=${text}`);

    expect([answer.statusCode, answer.json()]).toEqual([400, invalid('/enabled')]);
  });

  it('H08 H10 counts the filtered tools of all pages', async () => {
    const { tools, pagination } = (await got(await served(), '/v1/tools?tag=math&limit=1&page=2')).json();

    expect(namesIn(tools)).toEqual(['add-two']);
    expect(pagination).toEqual({ page: 2, limit: 1, total: 2, totalPages: 2 });
  });

  it('H09 H10 answers a page past the end, and no tools at all', async () => {
    const past = await got(await served(), '/v1/tools?page=9&limit=4');
    const none = await got(await createServer(), '/v1/tools');

    expect(past.json()).toEqual({
      tools: [],
      pagination: { page: 9, limit: 4, total: TOTAL, totalPages: Math.ceil(TOTAL / 4) },
    });
    expect([none.statusCode, none.json().pagination.totalPages]).toEqual([200, 0]);
  });

  it('H36 serves the given registry alone, as it is now', async () => {
    const registry = toolsOf();
    const server = await createServer({ registry });
    registry.unregister('add-two');

    expect(namesIn((await got(server, '/v1/tools')).json().tools)).toEqual(namesIn(registry.list()));
    expect((await called(server, { name: 'Bash', parameters: { command: 'ls' } })).statusCode).toBe(404);
  });
});

describe('GET /v1/tools/:name', () => {
  it('H15 answers the metadata and the facts of a tool', async () => {
    const answer = await got(await served(), '/v1/tools/add-one');

    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        name: 'add-one',
        description: 'Adds one to a number',
        parameters: [{ name: 'a', type: 'number', description: 'a number', required: true }],
        author: 'me',
        version: '2.0.0',
        enabled: true,
        registeredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        tags: ['math', 'units'],
        category: 'numbers',
      },
    ]);
  });

  it('H16 H49 answers 404 for a name that is unknown, or no name at all', async () => {
    const answer = await got(await served(), '/v1/tools/nope');
    const odd = await got(await served(), '/v1/tools/No%20Name%21');

    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      { success: false, error: 'Tool not found: nope', code: 'TOOL_NOT_FOUND' },
    ]);
    expect([odd.statusCode, odd.json().error]).toEqual([404, 'Tool not found: No Name!']);
  });

  it('H44 decodes the name once', async () => {
    const server = await served();

    expect((await got(server, '/v1/tools/add%2Done')).statusCode).toBe(200);
    expect((await got(server, '/v1/tools/add%252Done')).json().error).toBe('Tool not found: add%2Done');
  });
});

describe('POST /v1/tools/search', () => {
  const search = async (payload: unknown) => await posted(await served(), '/v1/tools/search', payload);

  it('H18 H41 answers the best, as whole tools', async () => {
    const answer = await search({ query: 'add' });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      query: 'add',
      total: 2,
      results: [{ enabled: true, tags: ['math', 'units'] }, {}],
    });
  });

  it.each([[{}], [{ query: '' }], [{ query: ' \n' }], [{ limit: 3 }]])('H17 refuses %j', async (payload) => {
    const answer = await search(payload);

    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { success: false, error: 'Query is required', code: 'VALIDATION_ERROR' },
    ]);
  });

  it.each([
    [{ query: 5 }, '/query'],
    [{ query: 'a', limit: 0 }, '/limit'],
    [{ query: 'a', limit: 101 }, '/limit'],
    [{ query: 'a', limit: '5' }, '/limit'],
    [{ query: 'a', filters: [] }, '/filters'],
    [{ query: 'a', filters: { tags: 'math' } }, '/filters/tags'],
    [['a'], ''],
  ])('H18 H39 refuses %j', async (payload, path) => {
    const answer = await search(payload);

    expect([answer.statusCode, answer.json()]).toEqual([400, invalid(path)]);
  });

  it('H18 answers 20 of many, and H19 H50 counts all that the filters keep', async () => {
    const registry = toolsOf(Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`lamp-${index}`, () => 1])));
    const server = await createServer({ registry });
    const found = (payload: object) => posted(server, '/v1/tools/search', { query: 'lamp add', ...payload });

    expect((await found({})).json().results).toHaveLength(20);
    expect((await found({})).json().total).toBe(132);
    expect((await found({ limit: 1, filters: { tags: ['math'] } })).json()).toMatchObject({ total: 2, results: [{}] });
  });

  it('H43 keeps what fits the category and has all the tags', async () => {
    const kept = async (filters: object) => namesIn((await search({ query: 'add', filters })).json().results);

    expect(await kept({ category: 'numbers', tags: ['math', 'units'] })).toEqual(['add-one']);
    expect(await kept({ category: 'sums', tags: ['math', 'units'] })).toEqual([]);
    expect(await kept({ tags: [] })).toEqual(['add-one', 'add-two']);
  });
});

describe('the paths without a version', () => {
  it('H20 leads to the list, with the query', async () => {
    const plain = await got(await served(), '/tools');
    const { statusCode, headers } = await got(await served(), '/tools?page=2&tag=a%20b');

    expect([plain.statusCode, plain.headers['location']]).toEqual([302, '/v1/tools']);
    expect([statusCode, headers['location']]).toEqual([302, '/v1/tools?page=2&tag=a%20b']);
  });

  it('H21 leads to the call', async () => {
    const { statusCode, headers } = await posted(await served(), '/tools/call', { name: 'add-one' });

    expect([statusCode, headers['location']]).toEqual([307, '/v1/tools/call']);
  });
});
