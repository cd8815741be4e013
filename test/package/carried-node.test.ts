import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { carriedModules, reasonAgainst } from '../../scripts/packaging/carried-node.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

describe('the modules that plain Node loads', () => {
  const modules = carriedModules(root)

  test('are those of the service and the command line, with their dependencies', () => {
    for (const name of ['sharp', 'detect-libc', 'node-av', 'libheif-js', 'keytar'])
      expect(modules).toContain(name)
  })

  test('don’t include bundled ones', () => {
    for (const name of ['fastify', 'find-my-way', 'pino', 'undici']) expect(modules).not.toContain(name)
  })

  test('don’t include the updater, which Electron reads from the archive', () => {
    expect(modules).not.toContain('electron-updater')
    expect(modules).not.toContain('builder-util-runtime')
  })
})

describe('the Node that packages the app', () => {
  const plain = {
    config: { variables: { node_shared: false, node_shared_openssl: 'false' } },
    execPath: '/usr/local/bin/node',
    versions: { node: '24.21.0' },
  }
  const against = (other: Partial<Parameters<typeof reasonAgainst>[0]>) =>
    reasonAgainst({ ...plain, ...other })

  test('can be included if it doesn’t depend on anything else on this computer', () => {
    expect(against({})).toBeUndefined()
  })

  test.each([
    [{ versions: { node: '26.1.0' } }, 'it is Node 26.1.0'],
    [{ execPath: '/opt/Electron' }, '/opt/Electron is another program'],
    [
      { config: { variables: { node_shared_libuv: 'true' } } },
      'it depends on libraries of this computer (node_shared_libuv)',
    ],
  ])('is refused with a reason if it has these properties: %j', (other, reason) => {
    expect(against(other)).toBe(reason)
  })
})

test('the command line’s launcher runs the command through links, with unchanged arguments and without anyone else’s options', () => {
  const folder = temporaryFolder()
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
  const { stdout, stderr } = spawnSync(join(folder, 'link to a link'), ['submit', 'a b', '*', ''], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '--require /nowhere' },
    cwd: '/',
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(['submit', 'a b', '*', '', null])
})
