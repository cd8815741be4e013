import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { FASTER } from './fast-time.ts'
import { startScriptedService, type ScriptedService } from './scripted-service.ts'

let service: ScriptedService
let companion: Companion
let folder: string
let ids = 0

const start = (seesFiles = true) =>
  startCompanion({ baseUrl: service.baseUrl, folder, seesFiles, newId: () => `f${(ids += 1)}` })

beforeEach(async () => {
  ids = 0
  folder = newFolder()
  service = await startScriptedService({ slots: true })
})
afterEach(async () => {
  await companion.stop()
  await service.close()
  removeFolder(folder)
})

const stateOf = (id: string) => companion.sender.entries().find((entry) => entry.id === id)?.state
const settled = () => until('all is settled', () => !companion.sender.busy())
const madeOf = (name: string) =>
  service.created.filter(({ files }) => files.some((file) => file.endsWith(`/${name}`))).length

/** One job whose answer is known, and one whose answer was lost with the process. */
async function killedWhileAnswered(): Promise<string> {
  companion = start()
  companion.submit('a.jpg')
  await settled()
  service.script('POST /jobs', [{ kind: 'hang', afterwards: true }])
  const b = companion.submit('b.jpg')
  await until('it is made', () => service.created.length === 2)
  await companion.stop()
  return b
}

describe('a service that has forgotten what it made while nobody watched', () => {
  it.each([
    ['since somebody cleared its list', () => service.clear()],
    ['since it restarted', () => service.restart()],
    ['since it restarted and numbers its jobs anew', () => service.restart({ renumber: true })],
  ])('%s, is not sent the same again unasked', async (_, forget) => {
    const b = await killedWhileAnswered()
    service.drain()
    forget()
    companion = start()
    await settled()
    expect(stateOf(b)).toMatchObject({ kind: 'unknown', checking: false })
    expect(madeOf('b.jpg')).toBe(1)
  })

  it('is believed where it still has everything else', async () => {
    companion = start()
    companion.submit('a.jpg')
    await settled()
    service.script('POST /jobs', [{ kind: 'hang', afterwards: false }])
    companion.submit('b.jpg')
    await until('it is sent', () => service.requests.filter((one) => one === 'POST /jobs').length === 2)
    await companion.stop()
    companion = start()
    await settled()
    expect(madeOf('b.jpg')).toBe(1)
  })
})

describe('a service that creates slowly', () => {
  it('makes one job of a submission, however long it takes', async () => {
    companion = start()
    service.script('POST /jobs', [{ kind: 'slow', ms: 700 }])
    const a = companion.submit('a.jpg')
    await settled()
    expect(madeOf('a.jpg')).toBe(1)
    expect(companion.history.details(asRecordId(a))?.facts.jobId).toBe('job-1-1')
  })
})

describe('a service that numbers anew', () => {
  it('has its new job taken for what it is, though the id was ours before', async () => {
    companion = start()
    companion.submit('a.jpg')
    await settled()
    for (const job of service.list()) companion.history.recordJob(asRecordId('f1'), job, null)
    // Creations less than a second apart count as one; no service restarts in so short a time.
    await new Promise((resolve) => setTimeout(resolve, 2_000 / FASTER))
    service.restart({ renumber: true })
    service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    const b = companion.submit('b.jpg')
    await settled()
    expect(madeOf('b.jpg')).toBe(1)
    expect(companion.history.details(asRecordId(b))?.facts.jobId).toBe('job-1-1')
  })
})

describe('a full queue', () => {
  it('is not uploaded to, and what was uploaded is uploaded once', async () => {
    companion = start(false)
    service.addForeign(10)
    const a = companion.submit('a.jpg')
    await until('it waits', () => stateOf(a)?.kind === 'waiting')
    await until('it was read twice', () => service.requests.filter((one) => one === 'GET /jobs').length > 1)
    expect(service.requests).not.toContain('POST /upload')
    service.drain()
    service.script('POST /jobs', [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 429 },
    ])
    companion.sender.spaceAvailable()
    await settled()
    expect(service.requests.filter((one) => one === 'POST /upload')).toHaveLength(1)
    expect(madeOf('a.jpg')).toBe(1)
  })

  it('that has dropped an upload gets it once more', async () => {
    companion = start(false)
    service.script('POST /jobs', [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 400 },
    ])
    companion.submit('a.jpg')
    await settled()
    expect(service.requests.filter((one) => one === 'POST /upload')).toHaveLength(2)
    expect(madeOf('a.jpg')).toBe(1)
  })
})
