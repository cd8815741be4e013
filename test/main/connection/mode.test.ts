/** What the connection in use makes of what it is told, with services that answer what the test says. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCurrentMode, createShownView, showBuiltIn } from '../../../src/main/connection/mode.ts'
import { parseBaseUrl, type BaseUrl } from '../../../src/main/service-api/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { failed, succeeded, type ServiceError } from '../../../src/shared/service-error.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptApi } from './scripted-api.ts'

const message = 'in its own words'
const refused: ServiceError = { kind: 'unauthorized', reason: 'rejected', message }
const away: ServiceError = { kind: 'notReachable', reason: 'ECONNREFUSED', message }
const broken: ServiceError = { kind: 'noAnswer', reason: 'ECONNRESET', message }

function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-mode-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = createSettings(openSettingsFile(join(folder, 'config.json')))
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

it('a key that is refused is said at once, and nothing is asked', () => {
  const { mode, shown, online, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  online()
  mode.noteError(refused)
  expect(shown.view().state).toEqual({ status: 'keyRefused' })
  expect(asked(0)).toEqual([])
})

it.each([away, broken])('a $kind makes it ask once, and the answer counts', async (error) => {
  const { mode, online, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  online()
  mode.noteError(error)
  mode.noteError(error)
  await vi.waitFor(() => expect(asked(0)).toEqual(['health', 'presets']))
})

it('other errors are no news of the connection', () => {
  const { mode, shown, online, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  online()
  const before = shown.view()
  mode.noteError({ kind: 'serverError', status: 500, message })
  mode.noteError({ kind: 'queueFull', message })
  expect(shown.view()).toBe(before)
  expect(asked(0)).toEqual([])
})

it('what a service before this one has answered says nothing', () => {
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

it('nothing is noted while it is not online', () => {
  const { mode, shown, asked } = begin()
  mode.begin('external', urlAt(4000), 'key')
  mode.noteError(refused)
  mode.noteError(away)
  expect(shown.view().state.status).toBe('unconfigured')
  expect(asked(0)).toEqual([])
})

it('what was asked of a service before is not shown, and its refusal changes nothing', async () => {
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

it('what is asked of the service in use is shown', async () => {
  const { mode, shown } = begin()
  await mode.refresh(
    () => Promise.reject(new Error('asked without a service')),
    () => ({}),
  )
  mode.begin('external', urlAt(4000), 'key')
  await mode.refresh(
    (api) => Promise.resolve(succeeded(api.baseUrl.href)),
    (address) => ({ address }),
  )
  expect(shown.view().address).toBe('http://127.0.0.1:4000/api')
})

it('a built-in service is used where it listens, and begun anew only at another address', () => {
  const { mode, shown, services } = begin()
  const running = (port: number) =>
    showBuiltIn(
      { kind: 'running', baseUrl: `http://127.0.0.1:${port}/api`, key: 'own', storage: 'session' },
      mode,
      shown,
    )
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

it('only real changes are told, and only to those who still listen', () => {
  const { shown } = begin()
  const told: unknown[] = []
  const stop = shown.onChange(({ address }) => told.push(address))
  shown.show({ address: 'here' })
  shown.show({ address: 'here' })
  stop()
  shown.show({ address: 'there' })
  expect(told).toEqual(['here'])
})
