import type { AssistantMessage, ModelRequest } from '@x/core';
import type { DeltaEvent } from '../wire/delta-queue.ts';
import type { ReplyFacts } from '../wire/reply-reader.ts';
import type { OpenClient, Sdk } from './client-for.ts';

/** An event of a stream, unchecked: an object with one member, which is named after its kind. */
export type WireEvent = Readonly<Record<string, unknown>>;

/** Reads the events of one reply. */
export interface EventReader {
  /** @throws ModelError */
  push(event: WireEvent): readonly DeltaEvent[];
  /** The events that were held back. */
  end(): readonly DeltaEvent[];
  /** @throws ModelError when the stream was cut: an incomplete reply is never returned */
  message(): AssistantMessage;
}

/** One of the two ways to speak to a model of Bedrock. */
export interface BedrockApi {
  /** The command of the official client, made of the request. */
  readonly command: (sdk: Sdk, request: ModelRequest) => object;
  /** The events in what the client returns for it. */
  readonly eventsIn: (answer: WireEvent) => unknown;
  readonly reader: (facts: ReplyFacts) => EventReader;
}

/** A model, with the client that its requests go through. */
export interface SpokenBedrock {
  readonly api: 'anthropic' | 'converse';
  readonly name: string;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly open: () => Promise<OpenClient>;
}
