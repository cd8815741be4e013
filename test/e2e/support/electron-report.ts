/** Reports a run on the real runtime: how many specs ran, and why the others were skipped. */
import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export type SpecEnd = {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** Why the spec was skipped. */
  readonly note?: string | undefined
}

export function runReport(ends: readonly SpecEnd[]): readonly string[] {
  const left = ends.filter(({ state }) => state === 'skipped')
  const failed = ends.filter(({ state }) => state === 'failed')
  const reasons = Map.groupBy(left, ({ note = 'the spec file excludes it' }) => note)
  const ran = `On Electron ${ends.length - left.length} of ${ends.length} specs ran, ${failed.length} failed.`
  if (left.length === 0) return [ran]
  return [
    `${ran} The others end at what only the stand-in can do:`,
    ...[...reasons]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .flatMap(([reason, specs]) => [
        `${String(specs.length).padStart(4)}  ${reason}`,
        ...specs.map(({ name }) => `        ${name}`),
      ]),
  ]
}

export const electronReport: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const ends = modules.flatMap((module) =>
      [...module.children.allTests()].map((spec) => ({ name: spec.fullName, ...spec.result() })),
    )
    const report = runReport(ends).join('\n')
    console.log(`\n${report}`)
    const summary = process.env['GITHUB_STEP_SUMMARY'] ?? ''
    if (summary !== '') appendFileSync(summary, `\`\`\`\n${report}\n\`\`\`\n`)
  },
}
