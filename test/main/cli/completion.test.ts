/** Completions: by the protocol, and in real shells where they are installed. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SCRIPTS } from '../../../src/main/cli/completion/scripts.ts'
import { quotedForBash, splitLine } from '../../../src/main/cli/completion/shell-words.ts'
import { COMMAND } from '../../entries.ts'
import { run, temporaryFolder } from './command.ts'
import { KEY, scriptedService } from './scripted-service.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let folder = ''
let held: { readonly env: Record<string, string>; readonly cwd: string }
const presets = () => join(folder, 'data', 'service', 'presets')
beforeEach(() => {
  folder = temporaryFolder()
  held = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  mkdirSync(presets(), { recursive: true })
  const names = ['Web 720p', 'It’s "50 %" $HOME', 'Plain', 'Bad\u001b[2J', 'a: b']
  for (const [index, name] of names.entries())
    writeFileSync(join(presets(), `${index}.json`), JSON.stringify({ name, image: {} }))
  writeFileSync(join(presets(), 'broken.json'), '{')
})

const ask = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await run(['complete', '--shell', 'zsh', '--', ...words], held)
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.split('\n').filter((line) => line !== '')
  return {
    values: lines.filter((line) => !line.startsWith('\t')).map((line) => line.split('\t')[0]),
    files: lines.includes('\t:files'),
  }
}

describe('suggests', () => {
  test('commands, and those below a command', async () => {
    expect((await ask('')).values).toEqual(
      expect.arrayContaining(['submit', 'estimate', 'outbox', 'complete']),
    )
    expect(await ask('est')).toEqual({ values: ['estimate'], files: false })
    expect((await ask('outbox', 'r')).values).toEqual(['resolve'])
    expect((await ask('--json', 'vault', '')).values).toEqual(['empty'])
  })
  test('options, also those of all commands, but not after --', async () => {
    expect((await ask('submit', '--rem')).values).toEqual(['--remove-location'])
    expect((await ask('submit', '--ve')).values).toEqual(['--verbose'])
    expect(await ask('submit', '--', '--ve')).toEqual({ values: [], files: true })
  })
  test('preset names, except those that a terminal can’t show', async () => {
    const tasks = ['For the web', 'Make smaller', 'Remove location', 'Under a size']
    const names = ['a: b', 'It’s "50 %" $HOME', 'Plain', 'Web 720p', ...tasks].toSorted((one, other) =>
      one.localeCompare(other, 'en'),
    )
    expect((await ask('submit', 'a.jpg', '--preset', '')).values).toEqual(names)
    expect((await ask('estimate', '--preset=W')).values).toEqual(['Web 720p'])
    expect((await ask('presets', 'P')).values).toEqual(['Plain'])
  })
  test('the choices of an option', async () => {
    expect((await ask('submit', '--format', '')).values).toEqual([
      'same',
      'jpeg',
      'png',
      'webp',
      'avif',
      'jxl',
      'tiff',
    ])
    expect((await ask('submit', '--rotate', '1')).values).toEqual(['180'])
    expect((await ask('submit', '--quality', '')).values).toEqual([])
    expect((await ask('history', '--outcome', 'done', 'f')).values).toEqual(['failed', 'forgotten'])
    expect((await ask('outbox', 'resolve', 'r_1', '')).values).toEqual(['adopt', 'send', 'remove'])
  })
  test('file names where files are expected', async () => {
    for (const words of [
      ['submit', ''],
      ['submit', 'a.jpg', 'b'],
      ['submit', '--output', ''],
      ['undo', 'x', ''],
    ])
      expect(await ask(...words)).toEqual({ values: [], files: true })
    expect((await ask('jobs', '')).files).toBe(false)
  })
  test('ids of records, newest first', async () => {
    expect(await ask('retry', '')).toEqual({ values: [], files: false })
    const sample = join(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')
    const { baseUrl } = await scriptedService()
    const env = { ...held.env, MEDIATRAY_API_KEY: KEY }
    expect((await run(['submit', sample, '--wait', '--base-url', baseUrl], { ...held, env })).code).toBe(0)
    expect((await ask('retry', 'r_')).values).toEqual([expect.stringMatching(/^r_/)])
    expect((await ask('undo', '')).files).toBe(true)
  })
  test('nothing for a line that makes no sense', async () => {
    for (const words of [['nonsense', ''], ['submit', '--no-such', ''], ['\u001b[2J'], ['--preset=']])
      await expect(ask(...words)).resolves.toBeDefined()
    expect((await ask()).values).toContain('submit')
  })
})

test('starts no service', async () => {
  const empty = { ...held, env: { MEDIATRAY_DATA_DIR: join(folder, 'none') } }
  const { stdout } = await run(['complete', '--shell', 'fish', '--', 'submit', '--preset', 'Web\\ 20'], empty)
  expect(stdout).toContain('Web 2048\t')
  await run(['complete', '--shell', 'fish', '--', 'retry', ''], empty)
  expect(existsSync(join(folder, 'none', 'service'))).toBe(false)
})

test('PowerShell gets whole words, and bash values quoted for their place', async () => {
  const powershell = await run(
    ['complete', '--shell', 'powershell', '--', 'submit', '--preset', "='Web"],
    held,
  )
  expect(powershell.stdout).toBe('Web 720p\t\n')
  for (const quote of ['\u2018', '\u201b', '\u201c', '\u201e']) {
    const typed = ['complete', '--shell', 'powershell', '--', 'submit', '--preset', `=${quote}Web`]
    expect((await run(typed, held)).stdout).toBe('Web 720p\t\n')
  }
  const inEquals = await run(['complete', '--shell', 'powershell', '--', 'submit', '=--preset=P'], held)
  expect(inEquals.stdout).toBe('--preset=Plain\t\n')
  const bash = (line: string) =>
    run(['complete', '--shell', 'bash', '--', line], held).then(({ stdout }) => stdout)
  expect(await bash('mediatray-cli submit --preset W')).toBe('Web\\ 720p\n')
  expect(await bash('mediatray-cli submit --preset "Web 7')).toBe('Web 720p\n')
  expect(await bash('mediatray-cli submit --preset=Web\\ 7')).toBe('Web\\ 720p\n')
  expect(await bash('mediatray-cli submit --preset a:')).toBe('\\ b\n')
  expect(await bash('mediatray-cli submit --preset I')).toBe('It\\’s\\ \\"50\\ %\\"\\ \\$HOME\n')
})

test('PowerShell ends a string at any of five quotes, so its script doubles them all', () => {
  expect(SCRIPTS.powershell).toContain(String.raw`"'" + ($value -replace "['\u2018-\u201b]", '$&$&') + "'"`)
})

test('a name with “!” isn’t offered in double quotes, where bash would replace it', () => {
  expect(quotedForBash('Now!', '"')).toBeUndefined()
  expect([quotedForBash('Now!', "'"), quotedForBash('Now!', '')]).toEqual(['Now!', String.raw`Now\!`])
})

test('a line is split without running anything in it', () => {
  expect(splitLine(`a 'b c' "d \\" e" f\\ g $(touch x) "h`)).toMatchObject({
    words: ['a', 'b c', 'd " e', 'f g', '$(touch', 'x)', 'h'],
    quote: '"',
  })
  expect(splitLine('a ').words).toEqual(['a', ''])
  expect(quotedForBash("it's", "'")).toBeUndefined()
})

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** A command that completes like the real one, and otherwise prints its arguments. */
async function shellFolder(shell: string): Promise<Record<string, string>> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const command = join(bin, 'mediatray-cli')
  const real = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${COMMAND}' "$@"`
  writeFileSync(command, `#!/bin/sh\n[ "$1" = complete ] && ${real}\nprintf '<%s>' RAN "$@"; echo\n`)
  chmodSync(command, 0o755)
  const script = await run(['complete', shell], held)
  expect([script.code, script.stderr]).toEqual([0, ''])
  writeFileSync(join(folder, 'script'), script.stdout)
  writeFileSync(join(folder, 'holiday photo.jpg'), '')
  return { ...held.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'dumb' }
}

