import { delegates, edits, reads, type ToolRows } from './tool-call.ts'

/** Tools of Claude Code that cannot change a file of the workspace; for the usual ones no hook is installed. */
export const CLAUDE_READS = [
  'Read',
  'Grep',
  'Glob',
  'LS',
  'LSP',
  'NotebookRead',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'TodoRead',
  'ToolSearch',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'BashOutput',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskOutput',
  'SendMessage',
  'StructuredOutput',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
] as const

const EDITS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']

export const CLAUDE_TOOLS: ToolRows = {
  ...reads(...CLAUDE_READS),
  ...delegates('Agent', 'Task'),
  // They end a running command: what it wrote belongs to the call that started it.
  ...reads('KillShell', 'KillBash', 'TaskStop'),
  ...Object.fromEntries(EDITS.map((name) => [name, edits('file_path', 'notebook_path')])),
  Bash: { kind: 'shell', command: ['command'] },
  PowerShell: { kind: 'shell', command: ['command'] },
  Monitor: { kind: 'shell', command: ['command'] },
}

/** Codex has the same hooks as Claude Code, but other tools. */
export const CODEX_TOOLS: ToolRows = {
  ...reads('update_plan', 'view_image', 'web_search', 'wait_agent', 'close_agent', 'send_input', 'list_agents'),
  ...reads('read_mcp_resource', 'list_mcp_resources', 'list_mcp_resource_templates', 'request_user_input'),
  ...delegates('spawn_agent', 'resume_agent'),
  apply_patch: { kind: 'edit', patch: ['command', 'input', 'patch'] },
  Bash: { kind: 'shell', command: ['command', 'cmd'], cwd: ['workdir'] },
  shell: { kind: 'shell', command: ['command'], cwd: ['workdir'] },
  exec_command: { kind: 'shell', command: ['cmd', 'command'], cwd: ['workdir'] },
}
