import { callIdWithin, isOpenAIModel, sha256 } from '../wire/call-id.ts';
import type { ChatModelFacts } from './chat-model-facts.ts';

const SHORT_ID = /^[a-zA-Z0-9]{9}$/;
/** OpenAI refuses longer ids. */
const MAX_ID = 40;

/** The receiver of a request. */
export interface Reader {
  /** Name of the model. */
  readonly name: string;
  readonly provider: string;
  readonly facts: ChatModelFacts;
  /** OpenAI itself, or Azure: it refuses longer ids of calls than others. */
  readonly isOpenAI: boolean;
}

/** The receiver of requests to the model `name` of a provider. */
export function readerOf(name: string, provider: string, facts: ChatModelFacts): Reader {
  return { name, provider, facts, isOpenAI: provider === 'azure-openai' || isOpenAIModel(name) };
}

/** The id of a call, or of its result, in the receiver's format; all but two accept any, and some hide data in theirs. */
export function chatCallId(id: string, { facts, isOpenAI }: Reader): string {
  if (facts.wantsShortIds) return SHORT_ID.test(id) ? id : sha256(id).slice(0, 9);
  return isOpenAI ? callIdWithin(MAX_ID, id) : id;
}