/** Types lines in an interactive shell, in a terminal, and returns what it shows. */
async function typed(shell: string, lines: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn('script', ['-qec', shell, '/dev/null'], { cwd: folder, env })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const ended = once(child, 'close')
  for (const [index, line] of lines.entries()) {
    child.stdin.write(`${line}\r`)
    child.stdin.write(`echo "END"${index}\r`)
    await expect.poll(() => shown, { timeout: 60_000, interval: 20 }).toContain(`END${index}`)
  }
  child.stdin.end('exit\r')
  await ended
  return shown
}

const LINES = [
  'mediatray-cli est\t x',
  'mediatray-cli submit holi\t',
  'mediatray-cli submit --preset Web\t --watch',
  'mediatray-cli submit --preset "Web\t',
  'mediatray-cli submit --preset=Web\t',
  'mediatray-cli submit --format avi\t',
]
const RAN = [
  '<RAN><estimate><x>',
  '<RAN><submit><holiday photo.jpg>',
  '<RAN><submit><--preset><Web 720p><--watch>',
  '<RAN><submit><--preset><Web 720p>',
  '<RAN><submit><--preset=Web 720p>',
  '<RAN><submit><--format><avif>',
]

describe.runIf(process.platform === 'linux' && has('script'))('in real shells', () => {
  test.runIf(has('bash'))('bash completes, quotes, and runs nothing that is typed', async () => {
    const env = await shellFolder('bash')
    const shown = await typed(
      'bash --norc --noprofile -i',
      ['source ./script; source ./script', ...LINES, 'mediatray-cli submit $(touch pwned) --preset \t\u0003'],
      env,
    )
    for (const line of RAN) expect(shown).toContain(line)
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })

  itInLongSuite('zsh completes and quotes', async ({ skip }) => {
    skip(!has('zsh'), 'zsh is missing')
    const env = await shellFolder('zsh')
    const shown = await typed(
      'zsh -f -i',
      ['autoload -U compinit; compinit -u; source ./script', ...LINES],
      env,
    )
    for (const line of RAN) expect(shown).toContain(line)
  })

  itInLongSuite('fish completes', async ({ skip }) => {
    skip(!has('fish'), 'fish is missing')
    const env = await shellFolder('fish')
    const complete = (line: string) =>
      spawnSync('fish', ['--no-config', '-c', `source ./script; complete -C '${line}'`], {
        cwd: folder,
        env,
        encoding: 'utf8',
      }).stdout
    expect(complete('mediatray-cli est')).toMatch(/^estimate\t/)
    expect(complete('mediatray-cli submit --preset We')).toMatch(/^Web 720p/)
    expect(complete('mediatray-cli submit --preset=We')).toMatch(/^--preset=Web 720p/)
    expect(complete('mediatray-cli submit holi')).toMatch(/^holiday/)
    expect(complete('mediatray-cli submit $(touch pwned) --preset ')).toContain('Plain')
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })
})
