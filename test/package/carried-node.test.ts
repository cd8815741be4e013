import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { carriedModules, reasonAgainst } from '../../scripts/packaging/carried-node.ts'

const root = join(import.meta.dirname, '../..')

describe('the modules that plain Node reads', () => {
  const modules = carriedModules(root)

  test('are those of the service and the command line, with what they need', () => {
    for (const name of ['sharp', 'detect-libc', 'node-av', 'libheif-js', 'keytar'])
      expect(modules).toContain(name)
  })

  test('are not those that are in the bundles', () => {
    for (const name of ['fastify', 'find-my-way', 'pino', 'undici']) expect(modules).not.toContain(name)
  })

  test('are not the updater, which Electron reads from the archive', () => {
    expect(modules).not.toContain('electron-updater')
    expect(modules).not.toContain('builder-util-runtime')
  })
})

describe('the Node that packs', () => {
  const plain = {
    config: { variables: { node_shared: false, node_shared_openssl: 'false' } },
    execPath: '/usr/local/bin/node',
    versions: { node: '24.21.0' },
  }
  const against = (other: Partial<Parameters<typeof reasonAgainst>[0]>) =>
    reasonAgainst({ ...plain, ...other })

  test('can be carried when it needs nothing of this computer', () => {
    expect(against({})).toBeUndefined()
  })

  test.each([
    [{ versions: { node: '26.1.0' } }, 'it is Node 26.1.0'],
    [{ execPath: '/opt/Electron' }, '/opt/Electron is another program'],
    [
      { config: { variables: { node_shared_libuv: 'true' } } },
      'it needs libraries of this computer (node_shared_libuv)',
    ],
  ])('is refused with the reason: %j', (other, reason) => {
    expect(against(other)).toBe(reason)
  })
})

describe('the launcher of the command line', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mediatray-launcher-'))
    const resources = join(folder, 'a folder', 'resources')
    const bundles = join(resources, 'app.asar.unpacked/dist/cli')
    mkdirSync(bundles, { recursive: true })
    mkdirSync(join(resources, 'bin'))
    copyFileSync(join(root, 'build/command-line/unix/mediatray-cli'), join(resources, 'bin/mediatray-cli'))
    symlinkSync(process.execPath, join(resources, 'node'))
    writeFileSync(join(bundles, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(bundles, 'mediatray.js'),
      'console.log(JSON.stringify([...process.argv.slice(2), process.env.NODE_OPTIONS ?? null]))',
    )
    symlinkSync('a folder/resources/bin/mediatray-cli', join(folder, 'link'))
    symlinkSync(join(folder, 'link'), join(folder, 'link to a link'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('runs the command through links, with its arguments as they are, and no options of somebody else', () => {
    const { stdout, stderr } = spawnSync(join(folder, 'link to a link'), ['submit', 'a b', '*', ''], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '--require /nowhere' },
      cwd: '/',
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(['submit', 'a b', '*', '', null])
  })
})
