/** The promises on README's first screen for a computer that has only Node and npm. */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { inspectMedia } from '../../scripts/inspect-media.ts'
import { itInLongSuite } from '../faults/long-suite.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { bareComputer, root, type Run } from './run-npm-start.ts'
import { withoutDelays } from '../main/cli/without-delays.ts'

/** Timeout in ms. A run takes four seconds, and far longer alongside other tests. */
const LONG = 180_000
const SAMPLES = ['dawn-upright.jpg', 'flower-on-nothing.png', 'evening-lake.heic', 'sunrise.mp4']

type Row = {
  readonly input: string
  readonly preset: string
  readonly before: string
  readonly after: string
  readonly seconds: number
  readonly result: string
}

const ROW =
  /^(\S+) +(\S.*?) {2,}(\d+ × \d+ +[\d,]+ bytes) +(\d+ × \d+ +[\d,]+ bytes) +([\d.]+) s +ok +(\/.*)$/gm

const rowsOf = ({ said }: Run): readonly Row[] =>
  [...said.matchAll(ROW)].map(
    ([, input = '', preset = '', before = '', after = '', seconds = '', result = '']) => ({
      input,
      preset,
      before: before.replace(/ {2,}/g, ' '),
      after: after.replace(/ {2,}/g, ' '),
      seconds: Number(seconds),
      result,
    }),
  )

/** Dimensions and size of a result, as `npm start` prints them in its table. */
async function measured(path: string): Promise<string> {
  const { width, height } = await inspectMedia(path)
  return `${width} × ${height} ${statSync(path).size.toLocaleString('en')} bytes`
}

async function expectMainJob(run: Run): Promise<void> {
  // npm 12 prints the command that it runs to stderr.
  const complained = withoutDelays(run.complained.replaceAll(/^npm notice run .*\n/gm, ''))
  expect({ code: run.code, complained }).toEqual({ code: 0, complained: '' })
  expect(run.said).toContain('Chromium isn’t installed.')
  const rows = rowsOf(run)
  expect(rows.map(({ input }) => input)).toEqual(SAMPLES)
  for (const { input, preset, before, after, result } of rows) {
    expect(preset).toBe('Web 1080p')
    expect(before).toBe(await measured(join(root, 'assets/samples', input)))
    expect(after).toBe(await measured(result))
    const { format, seconds } = await inspectMedia(result)
    expect(format).toBe(seconds === null ? 'jpeg' : 'mp4')
  }
  expect(run.said.indexOf('sunrise.mp4: accepted')).toBeGreaterThan(0)
  expect(run.said.indexOf('sunrise.mp4: accepted')).toBeLessThan(run.said.indexOf('All 4 results'))
  expect(run.said.trimEnd().split('\n').at(-1)).toMatch(
    /^To see the window, run npm start .* apt-get install/,
  )
}

test(
  'with only Node and npm, `npm start` runs the main job, checks it, and leaves the results where it says',
  { timeout: LONG },
  async () => {
    using computer = bareComputer()
    const home = join(computer.folder, 'temporary', 'home')
    mkdirSync(home)
    const run = await computer.run({ HOME: home })
    await expectMainJob(run)
    const results = dirname(rowsOf(run)[0]?.result ?? '')
    expect(run.said).toContain(`Results are in ${results}`)
    expect(readdirSync(results)).toHaveLength(SAMPLES.length)
    // The run leaves nothing next to its results, and nothing at all in the user's home.
    expect(readdirSync(dirname(results))).toEqual([basename(results)])
    expect(readdirSync(home).filter((name) => name !== '.npm')).toEqual([])
  },
)

itInLongSuite(
  'a missing home that can’t be created doesn’t matter, nor does a display that doesn’t respond',
  async () => {
    using computer = bareComputer()
    const closed = join(computer.folder, 'closed')
    mkdirSync(closed, { mode: 0o555 })
    const run = await computer.run({ HOME: join(closed, 'home'), DISPLAY: ':4711' })
    await expectMainJob(run)
    expect(run.said).toContain('The display :4711 doesn’t respond.')
  },
)

/**
 * Runs a script through `with-node.cjs`, which is made to see this version of Node.
 * @returns the exit code and the output lines
 */
function runOn(version: string, folder: string) {
  const entry = join(folder, 'scripts/with-node.cjs')
  mkdirSync(dirname(entry), { recursive: true })
  copyFileSync(join(root, 'scripts/with-node.cjs'), entry)
  writeFileSync(join(folder, 'hello.cjs'), 'console.log("hello from", process.argv[2])')
  const code = `Object.defineProperty(process.versions, 'node', { value: '${version}' })
    process.argv.splice(1, process.argv.length, 'with-node.cjs', '${join(folder, 'hello.cjs')}', 'here')
    require('${entry}')`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}`.trim().split('\n') }
}

test('an old Node hands over to the version that npm ci installed, and otherwise explains in one line what to do', () => {
  const folder = temporaryFolder()
  const place = (path: string) => mkdirSync(join(folder, 'node_modules', path), { recursive: true })
  const complaint = () => {
    const { status, said } = runOn('18.20.0', folder)
    expect({ status, lines: said.length }).toEqual({ status: 1, lines: 1 })
    return said[0]
  }
  expect(complaint()).toBe('Nothing is installed yet. Type: npm ci')
  place('.bin')
  place('@img/sharp-libvips-linux-x64')
  expect(complaint()).toMatch(/needs Node 24 or newer; this is Node 18\.20\.0/)

  const system = process.platform === 'win32' ? 'win' : process.platform
  const brought = join('node_modules', `node-${system}-${process.arch}`, 'bin', basename(process.execPath))
  place(join('..', dirname(brought)))
  symlinkSync(process.execPath, join(folder, brought))
  expect(complaint()).toMatch(/npm ci --include=optional/)
  place('@img/sharp-linux-x64')
  expect(runOn('18.20.0', folder)).toEqual({ status: 0, said: ['hello from here'] })
  // npm 10 doesn't create this link.
  expect(realpathSync(join(folder, 'node_modules/.bin/node'))).toBe(process.execPath)
})

test('the lock file restricts no Node version, and names no host', () => {
  const { packages }: { packages: Record<string, object> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const asking = Object.entries(packages).filter(([, packed]) => 'engines' in packed || 'resolved' in packed)
  expect(
    asking.map(([place]) => place),
    'npm run lock takes it out',
  ).toEqual([])
})
