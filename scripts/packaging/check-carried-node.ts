/**
 * Checks the Node in a package and what it runs: the packed command line starts the service, which processes photos, a HEIC and a
 * video.
 * Runs a second time under the conditions inside Electron on Linux, where the parent process has loaded the system's GLib.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runMainJob } from '../main-job.ts'
import { problemUnless } from './problem-unless.ts'

const MIB = 1024 * 1024
/** Node 24 for x64 Linux takes 121 MiB. */
const CEILING = 135 * MIB

/**
 * @param work folder for results
 * @returns the problems
 */
export async function checkCarriedNode(resources: string, work: string): Promise<readonly string[]> {
  const node = join(resources, 'node')
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim()
  if (version !== process.version) return [`the carried Node is ${version} instead of ${process.version}`]
  const { size } = statSync(node)
  console.log(`Node ${version} takes ${(size / MIB).toFixed(1)} MiB`)
  return [
    ...problemUnless(size <= CEILING, `the carried Node has grown to ${size} bytes`),
    ...(await runCommandLine(resources, join(work, 'alone'), {})),
    ...(await runWithGlib(resources, work)),
  ]
}

async function runWithGlib(resources: string, work: string): Promise<readonly string[]> {
  const libraries = systemGlib()
  if (libraries === undefined) {
    console.log('Not checked with the system’s GLib, because it isn’t installed (Debian: libglib2.0-0)')
    return []
  }
  const env = { LD_PRELOAD: libraries.join(' '), G_DEBUG: 'fatal-criticals' }
  if (decodesWith(resources, env))
    return ['the system’s GLib no longer causes a conflict, so this check has no effect']
  return runCommandLine(resources, join(work, 'with-glib'), env)
}

/** Returns the system libraries that Electron loads and that conflict with sharp's own. */
function systemGlib(): readonly string[] | undefined {
  const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib']
  return folders
    .map((folder) => ['libglib-2.0.so.0', 'libgobject-2.0.so.0'].map((name) => join(folder, name)))
    .find((paths) => paths.every((path) => existsSync(path)))
}

/** Returns whether a photo can be processed after loading the system libraries. A failed GLib assertion would end the process. */
function decodesWith(resources: string, env: NodeJS.ProcessEnv): boolean {
  const script =
    "require('sharp')({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).resize(8).jpeg().toBuffer()"
  const cwd = join(resources, 'app.asar.unpacked')
  const options = { cwd, env: { ...process.env, ...env } }
  return spawnSync(join(resources, 'node'), ['-e', script], options).status === 0
}

/** @param env additions to this process's environment */
async function runCommandLine(
  resources: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  await mkdir(folder)
  const code = await runMainJob({ program: join(resources, 'bin/mediatray-cli'), args: [], env }, folder)
  const names = Object.keys(env).join(' and ')
  return problemUnless(code === 0, `the packed command line doesn't work${names && ` with ${names}`}`)
}
