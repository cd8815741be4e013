/** What docs/server.md offers: the unit for systemd and the image. Their commands run directly where no container can be started. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
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

it('systemd accepts the unit', () => {
  const text = textOf('mediatray-watch.service').replace('/usr/bin/mediatray-cli', process.execPath)
  expect(text.match(/^\[.*]$/gm)).toEqual(['[Unit]', '[Service]', '[Install]'])
  expect(text.split('\n').filter((line) => !/^(#.*|\[\w+]|[A-Z]\w+=.*|)$/.test(line))).toEqual([])
  // Other systems can't check more than the form.
  if (!succeeds('systemd-analyze', '--version')) return
  const unit = join(temporaryFolder(), 'mediatray-watch.service')
  writeFileSync(unit, text)
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

type Watcher = {
  readonly written: () => string
  readonly isHealthy: () => boolean
  /** Resolves with the exit code. */
  readonly stop: () => Promise<unknown>
}

/** Runs the image's commands without a container, for computers that can't build the image. */
function startDirectly(folder: string): Watcher {
  const held = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  const child = startCommand(argumentsIn(lastOf('CMD')), held)
  onTestFinished(() => void child.kill('SIGKILL'))
  let written = ''
  child.stdout.on('data', (text: string) => (written += text))
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  const check = ['--disable-warning=ExperimentalWarning', COMMAND, ...argumentsIn(lastOf('HEALTHCHECK'))]
  const env = { ...process.env, ...held.env }
  return {
    written: () => written,
    isHealthy: () => spawnSync(process.execPath, check, { env }).status === 0,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Builds the image and starts it as docs/server.md says. */
function startContainer(engine: string, folder: string): Watcher {
  const run = (...args: readonly string[]) =>
    execFileSync(engine, args, { cwd: ROOT, encoding: 'utf8' }).trim()
  // Podman's own format has no health checks.
  const format = engine === 'podman' ? ['--format', 'docker'] : []
  run('build', '--quiet', ...format, '-f', 'build/linux/Containerfile', '-t', 'mediatray-test', '.')
  execFileSync('chmod', ['-R', 'a+rwX', folder])
  const volumes = ['data', 'inbox', 'results'].flatMap((name) => ['-v', `${join(folder, name)}:/${name}:Z`])
  const user = ['--user', `${process.getuid?.() === 0 ? 1000 : process.getuid?.()}`]
  const hardened = '--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges'.split(' ')
  const container = run('run', '-d', ...hardened, ...user, ...volumes, 'mediatray-test')
  onTestFinished(() => void run('rm', '-f', container))
  return {
    written: () => run('logs', container),
    isHealthy: () => succeeds(engine, 'exec', container, ...commandIn(lastOf('HEALTHCHECK'))),
    stop() {
      run('stop', '--time', '60', container)
      return Promise.resolve(Number(run('inspect', '--format', '{{.State.ExitCode}}', container)))
    },
  }
}

const BASE = /^FROM (\S+)/m.exec(textOf('Containerfile'))?.[1] ?? ''

it(
  'the image watches the folders of the settings in docs/server.md, and its health check knows whether it does',
  { timeout: 900_000 },
  async () => {
    const engine = ['podman', 'docker'].find((name) => succeeds(name, 'info') && succeeds(name, 'pull', BASE))
    const folder = temporaryFolder()
    for (const name of ['data', 'inbox', 'results']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'data', 'settings.json'), settingsIn(engine === undefined ? folder : '/'))
    const { written, isHealthy, stop } =
      engine === undefined ? startDirectly(folder) : startContainer(engine, folder)
    await expect.poll(written, { timeout: 60_000 }).toContain('"event":"watching"')
    expect(isHealthy()).toBe(true)
    copyFileSync(join(ROOT, 'assets/samples/dawn-upright.jpg'), join(folder, 'inbox', 'dawn.jpg'))
    await expect.poll(written, { timeout: 120_000 }).toContain('"event":"finished"')
    expect(readdirSync(join(folder, 'results'))).toHaveLength(1)
    expect(await stop()).toBe(0)
    // A stopped container has no health.
    if (engine === undefined) expect(isHealthy()).toBe(false)
  },
)
