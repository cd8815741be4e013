/** What an assistant can do with jobs: wait, cancel, repeat and list them. */
import { openHistory } from '../../../../src/main/history/index.ts'
import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { firstOf, itInLongSuite } from '../../../faults/long-suite.ts'
import { asRecordId } from '../../../../src/shared/model/ids.ts'
import { submissionOf } from '../../history/sample-records.ts'
import { run, runHere } from '../command.ts'
import { ended, openAssistant, openDesk, PHOTO, VERSIONS, type Assistant, type Desk } from './assistant.ts'

let desk: Desk
let assistant: Assistant
beforeEach(async () => {
  desk = await openDesk()
  assistant = await openAssistant(desk)
})

const photos = async (count: number): Promise<string> => {
  const folder = join(desk.allowed, 'many')
  await mkdir(folder)
  const small = await sharp(PHOTO).resize(160).toBuffer()
  for (let n = 0; n < count; n++) await writeFile(join(folder, `${n}.jpg`), small)
  return folder
}

test.each(firstOf(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[]))(
  'waiting reports growing progress and returns the results; a resource has all of them (%s)',
  async (version) => {
    const other = await openAssistant(desk, version)
    const job = await other.submit(await photos(22))
    const progress: number[] = []
    const { structuredContent } = await other.client.callTool(
      { name: 'wait', arguments: { job, seconds: 120 } },
      { onprogress: (step) => void progress.push(step.progress), timeout: 150_000 },
    )
    expect(structuredContent).toMatchObject({ state: 'done', results: 22, moreResultFiles: 2 })
    expect(progress.length).toBeGreaterThan(0)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    const { contents } = await other.client.readResource({ uri: `mediatray://jobs/${job}` })
    const [content] = contents
    const text = content !== undefined && 'text' in content ? content.text : ''
    expect(JSON.parse(text).parts[0].results).toHaveLength(22)
  },
)

test('waiting ends in time even if the job doesn’t', async () => {
  await desk.set({ outboxPaused: true })
  const job = await assistant.submit(desk.allowed)
  expect((await assistant.call('wait', { job, seconds: 0 })).data).toMatchObject({
    state: 'waiting',
    isOver: false,
  })
  // A job that waits is withdrawn at once.
  expect((await assistant.call('cancel', { job })).data).toMatchObject({ state: 'cancelled', isOver: true })
})

itInLongSuite('a running job is canceled by the process that runs it', async () => {
  const job = await assistant.submit(await photos(400))
  await expect.poll(async () => (await assistant.call('status', { job })).data['state']).toBe('running')
  expect((await assistant.call('cancel', { job })).isError).toBe(false)
  expect(await ended(assistant, job)).toMatchObject({ state: 'cancelled' })
})

itInLongSuite('only failed files are repeated, and only where the user still allows it', async () => {
  const file = join(desk.allowed, 'broken.jpg')
  await writeFile(file, Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200)]))
  const job = await assistant.submit(file)
  expect(await ended(assistant, job)).toMatchObject({ state: 'failed' })
  await rm(file)
  await cp(PHOTO, file)
  const again = await assistant.call('retry', { job })
  expect(await ended(assistant, String(again.data['job']))).toMatchObject({ state: 'done', results: 1 })
  expect((await assistant.call('retry', { job: String(again.data['job']) })).text).toContain(
    'no failed files',
  )
  await desk.set({ assistants: { enabled: true, folders: [], usualOutput: desk.output } })
  expect((await assistant.call('retry', { job })).text).toContain('isn’t in a folder that the user allows')
})

itInLongSuite(
  'a job whose folder moved and left a link is repeated with the files that are there now',
  async () => {
    const [folder, moved] = [join(desk.allowed, 'trip'), join(desk.allowed, 'moved')]
    await mkdir(folder)
    const file = join(folder, 'broken.jpg')
    await writeFile(file, Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200)]))
    const job = await assistant.submit(file)
    expect(await ended(assistant, job)).toMatchObject({ state: 'failed' })
    await rename(folder, moved)
    await symlink(moved, folder)
    await cp(PHOTO, join(moved, 'new.jpg'))
    await rename(join(moved, 'new.jpg'), join(moved, 'broken.jpg'))
    const again = await assistant.call('retry', { job })
    expect(await ended(assistant, String(again.data['job']))).toMatchObject({ state: 'done', results: 1 })
  },
)

test('the user’s own jobs are listed, but can’t be canceled or repeated', async () => {
  const env = { MEDIATRAY_DATA_DIR: desk.data }
  await run(['submit', join(desk.allowed, 'photo.jpg'), '--output', desk.output], { env, cwd: desk.private })
  const job = await assistant.submit(desk.allowed)
  await ended(assistant, job)
  const { data } = await assistant.call('history')
  expect(data['jobs']).toHaveLength(2)
  const { data: own } = await assistant.call('history', { mine: true })
  expect(own).toMatchObject({ jobs: [{ job, state: 'done' }] })
  const users = (data['jobs'] as { job: string }[]).find((one) => one.job !== job)?.job
  for (const tool of ['cancel', 'retry'])
    expect((await assistant.call(tool, { job: users })).text).toContain(
      'can cancel and retry only jobs that they submitted',
    )
})

test('an estimate comes from samples, and nothing is kept of them', async () => {
  const { data } = await assistant.call('estimate', { files: [desk.allowed], preset: 'Web 720p' })
  expect(data).toMatchObject({ files: 1, resultBytes: { low: expect.any(Number), high: expect.any(Number) } })
  expect((await assistant.call('history')).data['jobs']).toEqual([])
})

