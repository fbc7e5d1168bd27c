import { AnthropicReplyReader } from '../anthropic/from-stream.ts';
import type { PausedTurns } from '../anthropic/paused-turns.ts';
import { anthropicFormat } from '../anthropic/to-request.ts';
import { readsOf } from '../content/readable.ts';
import { recordOf } from '../wire/json-values.ts';
import { readableFormat } from '../wire/model-reads.ts';
import { RequestBytes } from '../wire/request-bytes.ts';
import type { BedrockApi, SpokenBedrock } from './event-reader.ts';

/** The version of the messages API on Bedrock (platform.claude.com, "Claude on Amazon Bedrock"). */
const VERSION = { anthropic_version: 'bedrock-2023-05-31' };
const JSON_TYPE = 'application/json';

/** Claude in its own format: an event holds the bytes of one event of the messages API. */
export function claudeApi({ name, extraBody }: SpokenBedrock, paused: PausedTurns): BedrockApi {
  const format = anthropicFormat(name, { extraBody, instead: VERSION, hasComputer: false, isPaused: paused.has });
  const bytes = new RequestBytes(readableFormat(format, readsOf('anthropic', name)));
  return {
    command(sdk, request) {
      const { bytes: lent, giveBack } = bytes.bodyOf(request);
      const body = Uint8Array.from(lent); // the client reads it when it likes
      giveBack();
      const accepts = { contentType: JSON_TYPE, accept: JSON_TYPE };
      return new sdk.InvokeModelWithResponseStreamCommand({ modelId: name, body, ...accepts });
    },
    eventsIn: (answer) => answer['body'],
    reader(facts) {
      const reader = new AnthropicReplyReader(facts, paused.add);
      return {
        push(event) {
          const chunk = recordOf(event['chunk'])?.['bytes'];
          if (!(chunk instanceof Uint8Array)) return [];
          return reader.push(`data: ${Buffer.from(chunk).toString('utf8')}\n\n`);
        },
        end: () => reader.end(),
        message: () => reader.message(),
      };
    },
  };
}
