import { toolUsesOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import { readText } from '../../test/replies/openai-responses.ts';

describe('ResponsesReplyReader', () => {
  const bareCall = '"type":"function_call","call_id":"c","name":"now","arguments":""';
  const addedItem = (item: string) => `data: {"type":"response.output_item.added","output_index":0,"item":${item}}\n\n`;
  const completed = (output: string) => `data: {"type":"response.completed","response":{"output":[${output}]}}\n\n`;

  it.each([
    ['announced', addedItem(`{${bareCall}}`) + completed('')],
    ['announced as begun', addedItem(`{${bareCall},"status":"in_progress"}`) + completed('')],
    ['listed as begun', completed(`{${bareCall},"status":"in_progress"}`)],
    ['listed as half', completed(`{${bareCall},"status":"incomplete"}`)],
  ])('does not take a call for one without arguments that was only %s', (_how, stream) => {
    expect(toolUsesOf(readText(stream).message)).toMatchObject([{ id: 'c', input: '' }]);
  });

  it.each([
    [
      'its arguments',
      `${addedItem(`{${bareCall}}`)}data: {"type":"response.function_call_arguments.done","output_index":0,"arguments":""}\n\n${completed('')}`,
    ],
    ['it where it was announced', addedItem(`{${bareCall},"status":"completed"}`) + completed('')],
    ['it in the list', completed(`{${bareCall},"status":"completed"}`)],
    ['the list', completed(`{${bareCall}}`)],
  ])('takes a call for one without arguments when the service has ended %s', (_what, stream) => {
    expect(toolUsesOf(readText(stream).message)).toMatchObject([{ id: 'c', input: {} }]);
  });
});
