/** A job with several presets or folders on the command line: one job, and what happened to each of its parts. */
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import {
  commandFolder,
  jsonLines,
  keepOwner,
  type ProcessOptions,
  run,
  runHere,
  temporaryFolder,
} from './command.ts'
import { KEY, scriptedService } from './scripted-service.ts'

const sample = (name: string) => resolve(import.meta.dirname, '../../../assets/samples', name)
let folder = ''
let held: ProcessOptions
beforeEach(() => void ({ folder, held } = commandFolder()))

const photosIn = async (...folders: readonly string[]): Promise<void> => {
  for (const name of folders) {
    await mkdir(join(folder, name), { recursive: true })
    await copyFile(sample('dawn-upright.jpg'), join(folder, name, 'dawn.jpg'))
  }
}

describe('usage', () => {
  test.each([
    [['submit', 'a.jpg', '--beside', '--output', 'x'], 'cannot be used with'],
    [['submit', 'a.jpg', '--beside', 'web', '--drive-output', 'x'], 'cannot be used with'],
    [
      ['submit', 'a.jpg', ...['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => ['--preset', name])],
      'at most 5',
    ],
    [
      ['estimate', 'a.jpg', ...['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => ['--preset', name])],
      'at most 5',
    ],
  ])('%j exits with 2 and explains why', async (argv, word) => {
    const { code, stderr } = await run(argv)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(word) })
  })
})

test('several presets are one job: each gets the files that it handles, a subfolder, and its line in the output', async () => {
  const files = ['submit', sample('dawn-upright.jpg'), sample('sunrise.mp4')]
  const presets = ['--preset', 'Web 720p', '--preset', 'Web 2048']
  const { code, stdout } = await runHere([...files, ...presets, '--json'], held)
  const events = jsonLines(stdout)
  expect(code).toBe(0)
  const accepted = events.filter(({ event }) => event === 'accepted')
  expect(accepted.map(({ group }) => group)).toMatchObject([
    { part: 1, parts: 2, preset: 'Web 720p' },
    { part: 2, parts: 2, preset: 'Web 2048' },
  ])
  expect(accepted.map(({ inputs }) => inputs)).toMatchObject([
    { files: [sample('dawn-upright.jpg'), sample('sunrise.mp4')] },
    { files: [sample('dawn-upright.jpg')] },
  ])
  const [first] = accepted
  expect(events.at(-1)).toMatchObject({
    event: 'group',
    id: first?.['id'],
    outcome: { kind: 'done', results: 3 },
    parts: [{ state: 'done' }, { state: 'done' }],
  })
  expect((await readdir(join(folder, 'mediatray-output'))).toSorted()).toEqual(['Web 2048', 'Web 720p'])
})

itInLongSuite(
  'the history lists the problems of all presets, and those of several variations once',
  async () => {
    const broken = join(folder, 'broken.jpg')
    await writeFile(broken, (await readFile(sample('dawn-upright.jpg'))).subarray(0, 400))
    const presets = ['--preset', 'Web 2048', '--preset', 'Thumbnail']
    await runHere(['submit', broken, ...presets, '--count', '2'], held)
    const { stdout } = await run(['history'], held)
    const problems = stdout.split('\n').filter((line) => line.startsWith('  problem'))
    expect(problems.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      `  problem, Web 2048: ${broken}`,
      `  problem, Thumbnail: ${broken}`,
    ])
    const { events } = await run(['history', '--json'], held)
    expect(events.find(({ event }) => event === 'record')).toMatchObject({
      problems: [
        { preset: 'Web 2048', file: broken },
        { preset: 'Thumbnail', file: broken },
      ],
    })
  },
)

itInLongSuite('the history shows a job with several presets as one, and a part that failed', async () => {
  const broken = join(folder, 'broken.jpg')
  await writeFile(broken, (await readFile(sample('dawn-upright.jpg'))).subarray(0, 400))
  await runHere(
    ['submit', broken, sample('sunrise.mp4'), '--preset', 'Web 2048', '--preset', 'Web 720p'],
    held,
  )
  const { stdout } = await runHere(['history'], held)
  const [whole, ...parts] = stdout.split('\n').filter((line) => /^ *r_/.test(line))
  expect(whole).toMatch(/Done with 2 problems: broken.jpg .*, Web 2048, Web 720p$/)
  expect(parts.map((line) => line.trim().split('  ')[1]?.split('.')[0])).toEqual([
    'Web 2048: Failed: The file is damaged or incomplete: part of the image is missing',
    'Web 720p: Done with 1 problem',
  ])
  const [, ...lines] = (await runHere(['history', '--csv'], held)).stdout.trimEnd().split('\r\n')
  expect(lines.map((line) => line.split(',').slice(-2).join(' of '))).toEqual(['1 of 2', '2 of 2'])
})

test('--beside saves next to each original, or to a subfolder there, and never overwrites', async () => {
  await photosIn('a', 'b')
  keepOwner(held)
  const files = ['submit', 'a/dawn.jpg', 'b/dawn.jpg', '--preset', 'Web 720p']
  expect((await runHere([...files, '--beside', 'web'], held)).code).toBe(0)
  expect(await readdir(join(folder, 'b', 'web'))).toEqual(['dawn-web-720p.jpg'])
  const { code, stdout } = await runHere([...files, '--beside'], held)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Part 2 of 2, Web 720p: done'),
  })
  expect((await readdir(join(folder, 'a'))).toSorted()).toEqual(['dawn-web-720p.jpg', 'dawn.jpg', 'web'])
  const { size } = await stat(sample('dawn-upright.jpg'))
  expect((await stat(join(folder, 'a', 'dawn.jpg'))).size).toBe(size)
})

