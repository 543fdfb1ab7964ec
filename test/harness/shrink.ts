import { type Options, play } from './play.ts'

/** Leaves out more and more steps as long as something is found; tells how to play what is left. */
export async function shrink(options: Options): Promise<string> {
  const skip = new Set(options.skip)
  const isFound = async (more: readonly number[]): Promise<boolean> =>
    (await play({ ...options, keep: false, skip: new Set([...skip, ...more]) })).wrong.length > 0
  for (let size = Math.ceil(options.steps / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 1; from < options.steps; from += size) {
      const some = Array.from({ length: size }, (_, i) => from + i).filter(
        (step) => step < options.steps && !skip.has(step),
      )
      if (some.length > 0 && (await isFound(some))) for (const step of some) skip.add(step)
    }
  return `--seed ${options.seed} --steps ${options.steps} --skip ${[...skip].sort((a, b) => a - b).join(',')}`
}
