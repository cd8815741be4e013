/** Settings for one command: the real service uses them, nothing is saved, and a kill doesn't lose them. */
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { keepOneOff, oneOffPresets, removeUnusedOneOffs } from '../../../src/main/presets/presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { jsonLines, keepOwner, run, runHere, runProcess, startCommand, temporaryFolder } from './command.ts'

const sample = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')
const clip = resolve(import.meta.dirname, '../../../assets/samples/sunrise.mp4')
let folder = ''
let held: { readonly env: Record<string, string>; readonly cwd: string }
beforeEach(() => {
  folder = temporaryFolder()
  held = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
})
const command = (...argv: readonly string[]) => runHere(argv, held)
const presetFolder = () => join(folder, 'data', 'service', 'presets')

const visible = (into: string): Promise<string[]> =>
  readdir(into).then(
    (names) => names.filter((name) => !name.startsWith('.')),
    () => [],
  )

describe('wrong settings are explained before anything is submitted', () => {
  beforeEach(() => keepOwner(held))

  test.each([
    [['--quality', '0'], '--quality must be a whole number from 1 to 100.'],
    [['--quality', 'good'], '--quality must be a whole number from 1 to 100.'],
    [['--quality', '80.5'], '--quality must be a whole number from 1 to 100.'],
    [['--fps', '0.5'], '--fps must be from 1 to 240.'],
    [['--codec', 'hevc'], '--codec only affects videos, but all files are photos.'],
    [['--set', 'video.speed=slow'], '--set video.speed only affects videos, but all files are photos.'],
    [['--lossless'], '--lossless has no effect on JPEG'],
    [['--lossless', '--format', 'jpeg'], '--lossless has no effect on JPEG, which is never lossless.'],
    [['--set', 'image.lossless=true', '--preset', 'Email'], 'no effect on JPEG'],
    [['--format', 'bmp'], '--format must be one of: same, jpeg'],
    [
      ['--visual-quality', '5'],
      '--visual-quality must be identical, high, medium, low or a whole number from 30 to 100.',
    ],
    [['--under', '500parsecs'], '--under must be from 100 B to 1 GB.'],
    [['--under', '99,4'], '--under must be from 100 B to 1 GB.'],
    [['--under', '500kB', '--quality', '80'], 'can’t be combined with Quality'],
    [['--reduce-dimensions'], 'needs a maximum file size'],
    [['--codec', 'hevc', '--preset', 'Web 2048'], 'isn’t for videos, so --codec doesn’t apply'],
    [['--max-size', '99999'], '--max-size must be a whole number from 1 to 16384.'],
    [['--crop', '1:0'], '--crop'],
    [['--result-name', 'a{b'], '--result-name: Braces may contain only'],
    [['--set', 'image.colour=\u001b[2J red'], '--set image.colour must be one of: keep, srgb.'],
    [['--set', 'image.sparkle=1'], 'isn’t a preset field'],
    [['--set', 'sparkle'], 'Must be a field and its value'],
    [['--grayscale', '--preset', 'Email', '--preset', 'Thumbnail'], 'only one preset'],
    [['--grayscale', '--base-url', 'http://127.0.0.1:1/api'], 'knows only its own saved presets'],
  ])('%j', async (argv, words) => {
    for (const name of ['submit', 'estimate']) {
      const { code, stdout, stderr } = await run([name, sample, ...argv], held)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(words)
      expect(stderr).not.toContain('\u001b')
    }
    expect(await visible(folder)).toEqual(['data'])
  })
})

itInLongSuite('a photo is refused on its way to stdout if a setting has no effect on it', async () => {
  for (const [argv, words] of [
    [['--codec', 'hevc'], '--codec only affects videos'],
    [['--lossless'], '--lossless has no effect on JPEG'],
  ] as const) {
    const { code, stdout, stderr } = await runProcess(['submit', sample, ...argv, '--output', '-'], held)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  }
})

test('a job uses the settings, no preset is saved, and the same settings are recognized again', async () => {
  keepOwner(held)
  const settings = ['--format', 'webp', '--max-size', '120', '--quality', '40']
  const { code } = await command('submit', sample, clip, ...settings, '--max-height', '90', '--output', 'out')
  expect(code).toBe(0)
  expect(await visible(join(folder, 'out'))).toEqual(['dawn-upright-custom.webp', 'sunrise-custom.mp4'])
  const { format, height } = await sharp(join(folder, 'out', 'dawn-upright-custom.webp')).metadata()
  expect({ format, height }).toEqual({ format: 'webp', height: 120 })
  const listed = await command('presets')
  expect(listed.stdout).not.toContain('webp 40')
  expect(listed.stdout).not.toContain('Custom')
  const again = await command('submit', sample, clip, ...settings, '--max-height', '90', '--skip-done')
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('already done')])
  const history = await command('history')
  expect(history.stdout).toContain('Custom: format webp, quality 40, max-size 120, max-height 90')
})

