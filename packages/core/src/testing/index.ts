export { collect } from './collect.ts';
export { type Script, type ScriptedModel, type ScriptedReply, scriptedModel } from './scripted-model.ts';
