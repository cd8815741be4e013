/** State that a command leaves to the next one and to the app: outbox and history. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { killOwner, realTiming, run, startCommand, temporaryFolder } from './command.ts'
import { KEY, type Reading, scriptedService, type ScriptedService } from './scripted-service.ts'
import { describeInLongSuite, itInLongSuite } from '../../faults/long-suite.ts'

const at = (given: ScriptedService) => ['--base-url', given.baseUrl]
const NOWHERE = 'http://127.0.0.1:1/api'

/** A data folder and a photo for this test. */
function place() {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const photo = join(folder, 'harbour.jpg')
  writeFileSync(photo, 'x')
  return { folder, data, photo, env: { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data } }
}

const completed = { status: 'completed', result: { outputPath: '/o/harbour.jpg' } } as const

describe('history', () => {
  test('later shows the outcome of a job that a command did not wait for', async () => {
    let reading: Reading = { status: 'queued' }
    const service = await scriptedService({ reading: () => reading })
    const { env, photo } = place()
    expect(await run(['submit', photo, ...at(service)], { env })).toMatchObject({ code: 0 })
    const argv = ['history', '--json', ...at(service)]
    const look = async () => {
      const { events } = await run(argv, { env, timing: realTiming })
      expect(events.at(-1)).toEqual({ event: 'found', shown: 1, total: 1 })
      return events[0]?.['record']
    }
    expect(await look()).toMatchObject({ outcome: null })
    reading = completed
    expect(await look()).toMatchObject({ outcome: { kind: 'done' } })
    expect(service.created).toHaveLength(1)
  })

  test('can be searched by words, also of a task’s name in the user’s language, by outcome and preset, and written as a table', async () => {
    const service = await scriptedService({
      readings: [{ status: 'failed', error: 'no memory' }],
      presets: { image: ['Web', 'Make smaller'], video: [] },
    })
    const { env, photo, folder } = place()
    const other = join(folder, 'mountain.jpg')
    writeFileSync(other, 'x')
    await run(['submit', photo, '--preset', 'Web', '--wait', ...at(service)], { env })
    await run(['submit', other, '--preset', 'Make smaller', '--wait', ...at(service)], { env })
    const shown = async (...argv: string[]) => {
      const { stdout } = await run(['history', ...argv, ...at(service)], { env: { ...env, LANG: 'de' } })
      return ['harbour', 'mountain'].filter((name) => stdout.includes(name))
    }
    expect(await shown()).toEqual(['harbour', 'mountain'])
    expect(await shown('--search', 'harb')).toEqual(['harbour'])
    expect(await shown('--search', 'verkleinern', '--json')).toEqual(['mountain'])
    expect(await shown('--preset', 'Web')).toEqual(['harbour'])
    expect(await shown('--outcome', 'done')).toEqual([])
    expect(await shown('--outcome', 'failed', 'done', '--limit', '1')).toHaveLength(1)
    const table = await run(['history', '--csv', ...at(service)], { env })
    expect(table.stdout.split('\r\n')).toHaveLength(4)
    expect(table.stdout).toMatch(/^id,created,/)
  })

  test('returns the failed files of a record for a retry', async () => {
    const service = await scriptedService({ readings: [{ status: 'failed', error: 'no memory' }] })
    const { env, photo } = place()
    const first = await run(['submit', photo, '--preset', 'Web', '--wait', '--json', ...at(service)], { env })
    const id = String(first.events.at(-1)?.['id'])
    expect(await run(['retry', id, ...at(service)], { env })).toMatchObject({ code: 0 })
    expect(service.created).toEqual([service.created[0], service.created[0]])
    expect(await run(['retry', 'r_nothing', ...at(service)], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no record'),
    })
  })
})