itInLongSuite(
  '--beside reports where results go if they can’t be saved next to their original',
  async ({ skip }) => {
    using disk = smallDisk(join(folder, 'card'), '1m')
    if (disk === undefined) return skip()
    await photosIn('card')
    disk.makeReadOnly()
    const files = ['submit', join(folder, 'card', 'dawn.jpg'), '--preset', 'Thumbnail', '--beside']
    const { code, stderr } = await runHere(files, held)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`can’t write to ${join(folder, 'card')}. The results of its files go to`),
    ])
  },
)

const argv = (baseUrl: string) => ['submit', folder, '--beside', '--json', '--base-url', baseUrl]
const env = () => ({ MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: join(folder, '.data') })

test('--beside never takes a file for the name of a subfolder', async () => {
  await photosIn('a')
  const inside = { ...held, cwd: join(folder, 'a') }
  const { code, stderr } = await run(['submit', '--beside', 'dawn.jpg', sample('sunrise.mp4')], inside)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('“dawn.jpg” is a file') })
})

describe('results in more than 50 folders', () => {
  beforeEach(() => photosIn(...Array.from({ length: 51 }, (_, index) => `day ${index}`)))

  test('need --yes if there is no terminal', async () => {
    const { baseUrl, created } = await scriptedService()
    const { code, events } = await run(argv(baseUrl), { env: env() })
    expect({ code, created }).toEqual({ code: 4, created: [] })
    expect(events).toMatchObject([
      { event: 'notice', message: expect.stringContaining('--yes') },
      { event: 'notPossible', problem: { code: 'manyFolders', count: 51 } },
    ])
  })

  test('are asked about in a terminal', async () => {
    const { baseUrl, created } = await scriptedService()
    const asked: string[] = []
    const confirm = (question: string) => {
      asked.push(question)
      return Promise.resolve(false)
    }
    expect((await run(argv(baseUrl), { env: env(), confirm })).code).toBe(4)
    expect(asked).toEqual([expect.stringContaining('51 folders')])
    expect(created).toEqual([])
  })

  itInLongSuite('are created with --yes, and each part is in the output', async () => {
    const { baseUrl, created } = await scriptedService()
    const { code, events } = await run([...argv(baseUrl), '--yes', '--wait'], { env: env() })
    expect(code).toBe(0)
    expect(created).toHaveLength(51)
    const groups = events.filter(({ event }) => event === 'group')
    expect(groups).toMatchObject([{ outcome: { kind: 'done', results: 51 } }])
  })
})

