export type { ContractStreams, ModelContractOptions } from './contract/contract-options.ts';
export { modelContract } from './contract/model-contract.ts';
export { readRecording, readRecordings } from './recording/read-recording.ts';
export { type ReplayOptions, recordedAnswer } from './recording/recorded-answer.ts';
export { recordedScript } from './recording/recorded-script.ts';
export { RecordingError, type RecordingErrorOptions } from './recording/recording-error.ts';
export { type RecordingProxy, type RecordingProxyOptions, recordingProxy } from './recording/recording-proxy.ts';
export type {
  RecordedAnswer,
  RecordedBytes,
  RecordedChunk,
  RecordedHeader,
  RecordedRequest,
  WireRecording,
} from './recording/wire-recording.ts';
export type { WireAnswer } from './wire-answer.ts';
export { type WireRequest, type WireScript, type WireServer, wireServer } from './wire-server.ts';
