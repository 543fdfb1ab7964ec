import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line that any script can read: `12 passed, 0 failed, 1 skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length
    process.stdout.write(`${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`)
  }
}
