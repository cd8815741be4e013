import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { startScriptedService, type ScriptedService } from './scripted-service.ts'

let service: ScriptedService
let companion: Companion
let folder: string

beforeEach(async () => {
  folder = newFolder()
  service = await startScriptedService()
})
afterEach(async () => {
  await companion.stop()
  await service.close()
  removeFolder(folder)
})

let ids = 0
const start = (seesFiles = true) =>
  startCompanion({ baseUrl: service.baseUrl, folder, seesFiles, newId: () => `p${(ids += 1)}` })
const settled = () => until('all is settled', () => !companion.sender.busy())
const stateOf = (id: string) => companion.sender.entries().find((entry) => entry.id === id)?.state

it('when ten jobs wait, the others wait here and go on when there is room', async () => {
  await service.close()
  service = await startScriptedService({ slots: true })
  companion = start()
  companion.block('paused')
  const all = Array.from({ length: 13 }, (_, n) => companion.submit(`${n}.jpg`))
  companion.block(null)
  const eleventh = all[10] ?? ''
  const waits = () => {
    const state = stateOf(eleventh)
    return state?.kind === 'waiting' && state.because === 'queueFull'
  }
  await until('the queue is full', waits)
  expect(service.created).toHaveLength(10)
  service.drain()
  companion.sender.spaceAvailable()
  await settled()
  expect(service.created.map(({ files }) => files[0])).toEqual(all.map((_, n) => join(folder, `${n}.jpg`)))
})

describe('before a submission is sent', () => {
  it('its files are looked for, and nothing is sent when they are gone', async () => {
    companion = start()
    companion.block('paused')
    const a = companion.submit('a.jpg')
    rmSync(join(folder, 'a.jpg'))
    expect(stateOf(a)).toEqual({ kind: 'waiting', because: 'paused', notBefore: null })
    companion.block(null)
    await settled()
    expect(stateOf(a)).toEqual({ kind: 'refused', why: 'inputsGone', message: '', skipped: [] })
    expect(service.requests).toEqual([])
  })

  it('its files are uploaded where the service does not see them, and sent by the path that this gave', async () => {
    companion = start(false)
    companion.submit('a.jpg')
    await settled()
    expect(service.created.map(({ files }) => files)).toEqual([['/uploads/a.jpg']])
  })

  it('it can be taken back in the middle of its upload', async () => {
    service.script('POST /upload', [{ kind: 'hang', afterwards: false }])
    companion = start(false)
    const a = companion.submit('a.jpg')
    await until('it is being uploaded', () => service.requests.includes('POST /upload'))
    expect(stateOf(a)).toMatchObject({ kind: 'sending', upload: { total: 16 } })
    expect(companion.outbox.remove(a)).toBe(true)
    const b = companion.submit('b.jpg')
    await settled()
    expect(service.created.map(({ files }) => files)).toEqual([['/uploads/b.jpg']])
    expect(companion.history.details(b)?.facts.jobId).toBe(service.created[0]?.jobId)
  })
})
