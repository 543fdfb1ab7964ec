import type { PipelineNode } from 'unbash'

/** Commands that never fail. */
export const SUCCEEDS = new Set(': true echo printf export set local declare readonly trap pwd'.split(' '))

export const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one))

export const isDescriptor = (operator: string, target: string): boolean =>
  (operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(target)

export const isEnd = (node: PipelineNode): boolean =>
  node.type === 'Command'
    ? /^(exit|return|break|continue|die)$/.test(node.name?.value ?? '')
    : node.type === 'BraceGroup' && node.body.commands.some(({ command }) => command.type !== 'AndOr' && isEnd(command))