itInLongSuite(
  'a part that the service refuses is reported, together with the part that is done',
  async () => {
    const { baseUrl } = await scriptedService({
      instead(request, response, asked) {
        const isSecond = asked.filter((route) => route === 'POST /api/jobs').length === 2
        if (request.method !== 'POST' || request.url !== '/api/jobs' || !isSecond) return false
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"no preset Video"}')
        return true
      },
    })
    const command = [
      'submit',
      sample('sunrise.mp4'),
      '--preset',
      'Web',
      '--preset',
      'Video',
      '--json',
      '--wait',
    ]
    const { code, events } = await run([...command, '--base-url', baseUrl], {
      env: { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: join(folder, 'data') },
      cwd: folder,
    })
    expect(code, JSON.stringify(events)).toBe(3)
    expect(events.find(({ event }) => event === 'refused')).toMatchObject({
      group: { part: 2, parts: 2, preset: 'Video' },
    })
    expect(events.at(-1)).toMatchObject({
      event: 'group',
      outcome: null,
      parts: [
        { preset: 'Web', state: 'done' },
        { preset: 'Video', state: 'refused' },
      ],
    })
  },
)

/** Has room for one job. */
const fullService = () =>
  scriptedService({
    readings: [{ status: 'processing', progress: {} }],
    instead(request, response, asked) {
      const posts = asked.filter((route) => route === 'POST /api/jobs').length
      if (request.method !== 'POST' || request.url !== '/api/jobs' || posts === 1) return false
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"full"}')
      return true
    },
  })

describe('cancel', () => {
  test('with a job’s ID cancels the running part and removes the waiting one; with --part only one of them', async () => {
    for (const [flags, removed] of firstOf([
      [[], 1],
      [['--part'], 0],
    ] as const)) {
      const { baseUrl } = await fullService()
      const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: temporaryFolder() }
      const options = ['--json', '--base-url', baseUrl]
      const presets = ['--preset', 'Web', '--preset', 'Video']
      const submitted = await run(['submit', sample('sunrise.mp4'), ...presets, ...options], { env })
      const group = submitted.events.find(({ event }) => event === 'group')
      expect(group).toMatchObject({ parts: [{ state: 'accepted' }, { state: 'waiting' }] })
      const { events } = await run(['cancel', String(group?.['id']), ...flags, ...options], { env })
      expect(events.filter(({ event }) => event === 'cancelling')).toMatchObject([{ jobId: 'job-1' }])
      expect(events.filter(({ event }) => event === 'resolved')).toHaveLength(removed)
    }
  })
})

itInLongSuite(
  '“retry” with a job’s ID sends what failed with all presets; with a part’s ID, only with that preset',
  async () => {
    const { baseUrl, created } = await scriptedService({
      readings: [{ status: 'failed', error: 'no memory' }],
    })
    const options = ['--json', '--base-url', baseUrl]
    const presets = ['--preset', 'Web', '--preset', 'Video']
    const submitted = await run(['submit', sample('sunrise.mp4'), ...presets, '--wait', ...options], {
      env: env(),
      cwd: folder,
    })
    const ids = submitted.events.filter(({ event }) => event === 'accepted').map(({ id }) => String(id))
    const presetsSent = async (id: string | undefined) => {
      created.length = 0
      const { code } = await run(['retry', String(id), ...options], { env: env(), cwd: folder })
      return [code, created.map(({ preset }) => preset)]
    }
    expect(ids).toHaveLength(2)
    expect(await presetsSent(ids[0])).toEqual([0, ['Web', 'Video']])
    expect(await presetsSent(ids[1])).toEqual([0, ['Video']])
  },
)
