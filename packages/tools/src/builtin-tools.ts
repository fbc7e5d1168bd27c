import type { Tool } from '@x/core';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep/grep.ts';
import { readTool } from './read.ts';
import { todoWriteTool } from './todo-write.ts';
import { webFetchTool } from './web-fetch.ts';
import { writeTool } from './write.ts';

/** Stateless, so one of each serves every session; created on first use, because nothing is executed at import. */
let shared: readonly Tool[] | undefined;

/** Read, Write, Edit, Bash, Glob, Grep, WebFetch and TodoWrite; each works on the workspace of its call. The same tools every time. */
export function builtinTools(): readonly Tool[] {
  shared ??= [readTool(), writeTool(), editTool(), bashTool(), globTool(), grepTool(), webFetchTool(), todoWriteTool()];
  return shared;
}
