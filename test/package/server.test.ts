/** What docs/server.md offers: the unit for systemd and the image. Their commands run directly where no container can be started. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { COMMAND } from '../entries.ts'
import { startCommand } from '../main/cli/command.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const textOf = (name: string) => readFileSync(join(ROOT, 'build/linux', name), 'utf8')
const succeeds = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args, { stdio: 'ignore', timeout: 60_000 }).status === 0

/** The settings in docs/server.md, with folders below this one. */
function settingsIn(folder: string): string {
  const [, json = ''] = /```json\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/server.md'), 'utf8')) ?? []
  return json
    .replace('"/inbox"', JSON.stringify(join(folder, 'inbox')))
    .replace('"/results"', JSON.stringify(join(folder, 'results')))
    .replace(/"url": "[^"]*"/, '"url": null')
    .replace('"windowMs": 10000', '"windowMs": 0')
}

const instructions = textOf('Containerfile')
  .split('\n')
  .flatMap((line) => (/^[A-Z]+ /.test(line) ? [line.split(/ (.*)/s)] : []))
const lastOf = (name: string): string =>
  instructions.findLast(([instruction]) => instruction === name)?.[1] ?? ''
const commandIn = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf('[')))

const argumentsIn = (text: string) =>
  commandIn(text).slice(commandIn(text).indexOf('dist/cli/mediatray.js') + 1)

it.skipIf(!succeeds('systemd-analyze', '--version'))('systemd accepts the unit', () => {
  const folder = temporaryFolder()
  const unit = join(folder, 'mediatray-watch.service')
  writeFileSync(unit, textOf('mediatray-watch.service').replace('/usr/bin/mediatray-cli', process.execPath))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  expect([status, stderr.split('\n').filter((line) => line.includes('mediatray'))]).toEqual([0, []])
})

it('the image runs as an ordinary user, without a shell, and has a health check', () => {
  expect(lastOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(lastOf('STOPSIGNAL')).toBe('SIGTERM')
  for (const text of [lastOf('CMD'), lastOf('HEALTHCHECK')]) {
    expect(commandIn(text)[0]).toBe('node')
    expect(commandIn(text)).toContain('dist/cli/mediatray.js')
  }
  expect(instructions.filter(([name]) => name === 'ADD')).toEqual([])
  expect(textOf('Containerfile')).not.toMatch(/:latest|curl|wget|sudo|apt-get/)
})

it('the image’s commands watch the folders of the settings in docs/server.md, and its health check knows whether they do', async () => {
  const folder = temporaryFolder()
  for (const name of ['data', 'inbox']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'data', 'settings.json'), settingsIn(folder))
  const held = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  const isHealthy = () =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', COMMAND, ...argumentsIn(lastOf('HEALTHCHECK'))],
      {
        env: { ...process.env, ...held.env },
      },
    ).status === 0
  expect(isHealthy()).toBe(false)
  const child = startCommand(argumentsIn(lastOf('CMD')), held)
  onTestFinished(() => void child.kill('SIGKILL'))
  let written = ''
  child.stdout.on('data', (text: string) => (written += text))
  await expect.poll(() => written, { timeout: 60_000 }).toContain('"event":"watching"')
  expect(isHealthy()).toBe(true)
  copyFileSync(join(ROOT, 'assets/samples/dawn-upright.jpg'), join(folder, 'inbox', 'dawn.jpg'))
  await expect.poll(() => written, { timeout: 60_000 }).toContain('"event":"finished"')
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(isHealthy()).toBe(false)
})

const BASE = /^FROM (\S+)/m.exec(textOf('Containerfile'))?.[1] ?? ''
const engine = ['podman', 'docker'].find((name) => succeeds(name, 'info') && succeeds(name, 'pull', BASE))

it.skipIf(engine === undefined)(
  'the image builds, and watches with a read-only file system',
  { timeout: 900_000 },
  async () => {
    const run = (...args: readonly string[]) =>
      execFileSync(engine ?? '', args, { cwd: ROOT, encoding: 'utf8' }).trim()
    const folder = temporaryFolder()
    for (const name of ['data', 'inbox', 'results']) mkdirSync(join(folder, name), { mode: 0o777 })
    writeFileSync(join(folder, 'data', 'settings.json'), settingsIn('/'))
    run('build', '--quiet', '-f', 'build/linux/Containerfile', '-t', 'mediatray-test', '.')
    const volumes = ['data', 'inbox', 'results'].flatMap((name) => ['-v', `${join(folder, name)}:/${name}:Z`])
    const user = ['--user', `${process.getuid?.() === 0 ? 1000 : process.getuid?.()}`]
    execFileSync('chmod', ['-R', 'a+rwX', folder])
    const hardened = [
      '--read-only',
      '--tmpfs',
      '/tmp',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
    ]
    const container = run('run', '-d', ...hardened, ...user, ...volumes, 'mediatray-test')
    onTestFinished(() => void run('rm', '-f', container))
    await expect.poll(() => run('logs', container), { timeout: 60_000 }).toContain('"event":"watching"')
    copyFileSync(join(ROOT, 'assets/samples/dawn-upright.jpg'), join(folder, 'inbox', 'dawn.jpg'))
    await expect.poll(() => readdirSync(join(folder, 'results')).length, { timeout: 120_000 }).toBe(1)
    run('exec', container, ...commandIn(lastOf('HEALTHCHECK')))
  },
)
