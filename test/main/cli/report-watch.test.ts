import { expect, test } from 'vitest'
import { watchFolder } from '../../watch-folder.ts'
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

const at = (kind: string, baseUrl: string, image: readonly string[]) => ({
  kind,
  baseUrl,
  presets: { image, video: [] },
  state: { status: 'connecting' },
})

test('a preset counts as missing only if the folder’s own service lacks it', () => {
  const said: object[] = []
  const other = 'http://127.0.0.1:3847'
  const line = {
    connection: { view: () => at('builtIn', '', ['Web 2048']) },
    outbox: { isInPlace: () => true, list: () => [], listSoFar: () => ({ submissions: [] }) },
    history: { isInPlace: () => true },
    state: { get: () => ({ outbox: [], jobs: [], services: [at('external', other, ['Print A5'])] }) },
  }
  const context = {
    line,
    report: { say: (event: object) => said.push(event), sayEach: () => undefined },
    environment: { timing: { monotonic: () => 0 } },
    service: { isApps: true },
  }
  const files = { count: 0, paths: [] }
  const shown = {
    trouble: null,
    rules: 'none',
    waiting: [],
    unprocessed: files,
    open: { ...files, isLong: false },
    retried: files,
    links: files,
    special: files,
    ignored: files,
    empty: files,
  }
  const presets = ['Print A5', 'Make smaller']
  const folders = [
    { ...watchFolder('/here', '/out', { id: 'here', presets }), ...shown },
    { ...watchFolder('/there', '/out', { id: 'there', presets, service: other }), ...shown },
  ]
  const { check } = createWatchReport(context as never, new Set(), () => ({ list: () => folders }) as never)
  check()
  expect(said).toEqual([
    { event: 'watchTrouble', folder: '/here', kind: 'presetMissing', preset: 'Print A5', files: 0 },
    { event: 'watchTrouble', folder: '/there', kind: 'presetMissing', preset: 'Make smaller', files: 0 },
  ])
})
