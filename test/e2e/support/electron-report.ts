/** Reports a run on the real runtime: how many specs ran, and why the others were skipped. */
import type { Reporter, TestModule } from 'vitest/node'

export type SpecEnd = {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** Why the spec was skipped. */
  readonly note?: string | undefined
}

export function runCounts(ends: readonly SpecEnd[]): readonly string[] {
  const left = ends.filter(({ state }) => state === 'skipped')
  const failed = ends.filter(({ state }) => state === 'failed')
  const counts = new Map<string, number>()
  for (const { note = 'no reason given' } of left) counts.set(note, (counts.get(note) ?? 0) + 1)
  const ran = `On Electron ${ends.length - left.length} of ${ends.length} specs ran, ${failed.length} failed.`
  if (left.length === 0) return [ran]
  return [
    `${ran} The others end at what only the stand-in can do:`,
    ...[...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([note, count]) => `${String(count).padStart(4)}  ${note}`),
  ]
}

export const electronReport: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const ends = modules.flatMap((module) => [...module.children.allTests()].map((spec) => spec.result()))
    console.log(`\n${runCounts(ends).join('\n')}`)
  },
}
