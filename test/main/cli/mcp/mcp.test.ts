/** What an assistant can do, over the two newest versions of the protocol. */
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../command.ts'
import {
  ended,
  openAssistant,
  openSeparateAssistant,
  openDesk,
  PHOTO,
  VERSIONS,
  VIDEO,
  type Assistant,
} from './assistant.ts'
import { firstOf, itInLongSuite } from '../../../faults/long-suite.ts'

describe.each(firstOf(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[]))('version %s', (version) => {
  test('an assistant lists presets, describes a photo, submits it and sees its result', async () => {
    const desk = await openDesk()
    const assistant = await openSeparateAssistant(desk, version)
    expect(assistant.client.getNegotiatedProtocolVersion()).toBe(version)
    const { data: presets } = await assistant.call('presets')
    expect(presets).toMatchObject({ allowedFolders: [desk.allowed], usualOutput: desk.output })
    expect(presets['forPhotos']).toContain('Web 720p')
    const photo = join(desk.allowed, 'photo.jpg')
    const { data: described } = await assistant.call('describe', { file: photo })
    expect(described).toMatchObject({ path: photo, kind: 'photo', width: 900, height: 1200 })
    const { data: submitted } = await assistant.call('submit', { files: [photo], preset: 'Web 720p' })
    expect(submitted).toMatchObject({ files: 1, presets: ['Web 720p'], output: desk.output })
    const status = await ended(assistant, String(submitted['job']))
    expect(status).toMatchObject({ state: 'done', results: 1, plannedResults: 1 })
    expect(await readdir(desk.output)).toEqual(['photo-web-720p.jpg'])
  })
})

test('a description has the format and the duration in seconds', async () => {
  const desk = await openDesk()
  await cp(VIDEO, join(desk.allowed, 'clip.mp4'))
  await cp(PHOTO, join(desk.allowed, 'misnamed.png'))
  const { call } = await openAssistant(desk)
  const describe = async (name: string) => (await call('describe', { file: join(desk.allowed, name) })).data
  expect(await describe('photo.jpg')).toMatchObject({ kind: 'photo', format: 'jpg' })
  expect(await describe('misnamed.png')).toMatchObject({ kind: 'photo', format: 'jpg' })
  expect(await describe('clip.mp4')).toMatchObject({ kind: 'video', format: 'mp4', seconds: 3 })
})

test('every tool is described, and none claims to change or delete anything', async () => {
  const { client } = await openAssistant(await openDesk())
  const { tools } = await client.listTools()
  for (const { description, annotations } of tools) {
    expect(description).not.toBe('')
    expect(annotations?.readOnlyHint === true || annotations?.destructiveHint === false).toBe(true)
  }
})

itInLongSuite('results go to an allowed folder that doesn’t exist yet', async () => {
  const desk = await openDesk()
  const assistant = await openAssistant(desk)
  const output = join(desk.allowed, 'web', 'small')
  const { data } = await assistant.call('submit', { files: [desk.allowed], output })
  expect(await ended(assistant, String(data['job']))).toMatchObject({ state: 'done' })
  expect(await readdir(output)).toEqual(['photo-basic.jpg'])
})

itInLongSuite('a job’s submission isn’t sent twice by two servers, and each of their jobs ends', async () => {
  const desk = await openDesk()
  const [one, other] = await Promise.all([
    openSeparateAssistant(desk),
    openSeparateAssistant(desk, '2025-11-25'),
  ])
  const photo = join(desk.allowed, 'photo.jpg')
  const submit = (assistant: Assistant) => Promise.all([assistant.submit(photo), assistant.submit(photo)])
  const jobs = (await Promise.all([submit(one), submit(other)])).flat()
  expect(new Set(jobs).size).toBe(4)
  for (const job of jobs) expect(await ended(other, job)).toMatchObject({ state: 'done', results: 1 })
  expect(await readdir(desk.output)).toHaveLength(4)
})

itInLongSuite.each(['SIGKILL', 'SIGTERM'] as const)(
  'the job of an assistant that is gone ends and is in the history (%s)',
  async (signal) => {
    const desk = await openDesk()
    const assistant = await openSeparateAssistant(desk)
    const job = await assistant.submit(join(desk.allowed, 'photo.jpg'))
    assistant.kill(signal)
    const later = await openSeparateAssistant(desk)
    expect(await ended(later, job)).toMatchObject({ state: 'done', results: 1 })
    const env = { MEDIATRAY_DATA_DIR: desk.data }
    const { events } = await run(['history', '--json'], { env })
    expect(events[0]).toMatchObject({ record: { id: job, by: 'assistant', outcome: { kind: 'done' } } })
  },
)

test('the command refuses options that need stdin or stdout', async () => {
  const { code, stderr } = await run(['mcp', '--json'])
  expect(code).toBe(2)
  expect(stderr).toContain('mcp uses stdin and stdout, so')
})
