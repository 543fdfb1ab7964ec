/** A recursive function as a generator: it yields its recursive calls, and receives the result of each. */
export type Deep<T> = Generator<Deep<T>, T, T>

/** Runs it with a list of pending calls, so that deep recursion does not grow the call stack. */
export function deeply<T>(first: Deep<T>): T {
  const waiting = [first]
  let result: T | undefined
  for (;;) {
    const top = waiting.at(-1) as Deep<T>
    const { done, value } = top.next(result as T)
    if (!done) waiting.push(value)
    else if (waiting.length === 1) return value
    else waiting.pop()
    result = done ? value : undefined
  }
}
