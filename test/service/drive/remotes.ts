/** Real rclone remotes: a folder behind a local WebDAV server, and a folder on disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Remotes = {
  /** A folder for this test only. */
  readonly folder: string
  /** Root of `dav:`. */
  readonly davRoot: string
  /** Root of `disk:`. */
  readonly diskRoot: string
  /** Port of the WebDAV server. */
  readonly davPort: number
  /** Path of the configuration, for RCLONE_CONFIG. */
  readonly config: string
  /** Adds a remote to the configuration. */
  add(name: string, settings: Readonly<Record<string, string>>): Promise<void>
  stop(): Promise<void>
}

export const RCLONE = 'rclone'

export async function startRemotes(): Promise<Remotes> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-remotes-'))
  const davRoot = join(folder, 'dav')
  const diskRoot = join(folder, 'disk')
  const config = join(folder, 'rclone.conf')
  await mkdir(davRoot)
  await mkdir(diskRoot)
  const { child, port } = await serveWebDav(davRoot, config)
  const sections: string[] = []
  const add: Remotes['add'] = async (name, settings) => {
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`)
    sections.push([`[${name}]`, ...lines].join('\n'))
    await writeFile(config, `${sections.join('\n\n')}\n`)
  }
  await add('dav', { type: 'webdav', url: `http://127.0.0.1:${port}`, vendor: 'other' })
  await add('disk', { type: 'alias', remote: diskRoot })
  return {
    folder,
    davRoot,
    diskRoot,
    davPort: port,
    config,
    add,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** rclone prints its address once it listens. */
async function serveWebDav(
  root: string,
  config: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = spawn(
    RCLONE,
    ['serve', 'webdav', root, '--addr', '127.0.0.1:0', '-v', '--dir-cache-time=0s'],
    {
      env: { ...process.env, RCLONE_CONFIG: config },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  child.once('error', (error) => {
    throw new Error(
      `These tests need rclone, which "node scripts/system-packages.ts" installs: ${error.message}`,
    )
  })
  const said: string[] = []
  let port: string | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port !== undefined) break
  }
  if (port === undefined) throw new Error(`rclone serve has exited: ${said.join('\n')}`)
  // Leaving the loop pauses the stream, and a server whose output isn't read blocks after a few hundred files.
  child.stderr.resume()
  return { child, port: Number(port) }
}
