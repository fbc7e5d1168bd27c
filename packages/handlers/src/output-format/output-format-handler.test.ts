import { type ModelRequest, type RunAnswer, type RunContext, textOf, type UserMessage } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerOf, directAnswer } from '../../test/answers.ts';
import { journaledRun, requestOf } from '../../test/journaled-run.ts';
import type { OutputFormat } from './output-format.ts';
import { outputFormatHandler } from './output-format-handler.ts';

const schema = z.object({ summary: z.string(), confidence: z.number().min(0).max(1) });
const fits = '{"summary":"s","confidence":0.5}';
const formatOf = (own: OutputFormat['schema'] = schema): OutputFormat => ({ type: 'json_schema', schema: own });

/** The handler as a run meets it. */
function handlerIn(run: RunContext = journaledRun().run, own?: OutputFormat['schema']) {
  const handler = outputFormatHandler(formatOf(own));
  const requested = (request: ModelRequest): ModelRequest => {
    const { requests, stream } = scriptedModel([{}]);
    handler.wrapModelCall!(request, stream, run);
    return requests[0]!;
  };
  const judge = async (answer: RunAnswer) => (await handler.checkAnswer!(answer, run)) ?? undefined;
  const again = async (answer: RunAnswer) => ((await judge(answer))?.again ?? []).map(textOf).join();
  return { handler, requested, judge, again };
}

const subagentOf = (parent: RunContext) => journaledRun({ parent }).run;

