/** What an assistant doesn't get, whatever it asks for. */
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createSettings, openSettingsFile } from '../../../../src/main/settings/settings.ts'
import { openHistory } from '../../../../src/main/history/index.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../../foreign-link.ts'
import { ended, openAssistant, openDesk, PHOTO, type Assistant, type Desk } from './assistant.ts'
import { firstOf, itInLongSuite } from '../../../faults/long-suite.ts'

let desk: Desk
let assistant: Assistant
beforeEach(async () => {
  desk = await openDesk()
  assistant = await openAssistant(desk)
})

/** What the user sees in the settings. */
function refusals(): readonly string[] {
  const history = openHistory({ file: join(desk.data, 'history.db'), clock: Date.now, log: () => undefined })
  try {
    return history.refusals.newest(10).map(({ path, reason }) => `${reason} ${path}`)
  } finally {
    history.close()
  }
}

const submitted = () => readdir(desk.output).catch(() => [])

test('paths that aren’t in an allowed folder are refused, whether they exist or not, and the user sees it', async () => {
  for (const path of [
    '/etc/shadow',
    join(desk.private, 'taxes.jpg'),
    join(desk.private, 'nothing.jpg'),
    `${desk.allowed}/../private/taxes.jpg`,
    `${desk.allowed}-2/photo.jpg`,
    'photo.jpg',
    '/',
  ]) {
    for (const [tool, args] of [
      ['describe', { file: path }],
      ['submit', { files: [path] }],
    ] as const) {
      const { isError, text } = await assistant.call(tool, args)
      expect(isError).toBe(true)
      expect(text).toContain('isn’t in a folder that the user allows')
    }
    expect(refusals()[0]).toBe(`outside ${path}`)
  }
  expect(refusals()).toHaveLength(7)
  expect(await submitted()).toEqual([])
})

test('a link out of an allowed folder is refused, as a file, as a folder and on the way', async () => {
  const inside = (name: string) => join(desk.allowed, name)
  await symlink(join(desk.private, 'taxes.jpg'), inside('link.jpg'))
  await symlink(desk.private, inside('folder'))
  await symlink(join(desk.private, 'nothing.jpg'), inside('dangling.jpg'))
  await symlink('dangling.jpg', inside('indirect.jpg'))
  // What exists outside makes no difference.
  for (const path of [
    inside('link.jpg'),
    inside('dangling.jpg'),
    inside('indirect.jpg'),
    inside('folder'),
    join(inside('folder'), 'taxes.jpg'),
    join(inside('folder'), 'nothing.jpg'),
    join(inside('folder'), 'nothing', 'at', 'all.jpg'),
  ]) {
    const { isError, text } = await assistant.call('submit', { files: [path] })
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringContaining('is a link out of'),
    })
    expect((await assistant.call('describe', { file: path })).isError).toBe(true)
  }
  expect(refusals()[0]).toBe(`leadsOutside ${join(inside('folder'), 'nothing', 'at', 'all.jpg')}`)
  // In a folder, they are left out.
  const { data } = await assistant.call('submit', { files: [desk.allowed] })
  expect(data).toMatchObject({ files: 1, leftOut: Array(4).fill(expect.any(String)) })
  expect(await ended(assistant, String(data['job']))).toMatchObject({ state: 'done', results: 1 })
})

test('an allowed folder that becomes a link isn’t allowed any more', async () => {
  await rename(desk.allowed, `${desk.allowed}-before`)
  await symlink(desk.private, desk.allowed)
  const { isError } = await assistant.call('submit', { files: [join(desk.allowed, 'taxes.jpg')] })
  expect(isError).toBe(true)
  expect(refusals()).toEqual([`outside ${join(desk.allowed, 'taxes.jpg')}`])
})

itInLongSuite('a file that becomes a link after it was submitted isn’t sent', async () => {
  // Paused, so that the file can be replaced before it is sent.
  await desk.set({ outboxPaused: true })
  const folder = join(desk.allowed, 'work')
  await mkdir(folder)
  await cp(PHOTO, join(folder, 'taxes.jpg'))
  const job = await assistant.submit(folder)
  await rm(folder, { recursive: true })
  await symlink(desk.private, folder)
  await desk.set()
  expect(await ended(assistant, job)).toMatchObject({ state: 'refused', results: 0 })
  expect(await submitted()).toEqual([])
})

