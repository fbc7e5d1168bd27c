import { type ImageBlock, type Message, userMessage } from '@x/core';
import { createModel, supportedModels } from '@x/models';
import { computerTool } from '@x/models/computer';
import { wireServer } from '@x/models/testing';
import { expect } from 'vitest';
import { conversation, echo, exchange, sentFor } from './exchange.ts';
import type { Feature } from './feature.ts';
import { PROVIDERS } from './providers.ts';

const pdf = { type: 'file', mediaType: 'application/pdf', data: 'cGRmLTQ3MTE=' } as const;
const sound = { type: 'file', mediaType: 'audio/wav', data: 'd2F2LTQ3MTE=' } as const;
const image: ImageBlock = { type: 'image', mediaType: 'image/png', data: 'aW1hZ2UtNDcxMQ==' };

/** What goes out. */
export const REQUEST_FEATURES: readonly Feature[] = [
  {
    name: 'images in',
    async check(provider) {
      const message: Message = { ...userMessage('Look.'), content: [{ type: 'text', text: 'Look.' }, image] };

      const body = await sentFor(provider, [message]);

      expect(body).toContain(image.data);
      expect(body.indexOf('Look.')).toBeLessThan(body.indexOf(image.data));
    },
  },
  {
    name: 'images by address',
    async check(provider) {
      const url = 'https://example.com/a.png';

      const body = await sentFor(provider, [userMessage([{ type: 'link', url, mediaType: 'image/png' }])]);

      expect(body).toContain(url);
      expect(body).not.toContain('cannot read');
    },
  },
  {
    name: 'files of text in',
    async check(provider) {
      const data = Buffer.from('one,two').toString('base64');

      const body = await sentFor(provider, [userMessage([{ type: 'file', mediaType: 'text/csv', data }])]);

      expect(body).toContain('one,two');
    },
  },
  {
    name: 'PDF in, of models that read it',
    except: ['azure-openai'],
    async check(provider) {
      const body = await sentFor(provider, [userMessage([pdf])], provider.name === 'chat' ? 'gpt-5' : provider.model);

      expect(body).toContain(pdf.data);
    },
  },
  {
    name: 'sound in, of models that hear it',
    except: ['azure-openai', 'responses', 'anthropic'],
    async check(provider) {
      const body = await sentFor(
        provider,
        [userMessage([sound])],
        provider.name === 'chat' ? 'gpt-audio' : provider.model,
      );

      expect(body).toContain(sound.data);
    },
  },
  {
    name: 'a text in the place of what a model does not read',
    async check(provider) {
      const zip = { type: 'file', mediaType: 'application/zip', data: 'UEsDBA==' } as const;

      const body = await sentFor(provider, [userMessage([zip])]);

      expect(body).toContain('[application/zip, 4 bytes: this model cannot read it]');
      expect(body).not.toContain(zip.data);
    },
  },
  {
    name: 'images in tool results',
    async check(provider) {
      const messages = await conversation(provider, 'call', { images: [image] });

      const body = await sentFor(provider, messages);

      expect(body).toContain(image.data);
      expect(body.indexOf('again')).toBeLessThan(body.indexOf(image.data));
    },
  },
  {
    name: 'PDF in tool results, of models that read it',
    except: ['azure-openai'],
    async check(provider) {
      const messages = await conversation(provider, 'call', { images: [image], files: [pdf, sound] });

      const body = await sentFor(provider, messages, provider.name === 'chat' ? 'gpt-5' : provider.model);

      expect(body).toContain(image.data);
      expect(body).toContain(pdf.data);
      expect(body.includes(sound.data)).toBe(provider.name === 'gemini');
      expect(body.includes('[audio/wav, 8 bytes: this model cannot read it]')).toBe(provider.name !== 'gemini');
    },
  },
  {
    name: 'thinking goes back as the service wants it',
    async check(provider) {
      const messages = await conversation(provider, 'thinking-and-call');
      const secrets = secretsIn(messages);

      const body = await sentFor(provider, messages);

      for (const secret of secrets) expect(body).toContain(secret);
      expect(secrets.length > 0 || body.includes('reasoning_content')).toBe(true);
    },
  },
  {
    name: 'another provider takes the conversation over',
    async check(provider) {
      const messages = await conversation(provider, 'thinking-and-call');
      const secrets = secretsIn(messages);

      for (const other of PROVIDERS.filter((one) => one.config('http://x').type !== provider.config('http://x').type)) {
        const body = await sentFor(other, messages);
        for (const secret of secrets) expect(body).not.toContain(secret);
        expect(body).not.toContain('reasoning_content');
        expect(body).toContain('And now?');
        expect(body).toContain('echo');
      }
    },
  },
  {
    name: 'prompt caching: tools and instruction first, byte-identical',
    async check(provider) {
      const first = userMessage('Hello');
      const one = await sentFor(provider, [first]);
      const two = await sentFor(provider, [first, userMessage('Again')]);

      const head = one.slice(0, one.indexOf('Hello'));
      expect(head).toContain('Be brief.');
      expect(head).toContain('Says it again.');
      expect(two.startsWith(head)).toBe(true);
    },
  },
  {
    name: 'prompt caching: breakpoints set',
    except: ['chat', 'responses', 'azure-openai', 'gemini'],
    async check(provider) {
      const { body } = await exchange(provider, { body: provider.stream('text') }, { tools: [echo] });

      expect(body).toMatchObject({
        cache_control: { type: 'ephemeral' },
        tools: [{ cache_control: { type: 'ephemeral' } }],
        system: [{ cache_control: { type: 'ephemeral' } }],
      });
    },
  },
  {
    name: 'search among many tools, of models whose service has one',
    except: ['chat', 'azure-openai', 'gemini'],
    async check(provider) {
      const model = provider.name === 'responses' ? 'gpt-5.4' : provider.model;

      const request = { tools: [], model, deferredTools: [echo] };

      const { sent } = await exchange(provider, { body: provider.stream('text') }, request);

      const { body } = sent;
      expect(body).toContain('"defer_loading":true');
      expect(body).toMatch(/"type":"tool_search/);
    },
  },
  {
    name: 'computer use, of models whose service has it',
    except: ['chat', 'azure-openai'],
    async check(provider) {
      const model = { responses: 'gpt-5.4', gemini: 'gemini-3.5-flash' }[provider.name] ?? provider.model;
      const tools = [computerTool({ display: { width: 1024, height: 768 }, execute: async () => undefined })];

      const { sent } = await exchange(provider, { body: provider.stream('text') }, { tools, model });

      expect(sent.body).toMatch(/"type":"computer|"computerUse":\{/);
      expect(sent.body).not.toContain('"actions"');
    },
  },
  {
    name: 'headers and further fields of the host',
    async check(provider) {
      const config = (url: string) => {
        return { ...provider.config(url), headers: { 'x-tenant': 't-1' }, extraBody: { some_field: { deep: [1] } } };
      };
      const { sent, body } = await exchange({ ...provider, config }, { body: provider.stream('text') });

      expect(sent.headers['x-tenant']).toBe('t-1');
      expect(body['some_field']).toEqual({ deep: [1] });
    },
  },
  {
    name: 'tokens of a request, counted before it is answered',
    except: ['chat', 'azure-openai'],
    async check(provider) {
      const answer = { headers: { 'content-type': 'application/json' }, body: '{"input_tokens":77,"totalTokens":77}' };
      await using server = await wireServer(answer);
      const { signal } = new AbortController();
      const request = { instruction: 'Be brief.', messages: [userMessage('Hello')], tools: [echo], signal };

      const tokens = await createModel(provider.config(server.url), provider.model).countTokens?.(request);

      expect(tokens).toBe(77);
      expect(server.requests.map(({ path }) => path)).toEqual([
        expect.stringMatching(/(?:count_|input_|count)tokens$/i),
      ]);
      expect(server.requests[0]?.body).toMatch(/Be brief.*Hello|Hello.*Be brief/);
    },
  },
  {
    name: 'list of models',
    async check(provider) {
      const server = await wireServer({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...LIST, models: LIST.data.map((model) => ({ ...model, name: `models/${model.id}` })) }),
      });
      try {
        const type = provider.config(server.url).type;
        const models = await supportedModels(provider.config(server.url));
        expect(models).toEqual([expect.objectContaining({ id: 'model-a', provider: type })]);
      } finally {
        await server.close();
      }
    },
  },
];

/** What a service wants to see again, wherever it stands in the log. */
function secretsIn(messages: readonly Message[]): readonly string[] {
  const named = /"(?:signature|thoughtSignature|encrypted_content)":"([^"]+)"/g;
  return Array.from(JSON.stringify(messages).matchAll(named), ([, secret]) => secret!); // the group is never empty
}

/** Has what each service puts into its list. */
const LIST = {
  object: 'list',
  has_more: false,
  data: [
    {
      id: 'model-a',
      display_name: 'Model A',
      supportedActions: ['generateContent'],
      supportedGenerationMethods: ['generateContent'],
    },
  ],
} satisfies { data: readonly object[] } & Record<string, unknown>;
