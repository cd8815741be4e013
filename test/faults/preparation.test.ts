import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from './companion.ts'
import { faultFixture } from './fault-fixture.ts'
import { startScriptedService } from './scripted-service.ts'

const at = faultFixture()

it('with ten jobs in the queue, further submissions wait locally and are sent when there is room', async () => {
  await at.service.close()
  at.service = await startScriptedService({ slots: true })
  at.start()
  at.companion.block('paused')
  const all = Array.from({ length: 13 }, (_, n) => at.companion.submit(`${n}.jpg`))
  at.companion.block(null)
  const eleventh = all[10] ?? ''
  const waits = () => {
    const state = at.stateOf(eleventh)
    return state?.kind === 'waiting' && state.because === 'queueFull'
  }
  await until('the queue is full', waits)
  expect(at.service.created).toHaveLength(10)
  at.service.drain()
  at.companion.sender.listRead({ jobs: [], queueLength: 0, processing: false })
  await at.settled()
  expect(at.service.created.map(({ files }) => files[0])).toEqual(
    all.map((_, n) => join(at.folder, `${n}.jpg`)),
  )
})

describe('a submission', () => {
  it('is not sent if its files are gone', async () => {
    at.start()
    at.companion.block('paused')
    const a = at.companion.submit('a.jpg')
    rmSync(join(at.folder, 'a.jpg'))
    expect(at.stateOf(a)).toEqual({ kind: 'waiting', because: 'paused', notBefore: null })
    at.companion.block(null)
    await at.settled()
    expect(at.stateOf(a)).toMatchObject({ kind: 'refused', why: 'inputsGone', skipped: [] })
    expect(at.service.requests).toEqual([])
  })

  it('can be removed during its upload', async () => {
    at.service.script('POST /upload', [{ kind: 'hang', afterwards: false }])
    at.start(false)
    const a = at.companion.submit('a.jpg')
    await until('it is being uploaded', () => at.service.requests.includes('POST /upload'))
    expect(at.stateOf(a)).toMatchObject({ kind: 'sending', upload: { total: 16 } })
    expect(at.companion.outbox.remove(a)).toEqual([a])
    const b = at.companion.submit('b.jpg')
    await at.settled()
    expect(at.service.created.map(({ files }) => files)).toEqual([['/uploads/b.jpg']])
    expect(at.companion.history.details(b)?.facts.jobId).toBe(at.service.created[0]?.jobId)
  })
})
