import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayBeFile, parseDriveChoice, parseRemotes, rclonePlaces } from '../../../src/node/rclone/index.ts'
import { rcloneEnvironment } from '../../../src/node/rclone/program.ts'
import { redactOutput } from '../../../src/node/rclone/failure.ts'
import { parseLogLine } from '../../../src/node/rclone/failure.ts'
import { explainTrouble } from '../../../src/node/rclone/failure.ts'
import { complaintsIn } from '../../../src/node/rclone/failure.ts'
import { folderAddress, folderIdProblem, isRemoteName } from '../../../src/shared/drive-folder.ts'

const dav = { name: 'my dav', type: 'webdav' }
const google = { name: 'g', type: 'drive' }

describe('the address of a folder', () => {
  it('is a path below the remote, or for Google Drive a root of its own', () => {
    expect(folderAddress(dav, 'a/b c/')).toEqual({
      ok: true,
      address: { options: [], folder: 'my dav:a/b c', prefix: 'my dav:a/b c/' },
    })
    expect(folderAddress(dav, '/')).toMatchObject({ address: { folder: 'my dav:', prefix: 'my dav:' } })
    expect(folderAddress({ name: 'pc', type: 'local' }, '/srv')).toMatchObject({
      address: { folder: 'pc:/srv', prefix: 'pc:/srv/' },
    })
    expect(folderAddress({ name: 'pc', type: 'local' }, '/')).toMatchObject({
      address: { folder: 'pc:/', prefix: 'pc:/' },
    })
    expect(folderAddress(google, '-1A_b')).toEqual({
      ok: true,
      address: { options: ['--drive-root-folder-id=-1A_b'], folder: 'g:', prefix: 'g:' },
    })
    expect(folderAddress(google, 'Photos/2026')).toMatchObject({ ok: false })
  })

  it('whatever the ID, it stays in the remote and is no option', () => {
    assert(
      property(string({ unit: 'binary' }), constantFrom(dav, google), (id, remote) => {
        const result = folderAddress(remote, id)
        if (!result.ok) return
        const { folder, prefix, options } = result.address
        expect(folder.startsWith(`${remote.name}:`)).toBe(true)
        expect(prefix.startsWith(folder)).toBe(true)
        expect(folder.slice(remote.name.length + 1)).not.toMatch(/^\/|(^|[/\\])\.\.?([/\\]|$)/)
        for (const option of options) expect(option).toMatch(/^--drive-root-folder-id=[\w-]+$/)
      }),
    )
  })

  it('a link is not an ID', () => {
    for (const link of ['https://drive.google.com/x', ' ftp://x', 'www.dropbox.com/x', 'drive.google.com/x'])
      expect(folderIdProblem(link)).toBe('idIsLink')
    expect(folderIdProblem('Photos: 2026')).toBeUndefined()
  })
})

const shareIn = (stats: object) => parseLogLine(JSON.stringify({ level: 'warning', msg: 'x', stats }))?.share

