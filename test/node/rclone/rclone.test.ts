import { reason } from '../../../src/shared/failure/failure.ts'
import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayBeFile, parseDriveChoice, parseRemotes, rclonePlaces } from '../../../src/node/rclone/index.ts'
import { complaintsIn, explainTrouble, parseLogLine, redactOutput } from '../../../src/node/rclone/failure.ts'
import { folderAddress, folderIdProblem, isRemoteName } from '../../../src/shared/drive-folder.ts'
import { growthOf } from '../../growth.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const dav = { name: 'my dav', type: 'webdav' }
const google = { name: 'g', type: 'drive' }

describe('the address of a folder', () => {
  it('is a path below the remote, or for Google Drive a separate root', () => {
    expect(folderAddress(dav, 'a/b c/')).toEqual({
      ok: true,
      address: { options: [], folder: 'my dav:a/b c', prefix: 'my dav:a/b c/' },
    })
    expect(folderAddress(dav, '/')).toMatchObject({ address: { folder: 'my dav:', prefix: 'my dav:' } })
    expect(folderAddress(dav, 'a//b//')).toMatchObject({ address: { folder: 'my dav:a//b' } })
    const growth = growthOf(
      20_000,
      (size) => `a${'/'.repeat(size)}b`,
      (id) => folderAddress(dav, id),
    )
    expect(growth).toBeLessThan(1.6)
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

  itInLongSuite('refers to a folder in the remote and never to an option, for any ID', () => {
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

  it('can’t be determined from a link instead of an ID', () => {
    for (const link of ['https://drive.google.com/x', ' ftp://x', 'www.dropbox.com/x', 'drive.google.com/x'])
      expect(folderIdProblem(link)).toBe('idIsLink')
    expect(folderIdProblem('Photos: 2026')).toBeUndefined()
  })
})

const shareIn = (stats: object) => parseLogLine(JSON.stringify({ level: 'warning', msg: 'x', stats }))?.share

describe('reading rclone’s output', () => {
  it('finds the remotes, and accepts only names that may precede a colon', () => {
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

  it('uses the exit code if the text gives no reason', () => {
    expect(explainTrouble('', 3).kind).toBe('notFound')
    expect(explainTrouble('', null)).toMatchObject({
      kind: 'other',
      reason: reason('driveUnexplained'),
    })
  })

  it('extracts the messages from the JSON log, without informational ones', () => {
    const lines = [
      '{"level":"info","msg":"Copied (new)"}',
      '{"level":"error","msg":"Failed to copy","object":"quota.png"}',
      '{"broken',
      'Failed at all',
    ]
    expect(complaintsIn(lines)).toBe('Failed to copy\n{"broken\nFailed at all')
  })

  it('extracts the progress of a transfer', () => {
    expect(shareIn({ bytes: 25, totalBytes: 100 })).toBe(0.25)
    expect(shareIn({ bytes: 0, totalBytes: 0 })).toBeUndefined()
    expect(shareIn({})).toBeUndefined()
    expect(parseLogLine('not JSON')).toBeUndefined()
  })

  it('reveals no secrets', () => {
    const token = 'ya29.A0ARrdaM-1234567890abcdefghijklmnop'
    for (const text of [
      `odd: Bearer ${token}`,
      `odd: https://me:geheim@host/x?access_token=${token}`,
      `odd {"access_token":"${token}","refresh_token":"1//0gshort"}`,
      `odd: password=geheim`,
      `odd ${token}`,
    ]) {
      expect(JSON.stringify(explainTrouble(text, 1))).not.toMatch(/ya29|geheim|0gshort/)
      expect(redactOutput(text)).toContain('odd')
    }
  })

  itInLongSuite('removes secrets in linear time', () => {
    for (const piece of ['a', 'a.', 'key ', 'bearer ', '"', '?'])
      expect(growthOf(20_000, (size) => piece.repeat(size), redactOutput)).toBeLessThan(1.6)
  })

  it('detects that a file was requested as a folder', () => {
    const entry = { name: 'a.png', size: 1, isFolder: false }
    expect(mayBeFile([entry], 'x:album/a.png')).toBe(true)
    expect(mayBeFile([entry], 'x:album')).toBe(false)
    expect(mayBeFile([{ ...entry, isFolder: true }], 'x:a.png')).toBe(false)
  })
})

describe('starting rclone', () => {
  it('searches only the absolute folders in PATH and, on a Mac, those of the package managers', () => {
    expect(rclonePlaces({ PATH: '/a::.:b:/c' }, 'linux')).toEqual(['/a/rclone', '/c/rclone'])
    expect(rclonePlaces({ Path: 'C:\\a;b' }, 'win32')).toEqual(['C:\\a\\rclone.exe'])
    expect(rclonePlaces({}, 'darwin')).toContain('/opt/homebrew/bin/rclone')
  })

  it('ignores an unreadable drive choice', () => {
    expect(parseDriveChoice('{"remote":"a","rclonePath":"/b","more":1}')).toEqual({
      remote: 'a',
      rclonePath: '/b',
    })
    for (const text of ['', 'x', '[]', '{"remote":""}', 'null']) expect(parseDriveChoice(text)).toEqual({})
  })
})