test('results can’t be saved elsewhere', async () => {
  const files = [desk.allowed]
  await symlink(desk.private, join(desk.allowed, 'link'))
  for (const output of [desk.private, '/etc', join(desk.allowed, 'link', 'web'), 'web']) {
    const { isError, text } = await assistant.call('submit', { files, output })
    expect(isError).toBe(true)
    expect(text).toContain('Results can’t be saved to')
    expect(refusals()[0]).toBe(`outputOutside ${output}`)
  }
  const onFile = await assistant.call('submit', { files, output: join(desk.allowed, 'photo.jpg') })
  expect(onFile.text).toContain('It isn’t a folder.')
})

const tooMany = async (files: readonly string[]): Promise<void> => {
  const { isError, text } = await assistant.call('submit', { files })
  expect([isError, text]).toEqual([true, expect.stringContaining('too many')])
  expect(refusals()).toEqual([`tooManyFiles ${files[0]}`])
}

test('thousands of files are refused', () =>
  tooMany(Array.from({ length: 5_001 }, (_, n) => join(desk.allowed, `${n}.jpg`))))

itInLongSuite('thousands of files in a folder are refused', async () => {
  const many = join(desk.allowed, 'many')
  await mkdir(many)
  for (let n = 0; n < 5_001; n++) await writeFile(join(many, `${n}.jpg`), 'x')
  await tooMany([many])
})

test('strange presets and huge strings get an answer, and the server goes on', async () => {
  const files = [desk.allowed]
  const strange = await assistant.call('submit', { files, preset: 'Web\u0000\u001B[2J\u202E' })
  expect(strange.isError).toBe(true)
  expect(strange.text).toContain('There is no preset “Web��[2J�”')
  for (const args of [
    { files: ['x'.repeat(1_000_000)] },
    { files, preset: 'x'.repeat(1_000_000) },
    { files: [`${desk.allowed}/\u0000.jpg`] },
    { files: 'photo.jpg' },
    { files: [] },
  ]) {
    // The newest version reports arguments that don't fit as an answer, the one before as an error.
    const outcome = await assistant.call('submit', args).catch(() => ({ isError: true }))
    expect(outcome.isError).toBe(true)
  }
  expect((await assistant.call('presets')).isError).toBe(false)
})

test('nothing works until assistants are switched on, nor after they are switched off', async () => {
  const job = await assistant.submit(desk.allowed)
  const off = createSettings(openSettingsFile(join(desk.data, 'settings.json')))
  off.update({ assistants: { ...off.view().assistants, enabled: false } })
  for (const [tool, args] of [
    ['presets', {}],
    ['describe', { file: join(desk.allowed, 'photo.jpg') }],
    ['submit', { files: [desk.allowed] }],
    ['status', { job }],
  ] as const) {
    const { isError, text } = await assistant.call(tool, args)
    expect(isError).toBe(true)
    expect(text).toContain('Settings > Advanced > Assistants')
  }
  expect(refusals()).toEqual(['off '])
  off.update({ assistants: { ...off.view().assistants, enabled: true } })
  // What was submitted before isn't lost.
  expect(await ended(assistant, job)).toMatchObject({ state: 'done' })
})

test.each(
  firstOf([
    ['many values', 'too many values', Array.from({ length: 1_000_000 }, () => [])],
    ['a deep list', 'nested too deeply', JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)],
    ['a long text', 'too long', ['x'.repeat(6_000_000)]],
  ] as const),
)('a message with %s is refused before it is checked, and the session continues', async (_, why, files) => {
  await expect(assistant.call('submit', { files })).rejects.toThrow(why)
  expect((await assistant.call('presets')).isError).toBe(false)
})

itInLongSuite('of many calls at the same time, only a few run, and the others are refused', async () => {
  const estimates = await Promise.all(
    Array.from({ length: 10 }, () => assistant.call('estimate', { files: [desk.allowed] })),
  )
  const refused = estimates.filter(({ text }) => text.includes('At most 2 calls of “estimate”'))
  expect(refused).toHaveLength(8)
  expect((await assistant.call('estimate', { files: [desk.allowed] })).isError).toBe(false)
})

test.runIf(canMakeForeignLinks)(
  'results aren’t saved behind another user’s link to the default folder',
  async () => {
    makeForeignLink(desk.private, desk.output)
    const { isError, text } = await assistant.call('submit', { files: [join(desk.allowed, 'photo.jpg')] })
    expect(isError).toBe(true)
    expect(text).toContain('a link on its path belongs to another user')
  },
)