describe('what rclone tells', () => {
  it('remotes, and which names can stand before a colon', () => {
    expect(parseRemotes('a:      drive\nmy dav: webdav\r\n-x: drive\n\nnonsense\n')).toEqual([
      { name: 'a', type: 'drive' },
      { name: 'my dav', type: 'webdav' },
    ])
    for (const name of ['', '-a', ' a', 'a:b', 'a,b', 'a/b', '/etc', 'a"b', 'a\nb'])
      expect(isRemoteName(name)).toBe(false)
  })

  it.each([
    ['Put "http://x/507": Insufficient Storage: 507 Insufficient Storage', 'quota'],
    [
      'googleapi: Error 403: The user’s Drive storage quota has been exceeded., storageQuotaExceeded',
      'quota',
    ],
    ['googleapi: Error 403: User Rate Limit Exceeded, userRateLimitExceeded', 'busy'],
    [
      'Failed to create file system for "x:": couldn’t fetch token - maybe it has expired?: invalid_grant',
      'signIn',
    ],
    ['googleapi: Error 403: Insufficient Permission: insufficientFilePermissions', 'permission'],
    ['error listing: directory not found', 'notFound'],
    [
      'Propfind "http://127.0.0.1:4030/quota/403": dial tcp 127.0.0.1:4030: connect: connection refused',
      'network',
    ],
    ['Get "https://x": net/http: TLS handshake timeout', 'network'],
    [
      'Failed to copyto: Put "http://x/y": write tcp 127.0.0.1:1->127.0.0.1:2: use of closed network connection',
      'network',
    ],
    ['Failed to copy: Put "http://x/y": EOF', 'network'],
    ['something quite new', 'other'],
  ])('%s means %s', (complaint, kind) => {
    expect(explainTrouble(complaint, 1).kind).toBe(kind)
  })

  it('an exit code where the words say nothing', () => {
    expect(explainTrouble('', 3).kind).toBe('notFound')
    expect(explainTrouble('', null)).toMatchObject({
      kind: 'other',
      message: 'rclone failed without a reason',
    })
  })

  it('messages of the JSON log, without what is only information', () => {
    const lines = [
      '{"level":"info","msg":"Copied (new)"}',
      '{"level":"error","msg":"Failed to copy","object":"quota.png"}',
      '{"broken',
      'Failed at all',
    ]
    expect(complaintsIn(lines)).toBe('Failed to copy\n{"broken\nFailed at all')
  })

  it('how far a transfer is', () => {
    expect(shareIn({ bytes: 25, totalBytes: 100 })).toBe(0.25)
    expect(shareIn({ bytes: 0, totalBytes: 0 })).toBeUndefined()
    expect(shareIn({})).toBeUndefined()
    expect(parseLogLine('not JSON')).toBeUndefined()
  })

  it('never a secret', () => {
    const token = 'ya29.A0ARrdaM-1234567890abcdefghijklmnop'
    for (const text of [
      `odd: Bearer ${token}`,
      `odd: https://me:geheim@host/x?access_token=${token}`,
      `odd {"access_token":"${token}","refresh_token":"1//0gshort"}`,
      `odd: password=geheim`,
      `odd ${token}`,
    ]) {
      const { message } = explainTrouble(text, 1)
      expect(message).not.toMatch(/ya29|geheim|0gshort/)
      expect(redactOutput(text)).toContain('odd')
    }
  })

  it('a file that was asked for as if it were a folder', () => {
    const entry = { name: 'a.png', size: 1, isFolder: false }
    expect(mayBeFile([entry], 'x:album/a.png')).toBe(true)
    expect(mayBeFile([entry], 'x:album')).toBe(false)
    expect(mayBeFile([{ ...entry, isFolder: true }], 'x:a.png')).toBe(false)
  })
})

describe('how rclone is started', () => {
  it('is looked for in the absolute folders of PATH only, and on a Mac where packages put it', () => {
    expect(rclonePlaces({ PATH: '/a::.:b:/c' }, 'linux')).toEqual(['/a/rclone', '/c/rclone'])
    expect(rclonePlaces({ Path: 'C:\\a;b' }, 'win32')).toEqual(['C:\\a\\rclone.exe'])
    expect(rclonePlaces({}, 'darwin')).toContain('/opt/homebrew/bin/rclone')
  })

  it('gets what it needs of the environment and nothing else', () => {
    expect(
      rcloneEnvironment({
        PATH: '/a',
        RCLONE_CONFIG: 'c',
        RCLONE_DRY_RUN: 'true',
        KEY: 'k',
        HOME: undefined,
      }),
    ).toEqual({ PATH: '/a', RCLONE_CONFIG: 'c' })
  })

  it('a choice that can’t be read is none', () => {
    expect(parseDriveChoice('{"remote":"a","rclonePath":"/b","more":1}')).toEqual({
      remote: 'a',
      rclonePath: '/b',
    })
    for (const text of ['', 'x', '[]', '{"remote":""}', 'null']) expect(parseDriveChoice(text)).toEqual({})
  })
})
