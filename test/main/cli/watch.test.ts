/** Watching without a window, as a user or a service manager runs it. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import type { SettingsPatch } from '../../../src/shared/model/settings.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { programIn } from '../hooks/hooked.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { SERVICE } from '../../entries.ts'
import {
  jsonLines,
  killOwner,
  killService,
  ownerToKill,
  run,
  runHere,
  runProcess,
  serviceOf,
  temporaryFolder,
} from './command.ts'
import { followCommand } from './follow-command.ts'
import { KEY, type Reading, scriptedService } from './scripted-service.ts'
import { listenLocally } from '../../local-server.ts'
import { watchFolder } from '../../watch-folder.ts'

const sample = (name: string) => resolve(import.meta.dirname, '../../../assets/samples', name)
let folder = ''
let held: { readonly env: Record<string, string>; readonly cwd: string }
beforeEach(() => {
  folder = temporaryFolder()
  held = { env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder }
  mkdirSync(join(folder, 'in'))
})

const watched = (): WatchFolder =>
  watchFolder(join(folder, 'in'), join(folder, 'out'), {
    id: 'inbox',
    presets: ['Web 2048'],
    grouping: 'together',
  })

function choose(patch: SettingsPatch): void {
  mkdirSync(join(folder, 'data'), { recursive: true })
  createSettings(openSettingsFile(join(folder, 'data', 'settings.json'))).update(patch)
}

const withVariables = (env: Record<string, string>) => ({ ...held, env: { ...held.env, ...env } })

const results = (): readonly string[] =>
  existsSync(join(folder, 'out')) ? readdirSync(join(folder, 'out')) : []

test('watch --once processes what is there, runs the program after the job, and ends, even if the program changes results', async () => {
  const path = join(folder, 'in')
  copyFileSync(sample('dawn-upright.jpg'), join(path, 'dawn.jpg'))
  const change = `for result in ${path}/*web*; do echo changed >> "$result"; done`
  const program = programIn(
    folder,
    'hook',
    `cat > ${folder}/report.json; echo $WATCHER > ${folder}/watcher; ${change}`,
  )
  const output = { kind: 'folder', path } as const
  choose({ watchFolders: [{ ...watched(), output }], afterJob: { program, url: null } })
  // The program gets the variables of the command that watches, not of the one that started the owner.
  onTestFinished(() => killOwner(join(folder, 'data')))
  await runProcess(['outbox'], withVariables({ MEDIATRAY_LINGER_MS: '60000', WATCHER: 'other' }))
  const { code, stdout } = await runProcess(['watch', '--once', '--json'], withVariables({ WATCHER: 'this' }))
  expect(readFileSync(join(folder, 'watcher'), 'utf8')).toBe('this\n')
  const events = jsonLines(stdout).filter(({ event }) => event !== 'waiting' && event !== 'service')
  expect(events).toMatchObject([
    { event: 'watching', folders: [join(folder, 'in')] },
    { event: 'finished', outcome: { kind: 'done', results: 1 } },
    { event: 'hook', action: 'program', result: { kind: 'exited', code: 0 }, tries: 1, nextAt: null },
  ])
  expect([code, readdirSync(path).length]).toEqual([0, 2])
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
    job: { watchedFolder: path, presets: ['Web 2048'] },
  })
  // Nothing is new, so a second run ends without a job.
  const again = await inHere(['watch', '--once']).ran
  expect([again.code, again.events.some(({ event }) => event === 'finished')]).toEqual([0, false])
})

itInLongSuite(
  'watch --once processes the files of a folder and its rules with tasks, and misses no preset',
  async () => {
    for (const name of ['dawn.jpg', 'small.jpg'])
      copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', name))
    const output = { kind: 'folder', path: join(folder, 'small') } as const
    const action = { do: 'process' as const, presets: ['Under a size: 0.1 MB'], output }
    const when = [{ about: 'name', matches: true, pattern: 'small*' }] as const
    choose({
      watchFolders: [{ ...watched(), presets: ['Remove location'] }],
      folderRules: { inbox: { rules: [{ id: 'small', when: [...when], action }], rest: 'process' } },
    })
    const { code, events } = await inHere(['watch', '--once']).ran
    expect(code, JSON.stringify(events)).toBe(0)
    expect(events.filter(({ event }) => event === 'watchTrouble')).toEqual([])
    expect(events.filter(({ event }) => event === 'finished').map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'done', results: 1 },
      { kind: 'done', results: 1 },
    ])
    expect(results()).toEqual(['dawn-remove-location.jpg'])
    const [small = ''] = readdirSync(output.path)
    expect(small).toBe('small-under-a-size.jpg')
    expect(statSync(join(output.path, small)).size).toBeLessThanOrEqual(100_000)
  },
)

itInLongSuite('watch --once waits for a built-in service that takes long to start', async () => {
  photo()
  choose({ watchFolders: [{ ...watched(), presets: ['Remove location'] }] })
  const builtInEntry = join(folder, 'slow.mts')
  const later = 'await new Promise((resolve) => setTimeout(resolve, 2_700))'
  writeFileSync(builtInEntry, `${later}\nawait import('${SERVICE}')`)
  const { code, events } = await inHere(['watch', '--once'], { builtInEntry }).ran
  expect(code, JSON.stringify(events)).toBe(0)
  expect(results()).toHaveLength(1)
})

itInLongSuite('watch --once sends a message to a receiver whose address is in the environment', async () => {
  photo()
  const service = await scriptedService()
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.end()
    })
  })
  const { port, close } = await listenLocally(server)
  onTestFinished(close)
  const receivers = [{ id: 'phone', format: 'ntfy', host: 'ntfy.sh' } as const]
  choose({ watchFolders: [{ ...watched(), presets: ['Web'] }], receivers, language: 'en' })
  const addresses = { phone: { url: `http://127.0.0.1:${port}/my-topic` } }
  const env = { MEDIATRAY_RECEIVERS: JSON.stringify(addresses), MEDIATRAY_API_KEY: KEY }
  const argv = ['watch', '--once', '--json', '--base-url', service.baseUrl]
  const { code, stdout, stderr } = await run(argv, withVariables(env))
  expect(code, stderr).toBe(0)
  expect(jsonLines(stdout).filter(({ event }) => event === 'hook')).toMatchObject([
    { event: 'hook', action: 'message', receiver: 'phone', result: { kind: 'answered', status: 200 } },
  ])
  expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([
    {
      topic: 'my-topic',
      title: '1 result is ready',
      message: 'dawn.jpg, Web',
      tags: ['white_check_mark'],
    },
  ])
  expect(readFileSync(join(folder, 'data', 'settings.json'), 'utf8')).not.toContain('my-topic')
})

/** Puts a photo into the watched folder that stays open. */
function writeSlowly() {
  const photo = join(folder, 'in', 'dawn.jpg')
  copyFileSync(sample('dawn-upright.jpg'), photo)
  const writer = openSync(photo, 'a')
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(writer)
    isOpen = false
  }
  onTestFinished(close)
  choose({ watchFolders: [watched()] })
  return { photo, close }
}

