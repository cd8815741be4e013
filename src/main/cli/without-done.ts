import type { Draft } from '../../shared/model/draft.ts'
import type { Context } from './context.ts'

/**
 * Leaves out what earlier jobs have already done, and reports it. Needs no service.
 * @returns undefined if nothing is left, or if the user interrupted the comparison
 */
export async function withoutDone(
  { service, environment, report, waits, openCore }: Context,
  draft: Draft,
): Promise<Draft | undefined> {
  const { source } = draft
  if (source.kind !== 'files') return draft
  const { items } = source
  const core = await openCore({ connected: false, sends: false })
  let checked = 0
  const explain = () =>
    ({
      reason: 'files',
      message: `Comparing files with earlier jobs: ${checked} of ${items.length} so far.`,
    }) as const
  const found = await waits.during(explain, () =>
    core.done.find(draft, {
      target: service.identity,
      signal: environment.interrupted,
      onProgress: (count) => void (checked = count),
    }),
  )
  await core.close()
  if (environment.interrupted.aborted) return undefined
  const done = new Set(found.filter(({ isDone }) => isDone).map(({ path }) => path))
  const left = items.filter(({ path }) => !done.has(path))
  if (done.size > 0) {
    report.say({ event: 'skipped', files: found.filter(({ isDone }) => isDone), left: left.length })
  }
  if (left.length === 0) return undefined
  const except = found.flatMap(({ path, isDone, presets }) =>
    isDone ? [] : presets.flatMap((preset) => (preset === null ? [] : [{ preset, path }])),
  )
  return { ...draft, source: { kind: 'files', items: left }, ...(except.length === 0 ? {} : { except }) }
}
