import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newFolder, removeFolder, startCompanion, until, type Companion } from './companion.ts'
import { startScriptedService, type Fault, type Route, type ScriptedService } from './scripted-service.ts'

let service: ScriptedService
let companion: Companion
let folder: string
/** Called when a request has come, before it is dealt with. */
let onRequest: (route: string) => void
const rejections: unknown[] = []
const onRejection = (reason: unknown) => void rejections.push(reason)

let ids = 0
const start = (seesFiles = true) =>
  startCompanion({ baseUrl: service.baseUrl, folder, seesFiles, newId: () => `r${(ids += 1)}` })

beforeEach(async () => {
  ids = 0
  rejections.length = 0
  process.on('unhandledRejection', onRejection)
  folder = newFolder()
  onRequest = () => undefined
  service = await startScriptedService({ onRequest: (route) => onRequest(route) })
})
afterEach(async () => {
  await companion.stop()
  await service.close()
  removeFolder(folder)
  process.off('unhandledRejection', onRejection)
  expect(rejections).toEqual([])
})

const stateOf = (id: string) => companion.sender.entries().find((entry) => entry.id === id)?.state
const settled = () => until('all is settled', () => !companion.sender.busy())

/** Each submission by its file's name: how often the service has made a job of it in its present life. */
function madeOf(name: string): number {
  return service.created.filter(
    ({ files, life }) => life === service.life() && files.some((file) => file.endsWith(`/${name}`)),
  ).length
}

/** The promise of rule 1, whatever has happened: made once, and the history knows which job it is. */
function expectOnce(...submissions: readonly (readonly [id: string, name: string])[]): void {
  for (const [id, name] of submissions) {
    expect([name, madeOf(name)]).toEqual([name, 1])
    const known = companion.history.unfinished().find(({ title }) => title.id === id)
    const made = service.created.filter(({ files }) => files.some((file) => file.endsWith(`/${name}`)))
    expect([name, known?.jobId]).toEqual([name, made.at(-1)?.jobId])
  }
  expect(companion.outbox.list()).toEqual([])
  expect(companion.outbox.accepted()).toEqual([])
}

const afterwards = [false, true] as const
const faults: readonly Fault[] = [
  ...afterwards.flatMap((after): Fault[] => [
    { kind: 'reset', afterwards: after },
    { kind: 'hang', afterwards: after },
    { kind: 'garbage', afterwards: after },
    { kind: 'truncated', afterwards: after },
    { kind: 'halfHeader', afterwards: after },
    { kind: 'status', status: 500, afterwards: after },
  ]),
  { kind: 'late', ms: 40 },
  { kind: 'restart' },
]
const hidesWhatCame = (fault: Fault): boolean =>
  fault.kind === 'restart' || (fault.kind === 'hang' && !fault.afterwards)
const nameOf = (fault: Fault): string => Object.values(fault).map(String).join(' ')

describe('a fault in the answer to POST /jobs', () => {
  it.each(faults.map((fault) => [nameOf(fault), fault] as const))(
    '(%s) loses nothing and doubles nothing',
    async (_, fault) => {
      service.script('POST /jobs', [null, fault])
      companion = start()
      const submissions = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => [companion.submit(name), name] as const)
      await settled()
      const [a, [b] = []] = submissions
      if (a === undefined || b === undefined) throw new Error('they were submitted')
      if (!hidesWhatCame(fault)) return expectOnce(...submissions)
      // The service may have made it and be busy with it still, or have forgotten it: nobody but the user can tell.
      expect(stateOf(b)).toMatchObject({ kind: 'unknown', checking: false })
      expect(service.created.filter(({ files }) => files[0]?.endsWith('/b.jpg')).length).toBeLessThan(2)
      companion.sender.resolve(b, { kind: 'sendAgain' })
      await settled()
      expectOnce(...submissions.slice(fault.kind === 'restart' ? 1 : 0))
    },
  )

  it('twice in a row, one after the other kind, still makes one job', async () => {
    service.script('POST /jobs', [
      { kind: 'reset', afterwards: false },
      { kind: 'garbage', afterwards: true },
    ])
    companion = start()
    const a = companion.submit('a.jpg')
    await settled()
    expectOnce([a, 'a.jpg'])
  })
})

describe('a fault in another request', () => {
  const routes: readonly Route[] = ['GET /jobs', 'POST /upload']
  it.each(
    routes.flatMap((route) =>
      faults.filter(({ kind }) => kind !== 'late').map((fault) => [route, nameOf(fault), fault] as const),
    ),
  )('(%s, %s) does not even put the submission in doubt', async (route, _, fault) => {
    service.script(route, [fault])
    companion = start(false)
    const a = companion.submit('a.jpg')
    await settled()
    expectOnce([a, 'a.jpg'])
    expect(service.requests.filter((request) => request === 'POST /jobs')).toHaveLength(1)
  })

  it.each(faults.map((fault) => [nameOf(fault), fault] as const))(
    '(GET /jobs while in doubt, %s) only makes it take longer',
    async (_, fault) => {
      service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
      service.script('GET /jobs', [null, fault, fault])
      companion = start()
      const a = companion.submit('a.jpg')
      await settled()
      expectOnce([a, 'a.jpg'])
    },
  )
})