const isOpen = ({ kind }: Record<string, unknown>) => kind === 'open'

describeInLongSuite.runIf(process.platform === 'linux')('a file that a program has open for writing', () => {
  test('doesn’t keep watch --once from ending, which reports it, and the next run processes it', async () => {
    const { photo, close } = writeSlowly()
    const { code, stdout } = await runHere(['watch', '--once', '--json'], held)
    expect(jsonLines(stdout).filter(isOpen)).toMatchObject([{ files: 1, paths: [photo] }])
    expect([code, results()]).toEqual([4, []])
    close()
    expect((await runHere(['watch', '--once', '--json'], held)).code).toBe(0)
    expect(results()).toHaveLength(1)
  })

  itInLongSuite('is reported once by watch, and processed when the program has closed it', async () => {
    const { close } = writeSlowly()
    const { child, ended, until, events } = followCommand(['watch', '--json'], held)
    await until('watchTrouble')
    expect(results()).toEqual([])
    close()
    await until('finished')
    child.kill('SIGTERM')
    await ended
    expect(events().filter(isOpen)).toHaveLength(1)
    expect(events().filter(({ event }) => event === 'watching')).toHaveLength(2)
  })
})

itInLongSuite(
  'watch saves the next photos in a folder that has replaced the earlier one for results',
  async () => {
    choose({ watchFolders: [{ ...watched(), windowMs: 500 }] })
    copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'first.jpg'))
    const { until, events, child, ended } = followCommand(['watch', '--json'], held)
    await until('finished')
    renameSync(join(folder, 'out'), join(folder, 'earlier'))
    mkdirSync(join(folder, 'out'))
    for (const n of [1, 2, 3]) {
      const photo = join(folder, 'in', `${n}.jpg`)
      // Photos with the same content would be done already.
      writeFileSync(photo, Buffer.concat([readFileSync(sample('dawn-upright.jpg')), Buffer.from(`${n}`)]))
    }
    const finished = () => events().filter(({ event }) => event === 'finished')
    await expect.poll(() => finished().length, { timeout: 60_000 }).toBe(2)
    expect(finished()[1]).toMatchObject({ outcome: { kind: 'done', results: 3 } })
    expect(results()).toHaveLength(3)
    child.kill('SIGTERM')
    await ended
  },
)

itInLongSuite('watch --once replaces originals, and reports where the results are then', async () => {
  const photo = join(folder, 'in', 'dawn.jpg')
  copyFileSync(sample('dawn-upright.jpg'), photo)
  choose({ watchFolders: [{ ...watched(), presets: ['Thumbnail'], output: { kind: 'replace' } }] })
  const { code, stdout } = await runHere(['watch', '--once', '--json'], held)
  const events = jsonLines(stdout).filter(({ event }) => event !== 'waiting' && event !== 'service')
  expect(events).toMatchObject([
    { event: 'watching' },
    { event: 'finished', outcome: { kind: 'done' }, results: [{ outputPath: photo }] },
    { event: 'originals', counts: { replaced: 1, kept: 0 }, files: [{ path: photo }] },
  ])
  expect(code).toBe(0)
})

