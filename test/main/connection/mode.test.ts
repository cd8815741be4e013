/** How the connection reacts to commands, with scripted responses from the services. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCurrentMode, createShownView, showBuiltIn } from '../../../src/main/connection/mode.ts'
import { parseBaseUrl, type BaseUrl } from '../../../src/main/service-api/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { failed, succeeded, type ServiceError } from '../../../src/shared/service-error.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptApi } from './scripted-api.ts'

const message = 'in its own words'
const refused: ServiceError = { kind: 'unauthorized', reason: 'rejected', message }
const away: ServiceError = { kind: 'notReachable', reason: 'ECONNREFUSED', message }

function begin() {
  const settings = createSettings(openSettingsFile(join(temporaryFolder(), 'config.json')))
  const shown = createShownView(settings)
  const services: ReturnType<typeof scriptApi>[] = []
  const mode = createCurrentMode(
    {
      settings,
      timing: { ...holdTime().timing, random: () => 1 },
      createApi({ baseUrl }) {
        const scripted = scriptApi({ baseUrl: baseUrl.href })
        services.push(scripted)
        return scripted.api
      },
      patience: 60_000,
    },
    shown,
  )
  const online = () => shown.show({ state: { status: 'online', version: '1.0.81' } })
  return { mode, shown, services, online, asked: (index: number) => services[index]?.asked }
}

function urlAt(port: number): BaseUrl {
  const parsed = parseBaseUrl(`http://127.0.0.1:${port}/api`)
  if (!parsed.ok) throw new Error('no base URL')
  return parsed.value
}

it('errors limited to a single request don’t affect the connection', () => {
  const { mode, shown, online, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  online()
  const before = shown.view()
  mode.noteError({ kind: 'conflict', message })
  mode.noteError({ kind: 'queueFull', message })
  expect(shown.view()).toBe(before)
  expect(asked(0)).toEqual([])
})

it('responses from a previous service have no effect', () => {
  const { mode, shown, services, online } = begin()
  const first = mode.begin('external', urlAt(4000), 'key')
  mode.begin('external', urlAt(4001), 'key')
  online()
  mode.noteError(refused, first.api)
  expect(shown.view().state.status).toBe('online')
  expect([first.signal.aborted, services[0]?.isClosed(), services[1]?.isClosed()]).toEqual([
    true,
    true,
    false,
  ])
})

it('errors have no effect while the service is not online', () => {
  const { mode, shown, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  mode.noteError(refused)
  mode.noteError(away)
  expect(shown.view().state.status).toBe('unconfigured')
  expect(asked(0)).toEqual([])
})

it('results of requests to a previous service are not shown, and its refusals have no effect', async () => {
  const { mode, shown, online } = begin()
  mode.begin('external', urlAt(4000), 'key')
  online()
  const late = Promise.withResolvers<void>()
  const ask = (answer: 'fine' | 'refused') =>
    mode.refresh(
      async () => {
        await late.promise
        return answer === 'fine' ? succeeded({ image: ['late'], video: [] }) : failed(refused)
      },
      () => ({ address: 'late' }),
    )
  const both = [ask('fine'), ask('refused')]
  mode.begin('external', urlAt(4001), 'key')
  const before = shown.view()
  late.resolve()
  await Promise.all(both)
  expect(shown.view()).toBe(before)
})

it('a built-in service is used at the address on which it listens, and reconnected only if that address changes', () => {
  const { mode, shown, services } = begin()
  const running = (port: number) =>
    showBuiltIn({ kind: 'running', baseUrl: `http://127.0.0.1:${port}/api`, key: 'own' }, mode, shown)
  running(4000)
  running(4000)
  expect(services).toHaveLength(1)
  expect(shown.view()).toMatchObject({
    kind: 'builtIn',
    address: '127.0.0.1:4000',
    seesFiles: true,
    key: 'session',
  })
  running(4001)
  expect(services).toHaveLength(2)
  showBuiltIn({ kind: 'restarting' }, mode, shown)
  expect([mode.kind(), mode.session(), shown.view().state]).toEqual([
    'builtIn',
    undefined,
    { status: 'connecting' },
  ])
  showBuiltIn({ kind: 'failed', reason: 'no luck' }, mode, shown)
  expect(shown.view().state).toEqual({ status: 'offline', reason: 'builtInFailed', detail: 'no luck' })
})

it('only real changes are reported, and only to current listeners', () => {
  const { shown } = begin()
  const told: unknown[] = []
  const stop = shown.onChange(({ address }) => told.push(address))
  shown.show({ address: 'here' })
  shown.show({ address: 'here' })
  stop()
  shown.show({ address: 'there' })
  expect(told).toEqual(['here'])
})
