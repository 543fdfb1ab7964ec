/** Tools that may work for long without a pause: they run in a process of their own. */
const HEAVY: ReadonlySet<string> = new Set([
  ...['gc', 'fsck', 'forget', 'mirror', 'prune', 'stats', 'materialise', 'export', 'uninstall'],
  // On a terminal they ask, which only the caller's own process can.
  ...['git_rescue', 'trust'],
  // In the caller's own process a command of the caller's has the caller's environment.
  'timewarp_experiment_run',
])
export const isHeavy = (tool: string): boolean => HEAVY.has(tool)