itInLongSuite(
  'watch --once ends with 4 if the only job failed, even if it was to replace originals',
  async () => {
    const photo = join(folder, 'in', 'broken.jpg')
    writeFileSync(photo, readFileSync(sample('dawn-upright.jpg')).subarray(0, 400))
    choose({ watchFolders: [{ ...watched(), output: { kind: 'replace' } }] })
    const { code, events } = await inHere(['watch', '--once']).ran
    expect(events.filter(({ event }) => event === 'finished' || event === 'originals')).toMatchObject([
      { event: 'finished', outcome: { kind: 'failed' } },
      { event: 'originals', counts: { replaced: 0, kept: 1 } },
    ])
    expect(code).toBe(4)
  },
)

test('watch without watched folders reports that', async () => {
  choose({ watchFolders: [{ ...watched(), enabled: false }] })
  const { code, stderr } = await run(['watch'], held)
  expect([code, stderr]).toEqual([4, 'No folders are watched. Add them in the app: Settings > Automation.\n'])
})

itInLongSuite('the end of a job names its file with its whole path, whether it failed or not', async () => {
  const results: readonly Reading[] = [
    { status: 'completed', fileName: 'dawn.jpg', result: { outputPath: '/out/dawn.jpg' } },
    { status: 'failed', error: 'Out of memory' },
  ]
  for (const [n, reading] of results.entries()) {
    const service = await scriptedService({ readings: [reading] })
    choose({ watchFolders: [{ ...watched(), id: `w${n}`, presets: ['Web'], done: 'again' }] })
    photo()
    const file = join(folder, 'in', 'dawn.jpg')
    const { events } = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
    expect(events.at(-1)).toMatchObject({
      event: 'finished',
      inputs: { files: [file] },
      results: n === 0 ? [{ file }] : [],
    })
    if (n === 0) continue
    choose({ watchFolders: [{ ...watched(), id: 'as text', presets: ['Web'], done: 'again' }] })
    const { stdout } = await inHere(['watch', '--once', '--base-url', service.baseUrl], { isText: true }).ran
    expect(stdout).toContain(`not processed: ${file}`)
  }
})

itInLongSuite('watch --once reports that only the program after a job is running', async () => {
  const service = await scriptedService()
  photo()
  const program = programIn(folder, 'hook', `until [ -e ${folder}/go ]; do sleep 0.05; done`)
  choose({ watchFolders: [{ ...watched(), presets: ['Web'] }], afterJob: { program, url: null } })
  const command = inHere(['watch', '--once', '--base-url', service.baseUrl])
  await command.until('"reason":"hook"')
  writeFileSync(join(folder, 'go'), '')
  expect((await command.ran).code).toBe(0)
  const [, afterJob = ''] = command.written().split('"event":"finished"')
  expect(afterJob).not.toContain('"reason":"working"')
})

itInLongSuite(
  'a submission that a command cancels while watch holds it ends in the history at once',
  async () => {
    choose({ watchFolders: [watched()], outboxPaused: true })
    const command = inHere(['watch'])
    await command.until('"event":"watching"')
    photo()
    const list = async (...argv: readonly string[]) => (await run([...argv, '--json'], held)).events
    const patience = { timeout: 20_000 }
    await expect.poll(() => list('outbox'), patience).toMatchObject([{ event: 'entry' }])
    const [entry] = await list('outbox')
    expect((await run(['cancel', String(entry?.['id'])], held)).code).toBe(0)
    await expect
      .poll(async () => (await list('history'))[0], patience)
      .toMatchObject({ record: { outcome: { kind: 'cancelled' } } })
    command.interrupt()
    expect((await command.ran).code).toBe(0)
  },
)

itInLongSuite(
  'two commands never watch at once, and the second one takes over when the first one ends',
  async () => {
    const service = await scriptedService()
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    const argv = ['watch', '--base-url', service.baseUrl]
    const first = followCommand([...argv, '--json'], withVariables({ MEDIATRAY_API_KEY: KEY }))
    await first.until('watching')
    const second = inHere(argv)
    await second.until('"reason":"otherProcess"')
    photo()
    await first.until('finished')
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    await second.until('"event":"watching"')
    expect(second.written()).not.toContain('"event":"finished"')
    copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower.png'))
    await second.until('"event":"finished"')
    second.interrupt()
    const { code, events } = await second.ran
    expect([code, events.filter(({ event }) => event === 'finished').length]).toEqual([0, 1])
    expect(service.created).toHaveLength(2)
  },
)

itInLongSuite(
  'watch --once names a submission that a killed watch left to the user, and doesn’t exit with 0',
  async () => {
    choose({ watchFolders: [watched()], interrupted: 'ask' })
    for (const n of Array.from({ length: 24 }).keys()) {
      const photo = Buffer.concat([readFileSync(sample('dawn-upright.jpg')), Buffer.from(`${n}`)])
      writeFileSync(join(folder, 'in', `${n}.jpg`), photo)
    }
    const { child, ended, until } = followCommand(['watch', '--json'], held)
    await until('watching')
    const kill = await ownerToKill(join(folder, 'data'))
    await expect
      .poll(() => results().filter((name) => name.endsWith('.jpg')).length, { timeout: 60_000, interval: 5 })
      .toBeGreaterThan(0)
    // The service ends only once the next “watch” has begun.
    process.kill(serviceOf(join(folder, 'data')) ?? 0, 'SIGSTOP')
    child.kill('SIGKILL')
    await kill()
    await ended
    const { code, stdout } = await runHere(['watch', '--once', '--json'], {
      ...held,
      onWrite: () => killService(join(folder, 'data')),
    })
    expect(jsonLines(stdout).map(({ event }) => event)).toContain('unknown')
    expect(code).not.toBe(0)
  },
)