describe('the outbox', () => {
  test('keeps submissions that could not be sent, and sends them only to their service', async () => {
    const service = await scriptedService()
    const { env, photo } = place()
    const kept = await run(['submit', photo, '--base-url', NOWHERE], { env })
    expect(kept).toMatchObject({ code: 5, stderr: expect.stringContaining('kept in the outbox') })

    expect(await run(['submit', photo, '--preset', 'Web', ...at(service)], { env })).toMatchObject({
      code: 0,
    })
    const sent = await run(['outbox', 'send', ...at(service)], { env })
    expect(sent).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('in the outbox is for another service'),
    })
    expect(service.created).toMatchObject([{ preset: 'Web' }])

    const { events } = await run(['outbox', '--json'], { env })
    expect(events).toMatchObject([
      { event: 'entry', state: 'waiting', target: NOWHERE, inputs: { files: [photo] } },
    ])
    const id = String(events[0]?.['id'])
    expect(await run(['outbox', 'resolve', id, 'remove'], { env })).toMatchObject({ code: 0 })
    expect((await run(['outbox'], { env })).stderr).toContain('empty')
  })

  itInLongSuite('asks which of two jobs belongs to a lost response, and accepts the choice', async () => {
    const service = await scriptedService({
      readings: [{ status: 'processing' }],
      instead(request, response, _, create) {
        if (request.method !== 'POST') return false
        create()
        create()
        response.destroy()
        return true
      },
    })
    const { env, photo } = place()
    const { code, events } = await run(['submit', photo, '--json', ...at(service)], { env })
    expect(code).toBe(5)
    expect(events.at(-1)).toMatchObject({
      event: 'unknown',
      lookAlikes: [{ jobId: 'job-1' }, { jobId: 'job-2' }],
    })
    const id = String(events.at(-1)?.['id'])
    expect(await run(['outbox', 'resolve', id, 'adopt'], { env })).toMatchObject({ code: 2 })
    expect(await run(['outbox', 'resolve', id, 'adopt', 'job-2'], { env })).toMatchObject({ code: 0 })
    const { events: history } = await run(['history', '--json', ...at(service)], { env, timing: realTiming })
    expect(history[0]).toMatchObject({ record: { id, facts: { jobId: 'job-2' } } })
    expect(service.created).toHaveLength(2)
  })
})

itInLongSuite.each(['file', 'row'])(
  'submissions in a damaged %s of the outbox are recorded as canceled in the history',
  async (what) => {
    const { env, photo, data } = place()
    await run(['submit', photo, '--base-url', NOWHERE], { env })
    const file = join(data, 'outbox.db')
    if (what === 'file') writeFileSync(file, 'this is no database')
    else {
      const outbox = new DatabaseSync(file)
      outbox.exec(`UPDATE submissions SET state = '{garbage'`)
      outbox.close()
    }
    const { events, code } = await run(['history', '--json', '--base-url', NOWHERE], {
      env,
      timing: realTiming,
    })
    expect(events).toMatchObject([
      { event: 'notice', message: expect.stringContaining('damaged') },
      { event: 'record', outbox: null, record: { outcome: { kind: 'cancelled', results: 0 } } },
      { event: 'found' },
    ])
    expect(code).toBe(8)
  },
)

itInLongSuite('a history with other columns is kept under another name, and the command works', async () => {
  const { env, photo, data } = place()
  await run(['submit', photo, '--base-url', NOWHERE], { env })
  const history = new DatabaseSync(join(data, 'history.db'))
  history.exec('ALTER TABLE records DROP COLUMN mount')
  history.close()
  const argv = ['history', '--json', '--base-url', NOWHERE]
  const damaged = await run(argv, { env, timing: realTiming })
  expect(damaged.code).toBe(8)
  expect(damaged.events).toMatchObject([
    { event: 'notice', message: expect.stringMatching(/another version.*history\.damaged-/) },
    { event: 'record', outbox: 'waiting' },
    { event: 'found', total: 1 },
  ])
  expect(await run(argv, { env, timing: realTiming })).toMatchObject({ code: 0 })
})

describeInLongSuite('a command that is killed', () => {
  test('while it waits for a job leaves the outcome to the next command that reads the history', async () => {
    let reading: Reading = { status: 'processing' }
    const service = await scriptedService({ reading: () => reading })
    const { env, photo, folder, data } = place()
    const child = startCommand(['submit', photo, '--wait', ...at(service)], { env, cwd: folder })
    const [said] = await once(child.stderr, 'data')
    expect(said).toContain('accepted')
    child.kill('SIGKILL')
    await Promise.all([once(child, 'close'), killOwner(data)])
    reading = completed
    const { events } = await run(['history', '--json', ...at(service)], { env, timing: realTiming })
    expect(events[0]).toMatchObject({
      record: { outcome: { kind: 'done' }, results: [{ outputPath: '/o/harbour.jpg' }] },
    })
  })
})