test('with --preset, only the given settings differ from it, and its name stays in the names of results', async () => {
  keepOwner(held)
  const { code, stdout } = await command(
    'submit',
    sample,
    '--preset',
    'Web 720p',
    '--under',
    '9kB',
    '--remove-location',
    '--set',
    'image.grayscale=true',
    '--json',
  )
  expect(code).toBe(0)
  expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: { kind: 'done' } })
  const into = join(folder, 'mediatray-output')
  expect(await visible(into)).toEqual(['dawn-upright-web-720p.jpg'])
  const result = await readFile(join(into, 'dawn-upright-web-720p.jpg'))
  expect(result.length).toBeLessThanOrEqual(9_000)
  const { channels, height } = await sharp(result)
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .then(({ info }) => info)
  expect({ channels, height }).toEqual({ channels: 1, height: 720 })
  const stated = await command('estimate', sample, '--preset', 'Web 720p', '--under', '9kB', '--json')
  expect(jsonLines(stated.stdout).at(-1)).toMatchObject({ forecast: { kind: 'known', atMostBytes: 9_000 } })
})

itInLongSuite('after a kill, the other files are processed with the same settings', async () => {
  if (process.platform !== 'linux') return
  const into = join(folder, 'photos')
  await mkdir(into)
  for (let n = 0; n < 60; n += 1) await copyFile(sample, join(into, `${n}.jpg`))
  const child = startCommand(['submit', into, '--format', 'png', '--grayscale', '--output', 'out'], held)
  await expect.poll(() => visible(join(folder, 'out')), { interval: 5, timeout: 30_000 }).not.toHaveLength(0)
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const ended = once(child, 'close')
  for (const pid of [child.pid ?? 0, Number(children.trim().split(' ')[0])]) process.kill(pid, 'SIGKILL')
  await ended
  const sent = await command('outbox', 'send')
  expect(sent.code).toBe(0)
  const names = await visible(join(folder, 'out'))
  expect(names).toHaveLength(60)
  expect(names.every((name) => name.endsWith('-custom.png'))).toBe(true)
})

const text = (quality: number) => JSON.stringify({ name: 'x', image: { quality } })

describe('the documents of changed presets', () => {
  test('are found by name, aren’t listed, and give way to the names of other presets', async () => {
    const own = presetFolder()
    const store = await openPresetStore({ folder: own, log: () => undefined })
    await writeFile(join(own, 'mine.json'), JSON.stringify({ name: 'A: b', image: { quality: 1 } }))
    expect(await keepOneOff(own, text(2), 'A: b')).toBe('A: b 2')
    expect(await keepOneOff(own, text(3), 'A: b')).toBe('A: b 3')
    expect(await keepOneOff(own, text(2), 'A: b')).toBe('A: b 2')
    await store.refresh()
    expect(store.find('A: b 3')?.image?.quality).toBe(3)
    expect(store.list().image).not.toContain('A: b 3')
  })

  test('are removed when nothing mentions them, unless this process has kept them', async () => {
    const own = presetFolder()
    await keepOneOff(own, text(3), 'New')
    for (const name of ['Old', 'Used'])
      await writeFile(join(own, '.one-off', `${name}.json`), JSON.stringify({ name, image: { quality: 1 } }))
    await removeUnusedOneOffs(own, (name) => name === 'Used')
    const unlisted = (await oneOffPresets(own, ['Make smaller', 'New'])).map(({ name }) => name)
    expect(unlisted).toEqual(['New', 'Used', 'Make smaller'])
  })
})

const pixels = (file: string) => sharp(file).raw().toBuffer()

describe('a task', () => {
  beforeEach(() => keepOwner(held))

  test('is submitted, recognized and changed by its name, and is in no list of presets', async () => {
    const { code } = await command('submit', sample, clip, '--preset', 'Remove location', '--output', 'out')
    expect(code).toBe(0)
    expect(await visible(join(folder, 'out'))).toEqual([
      'dawn-upright-remove-location.jpg',
      'sunrise-remove-location.mp4',
    ])
    const result = await pixels(join(folder, 'out', 'dawn-upright-remove-location.jpg'))
    expect(result.equals(await pixels(sample))).toBe(true)
    const again = await command('submit', sample, clip, '--preset', 'Remove location', '--skip-done')
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('already done')])
    const under = ['--preset', 'Under a size', '--under', '12kB'] as const
    expect((await command('submit', sample, ...under, '--output', 'small')).code).toBe(0)
    const [small = ''] = await visible(join(folder, 'small'))
    expect((await readFile(join(folder, 'small', small))).length).toBeLessThanOrEqual(12_000)
    const listed = await command('presets', '--json')
    const event = jsonLines(listed.stdout).find((one) => one['event'] === 'presets')
    expect(event).toMatchObject({
      tasks: ['Make smaller', 'For the web', 'Under a size', 'Remove location'],
    })
    expect(JSON.stringify(event?.['presets'])).not.toContain('Remove location')
    expect((await command('presets', 'For the web')).stdout).toContain('"strip-location"')
  })

  itInLongSuite('gives way to a saved preset with its name', async () => {
    await mkdir(presetFolder(), { recursive: true })
    const own = { name: 'For the web', image: { format: 'png', size: { width: 16 } } }
    await writeFile(join(presetFolder(), 'own.json'), JSON.stringify(own))
    const { code } = await command('submit', sample, '--preset', 'For the web', '--output', 'out')
    expect(code).toBe(0)
    const result = join(folder, 'out', 'dawn-upright-for-the-web.png')
    expect(await sharp(result).metadata()).toMatchObject({ format: 'png', width: 16 })
  })
})