/** Results go to a disk whose mount point doesn't exist. */
function saveToDisk(service: Partial<WatchFolder> = {}): () => void {
  const disk = join(folder, 'disk')
  symlinkSync(disk, join(folder, 'link'))
  choose({
    watchFolders: [
      { ...watched(), output: { kind: 'folder', path: join(folder, 'link', 'out') }, ...service },
    ],
  })
  copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
  return () => mkdirSync(disk)
}
const isKept = ({ event, because }: Record<string, unknown>) => event === 'kept' && because === 'output'

describeInLongSuite('a folder for results that can’t be used now', () => {
  test('is reported once by watch, and the submission waits until it can', async () => {
    const connect = saveToDisk()
    const command = inHere(['watch'])
    await command.until('"because":"output"')
    connect()
    await command.until('"event":"finished"')
    command.interrupt()
    const { code, events } = await command.ran
    expect([code, events.filter(isKept).length]).toEqual([0, 1])
    expect(events.find(isKept)?.['message']).toContain(join(folder, 'link', 'out'))
    expect(readdirSync(join(folder, 'disk', 'out'))).toHaveLength(1)
  })

  test('makes watch --once exit with 5, and the next one sends the submission again', async () => {
    const connect = saveToDisk()
    const first = await runHere(['watch', '--once', '--json'], held)
    expect([first.code, jsonLines(first.stdout).filter(isKept).length]).toEqual([5, 1])
    const second = await runHere(['watch', '--once'], held)
    expect([second.code, second.stderr]).toEqual([5, expect.stringContaining('can’t be saved now')])
    const listed = await run(['outbox'], held)
    expect(listed.stdout).toContain(join(folder, 'link', 'out'))
    connect()
    const last = await runHere(['watch', '--once', '--json'], held)
    expect([last.code, jsonLines(last.stdout).filter(isKept)]).toEqual([0, []])
    expect(readdirSync(join(folder, 'disk', 'out'))).toHaveLength(1)
    expect((await run(['outbox'], held)).stderr).toContain('The outbox is empty')
  })

  itInLongSuite('doesn’t change the exit code if a photo is renamed before its turn', async () => {
    const connect = saveToDisk()
    copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower.png'))
    expect((await runHere(['watch', '--once'], held)).code).toBe(5)
    renameSync(join(folder, 'in', 'flower.png'), join(folder, 'in', 'renamed.png'))
    connect()
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
    expect(readdirSync(join(folder, 'disk', 'out'))).toHaveLength(2)
    renameSync(join(folder, 'disk'), join(folder, 'away'))
    copyFileSync(sample('mountain-lake.webp'), join(folder, 'in', 'single.webp'))
    expect((await runHere(['watch', '--once'], held)).code).toBe(5)
    renameSync(join(folder, 'in', 'single.webp'), join(folder, 'in', 'only.webp'))
    renameSync(join(folder, 'away'), join(folder, 'disk'))
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
  })

  itInLongSuite(
    'doesn’t keep a submission once another folder is chosen, while watch runs or at its next start',
    async () => {
      saveToDisk()
      expect((await runHere(['watch', '--once'], held)).code).toBe(5)
      choose({ watchFolders: [watched()] })
      expect((await runHere(['watch', '--once'], held)).code).toBe(0)
      expect(results()).toHaveLength(1)
      choose({ watchFolders: [{ ...watched(), output: { kind: 'folder', path: join(folder, 'link') } }] })
      const command = inHere(['watch'])
      await command.until('"event":"watching"')
      copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower.png'))
      await command.until('"because":"output"')
      choose({ watchFolders: [watched()] })
      await command.until('"event":"finished"')
      expect(results()).toHaveLength(2)
    },
  )

  itInLongSuite(
    'ends a retry, which still counts for the watched folder, and isn’t used once the user has chosen another one',
    async () => {
      saveToDisk()
      expect((await runHere(['watch', '--once'], held)).code).toBe(5)
      const remove = async () => {
        const [id = ''] = (await run(['outbox'], held)).stdout.match(/r_\w+/) ?? []
        expect((await run(['outbox', 'resolve', id, 'remove'], held)).code).toBe(0)
        return id
      }
      const id = await remove()
      const kept = await runHere(['retry', id, '--json'], held)
      expect([kept.code, jsonLines(kept.stdout).filter(isKept).length]).toEqual([5, 1])
      await remove()
      choose({ watchFolders: [watched()] })
      expect((await runHere(['retry', id], held)).code).toBe(0)
      expect(results()).toHaveLength(1)
      using history = new DatabaseSync(join(folder, 'data', 'history.db'))
      const folders = history.prepare('SELECT watched FROM records').all()
      expect(folders.map((row) => row['watched'])).toEqual(['inbox', 'inbox', 'inbox'])
    },
  )
})