describe('outputFormatHandler', () => {
  it('refuses a format that cannot be honoured', () => {
    expect(() => outputFormatHandler({} as OutputFormat)).toThrow('outputFormat.type');
  });

  describe('around a model call', () => {
    it('asks for the format with the same object each time, and changes nothing else', () => {
      const { requested } = handlerIn();
      const request = requestOf();

      const [one, other] = [requested(request), requested(requestOf())];

      expect(one.outputFormat).toMatchObject({ name: 'output', strict: true, schema: { type: 'object' } });
      expect(one.outputFormat).toBe(other.outputFormat);
      expect(one).toEqual({ ...request, outputFormat: one.outputFormat });
      expect(one.tools).toBe(request.tools);
    });

    it('leaves the calls of subagents as they are', () => {
      const request = requestOf();

      expect(handlerIn(subagentOf(journaledRun().run)).requested(request)).toBe(request);
    });
  });

  describe('at an answer', () => {
    it('gives the JSON text and what the schema makes of it', async () => {
      const coming = z.object({ at: z.string().transform((text) => new Date(text)), n: z.int().default(3) });
      const { judge } = handlerIn(undefined, coming);

      expect(await judge(answerOf('```json\n{"at":"2024-01-01"}\n```'))).toEqual({
        content: '{"at":"2024-01-01"}',
        structured: { at: new Date('2024-01-01'), n: 3 },
      });
    });

    it.each<[string, z.ZodType, unknown]>([
      ['{"value":[1,2]}', z.array(z.number()), [1, 2]],
      ['{"value":"yes"}', z.string(), 'yes'],
      ['{"value":{"a":1}}', z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]), { a: 1 }],
      ['{"value":{"a":1}}', z.object({ a: z.number() }).or(z.object({ value: z.number() })), { a: 1 }],
      ['{"value":1}', z.object({ a: z.number() }).or(z.object({ value: z.number() })), { value: 1 }],
    ])('takes %s out of the object that services want, or as the answer itself', async (text, own, structured) => {
      const { judge, requested } = handlerIn(undefined, own);

      expect(requested(requestOf()).outputFormat?.schema).toMatchObject({ type: 'object', required: ['value'] });
      expect(await judge(answerOf(text))).toEqual({ content: JSON.stringify(structured), structured });
    });

    it('says where a wrapped answer is wrong', async () => {
      const { again } = handlerIn(undefined, z.array(z.number()));

      expect(await again(answerOf('{"value":[1,"two"]}'))).toContain('[1]: Invalid input: expected number');
    });

    it.each<[string, z.ZodType, unknown]>([
      ['null', z.null(), null],
      ['false', z.boolean(), false],
      ['[1,2]', z.array(z.number()), [1, 2]],
      ['"yes"', z.string(), 'yes'],
      ['"x"', z.string().transform(() => undefined), undefined],
    ])('takes %s for a value', async (text, own, value) => {
      expect(await handlerIn(undefined, own).judge(answerOf(text))).toHaveProperty('structured', value);
    });

    it('takes null for the absence of what is optional, and for itself where the schema says so', async () => {
      const optional = z.object({
        a: z.string().optional(),
        b: z.string().nullable(),
        c: z.array(z.object({ d: z.int().optional() })),
      });
      const { judge } = handlerIn(undefined, optional);

      expect(await judge(answerOf('{"a":null,"b":null,"c":[{"d":null}]}'))).toHaveProperty('structured', {
        b: null,
        c: [{}],
      });
    });

    it('says nothing of what a subagent answers', async () => {
      expect(await handlerIn(subagentOf(journaledRun().run)).judge(answerOf('Hello.'))).toBeUndefined();
    });

    it('asks again, with what is wrong and what is wanted', async () => {
      const { again } = handlerIn();

      const text = await again(answerOf('{"summary":"s","confidence":7}'));

      expect(text.split('\n')).toEqual([
        'Your answer was not accepted, because it does not have the required format (output):',
        '- confidence: Too big: expected number to be <=1',
        'Give the whole answer again, in the required format: JSON and nothing else.',
        expect.stringMatching(/^It must fit this JSON Schema: \{.*"confidence":\{.*\}$/),
      ]);
      expect(await again(answerOf('Hello.'))).toMatch(/- The answer is not JSON: .*\n/);
    });

    it('quotes neither a large schema nor endless faults', async () => {
      const many = z.object(
        Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`property_number_${index}`, z.string()])),
      );
      const { again } = handlerIn(undefined, many);

      const lines = (await again(answerOf('{}'))).split('\n');

      expect(lines).toHaveLength(23);
      expect(lines.at(-2)).toBe('- and 180 more');
    });

    it('treats the output of a tool like any other answer', async () => {
      const { judge, again } = handlerIn();

      expect(await judge(directAnswer(fits))).toMatchObject({ content: fits, structured: { summary: 's' } });
      expect(await again(directAnswer('Placed.'))).toMatch(/^What the tool has given was not accepted/);
    });
  });

  describe('when the model has refused', () => {
    it('ends the run at once, in the words of the model', async () => {
      const { run, records } = journaledRun();

      await expect(handlerIn(run).judge(answerOf('Not this.', 'refusal'))).rejects.toMatchObject({
        name: 'SessionError',
        code: 'OUTPUT_INVALID',
        message: 'The model refused to answer: Not this.',
        details: { content: 'Not this.', repairs: 0 },
      });
      expect(records).toEqual([]);
    });

    it('does not take what it says for an answer, even one that fits', async () => {
      const { judge } = handlerIn();

      await expect(judge(answerOf(fits, 'refusal'))).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
      await expect(judge(answerOf('', 'refusal'))).rejects.toThrow('The model refused to answer.');
    });
  });

  describe('when the answer was cut off', () => {
    it('says so, and asks for a shorter one', async () => {
      expect(await handlerIn().again(answerOf('{"summary":"s', 'length'))).toMatch(
        /- The answer was cut off at the limit of its length .* shorter\.\n/,
      );
    });

    it('takes it when it was complete all the same', async () => {
      expect(await handlerIn().judge(answerOf(`${fits}\n\n`, 'length'))).toMatchObject({ content: fits });
    });

    it('does not take a number, of which a part may be missing (control: one that was not cut off)', async () => {
      const { again, judge } = handlerIn(undefined, z.number());

      expect(await again(answerOf('12', 'length'))).toContain('cut off');
      expect(await judge(answerOf('12'))).toMatchObject({ structured: 12 });
    });
  });

  describe('at the end of its patience', () => {
    /** The messages of the journal's notes. */
    const countsIn = (records: ReturnType<typeof journaledRun>['records']) =>
      records.map((record) => (record.type === 'note' ? (record.data as { count: number }).count : record.type));

    it('has asked twice, then ends the run with what it has got', async () => {
      const { run, records } = journaledRun();
      const { judge, again } = handlerIn(run);

      expect([await again(answerOf('a')), await again(answerOf('b'))].every((text) => text !== '')).toBe(true);
      await expect(judge(answerOf('{"summary":7,"confidence":1}'))).rejects.toMatchObject({
        name: 'SessionError',
        code: 'OUTPUT_INVALID',
        statusCode: 502,
        message: expect.stringMatching(/2 further turns .*: summary: Invalid input: expected string, received number$/),
        details: {
          content: '{"summary":7,"confidence":1}',
          issues: [{ path: 'summary', message: 'Invalid input: expected string, received number' }],
          repairs: 2,
        },
      });
      expect(countsIn(records)).toEqual([1, 2]);
    });

    it('still takes an answer that fits', async () => {
      const { again, judge } = handlerIn();
      await again(answerOf('a'));
      await again(answerOf('b'));

      expect(await judge(answerOf(fits))).toMatchObject({ structured: { summary: 's', confidence: 0.5 } });
    });

    it('counts for each run by itself', async () => {
      const handler = outputFormatHandler(formatOf());
      const [one, other] = [journaledRun().run, journaledRun().run];
      for (const text of ['a', 'b']) await handler.checkAnswer!(answerOf(text), one);

      expect(await handler.checkAnswer!(answerOf('c'), other)).toHaveProperty('again');
    });

    it('is no more patient after a crash', async () => {
      const { run } = journaledRun({ notes: { output_repairs: { count: 2, behind: 'an earlier reply' } } });

      await expect(handlerIn(run).judge(answerOf('c'))).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
    });

    it('is no less patient after a crash that has lost the question', async () => {
      const answer = answerOf('b');
      const behind = answer.messages.at(-1)!.id;
      const { run, records } = journaledRun({ notes: { output_repairs: { count: 2, behind } } });

      expect(await handlerIn(run).again(answer)).not.toBe('');
      expect(countsIn(records)).toEqual([2]);
    });

    it('keeps what the schema itself has thrown as the cause', async () => {
      const { run } = journaledRun({ notes: { output_repairs: { count: 2, behind: 'an earlier reply' } } });
      const broken = z.string().transform((text) => new URL(text));

      await expect(handlerIn(run, broken).judge(answerOf('"x"'))).rejects.toMatchObject({
        cause: expect.any(TypeError),
      });
    });

    it('asks only once the count is durable', async () => {
      const { run } = journaledRun({ failure: new Error('the journal was lost') });
      let asked: readonly UserMessage[] | undefined;

      const asking = handlerIn(run).judge(answerOf('a'));

      await expect(asking.then((verdict) => (asked = verdict?.again))).rejects.toThrow('the journal was lost');
      expect(asked).toBeUndefined();
    });
  });
});