describe('an upload', () => {
  it('goes on when others are put into the outbox', async () => {
    companion = start(false)
    onRequest = (route) => {
      if (route !== 'POST /upload') return
      onRequest = () => undefined
      companion.submit('b.jpg')
    }
    companion.submit('a.jpg')
    await settled()
    expect(service.requests.filter((request) => request === 'POST /upload')).toHaveLength(2)
    expect(service.created).toHaveLength(2)
  })
})

describe('an answer that says no', () => {
  it.each([
    [400, 'invalid'],
    [412, 'drive'],
    [413, 'tooLarge'],
  ] as const)(
    '%i is kept with the words of the service and does not hold up the next one',
    async (status, why) => {
      service.script('POST /jobs', [{ kind: 'status', status }])
      companion = start()
      const a = companion.submit('a.jpg')
      const b = companion.submit('b.jpg')
      await settled()
      expect(stateOf(a)).toEqual({ kind: 'refused', why, message: `scripted ${status}`, skipped: [] })
      expect(madeOf('a.jpg')).toBe(0)
      expect(companion.history.unfinished().map(({ title }) => title.id)).toEqual([b])
    },
  )

  it('429 waits in order until there is room', async () => {
    service.script('POST /jobs', [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 429 },
    ])
    companion = start()
    const a = companion.submit('a.jpg')
    const b = companion.submit('b.jpg')
    await settled()
    expectOnce([a, 'a.jpg'], [b, 'b.jpg'])
    expect(service.created.map(({ files }) => files[0]?.at(-5))).toEqual(['a', 'b'])
  })

  it('401 stops all requests until there is another key', async () => {
    service.setKey('another')
    companion = start()
    const a = companion.submit('a.jpg')
    await until('the key is refused', () => companion.troubles.length > 0)
    companion.submit('b.jpg')
    companion.sender.wake()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(service.requests).toHaveLength(1)
    expect(stateOf(a)).toMatchObject({ kind: 'waiting', because: 'keyRefused' })
    companion.setKey('another')
    await settled()
    expect(service.created).toHaveLength(2)
  })

  it('401 that comes when there is another key already stops nothing', async () => {
    service.setKey('another')
    companion = start()
    onRequest = () => {
      onRequest = () => undefined
      // Asked with the old key; the answer comes when the new one is in use.
      companion.setKey('another')
    }
    const a = companion.submit('a.jpg')
    await settled()
    expectOnce([a, 'a.jpg'])
    expect(companion.troubles).toEqual([])
  })

  it('401 while in doubt stops all requests too, and the doubt is settled with another key', async () => {
    service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    service.script('GET /jobs', [null, { kind: 'status', status: 401 }])
    companion = start()
    const a = companion.submit('a.jpg')
    await until('the key is refused', () => companion.troubles.includes('unauthorized'))
    const asked = service.requests.length
    companion.submit('b.jpg')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(service.requests).toHaveLength(asked)
    companion.setKey('secret')
    await settled()
    expect(madeOf('a.jpg')).toBe(1)
    expect(companion.history.details(a)?.facts.jobId).not.toBeNull()
  })

  it('500 every time is refused in the end, with nothing made and the next one sent', async () => {
    const always: Fault = { kind: 'status', status: 500 }
    service.script('POST /jobs', [always, always, always])
    companion = start()
    const a = companion.submit('a.jpg')
    const b = companion.submit('b.jpg')
    await settled()
    expect(stateOf(a)).toMatchObject({ kind: 'refused', message: 'scripted 500' })
    expect(madeOf('b.jpg')).toBe(1)
    expect(companion.history.details(b)?.facts.jobId).not.toBeNull()
  })
})

describe('a service that is not there', () => {
  it('gets everything once it is back, on the same port', async () => {
    const { port } = service
    await service.close()
    companion = start()
    const a = companion.submit('a.jpg')
    await until('it is known to be away', () => companion.troubles.includes('notReachable'))
    expect(stateOf(a)).toMatchObject({ kind: 'waiting', because: 'offline' })
    service = await startScriptedService({ port })
    await settled()
    expectOnce([a, 'a.jpg'])
  })
})

/** Happens between the job and the first list that could tell of it, however soon that is asked for. */
function beforeTheListTells(happen: () => void): void {
  onRequest = (route) => {
    if (route !== 'GET /jobs' || service.created.length !== 1) return
    onRequest = () => undefined
    happen()
  }
}

describe('a doubt that the list can’t settle', () => {
  it('is the user’s to settle when two jobs fit', async () => {
    service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    companion = start()
    beforeTheListTells(() => service.repeatLast())
    const a = companion.submit('a.jpg')
    await settled()
    const [made] = service.created
    if (made === undefined) throw new Error('nothing was made')
    const state = stateOf(a)
    expect(state).toMatchObject({ kind: 'unknown', checking: false })
    expect(state?.kind === 'unknown' && state.candidates.map(({ jobId }) => jobId)).toHaveLength(2)

    expect(companion.sender.resolve(a, { kind: 'adopt', jobId: made.jobId })).toBe(true)
    await settled()
    expect(companion.history.details(a)?.facts.jobId).toBe(made.jobId)
    expect(service.created).toHaveLength(2)
  })

  it('is the user’s when more jobs have come than the list shows', async () => {
    service.addForeign(3)
    service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    companion = start()
    beforeTheListTells(() => service.addForeign(60))
    const a = companion.submit('a.jpg')
    await settled()
    expect(stateOf(a)).toEqual({ kind: 'unknown', checking: false, candidates: [] })
    companion.sender.resolve(a, { kind: 'remove' })
    expect(companion.sender.entries()).toEqual([])
  })
})