itInLongSuite('results next to originals on a read-only disk wait, and go nowhere else', async ({ skip }) => {
  using disk = smallDisk(join(folder, 'in'), '1g')
  if (disk === undefined) return skip()
  choose({ watchFolders: [{ ...watched(), output: { kind: 'beside', subfolder: 'small' } }] })
  copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
  disk.makeReadOnly()
  const { code, stdout } = await runHere(['watch', '--once', '--json'], held)
  expect([code, jsonLines(stdout).filter(isKept).length]).toEqual([5, 1])
  disk.grow()
  expect((await runHere(['watch', '--once'], held)).code).toBe(0)
  expect(readdirSync(join(folder, 'in', 'small'))).toHaveLength(1)
})

itInLongSuite(
  'a retry of a failed job processes the files of its watched folder, which doesn’t process them too',
  async ({ skip }) => {
    using disk = smallDisk(join(folder, 'out'), '76m')
    if (disk === undefined) return skip()
    choose({ watchFolders: [{ ...watched(), done: 'again' }] })
    copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
    disk.fill()
    const { code, stdout } = await runHere(['watch', '--once', '--json'], held)
    const id = String(jsonLines(stdout).find(({ event }) => event === 'finished')?.['id'])
    expect(code).toBe(4)
    disk.grow()
    rmSync(join(folder, 'out', 'filler'))
    expect((await runHere(['retry', id], held)).code).toBe(0)
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
    expect(results()).toHaveLength(1)
  },
)

describeInLongSuite('a disk that isn’t there', () => {
  itInLongSuite('keeps results waiting, instead of hiding them at its mount point', async ({ skip }) => {
    using disk = smallDisk(join(folder, 'out'), '1g')
    if (disk === undefined) return skip()
    choose({ watchFolders: [watched()] })
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
    disk.takeAway()
    copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
    const away = await runHere(['watch', '--once', '--json'], held)
    expect([away.code, jsonLines(away.stdout).filter(isKept).length, results()]).toEqual([5, 1, []])
    disk.putBack()
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
    expect(results()).toHaveLength(1)
  })

  test('is reported by watch --once if it holds the watched folder', async ({ skip }) => {
    using disk = smallDisk(join(folder, 'in'), '1g')
    if (disk === undefined) return skip()
    choose({ watchFolders: [watched()] })
    expect((await runHere(['watch', '--once'], held)).code).toBe(0)
    disk.takeAway()
    const away = await runHere(['watch', '--once', '--json'], held)
    expect(away.code).toBe(4)
    expect(jsonLines(away.stdout)).toContainEqual(
      expect.objectContaining({ event: 'watchTrouble', kind: 'missing', folder: join(folder, 'in') }),
    )
  })
})

const watchAlready = () => inHere(['watch']).until('"event":"watching"')

describe('a stop', () => {
  test.each([
    ['watches', () => undefined, '"event":"watching"'],
    ['waits for another command', watchAlready, '"reason":"otherProcess"'],
  ])('is the normal end of watch and exits with 0 while it %s', async (_, prepare, text) => {
    choose({ watchFolders: [watched()] })
    await prepare()
    const command = inHere(['watch'])
    await command.until(text)
    command.interrupt()
    expect((await command.ran).code).toBe(0)
  })

  itInLongSuite('of watch --once leaves files and exits with 130', async () => {
    const service = await scriptedService({ readings: [{ status: 'processing' }] })
    photo()
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    const command = inHere(['watch', '--once', '--base-url', service.baseUrl])
    await expect.poll(() => service.created.length, { timeout: 60_000 }).toBe(1)
    command.interrupt()
    expect((await command.ran).code).toBe(130)
  })
})

test('watch follows the app’s settings while it runs', async () => {
  const service = await scriptedService()
  choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
  const command = inHere(['watch', '--base-url', service.baseUrl])
  await command.until('"event":"watching"')
  mkdirSync(join(folder, 'in2'))
  choose({ watchFolders: [{ ...watched(), presets: ['Web'], id: 'second', path: join(folder, 'in2') }] })
  copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in2', 'dawn.jpg'))
  await command.until('"event":"finished"')
  command.interrupt()
  expect((await command.ran).code).toBe(0)
  expect(JSON.stringify(service.created)).toContain(join(folder, 'in2', 'dawn.jpg'))
})

/** Changes the settings file as with an editor. */
function edit(from: string | RegExp, to: string): void {
  const file = join(folder, 'data', 'settings.json')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(from)
  writeFileSync(file, text.replace(from, to))
}

itInLongSuite(
  'a typo in the settings, a missing file or a missing list of folders is reported and makes no processed file new',
  async () => {
    const service = await scriptedService()
    // Only the memory of the watched folder prevents that the file is processed again.
    choose({ watchFolders: [{ ...watched(), presets: ['Web'], done: 'again' }] })
    const file = join(folder, 'data', 'settings.json')
    const good = readFileSync(file)
    const command = inHere(['watch', '--base-url', service.baseUrl])
    await command.until('"event":"watching"')
    copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
    await command.until('"event":"finished"')
    edit(/"variations": 1/, '"variations": "one"')
    await command.until('Couldn’t read watchFolders in')
    writeFileSync(file, '{}')
    await command.until('isn’t a JSON object')
    rmSync(file)
    await command.until('no longer exists')
    await command.until('The earlier values still apply.')
    copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower.png'))
    await expect.poll(() => service.created.length, { timeout: 60_000 }).toBe(2)
    writeFileSync(file, '{"settings":{}}')
    await command.until('No folders are watched anymore.')
    writeFileSync(file, good)
    copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower-2.png'))
    await expect.poll(() => service.created.length, { timeout: 60_000 }).toBe(3)
    command.interrupt()
    expect((await command.ran).code).toBe(0)
    expect(JSON.stringify(service.created).split('dawn.jpg')).toHaveLength(2)
  },
)

