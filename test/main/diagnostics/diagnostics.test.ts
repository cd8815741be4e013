import { array, assert, constantFrom, integer, property, record, string, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { reportText } from '../../../src/main/diagnostics/diagnostics.ts'
import { createRedactor } from '../../../src/main/diagnostics/redact.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import { Settings } from '../../../src/shared/model/settings.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { growthOf } from '../../growth.ts'
import { emptyState } from '../state/empty-state.ts'
import { isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'

const identities = {
  secrets: ['mt_live_key'],
  homeFolder: '/home/ada',
  userNames: ['ada', 'Ada Lovelace'],
  hostNames: ['difference-engine'],
  fileNames: ['summer in Rome.jpg'],
  names: [],
}
const redact = (text: string) => createRedactor(identities).text(text)

const reportOf = (change: Partial<Parameters<typeof reportText>[0]> = {}) =>
  reportText({
    versions: { mediatray: '1.2.3', node: 'v24.21.0' },
    settings: DEFAULT_SETTINGS,
    state: emptyState,
    log: [],
    identities,
    at: 0,
    ...change,
  })

it.each([
  [
    "ENOENT: no such file, open '/home/ada/My photos/a b.jpg' (code 2)",
    "ENOENT: no such file, open '~/‹path 1›.jpg' (code 2)",
  ],
  ['saved to /mnt/disk/Ada Lovelace/x', 'saved to /‹path 1›'],
  ['C:\\Users\\Ada Lovelace\\a.jpg', '/‹path 1›.jpg'],
  ['\\\\nas\\photos\\a.jpg', '/‹path 1›.jpg'],
  ['GET http://127.0.0.1:3847/api/jobs/r_1 failed', 'GET http://127.0.0.1:3847/api/… failed'],
  ['GET https://ada:pw@nas.example/x?key=mt', 'GET https://‹host 1›/…'],
  ['POST /jobs answered 429', 'POST /jobs answered 429'],
  ['GET /api/jobs, then /download/x in /home/ada/b.jpg', 'GET /api jobs, then /download x in ~/‹path 1›.jpg'],
  ['in /Jobs/Smith and Sons/a.jpg', 'in /‹path 1›.jpg'],
  ['Authorization: Bearer abc.def-1', 'Authorization: [hidden]'],
  ['the key mt_live_key is old', 'the key [hidden] is old'],
  ['mail to ada@example.org', 'mail to ‹mail 1›'],
  ['mails to ada@example.org, one@a.example_two@b.example.', 'mails to ‹mail 1›, ‹mail 2›.'],
  ['Ada’s job on Difference-Engine', '‹user 1›’s job on ‹computer 1›'],
  ['summer in Rome.jpg and tower.png failed', '‹file 1›.jpg and ‹file 2›.png failed'],
  ['“my own picture.heic” failed', '“‹file 1›.heic” failed'],
  ['job over in 3 of 4 files, 1.5 s', 'job over in 3 of 4 files, 1.5 s'],
  [
    'ERR_UPDATER_INVALID_SIGNATURE at 2026-11-20T16:19:12.000Z',
    'ERR_UPDATER_INVALID_SIGNATURE at 2026-11-20T16:19:12.000Z',
  ],
])('%s', (text, redacted) => {
  expect(redact(text)).toBe(redacted)
})

itInLongSuite.each([
  ['letters', 'a'],
  ['letters and digits in parts', 'ab.c1-'],
  ['dots', '.'],
  ['characters of a token', '+_-='],
  ['quotes', '"\''],
  ['starts of paths', '"/ '],
  ['starts of addresses', 'a://'],
  ['ends of addresses', 'a@.'],
  ['file extensions', '.jpg'],
  ['spaces', ' '],
  ['bearers', 'bearer  '],
])('redacting %s takes linear time', (_name, piece) => {
  expect(growthOf(20_000, (size) => piece.repeat(size / piece.length), redact)).toBeLessThan(1.6)
})

it('an apostrophe in a folder name doesn’t end a path', () => {
  expect(redact("mkdir /data/Anna's Wedding/Berta Weber/out")).toBe('mkdir /‹path 1›')
  expect(redact("open '/data/Anna's Wedding/Berta Weber/notes' failed")).toBe("open '/‹path 1›' failed")
  expect(redact("move '/data/a' -> '/data/b'")).toBe("move '/‹path 1›' -> '/‹path 2›'")
})

itInLongSuite('consecutive routes are redacted without recursion', () => {
  expect(redact('/api '.repeat(20_000))).toBe('/api '.repeat(20_000))
  expect(growthOf(20_000, (size) => '/jobs "/api '.repeat(size / 12), redact)).toBeLessThan(1.6)
})

it('equal values are replaced by the same placeholder throughout a report', () => {
  const line = JSON.stringify({ event: 'opened', path: '/mnt/a.jpg', other: '/mnt/b.jpg' })
  const report = reportOf({ log: [line, line] })
  expect(report.match(/‹path 1›/g)).toHaveLength(2)
  expect(report.match(/‹path 2›/g)).toHaveLength(2)
})

it('the report contains versions, settings, state and the last log lines', () => {
  const report = reportOf({ log: ['{"event":"job over","outcome":"done"}', 'no JSON at all'] })
  for (const part of [
    '"mediatray": "1.2.3"',
    '"whenDone": "nothing"',
    '"unseen"',
    '"job over"',
    'no JSON at all',
  ]) {
    expect(report).toContain(part)
  }
})

it('file names of current jobs are redacted even without their extensions, and other words are not', () => {
  const job = {
    name: 'Tower by night.jpg',
    firstPath: null,
    driveInput: null,
    doneFiles: ['Lake by day.jpg'],
    problems: [],
    progress: { fileName: 'Meadow at noon.jpg' },
  } as unknown as AppState['jobs'][number]
  const report = reportOf({
    state: { ...emptyState, jobs: [job] },
    log: ['Lake by day, Meadow at noon, Tower by night: something is odd'],
  })
  for (const name of ['Lake by day', 'Meadow at noon', 'Tower by night']) expect(report).not.toContain(name)
  expect(report).toContain('something is odd')
})

it('IDs of Drive folders don’t appear in the report', () => {
  const settings = { ...DEFAULT_SETTINGS, defaultOutput: { kind: 'drive', folderId: 'FolderXyz' } } as const
  expect(reportOf({ settings })).not.toContain('FolderXyz')
})

it('names and servers that the user has chosen don’t appear in the report, and fixed choices do', () => {
  const settings = Settings.parse({
    serviceNames: { 'http://nas.example:3847': 'Muster at home' },
    otherServices: [{ service: 'http://nas.example:3847', seesFiles: false }],
    receivers: [{ id: 'MusterId', format: 'gotify', host: 'nas.muster.example:8443', on: ['failed'] }],
    starredPresets: ['Muster Wedding', 'Web 2048'],
    variations: { 'Muster Wedding': 3 },
    clipboardIgnoredApps: ['MusterPass'],
    defaultOriginals: { kind: 'beside', subfolder: 'Muster small' },
    watchFolders: [
      {
        id: 'MusterFolder',
        path: '/home/ada/Muster',
        enabled: true,
        recursive: false,
        presets: ['Muster Wedding'],
        output: { kind: 'drive', folderId: 'MusterDrive' },
        variations: 1,
        grouping: 'separate',
        windowMs: 0,
      },
    ],
    folderRules: {
      MusterFolder: {
        rules: [
          {
            id: 'MusterRule',
            when: [],
            action: { do: 'process', presets: ['Muster'], output: { kind: 'replace' } },
          },
        ],
        rest: 'ignore',
      },
    },
    globalShortcut: 'CommandOrControl+Shift+M',
    quiet: { between: true, from: '21:30' },
    whenDone: 'sleep',
  } satisfies Partial<Record<keyof Settings, unknown>>)
  expect(settings.watchFolders).toHaveLength(1)
  expect(settings.folderRules['MusterFolder']).not.toBeNull()
  const report = reportOf({
    settings,
    state: { ...emptyState, notices: [{ kind: 'presetsDamaged', files: ['muster.json'] }] },
    log: ['nas.muster.example: not reached, asked Muster at home'],
  })
  expect(report).not.toMatch(/muster/i)
  expect(report).not.toContain('nas.example')
  for (const part of [
    '"format": "gotify"',
    '"failed"',
    '"Web 2048"',
    '"do": "process"',
    '"CommandOrControl+Shift+M"',
    '"21:30"',
    '"sleep"',
    '"grouping": "separate"',
    ': not reached, asked ‹name',
  ])
    expect(report).toContain(part)
})

// ── Any secret, anywhere ──────────────────────────────────────────────────────────────────────────────────────────────

const letters = (from: string, length: number) =>
  array(constantFrom(...Array.from(from)), { minLength: length, maxLength: length + 6 }).map((all) =>
    all.join(''),
  )
const word = letters('qxzjkvwy', 5)
const noise = string({ unit: constantFrom(...Array.from(' abc:,;()[]{}"\'=/\\.-_ü\n\t€')), maxLength: 12 })

const planted = record({
  secret: tuple(word, string({ minLength: 6, maxLength: 30 })).map(([start, rest]) => `${start}${rest}`),
  user: letters('QXZJKVWY', 4),
  host: letters('qxzjkv', 6).map((name) => `host-${name}`),
  folder: word.map((name) => `Folder ${name}`),
  file: tuple(word, word).map(([one, other]) => `${one} of ${other}.jpg`),
  unknownFile: word.map((name) => `${name}unknown.png`),
  mail: word.map((name) => `${name}@mail.example`),
  noise: array(noise, { minLength: 12, maxLength: 12 }),
  style: integer({ min: 0, max: 2 }),
})

const quotedSecret = {
  secret: 'qqqqq     "',
  user: 'QQQV',
  host: 'host-qqqqqq',
  folder: 'Folder qqqqq',
  file: 'qqqqq of qqqqq.jpg',
  unknownFile: 'qqqqqunknown.png',
  mail: 'qqqqq@mail.example',
  noise: ['"', ...Array<string>(11).fill('')],
  style: 0,
}

it('keys, names, addresses, paths and file names are redacted in any context', () => {
  assert(
    property(planted, ({ secret, user, host, folder, file, unknownFile, mail, noise: n, style }) => {
      const home = ['/home/', '/Users/', 'C:\\Users\\'][style] + user
      const separator = style === 2 ? '\\' : '/'
      const path = [home, folder, file].join(separator)
      const lines = [
        `${n[0]}${secret}${n[1]}`,
        `opened ${path}`,
        `open '${path}' failed`,
        `${n[2]} ${user} ${n[3]} ${host}${n[4]}`,
        `${n[5]} ${mail} ${n[6]}`,
        `${n[7]} ${file} ${n[8]}`,
        `${n[9]} ${unknownFile} ${n[10]}`,
        JSON.stringify({ event: n[11], [path]: secret, deep: [{ path, secret, user, mail, file, host }] }),
      ]
      const report = reportOf({
        versions: { system: `Linux ${host}`, node: process.version },
        settings: {
          ...DEFAULT_SETTINGS,
          baseUrl: `http://${user}:${encodeURIComponent(user)}@${host}:3847/api`,
          defaultOutput: { kind: 'folder', path },
          recentOutputs: [path, home],
          rclonePath: path,
        },
        log: lines,
        identities: {
          secrets: [secret],
          homeFolder: home,
          userNames: [user],
          hostNames: [host],
          fileNames: [file],
        },
      })
      for (const word of [secret, user, host, folder, file, unknownFile, mail, home]) {
        expect(report).not.toContain(word)
        expect(report).not.toContain(JSON.stringify(word).slice(1, -1))
      }
    }),
    {
      numRuns: isLongSuite ? 300 : 30,
      // A secret that ends in a quotation mark and turns its line into JSON.
      examples: [[quotedSecret]],
    },
  )
})
