import { expect, test } from 'vitest'
import { createWatchReport } from '../../../src/main/cli/report-watch.ts'
import { failure } from '../../../src/shared/failure/failure.ts'

test('at the end, a submission is reported again only if it waits for another reason than before', () => {
  const said: object[] = []
  let state: object = { kind: 'waiting', notBefore: 1, because: 'output', unsaved: failure('diskFull') }
  const submission = () => ({
    id: 'id',
    state,
    plan: { items: [], output: { kind: 'folder', path: '/out' }, driveInput: null, preset: null },
    title: { place: { id: 'id', parts: 1 } },
  })
  const line = {
    outbox: { isInPlace: () => true, list: () => [submission()], get: submission },
    history: { isInPlace: () => true },
    state: { get: () => ({ outbox: [submission()], jobs: [] }) },
  }
  const context = {
    line,
    report: { say: (event: object) => said.push(event), sayEach: (events: object[]) => said.push(...events) },
    environment: { timing: { monotonic: () => 0 } },
    service: { isApps: true },
  }
  const { end } = createWatchReport(context as never, new Set(), () => undefined)
  const reasons = () => said.splice(0).map((event) => ('because' in event ? event.because : event))
  end(undefined)
  expect(reasons()).toEqual(['output'])
  end(undefined)
  expect(reasons()).toEqual([])
  state = { kind: 'waiting', notBefore: null, because: 'turn' }
  end(undefined)
  expect(reasons()).toEqual(['turn'])
})
