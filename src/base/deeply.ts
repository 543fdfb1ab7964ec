/** A recursive function that yields the calls it would make, and is given what each came to. */
export type Deep<T> = Generator<Deep<T>, T, T>

/** Runs it. However deep it goes, the machine's stack stays as it is: what waits is in a list. */
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