itInLongSuite(
  'watch doesn’t start if it can’t read its folders or quiet mode, and reports rules that it can’t read',
  async () => {
    choose({ watchFolders: [watched()], quiet: { ...QUIET, plugged: false, between: true, idle: false } })
    edit('"22:00"', '"7:00"')
    const quiet = await run(['watch'], held)
    expect([quiet.code, quiet.stderr]).toEqual([
      4,
      `Couldn’t read quiet.from in ${join(folder, 'data', 'settings.json')}. Correct it and start again.\n`,
    ])
    edit('"7:00"', '"00:00"')
    edit('"06:00"', '"00:00"')
    edit('"watchFolders"', '"folderRules": { "inbox": { "rules": [], "rest": "later" } }, "watchFolders"')
    copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
    const { code, events } = await inHere(['watch', '--once']).ran
    expect([code, results()]).toEqual([3, []])
    expect(events).toContainEqual({
      event: 'notice',
      message: `Couldn’t read folderRules.inbox in ${join(folder, 'data', 'settings.json')}. The files of this folder wait for their rules.`,
    })
  },
)

/** The power supplies of a laptop, as Linux shows them. */
function laptop() {
  const folderOfSupplies = join(folder, 'power')
  const supply = (name: string, fields: Readonly<Record<string, string>>) => {
    mkdirSync(join(folderOfSupplies, name), { recursive: true })
    for (const [field, value] of Object.entries(fields))
      writeFileSync(join(folderOfSupplies, name, field), `${value}\n`)
  }
  supply('BAT0', { type: 'Battery', status: 'Discharging' })
  supply('AC', { type: 'Mains' })
  return {
    folder: folderOfSupplies,
    plugIn: (isIn: boolean) => supply('AC', { online: isIn ? '1' : '0' }),
  }
}

const QUIET = { plugged: true, between: false, from: '22:00', until: '06:00', idleMinutes: 5 } as const

test('watch --once waits for the power supply that quiet mode demands, reports it, and then processes the files', async () => {
  const service = await scriptedService()
  const power = laptop()
  power.plugIn(false)
  // Nothing here knows whether the user is idle, so that condition doesn't hold anything back.
  choose({
    watchFolders: [{ ...watched(), presets: ['Web'] }],
    quiet: { ...QUIET, idle: true },
  })
  copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))
  const command = inHere(['watch', '--once', '--base-url', service.baseUrl], { powerSupplies: power.folder })
  await command.until('"reason":"power"')
  expect(jsonLines(command.written())).toContainEqual({
    event: 'waiting',
    reason: 'power',
    message: 'Quiet mode: Waiting for AC power.',
  })
  expect(service.created).toEqual([])
  power.plugIn(true)
  const { code, events } = await command.ran
  expect([code, events.map(({ event }) => event)]).toEqual([0, ['watching', 'finished']])
  expect(service.created).toHaveLength(1)
})

/** What a service answers instead of accepting a job. */
const answer = (status: number, error: string) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))

/** A service that answers one route differently until the test ends that. */
async function troubledService(route: string, respond: (response: ServerResponse) => void) {
  let isTroubled = true
  const service = await scriptedService({
    instead(request, response) {
      if (!isTroubled || `${request.method} ${request.url}` !== route) return false
      respond(response)
      return true
    },
  })
  return { ...service, recover: () => (isTroubled = false) }
}

const unreadable = (written: string) => jsonLines(written).filter(({ reason }) => reason === 'unreadable')

const photo = () => copyFileSync(sample('dawn-upright.jpg'), join(folder, 'in', 'dawn.jpg'))

