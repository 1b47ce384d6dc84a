// Public interface of the tools room: tools for agents, each defined once. Adapters that need a package of their host
// have their own entry points: `lectern/tools/ai-sdk`, `lectern/tools/langchain`.

export { archivingTools } from './archiving-tools.ts';
export { type CreateToolsOptions, createTools } from './create.ts';
export { type FolderTreeOptions, folderTree } from './folder-tree.ts';
export { guardTools } from './guard-tools.ts';
export { planTool } from './plan.ts';
export { type RecallToolOptions, recallTool } from './recall.ts';
export { type FieldSchema, type InputSchema, inputSchemaOf } from './schema.ts';
export {
  failedAnswer,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolName,
  type ToolPart,
  type ToolProgress,
  textOf,
} from './tool.ts';
export { workspaceOf } from './workspace-of.ts';
