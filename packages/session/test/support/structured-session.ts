import type { ModelRequest } from '@x/core';
import type { Script } from '@x/core/testing';
import { z } from 'zod';
import type { OutputFormat, SessionOptions } from '../../src/index.ts';
import { scriptedSession } from './makers.ts';

const schema = z.object({ summary: z.string(), confidence: z.number().min(0).max(1) });
export const outputFormat: OutputFormat = { type: 'json_schema', schema, name: 'AnalysisResult', strict: true };
/** An answer that fits, and its value. */
export const fits = '{"summary":"s","confidence":0.5}';
export const structured = { summary: 's', confidence: 0.5 };
/** What each request asks for. */
export const formatsIn = (requests: readonly ModelRequest[]) => requests.map((request) => request.outputFormat);
/** A session with this outputFormat whose model plays the script. */
export const made = (script: Script, options: Partial<SessionOptions> = {}) =>
  scriptedSession(script, { outputFormat, ...options });