test('an estimate names what the results would lose', async () => {
  const file = join(desk.allowed, 'clear.png')
  const background = { r: 200, g: 30, b: 60, alpha: 0.5 }
  await sharp({ create: { width: 30, height: 20, channels: 4, background } }).toFile(file)
  const { data } = await assistant.call('estimate', { files: [file], preset: 'Web 2048' })
  expect(data).toMatchObject({
    wouldLose: ['1 file would lose something: transparency. JPEG can’t hold it.'],
  })
})

test('unknown jobs and presets are reported as such', async () => {
  for (const tool of ['status', 'wait', 'cancel', 'retry'])
    expect((await assistant.call(tool, { job: 'none' })).text).toContain('There is no job “none”')
  await expect(assistant.client.readResource({ uri: 'mediatray://jobs/none' })).rejects.toThrow('no job')
  for (const name of ['none', '%', '%ZZ'])
    await expect(assistant.client.readResource({ uri: `mediatray://presets/${name}` })).rejects.toThrow(
      'not found',
    )
  const { contents } = await assistant.client.readResource({ uri: 'mediatray://presets/Web%20720p' })
  expect(contents).toMatchObject([
    { mimeType: 'application/json', text: expect.stringContaining('Web 720p') },
  ])
})

itInLongSuite(
  'the user’s own jobs with files outside the allowed folders don’t exist for an assistant, however it asks',
  async () => {
    const held = { env: { MEDIATRAY_DATA_DIR: desk.data }, cwd: desk.private }
    await runHere(['submit', join(desk.allowed, 'photo.jpg'), '--output', desk.output], held)
    const secret = await runHere(['--json', 'submit', 'taxes.jpg', '--output', desk.output], held)
    const { data } = await assistant.call('history')
    expect(data).toMatchObject({ jobs: [{ name: 'photo.jpg', output: desk.output }] })
    expect(Object.keys(data)).toEqual(['jobs'])
    // Each search finds as many jobs as if the hidden one didn't exist.
    for (const [query, count] of [
      [{ search: 'taxes' }, 0],
      [{ search: 'jpg', limit: 1 }, 1],
      [{ outcome: 'done', limit: 1 }, 1],
    ] as const)
      expect((await assistant.call('history', query)).data['jobs']).toHaveLength(count)
    const history = openHistory({
      file: join(desk.data, 'history.db'),
      clock: Date.now,
      log: () => undefined,
    })
    const hidden = history.page({ text: 'taxes' }, { offset: 0, limit: 1 }).records[0]?.id
    history.close()
    expect([secret.code, typeof hidden]).toEqual([0, 'string'])
    for (const tool of ['status', 'wait', 'cancel', 'retry'])
      expect((await assistant.call(tool, { job: hidden })).text).toContain(`There is no job “${hidden}”`)
    await expect(assistant.client.readResource({ uri: `mediatray://jobs/${hidden}` })).rejects.toThrow(
      'no job',
    )
  },
)

test('a job with several presets is shown with all of its output folders', async () => {
  const history = openHistory({ file: join(desk.data, 'history.db'), clock: Date.now, log: () => undefined })
  const folders = ['Web', 'Mail'].map((name) => join(desk.output, name))
  const place = { id: asRecordId('0'), parts: 2, photos: 1, videos: 0, presets: 2, folders: 2 }
  for (const [part, path] of folders.entries()) {
    const output = { kind: 'folder', path } as const
    const paths = [join(desk.allowed, 'photo.jpg')]
    history.recordSubmission(submissionOf(String(part), paths, { output, place: { ...place, part } }))
  }
  history.close()
  const { data } = await assistant.call('status', { job: '0' })
  expect(data).toMatchObject({ outputs: folders, moreOutputs: 0 })
  expect(data).not.toHaveProperty('output')
})

test('the user’s own job that replaces originals is shown, but not the vault', async () => {
  const history = openHistory({ file: join(desk.data, 'history.db'), clock: Date.now, log: () => undefined })
  const output = { kind: 'folder', path: join(desk.private, '.mediatray-vault-1', 'job', 'results') } as const
  history.recordSubmission(submissionOf('replacing', [join(desk.allowed, 'photo.jpg')], { output }))
  history.close()
  const { data } = await assistant.call('history')
  expect(data['jobs']).toMatchObject([{ job: 'replacing' }])
  expect(JSON.stringify(data)).not.toContain('vault')
})

test.each([
  ['from a drive', [], { driveInput: 'folder-1', files: null }],
  ['to a drive', ['photo.jpg'], { output: { kind: 'drive', folderId: 'folder-1' } }],
] as const)('the user’s own jobs %s don’t exist for an assistant', async (_, names, more) => {
  const history = openHistory({ file: join(desk.data, 'history.db'), clock: Date.now, log: () => undefined })
  const job = 'of-the-drive'
  const output = { kind: 'folder', path: desk.output } as const
  const paths = names.map((name) => join(desk.allowed, name))
  history.recordSubmission(submissionOf(job, paths, { output, ...more }))
  history.close()
  expect((await assistant.call('history')).data['jobs']).toEqual([])
  for (const tool of ['status', 'wait', 'cancel', 'retry'])
    expect((await assistant.call(tool, { job })).text).toContain(`There is no job “${job}”`)
})
