import { describe, expect, it } from 'vitest'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { until } from './companion.ts'
import { FASTER } from './fast-time.ts'
import { faultFixture } from './fault-fixture.ts'

const at = faultFixture({ slots: true })

/** Leaves two jobs: the response to one arrived, and the response to the other was lost when the process died. */
async function killedDuringResponse(): Promise<string> {
  at.start()
  at.companion.submit('a.jpg')
  await at.settled()
  at.service.script('POST /jobs', [{ kind: 'hang', afterwards: true }])
  const b = at.companion.submit('b.jpg')
  await until('it is done', () => at.service.created.length === 2)
  await at.companion.stop()
  return b
}

describe('a service that lacks a job when the app starts again', () => {
  it.each([
    ['because another client cleared its list', () => at.service.clear()],
    ['because it restarted', () => at.service.restart()],
    ['because it restarted and restarted its job numbers', () => at.service.restart({ renumber: true })],
  ])('%s, is not sent the same job again without the user’s consent', async (_, forget) => {
    const b = await killedDuringResponse()
    at.service.drain()
    forget()
    at.start()
    await at.settled()
    expect(at.stateOf(b)).toMatchObject({ kind: 'unknown', checking: false })
    expect(at.jobsFrom('b.jpg')).toHaveLength(1)
  })

  it('is sent the job again if it still has all other jobs', async () => {
    at.start()
    at.companion.submit('a.jpg')
    await at.settled()
    at.service.script('POST /jobs', [{ kind: 'hang', afterwards: false }])
    at.companion.submit('b.jpg')
    await until('it is sent', () => at.service.requests.filter((one) => one === 'POST /jobs').length === 2)
    await at.companion.stop()
    at.start()
    await at.settled()
    expect(at.jobsFrom('b.jpg')).toHaveLength(1)
  })
})

describe('a service that creates jobs slowly', () => {
  it('receives one job per submission, however long creation takes', async () => {
    at.start()
    at.service.script('POST /jobs', [{ kind: 'slow', ms: 700 }])
    const a = at.companion.submit('a.jpg')
    await at.settled()
    expect(at.jobsFrom('a.jpg')).toHaveLength(1)
    expect(at.companion.history.details(asRecordId(a))?.facts.jobId).toBe('job-1-1')
  })
})

describe('a service that restarts its job numbers', () => {
  it('has its new job recognized even if the job ID was used before', async () => {
    at.start()
    at.companion.submit('a.jpg')
    await at.settled()
    for (const job of at.service.list()) at.companion.history.recordJob(asRecordId('r1'), job, null)
    // Job creations less than a second apart count as one; no service restarts that fast.
    await new Promise((resolve) => setTimeout(resolve, 2_000 / FASTER))
    at.service.restart({ renumber: true })
    at.service.script('POST /jobs', [{ kind: 'reset', afterwards: true }])
    const b = at.companion.submit('b.jpg')
    await at.settled()
    expect(at.jobsFrom('b.jpg')).toHaveLength(1)
    expect(at.companion.history.details(asRecordId(b))?.facts.jobId).toBe('job-1-1')
  })
})

describe('a full queue', () => {
  it('delays uploads, and causes no file to be uploaded twice', async () => {
    at.start(false)
    at.service.addForeign(10)
    const a = at.companion.submit('a.jpg')
    await until('it waits', () => at.stateOf(a)?.kind === 'waiting')
    await until(
      'it was read twice',
      () => at.service.requests.filter((one) => one === 'GET /jobs').length > 1,
    )
    expect(at.service.requests).not.toContain('POST /upload')
    at.service.drain()
    at.service.script('POST /jobs', [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 429 },
    ])
    at.companion.sender.listRead({ jobs: [], queueLength: 0, processing: false })
    await at.settled()
    expect(at.service.requests.filter((one) => one === 'POST /upload')).toHaveLength(1)
    expect(at.jobsFrom('a.jpg')).toHaveLength(1)
  })

  it('causes a second upload if the service has deleted the file in the meantime', async () => {
    at.start(false)
    at.service.script('POST /jobs', [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 400 },
    ])
    at.companion.submit('a.jpg')
    await at.settled()
    expect(at.service.requests.filter((one) => one === 'POST /upload')).toHaveLength(2)
    expect(at.jobsFrom('a.jpg')).toHaveLength(1)
  })
})
