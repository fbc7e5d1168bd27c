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
}

/** The id of a call, or of its result, in the receiver's format; all but two accept any, and some hide data in theirs. */
export function chatCallId(id: string, { name, provider, facts }: Reader): string {
  if (facts.wantsShortIds) return SHORT_ID.test(id) ? id : sha256(id).slice(0, 9);
  return provider === 'azure-openai' || isOpenAIModel(name) ? callIdWithin(MAX_ID, id) : id;
}