describe('watch reports why files don’t become jobs, and --once ends with that', () => {
  itInLongSuite('a key that the service rejects', async () => {
    const service = await scriptedService()
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    photo()
    const once = await inHere(['watch', '--once', '--base-url', service.baseUrl], { key: 'wrong' }).ran
    expect(once.code).toBe(6)
    expect(once.events).toContainEqual({
      event: 'blocked',
      reason: 'keyRefused',
      message: expect.stringContaining('key'),
    })
    const command = inHere(['watch', '--base-url', service.baseUrl], { key: 'wrong', isText: true })
    await command.until('New files and submissions wait.')
  })

  test('a service that isn’t running, and then is', async () => {
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    photo()
    const gone = await scriptedService()
    await gone.close()
    const once = await inHere(['watch', '--once', '--base-url', gone.baseUrl]).ran
    expect(once.code).toBe(5)
    expect(once.events).toContainEqual(expect.objectContaining({ event: 'blocked', reason: 'notAnswered' }))
    const service = await troubledService('GET /api/health', (response) => void response.destroy())
    const command = inHere(['watch', '--base-url', service.baseUrl])
    await command.until('"event":"blocked"')
    service.recover()
    await command.until('"event":"unblocked"')
    await command.until('"event":"finished"')
  })

  itInLongSuite.each([
    ['a full queue', answer(429, 'Later'), 'POST /api/jobs', 'queueFull', 1],
    // The file hasn't been submitted yet.
    ['a service that fails', answer(500, 'Failed'), 'GET /api/jobs', 'notAnswered', 0],
    ['a service that hangs', () => undefined, 'GET /api/jobs', 'notAnswered', 1],
  ])('%s', async (_what, respond, route, reason, kept) => {
    const service = await troubledService(route, respond)
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    photo()
    const once = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
    expect(once.code).toBe(5)
    expect(once.events).toContainEqual(expect.objectContaining({ event: 'blocked', reason }))
    const left = once.events.filter(({ event }) => event === 'kept' || event === 'unknown')
    const files = { inputs: { files: [join(folder, 'in', 'dawn.jpg')] } }
    expect(left).toMatchObject(Array.from({ length: kept }, () => files))
  })

  itInLongSuite('a request that hangs', async () => {
    const service = await troubledService('POST /api/jobs', () => undefined)
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
    photo()
    const command = inHere(['watch', '--base-url', service.baseUrl])
    await command.until('"reason":"sending"')
    expect(jsonLines(command.written())).toContainEqual({
      event: 'waiting',
      reason: 'sending',
      message: 'Waiting for the service to accept dawn.jpg.',
    })
    expect(command.written()).not.toContain('"event":"checking"')
  })

  itInLongSuite('a job whose state can’t be read, once, and what it holds up', async () => {
    const service = await scriptedService({ readings: [{ progress: null as never }] })
    choose({
      watchFolders: [
        { ...watched(), presets: ['Web'], output: { kind: 'folder', path: join(folder, 'in') } },
      ],
    })
    photo()
    const command = inHere(['watch', '--base-url', service.baseUrl])
    await command.until('"reason":"unreadable"')
    copyFileSync(sample('flower-on-nothing.png'), join(folder, 'in', 'flower.png'))
    const [explained, ...more] = unreadable(command.written())
    expect(explained).toMatchObject({
      message: `Couldn’t read the service’s response about job-1: invalid value at “progress”. The job may still be running. New files in ${join(folder, 'in')} wait until it has ended.`,
    })
    expect(more).toEqual([])
    command.interrupt()
    await command.ran
    const once = inHere(['watch', '--once', '--base-url', service.baseUrl])
    expect((await once.ran).code).toBe(5)
    expect(unreadable(once.written())).toHaveLength(1)
  })

  itInLongSuite(
    'a submission that the service refuses is reported with its files, in this run only',
    async () => {
      const service = await troubledService('POST /api/jobs', answer(400, 'No such preset'))
      choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
      photo()
      const files = { inputs: { files: [join(folder, 'in', 'dawn.jpg')] } }
      const once = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
      expect(once.code).toBe(4)
      expect(once.events).toContainEqual(
        expect.objectContaining({ event: 'refused', message: 'No such preset', ...files }),
      )
      const again = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
      expect([again.code, again.events.map(({ message }) => message)]).toEqual([
        0,
        [expect.stringContaining('1 earlier submission was refused'), undefined],
      ])
    },
  )

  itInLongSuite.each(['Later', 'Make smaller'])(
    'the preset %s, which the service lacks, until it appears',
    async (preset) => {
      let presets: readonly string[] = ['Web']
      const service = await scriptedService({
        instead(request, response) {
          if (`${request.method} ${request.url}` !== 'GET /api/presets') return false
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ image: presets, video: [] }))
          return true
        },
      })
      choose({ watchFolders: [{ ...watched(), presets: [preset] }] })
      photo()
      const missing = {
        event: 'watchTrouble',
        folder: join(folder, 'in'),
        kind: 'presetMissing',
        preset,
      }
      const runOnce = () => inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
      for (const once of [await runOnce(), await runOnce()]) {
        expect(once.code).toBe(4)
        expect(once.events).toContainEqual({ ...missing, files: 1 })
      }
      const command = inHere(['watch', '--base-url', service.baseUrl])
      await command.until('presetMissing')
      presets = ['Web', preset]
      await command.until('"event":"finished"')
      expect(service.created).toHaveLength(1)
      presets = ['Web']
      await command.until('"files":0')
    },
  )

  itInLongSuite('a folder that is missing, and one that is disabled meanwhile', async () => {
    const service = await scriptedService()
    const other = { ...watched(), id: 'other', presets: ['Web'], path: join(folder, 'gone') }
    choose({ watchFolders: [{ ...watched(), presets: ['Web'] }, other] })
    photo()
    const once = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
    expect(once.code).toBe(3)
    const missing = { event: 'watchTrouble', folder: other.path, kind: 'missing' }
    expect(once.events).toContainEqual(missing)
    const command = inHere(['watch', '--base-url', service.baseUrl])
    await command.until('"kind":"missing"')
    mkdirSync(other.path)
    await command.until(JSON.stringify({ event: 'watching', folders: [other.path] }))
    choose({ watchFolders: [] })
    await command.until('No folders are watched anymore.')
  })

  itInLongSuite(
    'links that lead out of the folder, pipes, and empty photos, which don’t count as failures',
    async () => {
      const service = await scriptedService()
      choose({ watchFolders: [{ ...watched(), presets: ['Web'] }] })
      const [link, empty] = [join(folder, 'in', 'link.jpg'), join(folder, 'in', 'empty.jpg')]
      copyFileSync(sample('dawn-upright.jpg'), join(folder, 'dawn.jpg'))
      symlinkSync(join(folder, 'dawn.jpg'), link)
      writeFileSync(empty, '')
      const pipe = join(folder, 'in', 'pipe.jpg')
      if (process.platform !== 'win32') execFileSync('mkfifo', [pipe])
      const { code, events } = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
      expect(code).toBe(0)
      const trouble = { event: 'watchTrouble', folder: join(folder, 'in'), files: 1 }
      expect(events).toContainEqual({ ...trouble, kind: 'links', paths: [link] })
      expect(events).toContainEqual({ ...trouble, kind: 'empty', paths: [empty] })
      if (process.platform !== 'win32')
        expect(events).toContainEqual({ ...trouble, kind: 'special', paths: [pipe] })
      const command = inHere(['watch', '--base-url', service.baseUrl], { isText: true })
      await command.until('1 file is empty and will be processed when it has content:')
      await command.until('1 link leads out of the folder and isn’t followed:')
      copyFileSync(sample('dawn-upright.jpg'), empty)
      await command.until('job-1')
    },
  )

  itInLongSuite('a draft that can’t be started', async () => {
    choose({ watchFolders: [{ ...watched(), output: { kind: 'drive', folderId: 'x' }, presets: ['Web'] }] })
    photo()
    const service = await scriptedService({
      instead({ url }, response) {
        if (url !== '/api/drive/status') return false
        const drive = { clientConfigured: true, connected: false, email: null, scope: null }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(drive))
        return true
      },
    })
    const { code, events } = await inHere(['watch', '--once', '--base-url', service.baseUrl]).ran
    expect(code).toBe(4)
    expect(events).toContainEqual(expect.objectContaining({ event: 'watchTrouble', kind: 'notStarted' }))
  })
})

