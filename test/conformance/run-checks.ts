import { tmpdir } from 'node:os'
import { ALL_CHECKS, checkService, type CheckResult } from '../../src/main/conformance/check-service.ts'
import { parseBaseUrl } from '../../src/main/service-api/index.ts'
import { fastTiming } from '../main/cli/command.ts'
import { API_KEY } from './running-service.ts'

type Held = {
  readonly titles?: readonly string[]
  readonly mayFillQueue?: boolean
  readonly interrupted?: AbortSignal
  readonly onResult?: (result: CheckResult) => void
  readonly faster?: number
}

/** Runs the checks of `check-service`, all or those with the given titles. */
export async function runChecks(baseUrl: string, held: Held = {}) {
  const { titles, mayFillQueue = true, interrupted = new AbortController().signal, faster } = held
  const address = parseBaseUrl(baseUrl)
  if (!address.ok) throw new Error(address.why)
  const unknown = titles?.filter((title) => !ALL_CHECKS.some((check) => check.title === title)) ?? []
  if (unknown.length > 0) throw new Error(`No check has the title ${unknown.join(', ')}`)
  const results: CheckResult[] = []
  const checked = await checkService({
    baseUrl: address.value,
    key: API_KEY,
    dataDir: tmpdir(),
    timing: fastTiming(faster),
    interrupted,
    mayFillQueue,
    checks: ALL_CHECKS.filter(({ title }) => titles?.includes(title) ?? true),
    onResult(result) {
      results.push(result)
      held.onResult?.(result)
    },
  })
  return { ...checked, results }
}
