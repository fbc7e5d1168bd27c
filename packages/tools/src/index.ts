export { bashTool } from './bash.ts';
export { builtinTools } from './builtin-tools.ts';
export { editTool } from './edit.ts';
export { globTool } from './glob.ts';
export { grepTool } from './grep.ts';
export { readTool } from './read.ts';
export { writeTool } from './write.ts';