test.each([['{}'], ['nothing']])(
  'watch doesn’t start with the settings %j, and reports why',
  async (content) => {
    choose({})
    writeFileSync(join(folder, 'data', 'settings.json'), content)
    const { code, stderr } = await run(['watch'], held)
    expect([code, stderr]).toEqual([4, expect.stringContaining('Couldn’t parse the settings')])
  },
)

test.each(
  firstOf([
    ['deleted', (data: string) => rmSync(data, { recursive: true })],
    ['moved', (data: string) => renameSync(data, `${data}.earlier`)],
    [
      'replaced',
      (data: string) => {
        renameSync(data, `${data}.earlier`)
        mkdirSync(data)
        copyFileSync(join(`${data}.earlier`, 'settings.json'), join(data, 'settings.json'))
      },
    ],
  ]),
)('watch ends with 7 and only reports that its data folder is gone if it was %s', async (_, remove) => {
  choose({ watchFolders: [watched()] })
  const command = inHere(['watch'])
  await command.until('"event":"watching"')
  remove(join(folder, 'data'))
  const { code, events } = await command.ran
  expect([code, events.at(-1)?.['message']]).toEqual([7, expect.stringContaining('were deleted or moved')])
  expect(events.filter(({ event }) => event === 'watchTrouble')).toEqual([])
})

itInLongSuite(
  'watch reports its deleted data folder instead of the built-in service that ends with it',
  async () => {
    choose({ watchFolders: [watched()] })
    const command = inHere(['watch'])
    await command.until('"event":"watching"')
    const data = join(folder, 'data')
    await expect.poll(() => serviceOf(data)).toBeDefined()
    killService(data)
    rmSync(data, { recursive: true })
    const { code, events } = await command.ran
    expect([code, events.at(-1)?.['message']]).toEqual([7, expect.stringContaining('were deleted or moved')])
  },
)

test('two folders with the same id aren’t watched, and this is reported', async () => {
  choose({ watchFolders: [watched(), { ...watched(), id: 'other', path: join(folder, 'in2') }] })
  edit('"other"', '"inbox"')
  const { code, stderr } = await run(['watch', '--once'], held)
  expect([code, stderr]).toEqual([4, expect.stringContaining('an id that no other folder has')])
})

type InHere = {
  readonly powerSupplies: string
  readonly key: string
  readonly isText: boolean
  readonly builtInEntry: string
}

/** Runs a command with accelerated time in this process, which starts faster than a separate one. */
function inHere(
  argv: readonly string[],
  { powerSupplies = '/nowhere', key = KEY, isText = false, builtInEntry = SERVICE }: Partial<InHere> = {},
) {
  let written = ''
  const interruption = new AbortController()
  const ran = run(isText ? argv : [...argv, '--json'], {
    ...held,
    env: { ...held.env, MEDIATRAY_API_KEY: key },
    builtInEntry,
    interrupted: interruption.signal,
    powerSupplies,
    onWrite: (text) => (written += text),
  })
  const interrupt = () => interruption.abort()
  onTestFinished(async () => {
    interrupt()
    await ran
  })
  return {
    ran,
    interrupt,
    written: () => written,
    until: (text: string) => expect.poll(() => written, { timeout: 60_000 }).toContain(text),
  }
}
